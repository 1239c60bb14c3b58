// A provider that pays nobody: put yours in its place. It decides by the last two digits of the
// amount, so that each course of a payment can be tried. A real one gets the id of the payment as its
// own idempotency key, because `pay` may be called again after a crash.
import { hash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Book, Entry, Order, Step } from './book.ts'
import type { Faults } from './faults.ts'

type Told = Omit<Step, 'number' | 'at'> & {
  /** Minor units that do not come back. */
  readonly fee?: bigint
}

const REJECTED = { status: 'rejected', code: 'AC04', message: 'The account is closed.' }
const RETURNED = { status: 'returned', code: 'AC06', message: 'The account is blocked.' }
const ASKED = { status: 'requires_action', code: 'DOC', message: 'Send the invoice.' }

/** What follows `accepted`, by the last two digits of the amount; any other amount is paid. */
const COURSES: Readonly<Record<string, readonly Told[]>> = {
  '01': [{ ...REJECTED }],
  '02': [ASKED, { status: 'processing', code: '', message: '' }, paid()],
  '03': [{ status: 'on_hold', code: 'SCR', message: 'Being screened.' }, paid()],
  '04': [paid(), RETURNED],
  '05': [paid(), { ...RETURNED, fee: 25n }],
  // Stays with the provider, and can be cancelled.
  '06': [],
}

/** The amounts of one payment in each currency that is carried, in minor units. */
export const LIMITS: Readonly<Record<string, { readonly min: bigint; readonly max: bigint }>> = {
  EUR: { min: 1n, max: 9_000_000_000_000_000_000n },
  GBP: { min: 1n, max: 10_000_000_000n },
  USD: { min: 1n, max: 10_000_000_000n },
  HKD: { min: 1n, max: 100_000_000_000n },
  JPY: { min: 1n, max: 10_000_000_000n },
  KWD: { min: 1n, max: 10_000_000_000n },
}

export interface ProviderOptions {
  /** Between the steps of a payment. */
  readonly delay_ms: number
  readonly faults: Faults
  /** Called once for each payment that is really made. */
  readonly onPaid?: (id: string, order: Order) => void
  /** Called after each step. */
  readonly onStep?: (entry: Entry) => void
}

export class Provider {
  readonly #book: Book
  readonly #options: ProviderOptions
  readonly #stopping = new AbortController()
  readonly #running = new Set<string>()

  constructor(book: Book, options: ProviderOptions) {
    this.#book = book
    this.#options = options
  }

  /** Goes on with what a crash has interrupted. */
  resume(): void {
    for (const entry of this.#book.entries.values()) this.pay(entry)
  }

  stop(): void {
    this.#stopping.abort()
  }

  /** The first thing to say about an order: it is taken, or why not. */
  judge({ amount, currency }: Order): Omit<Step, 'number'> {
    const limits = LIMITS[currency]
    if (limits === undefined) return this.#said('not_taken', 'CURRENCY', `No ${currency} here.`)
    const isOver = BigInt(amount) > limits.max && !this.#options.faults.hits('over-limit')
    if (isOver || BigInt(amount) < limits.min) {
      return this.#said('not_taken', 'LIMIT', 'The amount is outside the limits.')
    }
    return this.#said('accepted', '', '')
  }

  /** Carries a payment on from where it is. */
  pay(entry: Entry): void {
    if (this.#running.has(entry.id) || !isOpen(entry)) return
    this.#running.add(entry.id)
    this.#run(entry)
      .catch(error => {
        if (!this.#stopping.signal.aborted) process.stderr.write(`${entry.id}: ${error}\n`)
      })
      .finally(() => this.#running.delete(entry.id))
  }

  /** A payment that nobody has paid yet can be cancelled. */
  cancel(entry: Entry): void {
    const again = entry.steps.some(({ status }) => status === 'cancelled')
    if (again ? this.#options.faults.hits('cancels-twice') : isOpen(entry)) {
      this.#book.addStep(entry, this.#said('cancelled', 'CANC', 'Cancelled as asked.'))
    }
  }

  async #run(entry: Entry): Promise<void> {
    const { signal } = this.#stopping
    const course = COURSES[entry.order.amount.padStart(2, '0').slice(-2)] ?? [paid()]
    while (entry.steps.length <= course.length && isOpen(entry)) {
      await wait(this.#options.delay_ms, undefined, { signal })
      const told = course[entry.steps.length - 1]
      // Cancelled meanwhile, or an answer of the account is missing.
      if (told === undefined || !isOpen(entry)) return
      const isAsked = entry.steps.at(-1)?.status === 'requires_action'
      if (isAsked && entry.answers_seen === 0) return
      this.#say(entry, told)
    }
  }

  #say(entry: Entry, { fee = 0n, ...told }: Told): void {
    const { faults, onPaid, onStep } = this.#options
    const { amount, currency } = entry.order
    if (told.status === 'paid') onPaid?.(entry.id, entry.order)
    const code = told.status === 'rejected' && faults.hits('code-missing') ? '' : told.code
    const kept = told.status === 'returned' && faults.hits('returns-too-much') ? -1n : fee
    const money = kept === 0n ? {} : { amount: String(BigInt(amount) - kept), currency }
    this.#book.addStep(entry, { ...told, ...money, code, at: new Date().toISOString() })
    onStep?.(entry)
  }

  #said(status: string, code: string, message: string): Omit<Step, 'number'> {
    return { status, code, message, at: new Date().toISOString() }
  }
}

/** The reference by which the provider knows a payment. */
export function referenceOf(id: string): string {
  return `PRV${hash('sha256', id, 'hex').slice(0, 12).toUpperCase()}`
}

function isOpen({ steps }: Entry): boolean {
  const last = steps.at(-1)?.status ?? ''
  // A payment is returned after it was paid; nothing follows the other ends.
  return !['rejected', 'not_taken', 'cancelled', 'returned'].includes(last)
}

function paid(): Told {
  return { status: 'paid', code: 'ACSC', message: '' }
}
