// Pays each row of a file once, however often the file is run: creates payouts under keys that are
// kept for ever (docs/decisions/0028). It reads the keys under the book's lock, and writes them in
// the transaction of the payout.
import type { Operation } from '../engine/operation.ts'
import { refusal } from '../errors.ts'
import { IMPORT_DIGITS, importId, nameOf } from '../id.ts'
import {
  type Beneficiaries,
  type PayoutReference,
  payoutCreation,
} from '../payout/create-operation.ts'
import { likenessOfRequest } from '../payout/duplicate.ts'
import type { CreatePayout, Payout, PayoutOutcome, PayoutState } from '../payout/payout.ts'
import type { PayoutRequest } from '../payout/request.ts'
import { isGivenBack } from '../payout/states.ts'
import { hashJson } from '../seal.ts'
import { RowKeys } from './keys.ts'
import {
  findImportedPayouts,
  type ImportedPayout,
  type ImportName,
  insertImportedPayouts,
} from './store.ts'

/** What identifies a row; each key is 64 hex digits. */
export interface PayoutKeys {
  /** The key of the row: its content, and how many equal rows came before it. */
  readonly row: string
  /**
   * The key of the payment: payee, amount, reference, and how many equal payments came before it.
   */
  readonly payment: string
  /** The key of the same payment earlier in the file; null for the first. */
  readonly payment_before: string | null
}

/** The id of the import of this name. */
export function importOf(account_id: string, import_name: string): string {
  return importId(account_id, hashJson(import_name))
}

export class FileKeys {
  readonly #rows: RowKeys
  readonly #payments: RowKeys
  /**
   * All keys of one import begin alike, so that the index keeps them together. The other 192 bits
   * tell any two of them apart.
   */
  readonly #beginning: string

  constructor(import_name: string) {
    this.#beginning = hashJson(import_name).slice(0, IMPORT_DIGITS)
    this.#rows = new RowKeys(import_name)
    this.#payments = new RowKeys(import_name)
  }

  /** Call it once a row, in order. `request` is valid. */
  next(request: PayoutRequest): PayoutKeys {
    // Not in the keys: a paid row that gets `allow_duplicate` later is still the same payment.
    const { allow_duplicate: _, ...asked } = request
    const { key: row } = this.#rows.next(hashJson(asked))
    const { key: payment, before } = this.#payments.next(paymentOf(request))
    return {
      row: this.#keyOf(row),
      payment: this.#keyOf(payment),
      payment_before: before === null ? null : this.#keyOf(before),
    }
  }

  #keyOf(hash: string): string {
    return this.#beginning + hash.slice(IMPORT_DIGITS)
  }
}

/**
 * Two payments are the same if this text is the same. A beneficiary that is named by id counts by
 * its id, because its details may change.
 */
function paymentOf(request: PayoutRequest): string {
  const { amount, currency, reference_id = '', beneficiary, beneficiary_details } = request
  const payment =
    beneficiary_details === undefined
      ? { beneficiary, amount, currency, reference_id }
      : likenessOfRequest(request, beneficiary_details)
  return hashJson({ payment })
}

function importedOf(payout: Payout): ImportedPayout {
  const { id: payout_id, status, created_at, currency, amount, holding_currency } = payout
  const total_debit = payout.holding_amount + payout.fixed_fee + payout.variable_fee
  return { payout_id, status, created_at, currency, amount, holding_currency, total_debit }
}

/** A row as a command. No answer is kept for it. */
export interface PayRow extends CreatePayout {
  readonly keys: PayoutKeys
}

export interface PayRowState {
  readonly inner: PayoutState
  /** The imported payouts by `account_id/key`. */
  readonly imported: Map<string, ImportedPayout>
  /** The names to store. */
  readonly fresh: (ImportName & { readonly payout_id: string })[]
}

/** The new payout, or the one that an earlier run made for the row. */
export interface PaidRow {
  readonly payout: ImportedPayout
  readonly made: PayoutOutcome | null
}

type PayRows = Operation<PayRow, PayRowState, PaidRow, Beneficiaries>

export function payRows(reference: PayoutReference): PayRows {
  const creation = payoutCreation(reference)
  return {
    name: 'import_payout',
    ...(creation.prepare === undefined ? {} : { prepare: creation.prepare }),

    async load(tx, commands, prepared) {
      const [inner, found] = await Promise.all([
        creation.load(tx, commands, prepared),
        // Sent after the locks, so it sees what the previous holder of the locks has paid.
        findImportedPayouts(tx, commands.flatMap(namesOf)),
      ])
      const imported = found.map(({ account_id, import_key: id, ...payout }) => {
        return [nameOf({ account_id, id }), payout] as const
      })
      return { inner, imported: new Map(imported), fresh: [] }
    },

    decide: (state, command) => decideRow(creation, state, command),

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

function decideRow(
  creation: ReturnType<typeof payoutCreation>,
  { inner, imported, fresh }: PayRowState,
  command: PayRow,
): PaidRow {
  const { account_id, request, keys } = command
  const known = (id: string | null) => imported.get(nameOf({ account_id, id: id ?? '' }))
  const before = known(keys.row)
  if (before !== undefined) return { payout: before, made: null }
  const allowed = request.allow_duplicate === true
  if (!allowed) checkNewPayment(known(keys.payment))
  // If an earlier row of the same payment passed the guard against duplicates, this row passes it
  // too.
  const allow_duplicate = allowed || known(keys.payment_before) !== undefined
  const made = creation.decide(inner, {
    ...command,
    request: allow_duplicate ? { ...request, allow_duplicate } : request,
    import_keys: `${keys.row} ${keys.payment}`,
  })
  const payout = importedOf(made.payout)
  for (const import_key of [keys.row, keys.payment]) {
    imported.set(nameOf({ account_id, id: import_key }), payout)
    fresh.push({ account_id, import_key, payout_id: payout.payout_id })
  }
  return { payout, made }
}

/**
 * Refuses a new row if this import has made its payment for another row: probably a row that was
 * changed after it was paid. `twin` is the payout of the other row.
 */
function checkNewPayment(twin: ImportedPayout | undefined): void {
  // The money came back, so nothing was paid.
  if (twin === undefined || isGivenBack(twin)) return
  const message =
    `Payout ${twin.payout_id}, made by this import from a row that said other things, has the ` +
    'same beneficiary, amount, currency and reference_id. If this is another payment, send ' +
    'allow_duplicate.'
  throw refusal('possible_duplicate_payout', message, 'allow_duplicate')
}

function namesOf({ account_id, keys }: PayRow): ImportName[] {
  const { row, payment, payment_before } = keys
  const wanted = payment_before === null ? [row, payment] : [row, payment, payment_before]
  return wanted.map(import_key => ({ account_id, import_key }))
}
