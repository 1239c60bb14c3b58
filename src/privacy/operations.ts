// Erases the personal data of a party, in the order of its account's book.
import type { Operation } from '../engine/operation.ts'
import { success } from '../http/answer.ts'
import { KEPT_SEAL, type KeptReply } from '../http/idempotency/kept-reply.ts'
import { lockBooks } from '../ledger/store.ts'
import { presentBeneficiary } from '../parties/beneficiary/response.ts'
import { presentEntity } from '../parties/entity/response.ts'
import { findPayouts } from '../payouts/store.ts'
import { storeBooks } from '../statements/balance-transaction/operations.ts'
import type { Party } from './privacy.ts'
import {
  decideErasure,
  type Erased,
  type ErasedReply,
  type Stored,
  type StoredParty,
} from './rules.ts'
import {
  findEventsToErase,
  findKeepReasons,
  findOldFiles,
  findOldInbox,
  findParty,
  findPayoutsOf,
  findRepliesOf,
  storeErasure,
} from './store.ts'

interface EraseParty extends Party {
  readonly person: string
  readonly reason: string
}

/** `load` reads the data of the first command alone, so a transaction has one. */
export const eraseParty: Operation<EraseParty, Stored, Erased> = {
  name: 'erase_party',
  while_frozen: true,

  async load(tx, [command]) {
    if (command === undefined) throw new Error('erase_party needs a command')
    const { account_id, id } = command
    const [{ books }, party, kept, ids] = await Promise.all([
      lockBooks(tx, [account_id]),
      findParty(tx, command),
      findRepliesOf(tx, command),
      findPayoutsOf(tx, command),
    ])
    const [payouts, keep_reasons, events, files, inbox] = await Promise.all([
      findPayouts(
        tx,
        ids.map(payout_id => ({ account_id, id: payout_id })),
      ),
      findKeepReasons(tx, { account_id, id }, ids),
      findEventsToErase(tx, account_id, [id, ...ids]),
      findOldFiles(tx, account_id, ids),
      findOldInbox(tx, account_id, ids),
    ])
    return {
      books,
      party,
      payouts: payouts.toSorted(byId),
      keep_reasons,
      events,
      kept,
      files,
      inbox,
    }
  },

  decide: (stored, command) => decideErasure(stored, command, eraseReply),

  store: (tx, outcomes, { books }) => {
    return Promise.all([
      ...storeBooks(tx, books, outcomes),
      ...outcomes.map(outcome => storeErasure(tx, outcome)),
    ])
  },
}

/** A repeated request answers with the erased form, and makes no new party. */
function eraseReply(reply: KeptReply, { kind, row }: StoredParty): ErasedReply {
  const shown = kind === 'beneficiary' ? presentBeneficiary(row) : presentEntity(row)
  const after = { ...reply, body: success(shown).body }
  const key = `${reply.operation} ${reply.key}`
  const [was, becomes] = [KEPT_SEAL.digest(reply), KEPT_SEAL.digest(after)]
  return { reply: after, row: { table_name: 'idempotency_keys', key, was, becomes } }
}

function byId(a: Party, b: Party): number {
  return a.id < b.id ? -1 : 1
}
