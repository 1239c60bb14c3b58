// Derives the state of a payment from everything that the bank has said about it, in the order of
// receipt. More evidence adds steps and never changes earlier ones. Only an explicit rejection
// fails a payment. Pure.
import type { BankProfile } from '../bank-format/bank-format.ts'
import type { Instant } from '../instant.ts'
import { meaningOf } from '../iso20022/status.ts'
import { moneyWords } from '../money/words.ts'
import type { RailStatus, RailStep } from '../rail/rail.ts'
import { type Cause, causeOf, failureOf, type Scheme } from './codes.ts'
import { Bookings, type Evidence, namesOf } from './evidence.ts'
import type { RailFile } from './file-store.ts'
import { type SentFile, silentUntil } from './silence.ts'

export interface Subject {
  readonly item: { readonly amount: bigint; readonly currency: string }
  readonly profile: BankProfile
  /**
   * The file that the payment is in; undefined while it waits for one. Evidence received before it
   * was sealed is about an earlier file.
   */
  readonly file: (SentFile & Pick<RailFile, 'sealed_at'>) | undefined
  readonly now: Instant
}

/** What a person must look at, the gravest first. */
export const TROUBLES = {
  second_debit: 'The bank has debited the payment twice.',
  rejected_but_booked: 'The bank has rejected the payment, and its debit is booked.',
  paid_after_rejection: 'The bank has rejected the payment, and then says that it pays.',
  contradiction: 'The bank says that it pays and that it does not.',
  second_return: 'The bank has returned the payment twice.',
  amount_differs: 'The bank names another amount or currency.',
  duplicate: 'The bank takes the payment for a repetition of one that it has.',
  group_rejected: 'The bank has rejected the group that the payment is in, and not the payment.',
  no_funds: 'The settlement account is short.',
  needs_person: 'The bank waits for a person: a second signature, or the name of the payee.',
} as const

type Trouble = keyof typeof TROUBLES

export interface Interpretation {
  readonly steps: readonly RailStep[]
  /** Absent when no trouble is left: later evidence may have settled it. */
  readonly exception?: { readonly kind: Trouble; readonly message: string }
  /**
   * The bank rejected the payment for a cause that concerns the route, so another route may take
   * it.
   */
  readonly not_taken?: { readonly code: string; readonly message: string; readonly again?: Again }
  /** Whether the bank pays on a later day than it was asked to. */
  readonly is_late: boolean
  /**
   * When the bank's silence accepts the payment; null when it never does, or when the bank has
   * spoken.
   */
  readonly silent_until: Instant | null
  /** The bank's own words, for the timeline. */
  readonly references: Readonly<Record<string, string>>
}

/** How much each confirmation of a bank proves. A profile names the one that settles a payment. */
const RANKS = { accepted: 1, acsc: 2, booked: 3 } as const

type Outcome = 'failed' | 'not_taken'

/**
 * When the same bank may get the payment again, under new ids: `next_day` after a missed cut-off,
 * `now` when the settlement account was short.
 */
export type Again = 'now' | 'next_day'

export function interpret(said: readonly Evidence[], subject: Subject): Interpretation {
  const course = new Course(subject)
  for (const evidence of said) {
    course.pass(evidence.received_at)
    course.hear(evidence)
  }
  course.pass(subject.now)
  return course.result()
}

/** The state of one payment while its evidence is read, piece by piece. */
class Course {
  readonly #subject: Subject
  readonly #scheme: Scheme
  readonly #steps: RailStep[] = []
  readonly #debits = new Bookings()
  readonly #credits = new Bookings()
  readonly #troubles = new Map<Trouble, readonly string[]>()
  readonly #references: Record<string, string> = {}
  /** The highest rank that the bank has confirmed. */
  #rank = 0
  /** Whether the bank accepted this payment itself, not only its file or group. */
  #accepted_alone = false
  #rejection: { readonly outcome: Outcome; readonly reasons: readonly string[] } | undefined
  #group_rejected = false
  #return_reasons: readonly string[] = []
  #returned_as_repetition = false
  #is_late = false
  #is_silent = true
  /** Whether the file was already sealed at the time of the evidence that is being read. */
  #in_file = false

