// The test bank: takes files of payments from one folder, makes them, and puts what it has to say into
// another one. It works in rounds: statuses come in the round in which it takes a file, debits in the
// next one, returns after that, and statements last.
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type AchEntry, type AchReturn, readAch, writeReturns } from './ach.ts'
import { major, minor, moved, placesOf, plus } from './decimals.ts'
import { achCode, type Fate, type Fault, fateOf } from './faults.ts'
import { Ledger, type LedgerLine } from './ledger.ts'
import { Outbox } from './outbox.ts'
import { type Order, type Payment, Refused, readPain001 } from './pain001.ts'
import {
  type Booking,
  notification,
  type PaymentStatus,
  type Statement,
  type StatusReport,
  statements,
  statusReport,
} from './reports.ts'

export interface BankOptions {
  /** Has `to-bank`, where files come, `from-bank`, where answers go, and the ledger. */
  readonly folder: string
  readonly faults?: ReadonlySet<Fault>
  /** Judges an XML file by ISO's schema; what is wrong with it, [] for nothing. */
  readonly validate?: (bytes: Uint8Array) => Promise<readonly string[]>
  readonly now?: () => Date
  /** Told of each thing that the bank does: `took` a file, `sent` one, or why it refused one. */
  readonly tell?: (what: string, file: string, bytes: Uint8Array) => void
}

/** Something to do in a later round. */
interface Job {
  readonly round: number
  readonly run: () => void
}

interface Judged {
  readonly payment: Payment
  readonly fate: Fate
}

/** What every account has at first, in units of its last place. */
const OPENING = 100_000_000_000n
/** A payment that nobody asked for. */
const NOBODYS = { end_to_end_id: 'NOBODYKNOWSTHIS', instruction_id: '', uetr: '', group: '' }
/** An account of somebody else's, in a statement of ours. */
const OTHER_ACCOUNT: Statement = {
  account: 'GB33BUKB20201555555555',
  currency: 'GBP',
  opening: '10.00',
  closing: '10.00',
  bookings: [],
}
/** A file is being written while it has one of these names. */
const UNFINISHED = /^\.|\.(tmp|part|filepart)$/

export class TestBank {
  readonly ledger: Ledger
  readonly #options: BankOptions
  readonly #faults: ReadonlySet<Fault>
  #round = 0
  #jobs: Job[] = []
  /** Booked since the last statement. */
  #booked: Booking[] = []
  readonly #balances = new Map<string, bigint>()
  readonly #outbox: Outbox
  #working: Promise<void> = Promise.resolve()

