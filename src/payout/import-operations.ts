// Payouts from files: the creation of payouts, under keys that are kept for ever. The keys are read
// under the book's lock and written in the transaction of the payout, so a row is paid once however
// often its file is run.
import type { Operation } from '../engine/operation.ts'
import { nameOf } from '../id.ts'
import { type Beneficiaries, type PayoutReference, payoutCreation } from './create-operation.ts'
import {
  checkNewPayment,
  type Imported,
  type ImportedPayout,
  type ImportKeys,
  importedOf,
  type PayoutDraft,
} from './import.ts'
import { findImportedPayouts, type ImportName, insertImportedPayouts } from './import-store.ts'
import type { CreatePayout, PayoutOutcome, PayoutState } from './payout.ts'

interface ImportPayout extends CreatePayout {
  readonly keys: ImportKeys
}

export interface ImportState {
  readonly inner: PayoutState
  readonly imported: Imported
  /** To be stored. */
  readonly fresh: (ImportName & { readonly payout_id: string })[]
}

/** A new payout, or the one that the row was imported as before. */
export interface ImportOutcome {
  readonly payout: ImportedPayout
  readonly made: PayoutOutcome | null
}

export type ImportOperation = Operation<ImportPayout, ImportState, ImportOutcome, Beneficiaries>

/** A row of a file as a command; no answer is kept for it. */
export function importCommand(
  account: CreatePayout['account'],
  { request, keys }: PayoutDraft,
): ImportPayout {
  return { account_id: account.account_id, account, request, claim: null, keys }
}

/** Rows of a file, each paid once. */
export function importPayout(reference: PayoutReference): ImportOperation {
  const creation = payoutCreation(reference)
  return {
    name: 'import_payout',
    ...(creation.prepare === undefined ? {} : { prepare: creation.prepare }),

    async load(tx, commands, prepared) {
      const names = commands.flatMap(namesOf)
      const [inner, found] = await Promise.all([
        creation.load(tx, commands, prepared),
        // Sent after the locks, so it sees what those who held them before have paid.
        findImportedPayouts(tx, names),
      ])
      const imported = new Map(
        found.map(({ account_id, import_key: id, ...payout }) => {
          return [nameOf({ account_id, id }), payout] as const
        }),
      )
      return { inner, imported, fresh: [] }
    },

    decide: decideImport(creation),

    store(tx, outcomes, { inner, fresh }) {
      const made = outcomes.flatMap(outcome => outcome.made ?? [])
      if (made.length === 0) return Promise.resolve()
      return Promise.all([
        creation.store(tx, made, inner),
        insertImportedPayouts(tx, fresh.splice(0)),
      ])
    },
  }
}

function decideImport(creation: ReturnType<typeof payoutCreation>): ImportOperation['decide'] {
  return ({ inner, imported, fresh }, command) => {
    const { account_id, request, keys } = command
    const known = (id: string | null) => imported.get(nameOf({ account_id, id: id ?? '' }))
    const before = known(keys.row)
    if (before !== undefined) return { payout: before, made: null }
    const allowed = request.allow_duplicate === true
    if (!allowed) checkNewPayment(known(keys.payment))
    // The row before it of the same payment has passed the guard for both.
    const allow_duplicate = allowed || known(keys.payment_before) !== undefined
    const asked = {
      ...command,
      request: allow_duplicate ? { ...request, allow_duplicate } : request,
      import_keys: `${keys.row} ${keys.payment}`,
    }
    const made = creation.decide(inner, asked)
    const payout = importedOf(made.payout)
    for (const import_key of [keys.row, keys.payment]) {
      imported.set(nameOf({ account_id, id: import_key }), payout)
      fresh.push({ account_id, import_key, payout_id: payout.payout_id })
    }
    return { payout, made }
  }
}

function namesOf({ account_id, keys }: ImportPayout): ImportName[] {
  const { row, payment, payment_before } = keys
  const wanted = payment_before === null ? [row, payment] : [row, payment, payment_before]
  return wanted.map(import_key => ({ account_id, import_key }))
}
