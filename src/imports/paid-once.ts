// Pays each row of a file once, however often the file is imported, by keys that are stored for
// ever (docs/decisions/batches-and-imports.md).
import type { Operation } from '../engine/operation.ts'
import { decidePayout } from '../payouts/create/create.ts'
import {
  type Beneficiaries,
  createPayout,
  type PayoutReference,
} from '../payouts/create/create-operation.ts'
import { fingerprintOf } from '../payouts/create/duplicate.ts'
import { intentIn } from '../payouts/create/intent.ts'
import type { PayoutOutcome } from '../payouts/create/new-row.ts'
import type { CreatePayout, Payout, PayoutState } from '../payouts/payout.ts'
import type { PayoutRequest } from '../payouts/request.ts'
import { isGivenBack } from '../payouts/states.ts'
import { hashJson } from '../values/digest.ts'
import { refusal } from '../values/errors.ts'
import { IMPORT_DIGITS, importId, nameOf } from '../values/id.ts'
import { RowKeys } from './keys.ts'
import {
  findImportedPayouts,
  type ImportedPayout,
  type ImportKey,
  insertImportedPayouts,
} from './store.ts'

/** What identifies a row; each key is 64 hex digits. */
export interface PayoutKeys {
  /** The key of the row: its content, and how many equal rows come before it. */
  readonly row: string
  /** Of payee, amount and reference, and how many equal payments come before it. */
  readonly payment: string
  /** The key of the previous equal payment of the file; null for the first. */
  readonly previous_payment: string | null
}

export function importIdOf(account_id: string, import_name: string): string {
  return importId(account_id, hashJson(import_name))
}

export class FileKeys {
  readonly #rows: RowKeys
  readonly #payments: RowKeys
  /** Keeps an import's keys together in the index. The other 192 bits tell any two apart. */
  readonly #prefix: string

  constructor(import_name: string) {
    this.#prefix = hashJson(import_name).slice(0, IMPORT_DIGITS)
    this.#rows = new RowKeys(import_name)
    this.#payments = new RowKeys(import_name)
  }

  /** Call it once a row, in order. `request` is valid. */
  next(request: PayoutRequest): PayoutKeys {
    // `allow_duplicate` is in no key: a paid row that gets it later is still the same row.
    const { allow_duplicate: _, ...content } = request
    const { key: row } = this.#rows.next(hashJson(content))
    const { key: payment, previous } = this.#payments.next(hashOfPayment(request))
    return {
      row: this.#keyOf(row),
      payment: this.#keyOf(payment),
      previous_payment: previous === null ? null : this.#keyOf(previous),
    }
  }

  #keyOf(hash: string): string {
    return this.#prefix + hash.slice(IMPORT_DIGITS)
  }
}

/** A beneficiary named by id counts by its id, because its details may change. */
function hashOfPayment(request: PayoutRequest): string {
  const { amount, currency, reference_id = '', beneficiary, beneficiary_details } = request
  const payment =
    beneficiary_details === undefined
      ? { beneficiary, amount, currency, reference_id }
      : fingerprintOf(beneficiary_details, { amount, currency, reference_id })
  return hashJson({ payment })
}

function importedPayoutOf(payout: Payout): ImportedPayout {
  const { id: payout_id, status, created_at, currency, amount, holding_currency } = payout
  const total_debit = payout.holding_amount + payout.fixed_fee + payout.variable_fee
  return { payout_id, status, created_at, currency, amount, holding_currency, total_debit }
}

/** The command of a row. Unlike a request, it has no Idempotency-Key. */
export interface PayRow extends CreatePayout {
  readonly keys: PayoutKeys
}

export interface PayRowState {
  readonly inner: PayoutState
  /** The imported payouts by `account_id/key`. */
  readonly imported: Map<string, ImportedPayout>
  readonly new_keys: (ImportKey & { readonly payout_id: string })[]
}

export interface PaidRow {
  readonly payout: ImportedPayout
  /** Null if an earlier run made the payout. */
  readonly made: PayoutOutcome | null
}

type PayRows = Operation<PayRow, PayRowState, PaidRow, Beneficiaries>

export function payRows(reference: PayoutReference): PayRows {
  const creation = createPayout(reference)
  return {
    name: 'import_payout',
    ...(creation.prepare === undefined ? {} : { prepare: creation.prepare }),

    async load(tx, commands, prepared) {
      const [inner, found] = await Promise.all([
        creation.load(tx, commands, prepared),
        // Sent after the locks, so it sees the payouts of the previous holder of the locks.
        findImportedPayouts(tx, commands.flatMap(importKeysOf)),
      ])
      const imported = found.map(({ account_id, import_key: id, ...payout }) => {
        return [nameOf({ account_id, id }), payout] as const
      })
      return { inner, imported: new Map(imported), new_keys: [] }
    },

    decide: decideRow,

    store(tx, outcomes, { inner, new_keys }) {
      const made = outcomes.flatMap(outcome => outcome.made ?? [])
      if (made.length === 0) return Promise.resolve()
      return Promise.all([
        creation.store(tx, made, inner),
        insertImportedPayouts(tx, new_keys.splice(0)),
      ])
    },
  }
}

function decideRow(
  { inner, imported, new_keys }: PayRowState,
  { account_id, request, keys }: PayRow,
): PaidRow {
  const payoutOf = (key: string | null) => imported.get(nameOf({ account_id, id: key ?? '' }))
  const imported_before = payoutOf(keys.row)
  if (imported_before !== undefined) return { payout: imported_before, made: null }
  const is_allowed = request.allow_duplicate === true
  if (!is_allowed) checkNewPayment(payoutOf(keys.payment))
  // A row that is allowed also allows a later one of the same payment.
  const allow_duplicate = is_allowed || payoutOf(keys.previous_payment) !== undefined
  const made = decidePayout(inner, {
    ...intentIn(inner, request),
    request: allow_duplicate ? { ...request, allow_duplicate } : request,
    import_keys: `${keys.row} ${keys.payment}`,
  })
  const payout = importedPayoutOf(made.payout)
  for (const import_key of [keys.row, keys.payment]) {
    imported.set(nameOf({ account_id, id: import_key }), payout)
    new_keys.push({ account_id, import_key, payout_id: payout.payout_id })
  }
  return { payout, made }
}

/** Most likely somebody changed a row after this import had paid it. */
function checkNewPayment(paid: ImportedPayout | undefined): void {
  // A payout whose money came back has paid nothing.
  if (paid === undefined || isGivenBack(paid)) return
  const message =
    `Payout ${paid.payout_id}, which this import made from a row with other content, has the ` +
    'same beneficiary, amount, currency and reference_id. If this is another payment, send ' +
    'allow_duplicate.'
  throw refusal('possible_duplicate_payout', message, 'allow_duplicate')
}

function importKeysOf({ account_id, keys }: PayRow): ImportKey[] {
  const { row, payment, previous_payment } = keys
  const import_keys = [row, payment, ...(previous_payment === null ? [] : [previous_payment])]
  return import_keys.map(import_key => ({ account_id, import_key }))
}
