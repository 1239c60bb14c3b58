// Derives the steps of a payment from all evidence of its bank, in the order of receipt. More
// evidence adds steps and never changes earlier ones. Only an explicit rejection fails a payment.
// Pure.
import type { RailStatus, RailStep } from '../../rails/rail.ts'
import type { BankProfile } from '../../values/bank-format/bank-format.ts'
import { type ReasonCause, reasonOf, type Scheme } from '../../values/bank-format/reason.ts'
import type { Instant } from '../../values/instant.ts'
import { moneyWords } from '../../values/money/words.ts'
import { meaningOf } from '../iso20022/status.ts'
import {
  causeOf,
  EXCEPTIONS,
  type ExceptionKind,
  failureOf,
  isMissedCutOff,
  withCodes,
} from './codes.ts'
import { Bookings, type Evidence, parseReference } from './evidence.ts'
import type { RailFile } from './file-store.ts'
import { judgeSilence, type SentFile, type SilenceProof, silentUntil } from './silence.ts'

export interface PaymentContext {
  readonly item: { readonly amount: bigint; readonly currency: string }
  readonly profile: BankProfile
  /**
   * The file that the payment is in; undefined while it waits for one. Evidence that was received
   * before the sealing is about an earlier file.
   */
  readonly file: (SentFile & Pick<RailFile, 'sealed_at'>) | undefined
  readonly now: Instant
  /** The proof of a silence; undefined: every silence is proved. */
  readonly silence?: SilenceProof
}

export interface Interpretation {
  readonly steps: readonly RailStep[]
  /** The gravest open exception. Later evidence may have settled one. */
  readonly exception?: { readonly kind: ExceptionKind; readonly message: string }
  /** The bank rejected the payment for a cause of the route, so another attempt may pay. */
  readonly not_taken?: { readonly code: string; readonly message: string; readonly again?: Again }
  /** Whether the bank pays later than on the execution date. */
  readonly is_late: boolean
  /** When silence accepts the payment; null when it never does, or the bank has answered. */
  readonly silent_until: Instant | null
  /** The bank's own codes, references and amounts, for the timeline. */
  readonly references: Readonly<Record<string, string>>
}

/**
 * Ranks a bank's confirmations by their proof. A payment settles on the rank in the bank's profile.
 */
const RANKS = { accepted: 1, acsc: 2, booked: 3 } as const

type Outcome = 'failed' | 'not_taken'

/**
 * When the same bank may get the payment again, under new ids: `next_day` after a missed cut-off,
 * `now` when the settlement account was short.
 */
export type Again = 'now' | 'next_day'

/** Interprets the evidence in the order of receipt. */
export function interpret(evidence: readonly Evidence[], context: PaymentContext): Interpretation {
  const state = new PaymentState(context)
  for (const row of evidence) {
    state.advanceTo(row.received_at)
    state.read(row)
  }
  state.end()
  return state.result()
}

/** The state of one payment, after each row of its evidence. */
class PaymentState {
  readonly #context: PaymentContext
  readonly #scheme: Scheme
  readonly #steps: RailStep[] = []
  readonly #debits = new Bookings()
  readonly #credits = new Bookings()
  readonly #exceptions = new Map<ExceptionKind, readonly string[]>()
  readonly #references: Record<string, string> = {}
  /** The highest rank of the bank's confirmations. */
  #rank = 0
  /** Whether the bank accepted the payment itself, and not only its file or group. */
  #accepted_by_name = false
  #rejection: { readonly outcome: Outcome; readonly reasons: readonly string[] } | undefined
  #group_rejected = false
  #return_reasons: readonly string[] = []
  #returned_as_repetition = false
  #is_late = false
  #is_silent = true
  /** Whether the state has advanced past the sealing of the file. */
  #in_file = false

  constructor(context: PaymentContext) {
    this.#context = context
    this.#scheme = context.profile.nacha === null ? 'iso20022' : 'nacha'
  }

  read(evidence: Evidence): void {
    const { level, is_credit } = evidence
    if (level === 'note') return
    if (level === 'return') this.#readReturn(evidence)
    else if (level === 'booking' && is_credit === true) this.#readUnmarked(evidence)
    else if (level === 'booking') this.#readDebit(evidence)
    else this.#readStatus(evidence)
  }