  constructor(options: BankOptions) {
    this.#options = options
    this.#faults = options.faults ?? new Set()
    for (const name of ['to-bank', 'from-bank', 'taken', 'archive']) {
      mkdirSync(join(options.folder, name), { recursive: true })
    }
    this.ledger = new Ledger(join(options.folder, 'ledger.jsonl'))
    this.#outbox = new Outbox({
      folder: join(options.folder, 'from-bank'),
      faults: this.#faults,
      later: (rounds, run) => this.#later(rounds, run),
      now: () => this.#now(),
      tell: (name, bytes) => options.tell?.('sent', name, bytes),
    })
  }

  /** Whether something is still to be told. */
  get busy(): boolean {
    return this.#jobs.length > 0 || this.#files().length > 0
  }

  /** One round: takes what has come, and does what is due. */
  work(): Promise<void> {
    this.#working = this.#working.then(() => this.#workOnce())
    return this.#working
  }

  async #workOnce(): Promise<void> {
    this.#round += 1
    const due = this.#jobs.filter(({ round }) => round <= this.#round)
    this.#jobs = this.#jobs.filter(({ round }) => round > this.#round)
    for (const { run } of due) run()
    for (const name of this.#files()) await this.#take(name)
  }

  /** Rounds until there is nothing left to tell. */
  async finish(): Promise<void> {
    do await this.work()
    while (this.busy)
  }

  close(): void {
    this.ledger.close()
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date()
  }

  #has(fault: Fault): boolean {
    return this.#faults.has(fault)
  }

  #path(...names: string[]): string {
    return join(this.#options.folder, ...names)
  }

  #files(): string[] {
    return readdirSync(this.#path('to-bank'))
      .filter(name => !UNFINISHED.test(name))
      .sort()
  }

  #later(rounds: number, run: () => void): void {
    this.#jobs.push({ round: this.#round + rounds, run })
  }

  /** Moves a file out of reach, and does what it says. */
  async #take(name: string): Promise<void> {
    const taken = this.#path('taken', `${this.#round}-${this.#outbox.number()}-${name}`)
    renameSync(this.#path('to-bank', name), taken)
    await this.receive(name, readFileSync(taken))
  }

  /** Does what a file says that has come, by whatever way. */
  async receive(name: string, bytes: Uint8Array): Promise<void> {
    this.#options.tell?.('took', name, bytes)
    try {
      const is_ach = Buffer.from(bytes.subarray(0, 3)).toString('latin1') === '101'
      if (is_ach) return this.#orderAch(name, bytes)
      const [problem] = (await this.#options.validate?.(bytes)) ?? []
      if (problem !== undefined) throw new Refused('FF01', problem)
      this.#order(name, readPain001(bytes))
    } catch (error) {
      const { code = '', msg_id = '', message } = error as Refused
      this.#record('refused', name, msg_id, [], message)
      this.#options.tell?.(`refused ${code}: ${message}`, name, bytes)
      if (msg_id === '') return
      this.#report({ about: msg_id, group: 'RJCT', reason: code, payments: [] })
    }
  }

  #order(name: string, order: Order): void {
    const { msg_id, payments } = order
    if (this.ledger.hasReceived(msg_id) && !this.#has('no-duplicate-check')) {
      const rejected = payments.map(
        (payment): PaymentStatus => ({
          payment,
          status: 'RJCT',
          reason: 'DU04',
        }),
      )
      this.#record('refused', name, msg_id, [], 'DU01')
      this.#report({ about: msg_id, group: 'RJCT', reason: 'DU01', payments: rejected })
      return
    }
    this.#record('received', name, msg_id)
    if (this.#has('group-rjct')) {
      this.#record('rejected', name, msg_id, payments, 'FF10')
      this.#report({ about: msg_id, group: 'RJCT', reason: 'FF10', payments: [] })
      return
    }
    const judged = payments.map(payment => ({ payment, fate: fateOf(payment) }))
    const first = judged.findIndex(({ fate }) => fate.what === 'pay')
    const spoilt = this.#has('late-rjct') || this.#has('acsp-after-rjct') ? first : -1
    const rejected = judged.filter(({ fate }, i) => fate.what === 'reject' && i !== spoilt)
    const accepted = judged.filter(({ fate }, i) => fate.what !== 'reject' && i !== spoilt)
    this.#answer(order, accepted, rejected)
    if (spoilt !== -1) this.#spoil(name, order, judged[spoilt]?.payment as Payment)
    const rejects = rejected.map(({ payment }) => payment)
    this.#record('rejected', name, msg_id, rejects)
    this.#later(1, () => this.#book(name, order, accepted))
    this.#later(3, () => this.#closeDay())
  }

  /** The first report: what is rejected, and what is accepted. */
  #answer({ msg_id }: Order, accepted: readonly Judged[], rejected: readonly Judged[]): void {
    const strange = this.#has('strange-codes')
    const rejects = rejected.map(
      ({ payment, fate }): PaymentStatus => ({
        payment,
        status: 'RJCT',
        reason: fate.reason,
      }),
    )
    const accepts = accepted.map(
      ({ payment }, i): PaymentStatus => ({
        payment,
        status: strange && i % 2 === 1 ? 'ZZZZ' : 'ACSP',
        reason: strange ? 'DS01' : '',
      }),
    )
    const only_rejects = this.#has('part-rejects-only')
    const group = rejected.length === 0 ? 'ACCP' : accepted.length === 0 ? 'RJCT' : 'PART'
    const report: StatusReport = {
      about: msg_id,
      // RJCT of the file is one of no payment in it: each has its own reason here.
      group: group === 'RJCT' ? 'PART' : group,
      reason: '',
      payments: only_rejects ? rejects : [...rejects, ...accepts],
    }
    const part = accepted[0]?.payment.group
    if (this.#has('group-rjct-but-one') && part !== undefined) {
      this.#report({ ...report, part: { id: part, status: 'RJCT', reason: 'MS03' } })
    } else {
      this.#report(report)
    }
  }

  /** Accepted and then rejected, or rejected and then accepted; never paid. */
  #spoil(name: string, { msg_id }: Order, payment: Payment): void {
    const late = this.#has('late-rjct')
    const say = (status: 'ACSP' | 'RJCT') => {
      const reason = status === 'RJCT' ? 'AC04' : ''
      this.#report({
        about: msg_id,
        group: '',
        reason: '',
        payments: [{ payment, status, reason }],
      })
    }
    this.#record('rejected', name, msg_id, [payment], 'AC04')
    say(late ? 'ACSP' : 'RJCT')
    this.#later(1, () => say(late ? 'RJCT' : 'ACSP'))
  }

  /** Debits the account, which is when the bank has paid. */
  #book(name: string, order: Order, accepted: readonly Judged[]): void {
    const paid = accepted.map(({ payment }) => payment)
    this.#record('paid', name, order.msg_id, paid)
    const returned = accepted.filter(({ fate }) => fate.what === 'return')
    // One that stays paid, if there is one.
    const { payment: odd } = accepted.find(({ fate }) => fate.what === 'pay') ?? accepted[0] ?? {}
    const debits = order.booked_as_batch
      ? this.#batches(order, paid)
      : paid.map(payment => this.#debit(payment, payment === odd && this.#has('other-amount')))
    if (this.#has('unknown-id') && odd !== undefined) {
      debits.push(this.#debit({ ...odd, ...NOBODYS }))
    }
    if (this.#has('early-return')) {
      this.#return(name, order, returned)
      this.#later(1, () => this.#notify(debits))
    } else {
      this.#notify(debits)
      this.#later(1, () => this.#return(name, order, returned))
    }
    if (this.#has('rjct-after-booking') && odd !== undefined) this.#takeBack(order, odd)
  }

  /** Says RJCT of a payment that was debited, and credits it at the end. */
  #takeBack({ msg_id }: Order, payment: Payment): void {
    this.#later(1, () => {
      const payments = [{ payment, status: 'RJCT', reason: 'AC04' }] as const
      this.#report({ about: msg_id, group: '', reason: '', payments })
    })
    this.#later(2, () => this.#notify([this.#credit(payment, 'AC04', payment.amount)]))
  }

  #return(name: string, { msg_id }: Order, returned: readonly Judged[]): void {
    const credits = returned.flatMap(({ payment, fate }) => {
      const amount = this.#has('short-return') ? moved(payment.amount, -1n) : payment.amount
      const times = this.#has('two-returns') ? 2 : 1
      return Array.from({ length: times }, () => this.#credit(payment, fate.reason, amount))
    })
    const payments = returned.map(({ payment }) => payment)
    this.#record('returned', name, msg_id, payments)
    this.#notify(credits)
  }

  /** An ACH file: no word of what arrives, and one file of what does not. */
  #orderAch(name: string, bytes: Uint8Array): void {
    const { entries, header } = readAch(bytes)
    const msg_id = header.slice(23, 34) + header.slice(86, 94)
    if (this.ledger.hasReceived(msg_id) && !this.#has('no-duplicate-check')) {
      this.#record('refused', name, msg_id, [], 'a file that has come before')
      return
    }
    this.#record('received', name, msg_id)
    const judged = entries.map(entry => {
      const payment = paymentOf(entry)
      return { entry, payment, fate: fateOf(payment) }
    })
    this.#record(
      'paid',
      name,
      msg_id,
      judged.map(({ payment }) => payment),
    )
    const back = judged.flatMap(({ entry, fate }): AchReturn[] => {
      if (fate.what === 'pay') return []
      const code = achCode(fate.reason)
      if (fate.what === 'note') return [{ entry, code, amount: 0n, text: '1918171614' }]
      const amount = this.#has('short-return') ? entry.amount - 1n : entry.amount
      const one = { entry, code, amount }
      return this.#has('two-returns') ? [one, one] : [one]
    })
    const [first] = entries
    if (this.#has('unknown-id') && first !== undefined) {
      const entry = { ...first, individual_id: NOBODYS.end_to_end_id, trace: '9'.repeat(15) }
      back.push({ entry, code: 'R03', amount: entry.amount })
    }
    const returned = judged.filter(({ fate }) => ['return', 'reject'].includes(fate.what))
    this.#later(1, () => {
      this.#record(
        'returned',
        name,
        msg_id,
        returned.map(({ payment }) => payment),
      )
      const odfi = header.slice(4, 13)
      if (back.length > 0) this.#outbox.send('ach', () => writeReturns(back, odfi, this.#now()))
    })
  }

  #debit(payment: Payment, other = false): Booking {
    const amount = other ? moved(payment.amount, 1n) : payment.amount
    return this.#booking(payment, amount, false)
  }

  #credit(payment: Payment, returned: string, amount: string): Booking {
    return { ...this.#booking(payment, amount, true), returned }
  }

  #booking(payment: Payment, amount: string, is_credit: boolean): Booking {
    const hidden = this.#has('not-provided') ? { end_to_end_id: 'NOTPROVIDED' } : {}
    return {
      account: payment.debtor_account,
      currency: payment.currency,
      amount,
      is_credit,
      reference: this.#outbox.reference(),
      payment: { ...payment, ...hidden },
    }
  }

  /** One debit for each group of the file. */
  #batches({ msg_id }: Order, paid: readonly Payment[]): Booking[] {
    return Array.from(
      Map.groupBy(paid, ({ group }) => group),
      ([id, payments]) => {
        const [first] = payments as [Payment]
        const amount = payments.map(payment => payment.amount).reduce(plus)
        const { payment: _, ...whole } = this.#booking(first, amount, false)
        return { ...whole, group: { msg_id, id, count: payments.length } }
      },
    )
  }

  #notify(bookings: readonly Booking[]): void {
    if (bookings.length === 0) return
    this.#booked.push(...bookings)
    this.#outbox.send('camt.054', stamp => notification(stamp, bookings))
  }

  /** The statement of each account that something was booked on. */
  #closeDay(): void {
    if (this.#booked.length === 0) return
    const accounts = Map.groupBy(this.#booked, ({ account }) => account)
    const all = Array.from(accounts, ([account, bookings]) => this.#statement(account, bookings))
    if (this.#has('several-accounts')) all.unshift(OTHER_ACCOUNT)
    this.#booked = []
    this.#outbox.send('camt.053', stamp => statements(stamp, all))
  }

  #statement(account: string, bookings: readonly Booking[]): Statement {
    const [{ amount = '', currency = '' } = {}] = bookings
    const places = placesOf(amount)
    const opening = this.#balances.get(account) ?? OPENING
    const closing = bookings.reduce(
      (sum, booking) => sum + (booking.is_credit ? 1n : -1n) * minor(booking.amount),
      opening,
    )
    this.#balances.set(account, closing)
    const at = (balance: bigint) => major(balance, places)
    return { account, currency, opening: at(opening), closing: at(closing), bookings }
  }

  #report(report: StatusReport): void {
    this.#outbox.send('pain.002', stamp => statusReport(stamp, report))
  }

  #record(
    what: LedgerLine['what'],
    file: string,
    msg_id: string,
    payments: readonly Payment[] = [],
    reason = '',
  ): void {
    const of_file = what === 'received' || what === 'refused'
    const line = { what, file, msg_id, end_to_end_id: '', amount: '', currency: '', reason }
    this.ledger.add(
      of_file
        ? [line]
        : payments.map(({ end_to_end_id, amount, currency }) => ({
            ...line,
            end_to_end_id,
            amount,
            currency,
          })),
    )
  }
}

function paymentOf(entry: AchEntry): Payment {
  return {
    end_to_end_id: entry.individual_id,
    instruction_id: entry.trace,
    uetr: '',
    group: entry.batch,
    amount: major(entry.amount, 2),
    currency: 'USD',
    creditor: entry.name,
    creditor_account: entry.account,
    debtor_account: entry.company_id,
    execution_date: entry.effective,
  }
}
