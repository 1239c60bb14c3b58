// Journals of the house: transfers between its accounts, deals with a bank, top-ups of client
// money, and the reversal of a journal.
import {
  Closed,
  CurrencyCode,
  Literals,
  MINOR_OF,
  optional,
  REASON,
  Text,
  Timestamp,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import {
  bookHouse,
  HOUSE_KINDS,
  type HouseJournal,
  type HouseKind,
  type HousePosting,
  reverseHouse,
  takeHouseTurn,
} from '../treasury/house.ts'
import { findHouseJournal, type HouseRow, listHouseJournals } from '../treasury/house-store.ts'
import type { Nostro } from '../treasury/nostro.ts'
import { actForTheHouse } from '../treasury/nostro-store.ts'
import { readEarned } from '../treasury/safeguarding-store.ts'
import { isDay } from '../values/calendar/day.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { moneyWords } from '../values/money/words.ts'
import { type Acting, type ActionGroup, reading, writing } from './action.ts'
import { nostroNamed } from './nostro-changes.ts'
import { known } from './operator-write.ts'
import { MAX_MINOR, MAX_REFERENCE, Reason } from './request.ts'

const NumberPath = Type.Object({
  id: Type.String({ pattern: '^journal_[0-9]{1,18}$', description: 'The journal.' }),
})

const NameOf = (description: string) => Text(40, { minLength: 1, description })
const AmountOf = (currency: string, description: string) =>
  Type.Integer({
    ...{ minimum: 1, maximum: MAX_MINOR, description },
    ...{ [REASON]: 'amount_out_of_range', [MINOR_OF]: currency },
  })

const GROUNDS = {
  value_on: Type.String({
    ...{ format: 'date', maxLength: 10 },
    description: 'The value date; by default today.',
  }),
  reference: Text(MAX_REFERENCE, { description: 'The bank’s reference, by which it is matched.' }),
  note: Text(500, { description: 'Why; one line.' }),
}

const Posting = Type.Object({
  code: Type.String(),
  nostro: Type.Union([Type.String(), Type.Null()]),
  currency: Type.String(),
  amount: Type.String({ description: 'Minor units; money that comes in is negative on `bank`.' }),
})

export const HouseJournalResponse = Type.Object(
  {
    id: Type.String(),
    at: Timestamp,
    value_on: Type.String({ format: 'date' }),
    kind: Literals(HOUSE_KINDS),
    postings: Type.Array(Posting),
    undoes: Type.Union([Type.String(), Type.Null()]),
    reference: Type.String(),
    note: Type.String(),
    by: Type.String(),
  },
  { title: 'HouseJournal', description: 'A journal of the house; each currency sums to zero.' },
)

const list = reading({
  name: 'house list',
  path: '/v3/operator/house',
  operationId: 'listHouseJournals',
  summary: 'List the newest 100 journals of the house.',
  response: HouseJournalResponse,
  list: true,
  find: async audit => (await listHouseJournals(audit, 100)).map(presentJournal),
  command: {
    words: journals => journals.map(journalColumns),
    none: 'no journal of the house',
    help: '\nExample:\n  corridor house list',
  },
})

const MOVE = {
  from: NameOf('The account that pays.'),
  to: NameOf('The account that receives.'),
}

const MoveRequest = Closed(
  {
    ...MOVE,
    currency: CurrencyCode,
    amount: AmountOf('currency', 'Minor units.'),
    ...optional(GROUNDS),
  },
  { title: 'HouseMove' },
)

const MOVED = {
  words: (journal: ReturnType<typeof presentJournal>) => `${journal.id}: ${wordsOf(journal)}`,
  arguments: ['currency', 'amount'],
  options: {
    currency: 'currency code',
    amount: 'amount in major units',
    from: 'the account that pays',
    to: 'the account that receives',
  },
} as const

/** Describes what books money that moves from one account to another in its currency. */
const moving = (
  kind: 'transfer' | 'topup',
  {
    example,
    ...said
  }: Readonly<Record<'operationId' | 'summary' | 'example', string>> & { description?: string },
) =>
  writing({
    name: `house ${kind}`,
    path: `/v3/operator/house/${kind}`,
    ...said,
    body: MoveRequest,
    response: HouseJournalResponse,
    refusals: ['not_found', 'currency', 'amount_out_of_range'],
    asksPassword: true,
    run: (acting, asked) => move(acting, kind, asked),
    command: { ...MOVED, help: `\nExample:\n  corridor house ${kind} ${example}` },
  })

const transfer = moving('transfer', {
  operationId: 'transferHouseMoney',
  summary: 'Book a transfer between two accounts of the installation in one currency.',
  description:
    'Both accounts get an item on the value date. From an account of a pool, an own account gets ' +
    'at most what the house has earned in the pool (`safeguarding show`).',
  example: `EUR 1250.00 --from eur_clients --to eur_own \\
    --note "Fees of November"`,
})

const topup = moving('topup', {
  operationId: 'topUpClientMoney',
  summary: 'Book own money that is paid into an account of clients’ money, against a shortfall.',
  example: `EUR 300.00 --from eur_own --to eur_clients \\
    --note "Shortfall of 30 November"`,
})

const deal = writing({
  name: 'house deal',
  path: '/v3/operator/house/deal',
  operationId: 'bookDeal',
  summary: 'Book a deal of two currencies with a bank, which closes an open position.',
  description: 'Both accounts get an item on the value date; a later one is a forward.',
  body: Closed(
    {
      ...MOVE,
      sell_currency: CurrencyCode,
      sell_amount: AmountOf('sell_currency', 'What is paid, in minor units.'),
      buy_currency: CurrencyCode,
      buy_amount: AmountOf('buy_currency', 'What is received, in minor units.'),
      ...optional(GROUNDS),
    },
    { title: 'HouseDeal' },
  ),
  response: HouseJournalResponse,
  refusals: ['not_found', 'currency', 'amount_out_of_range'],
  asksPassword: true,
  run: (acting, asked) => bookDeal(acting, asked),
  command: {
    words: MOVED.words,
    options: {
      ...{ from: 'the account that pays', to: 'the account that receives' },
      sell_currency: 'the currency that is paid',
      sell_amount: 'how much, in major units',
      buy_currency: 'the currency that is received',
      buy_amount: 'how much, in major units',
    },
    help: `
Example:
  corridor house deal --from usd_main --sell-currency USD \\
    --sell-amount 1000000 --to eur_main --buy-currency EUR \\
    --buy-amount 921300 --value-on 2026-12-02 --reference DEAL-77`,
  },
})

const reverse = writing({
  name: 'house reverse',
  path: '/v3/operator/house/:id/reverse',
  operationId: 'reverseHouseJournal',
  summary: 'Reverse a journal of the house, once.',
  params: NumberPath,
  body: Closed({ reason: Reason }, { title: 'ReverseHouseJournal' }),
  response: HouseJournalResponse,
  refusals: ['already_reversed', 'invalid_transition'],
  asksPassword: true,
  async run(acting, { id, reason }) {
    const kept = await acting.kept()
    if (kept !== null) return kept
    const number = BigInt(id.slice('journal_'.length))
    const journal = known('house journal', id, await findHouseJournal(acting.audit, number))
    if (journal.undone_by !== null) {
      const message = `${id} is reversed already, by journal_${journal.undone_by}.`
      throw refusal('already_reversed', message)
    }
    if (journal.kind === 'return') throw refusal('invalid_transition', `${id} ${RETURNS}`)
    const grounds = { value_on: today(), note: reason, by: acting.operator.name }
    return booked(acting, async tx => {
      if (journal.kind === 'transfer') await refuseUnearned(acting.audit, tx, opposite(journal))
      return reverseHouse(tx, number, grounds)
    })
  },
  command: {
    words: MOVED.words,
    help: '\nExample:\n  corridor house reverse journal_12 --reason "Booked twice"',
  },
})

const RETURNS = 'returns money to its payer: undo the match of its line instead.'

export const house: ActionGroup = { actions: [list, transfer, topup, deal, reverse] }

interface Grounds {
  readonly value_on?: string
  readonly reference?: string
  readonly note?: string
}

interface Move extends Grounds {
  readonly from: string
  readonly to: string
  readonly currency: string
  readonly amount: number
}

const today = () => new Date().toISOString().slice(0, 10)

/** The day, the words and the author of a journal. */
function groundsOf({ value_on = today(), reference = '', note = '' }: Grounds, by: string) {
  refuseIfAny(isDay(value_on) ? [] : [invalidField('value_on', 'value_on is a day')])
  return { value_on, reference, note, by }
}

function checkCurrency(nostro: Nostro, currency: string, member: string) {
  const message = `${nostro.name} is in ${nostro.currency}, not in ${currency}`
  const closed = nostro.closed_at === null ? [] : [invalidField(member, `${nostro.name} is closed`)]
  return [...(nostro.currency === currency ? [] : [invalidField(member, message)]), ...closed]
}

async function move<Shown>(acting: Acting<Shown>, kind: HouseKind, asked: Move): Promise<Shown> {
  const kept = await acting.kept()
  if (kept !== null) return kept
  const { from, to, currency } = asked
  const [payer, payee] = [
    await nostroNamed(acting.audit, from),
    await nostroNamed(acting.audit, to),
  ]
  const tops = kind === 'topup'
  refuseIfAny([
    ...checkCurrency(payer, currency, 'from'),
    ...checkCurrency(payee, currency, 'to'),
    ...(from === to ? [invalidField('to', 'a transfer goes to another account')] : []),
    ...(tops && (payer.purpose !== 'own' || payee.purpose !== 'client')
      ? [invalidField('to', 'a top-up goes from an own account to one for clients’ money')]
      : []),
  ])
  const amount = BigInt(asked.amount)
  const postings: HousePosting[] = [
    { code: 'bank', nostro: from, currency, amount },
    { code: 'bank', nostro: to, currency, amount: -amount },
  ]
  const grounds = groundsOf(asked, acting.operator.name)
  return booked(acting, async tx => {
    if (kind === 'transfer') await refuseUnearned(acting.audit, tx, postings)
    return bookHouse(tx, { kind, postings, ...grounds })
  })
}

/** Whether the house may take this out of a pool. One transfer after the other is judged. */
async function refuseUnearned(audit: Sql, tx: TransactionSql, postings: readonly HousePosting[]) {
  const named = async (pays: boolean) => {
    const posting = postings.find(one => one.code === 'bank' && one.amount > 0n === pays)
    return posting?.code === 'bank' ? nostroNamed(audit, posting.nostro) : undefined
  }
  const [payer, payee] = [await named(true), await named(false)]
  if (payer === undefined || payer.pool === 'none' || payee?.purpose !== 'own') return
  await takeHouseTurn(tx)
  const { pool, currency } = payer
  const earned = await readEarned(audit, pool, currency)
  if (postings.every(({ amount }) => amount <= earned)) return
  const most = moneyWords(earned > 0n ? earned : 0n, currency)
  const message = `at most ${most} may leave ${pool}: what the house has earned there`
  refuseIfAny([invalidField('amount', message)])
}

/** What the reversal of a transfer books. */
const opposite = ({ postings }: HouseRow): HousePosting[] =>
  postings.map(({ nostro, currency, amount }) => {
    return { code: 'bank', nostro: nostro ?? '', currency, amount: -BigInt(amount) }
  })

interface Deal extends Grounds {
  readonly from: string
  readonly to: string
  readonly sell_currency: string
  readonly sell_amount: number
  readonly buy_currency: string
  readonly buy_amount: number
}

async function bookDeal<Shown>(acting: Acting<Shown>, asked: Deal): Promise<Shown> {
  const kept = await acting.kept()
  if (kept !== null) return kept
  const { from, to, sell_currency, buy_currency } = asked
  refuseIfAny([
    ...checkCurrency(await nostroNamed(acting.audit, from), sell_currency, 'from'),
    ...checkCurrency(await nostroNamed(acting.audit, to), buy_currency, 'to'),
    ...(sell_currency === buy_currency
      ? [invalidField('buy_currency', 'a deal has two currencies')]
      : []),
  ])
  const [sold, bought] = [BigInt(asked.sell_amount), BigInt(asked.buy_amount)]
  const journal: HouseJournal = {
    kind: 'deal',
    postings: [
      { code: 'bank', nostro: from, currency: sell_currency, amount: sold },
      { code: 'fx', currency: sell_currency, amount: -sold },
      { code: 'bank', nostro: to, currency: buy_currency, amount: -bought },
      { code: 'fx', currency: buy_currency, amount: bought },
    ],
    ...groundsOf(asked, acting.operator.name),
  }
  return booked(acting, tx => bookHouse(tx, journal))
}

/** Books in one transaction for the house, and shows the journal. */
function booked<Shown>(
  acting: Acting<Shown>,
  work: (tx: Parameters<typeof bookHouse>[0]) => Promise<bigint>,
): Promise<Shown> {
  return acting.change((sql: Sql) =>
    sql.begin(async tx => {
      void actForTheHouse(tx)
      const number = await work(tx).catch(refuseClosedMonth)
      const row = await findHouseJournal(tx, number)
      return presentJournal(known('house journal', String(number), row))
    }),
  )
}

function refuseClosedMonth(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'month_is_open') throw error
  throw refuseIfAny([
    invalidField('value_on', 'its month is closed: choose a day of an open month'),
  ])
}

function presentJournal(row: HouseRow) {
  const { number, at, value_on, kind, undoes, reference, note, by } = row
  return {
    id: `journal_${number}`,
    ...{ at, value_on, kind },
    postings: row.postings.map(({ code, nostro, currency, amount }) => ({
      ...{ code, nostro, currency },
      amount: String(amount),
    })),
    undoes: undoes === null ? null : `journal_${undoes}`,
    ...{ reference, note, by },
  }
}

type Shown = ReturnType<typeof presentJournal>

/** `usd_main USD -100.00, eur_main EUR 92.13`: money in and out of each account. */
function wordsOf({ postings }: Shown): string {
  return postings
    .filter(({ nostro }) => nostro !== null)
    .map(({ nostro, currency, amount }) => `${nostro} ${moneyWords(-BigInt(amount), currency)}`)
    .join(', ')
}

function journalColumns(journal: Shown) {
  const { id, value_on, kind, undoes, reference, note, by } = journal
  return {
    ...{ journal: id, 'value on': value_on, kind, moves: wordsOf(journal) },
    ...{ reverses: undoes ?? '', reference, note, by },
  }
}