  constructor(subject: Subject) {
    this.#subject = subject
    this.#scheme = subject.profile.nacha === null ? 'iso20022' : 'nacha'
  }

  hear(evidence: Evidence): void {
    const { level, is_credit } = evidence
    if (level === 'note') return
    // A credit with our id is money that comes back, whatever the bank calls it.
    if (level === 'return' || (level === 'booking' && is_credit === true)) this.#credit(evidence)
    else if (level === 'booking') this.#debit(evidence)
    else this.#status(evidence)
  }

  /** Moves the time to `now`: the file may be sealed, and silence may accept the payment. */
  pass(now: Instant): void {
    const { file } = this.#subject
    if (file !== undefined && file.sealed_at <= now && !this.#in_file) this.#beginFile()
    // A bank that reports only failures accepts by silence for the agreed days.
    const until = this.#silentUntil()
    if (until !== null && until <= now) this.#confirm(RANKS.accepted)
  }

  /**
   * Judges a payment by its new file: statuses from the earlier, rejected file no longer count.
   * Bookings and steps still count. A payment that is over or debited stays as it is.
   */
  #beginFile(): void {
    this.#in_file = true
    if (!this.#isOpen || this.#debits.count > this.#credits.count) return
    const kept = this.#troubles.get('amount_differs')
    this.#troubles.clear()
    if (kept !== undefined) this.#troubles.set('amount_differs', kept)
    this.#rejection = undefined
    this.#group_rejected = false
    this.#accepted_alone = false
    this.#rank = 0
    this.#is_silent = true
  }

  result(): Interpretation {
    const kind = (Object.keys(TROUBLES) as Trouble[]).find(trouble => this.#isTrouble(trouble))
    const codes = kind === undefined ? [] : (this.#troubles.get(kind) ?? [])
    const waits = this.#isOpen && this.#subject.file !== undefined
    const { outcome, reasons = [] } = waits ? (this.#rejection ?? {}) : {}
    const { code, message } = failureOf(this.#scheme, reasons, 'failed')
    return {
      steps: this.#steps,
      ...(kind !== undefined && { exception: { kind, message: withCodes(TROUBLES[kind], codes) } }),
      // While debits outnumber credits, the bank may have paid, whatever its status says.
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
    if (reasons.every(isMissedCutOff)) return { again: 'next_day' }
    return this.#causesOf(reasons).every(cause => cause === 'funds') ? { again: 'now' } : {}
  }

  #silentUntil(): Instant | null {
    const { file, profile } = this.#subject
    const is_over = !this.#is_silent || this.#rank > 0
    return file === undefined || is_over ? null : silentUntil(profile, file)
  }

  #status(evidence: Evidence): void {
    const { code, reasons, level } = evidence
    const alone = level === 'transaction'
    const meaning = meaningOf(code, this.#subject.profile.meanings)
    if (meaning === 'nothing' || meaning === 'received') {
      this.#note(reasons)
      return
    }
    this.#is_silent = false
    if (alone) this.#references.bank_status = [code, ...reasons].join(' ')
    if (alone && evidence.amount !== null && this.#differs(evidence)) return
    if (meaning === 'accepted') this.#accept(RANKS.accepted, alone)
    if (meaning === 'settled') this.#accept(RANKS.acsc, alone)
    if (meaning === 'cancelled') this.#reject(['DS02', ...reasons], alone)
    if (meaning === 'requires_action') this.#ask([code, ...reasons])
    if (meaning === 'operator' && this.#rank === 0) {
      this.#troubles.set('needs_person', [code, ...reasons])
    }
    if (meaning === 'rejected') this.#reject(reasons, alone)
    else this.#note(reasons)
  }

  #causesOf(reasons: readonly string[]): readonly (Cause | undefined)[] {
    return reasons.map(reason => causeOf(this.#scheme, reason))
  }

  /** Notes the reasons that count whatever the status is. */
  #note(reasons: readonly string[]): void {
    if (reasons.includes('AM04')) this.#troubles.set('no_funds', ['AM04'])
    if (reasons.some(isMissedCutOff)) this.#is_late = true
  }

  #accept(rank: number, alone: boolean): void {
    if (this.#rejection !== undefined) {
      // No acceptance undoes a rejection. An acceptance of the payment itself needs a person.
      if (alone) this.#troubles.set('paid_after_rejection', this.#rejection.reasons)
      return
    }
    if (alone) this.#accepted_alone = true
    if (!this.#group_rejected) this.#confirm(rank)
  }

  /** Moves the payment as far as the profile lets this rank move it. */
  #confirm(rank: number): void {
    if (rank <= this.#rank) return
    this.#rank = rank
    // The bank proceeds, so it no longer waits for funds or a person.
    for (const trouble of ['no_funds', 'needs_person'] as const) this.#troubles.delete(trouble)
    const settles = rank >= RANKS[this.#subject.profile.settles_on]
    if (settles && this.#isOpen) {
      this.#step('succeeded')
      if (this.#credits.count > 0) this.#giveBack()
    } else if (this.#status_now === 'requires_action') {
      this.#step('processing')
    }
  }

  #ask(codes: readonly string[]): void {
    const free = this.#rank === 0 && this.#rejection === undefined && !this.#group_rejected
    if (!free || this.#steps.length > 0) return
    const description = withCodes('The bank asks for more before it pays.', codes)
    this.#steps.push({ status: 'requires_action', failure: null, description })
  }

  #reject(reasons: readonly string[], alone: boolean): void {
    const causes = this.#causesOf(reasons)
    if (causes.length > 0 && causes.every(cause => cause === 'positive')) {
      this.#troubles.set('contradiction', reasons)
    } else if (causes.includes('duplicate')) {
      // The bank may have refused the payment for good in an earlier copy of the file.
      if (this.#rejection?.outcome !== 'failed') this.#troubles.set('duplicate', reasons)
    } else if (!alone) {
      this.#group_rejected = true
      this.#troubles.set('group_rejected', reasons)
    } else {
      this.#rejectAlone(this.#outcomeOf(reasons), reasons)
    }
  }

  #rejectAlone(outcome: Outcome, reasons: readonly string[]): void {
    const before = this.#rejection
    if (before !== undefined) {
      const passes = before.outcome !== 'failed' && before.outcome !== outcome
      if (passes) this.#troubles.set('contradiction', [...before.reasons, ...reasons])
      return
    }
    this.#rejection = { outcome, reasons }
    this.#note(reasons)
    this.#settleRejection()
  }

  #outcomeOf(reasons: readonly string[]): Outcome {
    const causes = this.#causesOf(reasons)
    // A person closes this exception before the payment goes another way.
    if (causes.includes('funds')) return 'not_taken'
    if (this.#rank > 0 || reasons.length === 0) return 'failed'
    const in_the_way = (reason: string, i: number) =>
      causes[i] === 'technical' || isMissedCutOff(reason)
    return reasons.every(in_the_way) ? 'not_taken' : 'failed'
  }

  /** Fails or reverses a rejected payment, unless its debit still stands. */
  #settleRejection(): void {
    if (this.#rejection === undefined || this.#debits.count > this.#credits.count) return
    const { outcome, reasons } = this.#rejection
    if (this.#status_now === 'succeeded') this.#step('reversed', this.#return_reasons, reasons)
    else if (this.#isOpen && outcome === 'failed') this.#step('failed', reasons)
  }

  #debit(evidence: Evidence): void {
    if (this.#differs(evidence) || !this.#debits.add(evidence)) return
    const { own } = namesOf(evidence.reference)
    if (own !== '') this.#references.bank_reference = own
    if (this.#rejection !== undefined) this.#settleRejection()
    else if (!this.#group_rejected) this.#confirm(RANKS.booked)
  }

  #credit(evidence: Evidence): void {
    const { amount, currency, reasons, level } = evidence
    const { item } = this.#subject
    const in_full = currency === item.currency && amount === item.amount
    // A return of less than was paid is a cost of the settlement account; a return of more is an
    // error. A partial credit that is not a return may be a fee that the bank refunds.
    const too_much = amount !== null && currency === item.currency && amount > item.amount
    if (amount === null || too_much || (!in_full && level !== 'return')) {
      return void this.#differs(evidence)
    }
    if (!this.#credits.add(evidence)) return
    if (!in_full) this.#references.returned = moneyWords(amount, currency)
    if (reasons.length > 0) this.#return_reasons = reasons
    if (this.#rejection !== undefined) this.#settleRejection()
    else this.#giveBack()
  }

  /** Gives returned money back to the account, unless another debit still stands. */
  #giveBack(): void {
    const reasons = this.#return_reasons
    if (this.#causesOf(reasons).includes('duplicate')) {
      this.#returned_as_repetition = true
      this.#troubles.set('duplicate', reasons)
    } else if (this.#debits.count > this.#credits.count) {
      return
    } else if (this.#status_now === 'succeeded') {
      this.#step('reversed', reasons)
    } else if (this.#scheme === 'nacha' && this.#isOpen) {
      // No statement will show the debit of an ACH entry: only its return tells what happened to
      // it.
      this.#step('failed', reasons)
    }
  }

  /** Whether the bank names another amount or currency. That is a trouble, and is not applied. */
  #differs({ amount, currency }: Evidence): boolean {
    const { item } = this.#subject
    if (amount === item.amount && currency === item.currency) return false
    const words = (sum: bigint | null, of: string) => (sum === null ? of : moneyWords(sum, of))
    this.#troubles.set('amount_differs', [
      `${words(amount, currency)} instead of ${words(item.amount, item.currency)}`,
    ])
    return true
  }

  #isTrouble(trouble: Trouble): boolean {
    const [debits, credits] = [this.#debits.count, this.#credits.count]
    const rejected = this.#rejection !== undefined
    switch (trouble) {
      case 'second_debit':
        return debits > 1
      case 'second_return':
        return credits > 1
      case 'rejected_but_booked':
        return (rejected || this.#group_rejected) && debits > credits
      case 'contradiction':
        return (
          this.#troubles.has(trouble) || (this.#group_rejected && this.#accepted_alone && !rejected)
        )
      case 'group_rejected':
        return this.#group_rejected && !rejected && this.#status_now !== 'reversed'
      case 'duplicate':
        return this.#troubles.has(trouble) && (this.#rank === 0 || this.#returned_as_repetition)
      case 'no_funds':
      case 'needs_person':
        return this.#troubles.has(trouble) && this.#isOpen
      default:
        return this.#troubles.has(trouble)
    }
  }

  get #status_now(): RailStatus | undefined {
    return this.#steps.at(-1)?.status
  }

  get #isOpen(): boolean {
    return !['succeeded', 'failed', 'reversed'].includes(this.#status_now ?? '')
  }

  /** Adds a step. Its failure has the first list of reasons that is not empty. */
  #step(status: RailStatus, ...reasons: readonly (readonly string[])[]): void {
    const given = reasons.find(some => some.length > 0) ?? []
    const has_failure = status === 'failed' || status === 'reversed'
    const failure = has_failure ? failureOf(this.#scheme, given, status) : null
    this.#steps.push({ status, failure })
  }
}

/** Whether the payment missed the bank's cut-off, or the bank moved its day. */
function isMissedCutOff(reason: string): boolean {
  return reason === 'DT05' || reason === 'DT06'
}

function withCodes(text: string, codes: readonly string[]): string {
  return codes.length === 0 ? text : `${text.slice(0, -1)} (${codes.join(', ')}).`
}
