// The operation that writes beneficiaries: creation and update share one lane, so that an account's
// commands run in order. Payouts insert the beneficiaries that they make themselves.
import { storeBooks } from '../balance-transaction/operations.ts'
import type { TransactionSql } from '../db/connect.ts'
import type { Operation } from '../engine/operation.ts'
import { success } from '../http/answer.ts'
import { type BookId, nameOf, uniqueKeys } from '../id.ts'
import type { Answering, Claiming } from '../idempotency/kept-reply.ts'
import { lockBooks } from '../ledger/store.ts'
import type { Beneficiary } from './beneficiary.ts'
import { presentBeneficiary } from './response.ts'
import {
  type BeneficiaryChange,
  type BeneficiaryOutcome,
  type BeneficiaryState,
  decideBeneficiary,
} from './rules.ts'
import { findBeneficiaries, insertBeneficiaries, updateBeneficiaries } from './store.ts'

export interface WriteBeneficiary extends Claiming {
  readonly change: BeneficiaryChange
}

export type WrittenBeneficiary = BeneficiaryOutcome & Answering

/** POST and PUT /v3/beneficiary. */
export function writeBeneficiary(
  bookId: BookId,
): Operation<WriteBeneficiary, BeneficiaryState, WrittenBeneficiary> {
  return {
    name: 'write_beneficiary',

    async load(tx, commands) {
      const account_ids = commands.map(({ account_id }) => account_id)
      const [{ books }, beneficiaries] = await Promise.all([
        lockBooks(tx, account_ids),
        loadNamed(tx, commands),
      ])
      return { books, beneficiaries, bookId }
    },

    decide(state, { account_id, change }) {
      const outcome = decideBeneficiary(state, account_id, change)
      return { ...outcome, reply: success(presentBeneficiary(outcome.beneficiary)) }
    },

    store(tx, outcomes, state) {
      const rows = (did: BeneficiaryOutcome['did']) =>
        outcomes.filter(o => o.did === did).map(o => o.beneficiary)
      const [created, changed] = [rows('created'), uniqueKeys(rows('changed'))]
      const writes = outcomes.map(({ events }) => ({ entries: [], events }))
      return Promise.all([
        ...storeBooks(tx, state.books, writes),
        created.length > 0 &&
          insertBeneficiaries(
            tx,
            created.map(beneficiary => ({ ...beneficiary, screened: null })),
          ),
        changed.length > 0 && updateBeneficiaries(tx, changed),
      ])
    },
  }
}

async function loadNamed(
  tx: TransactionSql,
  commands: readonly WriteBeneficiary[],
): Promise<Map<string, Beneficiary>> {
  const keys = commands.flatMap(({ account_id, change }) =>
    change.kind === 'update' ? [{ account_id, id: change.id }] : [],
  )
  const found = await findBeneficiaries(tx, uniqueKeys(keys))
  return new Map(found.map(beneficiary => [nameOf(beneficiary), beneficiary]))
}