  /** Advances to `now`. The file may be sealed before `now`, and silence may accept the payment. */
  advanceTo(now: Instant): void {
    const { file } = this.#context
    if (file !== undefined && file.sealed_at <= now && !this.#in_file) this.#beginFile()
    // A bank that reports only failures accepts by the agreed days of silence. Later evidence does
    // not undo a silence that has counted.
    const { silence } = this.#context
    if (silence === undefined || silence.is_counted) this.#readSilence(now)
  }

  /** Advances to the present, where a silence counts once it is proved. */
  end(): void {
    const { now } = this.#context
    this.advanceTo(now)
    this.#readSilence(now)
  }

  #readSilence(now: Instant): void {
    const { silence } = this.#context
    const until = this.#silentUntil()
    if (until === null || until > now) return
    const judged = silence === undefined ? 'proved' : judgeSilence(until, silence)
    if (judged === 'proved') this.#confirm(RANKS.accepted)
    else if (judged !== 'wait') this.#exceptions.set('silence_unproved', [judged.why])
  }

  /**
   * Forgets the statuses from an earlier, rejected file, as the payment is in a new file now. Keeps
   * bookings and steps. Changes nothing for a payment that is over or debited.
   */
  #beginFile(): void {
    this.#in_file = true
    if (!this.#isOpen || this.#debits.count > this.#credits.count) return
    for (const kind of this.#exceptions.keys()) {
      if (kind !== 'amount_differs' && kind !== 'credit_unmarked') this.#exceptions.delete(kind)
    }
    this.#rejection = undefined
    this.#group_rejected = false
    this.#accepted_by_name = false
    this.#rank = 0
    this.#is_silent = true
  }

