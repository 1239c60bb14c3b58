// Payouts from the rows of a file, as pure functions: by what a row is known again in a later run,
// and what became of it. Knows neither files nor the database.
import { RowKeys } from '../entity/row-keys.ts'
import { type Problem, refusal } from '../errors.ts'
import type { Instant } from '../instant.ts'
import { hashJson } from '../seal.ts'
import { likenessOfRequest } from './duplicate.ts'
import type { Payout } from './payout.ts'
import type { PayoutRequest } from './request.ts'
import type { PayoutStatus } from './states.ts'

/** What a row is known by, each 64 hex digits (docs/decisions/0028). */
export interface ImportKeys {
  /** The row itself: its content, and how many equal rows came before it. */
  readonly row: string
  /** The payment: whom, how much, with which reference, and how many of these came before it. */
  readonly payment: string
  /** The payment before it of the same kind in the file; null when it is the first. */
  readonly payment_before: string | null
}

/** A row that may be asked for. */
export interface PayoutDraft {
  readonly request: PayoutRequest
  readonly keys: ImportKeys
}

/** Drafts of the valid rows of one file. */
export class PayoutDrafts {
  readonly #rows: RowKeys
  readonly #payments: RowKeys
  /** Of all keys of one import, so that they lie side by side in an index that only grows. */
  readonly #beginning: string

  constructor(import_name: string) {
    this.#beginning = hashJson(import_name).slice(0, BEGINNING)
    this.#rows = new RowKeys(import_name)
    this.#payments = new RowKeys(import_name)
  }

  /** To be asked for row after row; `request` is valid. */
  next(request: PayoutRequest): PayoutDraft {
    // Whoever adds this to a row that was paid does not ask for another payment.
    const { allow_duplicate: _, ...asked } = request
    const { key: row } = this.#rows.next(hashJson(asked))
    const { key: payment, before } = this.#payments.next(paymentOf(request))
    const keys = {
      row: this.#keyOf(row),
      payment: this.#keyOf(payment),
      payment_before: before === null ? null : this.#keyOf(before),
    }
    return { request, keys }
  }

  #keyOf(hash: string): string {
    return this.#beginning + hash.slice(BEGINNING)
  }
}

/** Hex digits; the 192 bits that are left tell any two keys apart. */
const BEGINNING = 16

/** As payouts are alike, but that a beneficiary named by its id stays the same when it changes. */
function paymentOf(request: PayoutRequest): string {
  const { amount, currency, reference_id = '', beneficiary, beneficiary_details } = request
  if (beneficiary_details !== undefined) {
    return hashJson({
      payment: likenessOfRequest(request, beneficiary_details),
    })
  }
  return hashJson({ payment: { beneficiary, amount, currency, reference_id } })
}

/** Minor units. */
export interface Cost {
  readonly currency: string
  readonly amount: bigint
  readonly holding_currency: string
  /** What leaves the balance, with fees. */
  readonly total_debit: bigint
}

/** A payout that an import has made, as it is now. */
export interface ImportedPayout extends Cost {
  readonly payout_id: string
  readonly status: PayoutStatus
  readonly created_at: Instant
}

export function importedOf(payout: Payout): ImportedPayout {
  const { id: payout_id, status, created_at, currency, amount, holding_currency } = payout
  const total_debit = payout.holding_amount + payout.fixed_fee + payout.variable_fee
  return { payout_id, status, created_at, currency, amount, holding_currency, total_debit }
}

/** What was imported, by `account_id/key`. */
export type Imported = Map<string, ImportedPayout>

/**
 * Refuses a row that is not known itself and whose payment this import has made for another row,
 * which is how a row looks that was changed after it was paid. `twin` is the payout that was made.
 */
export function checkNewPayment(twin: ImportedPayout | undefined): void {
  // Its money is back, so that it was not paid.
  if (twin === undefined || twin.status === 'failed' || twin.status === 'reversed') return
  const message =
    `Payout ${twin.payout_id}, made by this import from a row that said other things, has the ` +
    'same beneficiary, amount, currency and reference_id. If this is another payment, send ' +
    'allow_duplicate.'
  throw refusal('possible_duplicate_payout', message, 'allow_duplicate')
}

/** What became of a row, or would. */
export interface PayoutRowResult {
  /** Counted from 1; a row that spans lines counts at its last one. */
  readonly line: number
  readonly result: 'made' | 'held' | 'imported_before' | 'refused'
  /** Null when there is none, or none yet. */
  readonly payout: string | null
  /** What the payout is now; null when there is none yet. */
  readonly status: PayoutStatus | null
  /** Whether an earlier row of the file asks for the same payment, of a payout that is made now. */
  readonly alike: boolean
  /** Of a payout, or of one that would be made if the balance sufficed. */
  readonly cost: Cost | null
  readonly problems: readonly Problem[]
}

const NOTHING = { payout: null, status: null, alike: false, cost: null, problems: [] } as const

export function madeRow(
  line: number,
  { keys }: PayoutDraft,
  made: ImportedPayout,
): PayoutRowResult {
  const { payout_id: payout, status } = made
  const result = status === 'compliance_hold' ? 'held' : 'made'
  const alike = keys.payment_before !== null
  return { ...NOTHING, line, result, payout, status, alike, cost: made }
}

/** Of a payout that was thrown away, which has no id. */
export function wouldBeMadeRow(
  line: number,
  draft: PayoutDraft,
  made: ImportedPayout,
): PayoutRowResult {
  return { ...madeRow(line, draft, made), payout: null, status: null }
}

export function importedBeforeRow(line: number, before: ImportedPayout): PayoutRowResult {
  const { payout_id: payout, status } = before
  return { ...NOTHING, line, result: 'imported_before', payout, status, cost: before }
}

/** `cost` of a row that lacks nothing but money, where it is known. */
export function refusedPayoutRow(
  line: number,
  problems: readonly Problem[],
  cost: Cost | null = null,
): PayoutRowResult {
  return { ...NOTHING, line, result: 'refused', cost, problems }
}