  result(): Interpretation {
    const kind = (Object.keys(EXCEPTIONS) as ExceptionKind[]).find(kind => this.#isRaised(kind))
    const codes = kind === undefined ? [] : (this.#exceptions.get(kind) ?? [])
    const is_waiting = this.#isOpen && this.#context.file !== undefined
    const { outcome, reasons = [] } = is_waiting ? (this.#rejection ?? {}) : {}
    const { code, message } = failureOf(this.#scheme, reasons, 'failed')
    return {
      steps: this.#steps,
      ...(kind !== undefined && {
        exception: { kind, message: withCodes(EXCEPTIONS[kind], codes) },
      }),
      // While debits outnumber credits, the bank may have paid despite its rejection.
      ...(outcome === 'not_taken' &&
        this.#debits.count <= this.#credits.count && {
          not_taken: { code, message, ...this.#againAfter(reasons) },
        }),
      is_late: this.#is_late,
      silent_until: this.#silentUntil(),
      references: this.#references,
    }
  }

  #againAfter(reasons: readonly string[]): { readonly again?: Again } {
    if (reasons.every(code => isMissedCutOff(this.#scheme, code))) return { again: 'next_day' }
    return this.#causesOf(reasons).every(cause => cause === 'funds') ? { again: 'now' } : {}
  }

  #silentUntil(): Instant | null {
    const { file, profile } = this.#context
    const has_answered = !this.#is_silent || this.#rank > 0
    return file === undefined || has_answered ? null : silentUntil(profile, file)
  }

  #readStatus(evidence: Evidence): void {
    const { code, reasons, level } = evidence
    const by_name = level === 'transaction'
    const meaning = meaningOf(code, this.#context.profile.meanings)
    if (meaning === 'nothing' || meaning === 'received') {
      this.#noteReasons(reasons)
      return
    }
    this.#is_silent = false
    if (by_name) this.#references.bank_status = [code, ...reasons].join(' ')
    if (by_name && evidence.amount !== null && this.#differs(evidence)) return
    if (meaning === 'accepted') this.#accept(RANKS.accepted, by_name)
    if (meaning === 'settled') this.#accept(RANKS.acsc, by_name)
    if (meaning === 'cancelled') this.#reject(['DS02', ...reasons], by_name)
    if (meaning === 'requires_action') this.#askAccount([code, ...reasons])
    if (meaning === 'operator' && this.#rank === 0) {
      this.#exceptions.set('needs_person', [code, ...reasons])
    }
    if (meaning === 'rejected') this.#reject(reasons, by_name)
    else this.#noteReasons(reasons)
  }

  #causesOf(reasons: readonly string[]): readonly (ReasonCause | undefined)[] {
    return reasons.map(reason => causeOf(this.#scheme, reason))
  }

  /** Notes the reasons that count with every status: no funds, and a missed cut-off. */
  #noteReasons(reasons: readonly string[]): void {
    if (this.#causesOf(reasons).includes('funds')) this.#exceptions.set('no_funds', ['AM04'])
    if (reasons.some(code => isMissedCutOff(this.#scheme, code))) this.#is_late = true
  }

  #accept(rank: number, by_name: boolean): void {
    if (this.#rejection !== undefined) {
      // An acceptance never undoes a rejection. If it names the payment, a person looks.
      if (by_name) this.#exceptions.set('paid_after_rejection', this.#rejection.reasons)
      return
    }
    if (by_name) this.#accepted_by_name = true
    if (!this.#group_rejected) this.#confirm(rank)
  }

  /** Records a confirmation. The payment succeeds if the profile settles on its rank. */
  #confirm(rank: number): void {
    if (rank <= this.#rank) return
    this.#rank = rank
    // The bank proceeds, so it no longer waits for funds or a person.
    for (const kind of ['no_funds', 'needs_person'] as const) this.#exceptions.delete(kind)
    const settles = rank >= RANKS[this.#context.profile.settles_on]
    if (settles && this.#isOpen) {
      this.#step('succeeded')
      if (this.#credits.count > 0) this.#giveBack()
    } else if (this.#last_status === 'requires_action') {
      this.#step('processing')
    }
  }

  #askAccount(codes: readonly string[]): void {
    const is_undecided = this.#rank === 0 && this.#rejection === undefined && !this.#group_rejected
    if (!is_undecided || this.#steps.length > 0) return
    const description = withCodes('The bank asks for more before it pays.', codes)
    this.#steps.push({ status: 'requires_action', failure: null, description })
  }

  #reject(reasons: readonly string[], by_name: boolean): void {
    const causes = this.#causesOf(reasons)
    if (causes.length > 0 && causes.every(cause => cause === 'positive')) {
      this.#exceptions.set('contradiction', reasons)
    } else if (causes.includes('duplicate')) {
      // After a final rejection, this rejects a copy of the payment, and opens no exception.
      if (this.#rejection?.outcome !== 'failed') this.#exceptions.set('duplicate', reasons)
    } else if (!by_name) {
      this.#group_rejected = true
      this.#exceptions.set('group_rejected', reasons)
    } else {
      this.#rejectByName(this.#outcomeOf(reasons), reasons)
    }
  }

  #rejectByName(outcome: Outcome, reasons: readonly string[]): void {
    const before = this.#rejection
    if (before !== undefined) {
      const contradicts = before.outcome !== 'failed' && before.outcome !== outcome
      if (contradicts) this.#exceptions.set('contradiction', [...before.reasons, ...reasons])
      return
    }
    this.#rejection = { outcome, reasons }
    this.#noteReasons(reasons)
    this.#settleRejection()
  }

  #outcomeOf(reasons: readonly string[]): Outcome {
    const causes = this.#causesOf(reasons)
    // A person closes the exception `no_funds` before another attempt.
    if (causes.includes('funds')) return 'not_taken'
    if (this.#rank > 0 || reasons.length === 0) return 'failed'
    const isOfRoute = (reason: string, i: number) =>
      causes[i] === 'technical' || isMissedCutOff(this.#scheme, reason)
    return reasons.every(isOfRoute) ? 'not_taken' : 'failed'
  }

  /** Fails or reverses a rejected payment, unless its debit still stands. */
  #settleRejection(): void {
    if (this.#rejection === undefined || this.#debits.count > this.#credits.count) return
    const { outcome, reasons } = this.#rejection
    if (this.#last_status === 'succeeded') this.#step('reversed', this.#return_reasons, reasons)
    else if (this.#isOpen && outcome === 'failed') this.#step('failed', reasons)
  }

  #readDebit(evidence: Evidence): void {
    if (this.#differs(evidence) || !this.#debits.add(evidence)) return
    const { own } = parseReference(evidence.reference)
    if (own !== '') this.#references.bank_reference = own
    if (this.#rejection !== undefined) this.#settleRejection()
    else if (!this.#group_rejected) this.#confirm(RANKS.booked)
  }

  /**
   * A credit with our id moves nothing unless the bank marks it as a return. Anybody may have sent
   * it, at a time of their choice, to take the payout's rate back.
   */
  #readUnmarked({ amount, currency, reference }: Evidence): void {
    const { own } = parseReference(reference)
    const money = amount === null ? currency : moneyWords(amount, currency)
    this.#exceptions.set('credit_unmarked', [own === '' ? money : `${money}, ${own}`])
  }

  #readReturn(evidence: Evidence): void {
    const { amount, currency, reasons } = evidence
    const { item } = this.#context
    const is_full = currency === item.currency && amount === item.amount
    // A return of less than was paid costs the settlement account; a return of more is an error.
    const is_more = amount !== null && currency === item.currency && amount > item.amount
    if (amount === null || is_more) return void this.#differs(evidence)
    if (!this.#credits.add(evidence)) return
    if (!is_full) this.#references.returned = moneyWords(amount, currency)
    if (reasons.length > 0) this.#return_reasons = reasons
    if (this.#rejection !== undefined) this.#settleRejection()
    else this.#giveBack()
  }

  /** Gives returned money back to the account, unless another debit stands. */
  #giveBack(): void {
    const reasons = this.#return_reasons
    if (this.#causesOf(reasons).includes('duplicate')) {
      this.#returned_as_repetition = true
      this.#exceptions.set('duplicate', reasons)
    } else if (this.#debits.count > this.#credits.count) {
      return
    } else if (this.#last_status === 'succeeded') {
      this.#step('reversed', reasons)
    } else if (this.#scheme === 'nacha' && this.#isOpen) {
      // No bank statement shows the debit of a single ACH entry, so its return alone fails it.
      this.#step('failed', reasons)
    }
  }

  /** Whether the amount or currency differs. If so, opens an exception: nothing is applied. */
  #differs({ amount, currency }: Evidence): boolean {
    const { item } = this.#context
    if (amount === item.amount && currency === item.currency) return false
    const words = (sum: bigint | null, code: string) =>
      sum === null ? `no amount${code && ` in ${code}`}` : moneyWords(sum, code)
    this.#exceptions.set('amount_differs', [
      `${words(amount, currency)} instead of ${words(item.amount, item.currency)}`,
    ])
    return true
  }

  #isRaised(kind: ExceptionKind): boolean {
    const [debits, credits] = [this.#debits.count, this.#credits.count]
    const rejected = this.#rejection !== undefined
    switch (kind) {
      case 'second_debit':
        return debits > 1
      case 'second_return':
        return credits > 1
      case 'rejected_but_booked':
        return (rejected || this.#group_rejected) && debits > credits
      case 'contradiction':
        return (
          this.#exceptions.has(kind) ||
          (this.#group_rejected && this.#accepted_by_name && !rejected)
        )
      case 'group_rejected':
        return this.#group_rejected && !rejected && this.#last_status !== 'reversed'
      case 'duplicate':
        return this.#exceptions.has(kind) && (this.#rank === 0 || this.#returned_as_repetition)
      case 'no_funds':
      case 'needs_person':
      case 'silence_unproved':
        return this.#exceptions.has(kind) && this.#isOpen
      default:
        return this.#exceptions.has(kind)
    }
  }

  get #last_status(): RailStatus | undefined {
    return this.#steps.at(-1)?.status
  }

  get #isOpen(): boolean {
    return !['succeeded', 'failed', 'reversed'].includes(this.#last_status ?? '')
  }

  /** Adds a step. Its failure has the first non-empty list of reasons. */
  #step(status: RailStatus, ...lists: readonly (readonly string[])[]): void {
    const reasons = lists.find(list => list.length > 0) ?? []
    const has_failure = status === 'failed' || status === 'reversed'
    const failure = has_failure ? failureOf(this.#scheme, reasons, status) : null
    const isWish = (code: string) =>
      reasonOf(this.#scheme, code, status === 'reversed')?.at_wish === true
    const at_wish = has_failure && reasons.some(isWish)
    this.#steps.push({ status, failure, ...(at_wish && { at_wish }) })
  }
}
