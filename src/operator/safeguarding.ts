// Client money: what is owed to clients against what is held for them, and the days that people
// sign.
import type { Static } from 'typebox'
import {
  Closed,
  CurrencyCode,
  Literals,
  MINOR_OF,
  MinorText,
  optional,
  REASON,
  Text,
  Timestamp,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { databaseNow } from '../sql/connect.ts'
import { upsertMostShare } from '../treasury/institution-store.ts'
import { POOLS } from '../treasury/nostro.ts'
import {
  type KeptSafeguarding,
  SAFEGUARDED,
  type Safeguarding,
  type SignedDay,
  stateOfDay,
} from '../treasury/safeguarding.ts'
import {
  insertSignedDay,
  listSignedDays,
  readSafeguarding,
  upsertAccountPool,
} from '../treasury/safeguarding-store.ts'
import { invalidField, refuseIfAny } from '../values/errors.ts'
import { currencyProblems } from '../values/money/problem.ts'
import { moneyWords } from '../values/money/words.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { accountNamed } from './operator-write.ts'
import { AccountId, AccountPath, checkMonth, Formed, MAX_MINOR, MONTH } from './request.ts'

const External = Type.Object({
  nostro: Type.String(),
  institution: Type.String({ description: 'As it was then; empty for not said.' }),
  bank: MinorText('What the bank has.'),
  book: MinorText('What the books have.'),
  open_lines: MinorText('The sum of its open lines.'),
  open_items: MinorText('The sum of its open items.'),
  proved: Type.Boolean(),
})

const DAY = {
  day: Type.String({ format: 'date' }),
  as_of: Timestamp,
  pool: Literals(SAFEGUARDED),
  currency: Type.String(),
  requirement: MinorText('What is owed: to each client, to payers, and on its way back.'),
  resource: MinorText('What the books hold for it.'),
  d1_requirement: MinorText('The requirement at the end of the day before.'),
  d1_resource: MinorText('What the banks had then.'),
  earned: MinorText('Fees and income of conversions that nobody has taken out yet.'),
  external: Type.Array(External, { description: 'Each bank against the books.' }),
}

/** Each figure of now is a sum of these. */
const PARTS = Type.Object(
  {
    clients: MinorText('What each client has, available and in transit.'),
    suspense: MinorText('Money that came in and is not credited: owed, and held.'),
    returning: MinorText('Reversed funding that has not left the bank: owed, and held.'),
    book: MinorText('What the books of the accounts at banks have.'),
    to_come: MinorText('What deals, transfers and top-ups bring later: not held yet.'),
    debits: MinorText('What banks have debited and no open item has the sum of: not held.'),
    unassigned: MinorText('What left accounts without a known account at a bank: not held.'),
    d1_clients: MinorText('What each client had at the end of the day before.'),
    d1_suspense: MinorText('Money in suspense then.'),
    d1_returning: MinorText('Reversed funding that had not left then.'),
    income: MinorText('Fees and income of conversions since the beginning.'),
    taken_out: MinorText('What transfers have moved to accounts of the house’s own.'),
  },
  { description: 'What the figures are the sums of.' },
)

const STATE = Literals(['met', 'shortfall', 'excess'], {
  description: 'Both resources, with what is entered, against their requirements.',
})

export const SafeguardingResponse = Type.Object(
  {
    ...DAY,
    parts: PARTS,
    state: STATE,
    negative_clients: Type.Integer({
      description: 'Clients with a negative sum, which offsets no other client’s money.',
    }),
  },
  { title: 'Safeguarding' },
)

export const SignedDayResponse = Type.Object(
  {
    ...DAY,
    number: Type.Integer({ description: 'A correction of the day has the next number.' }),
    at: Timestamp,
    entered: MinorText('Resources besides: insurance, liquid assets.'),
    state: STATE,
    action: Type.String(),
    by: Type.String(),
  },
  { title: 'SignedDay' },
)

const show = reading({
  name: 'safeguarding show',
  path: '/v3/operator/safeguarding',
  operationId: 'getSafeguarding',
  summary: 'Show what is owed to clients and what is held for them, now.',
  response: SafeguardingResponse,
  list: true,
  find: async audit => (await readSafeguarding(audit)).map(presentNow),
  command: {
    words: days => days.map(nowColumns),
    none: 'no client money: no account at a bank has a pool (corridor nostro set --pool)',
    help: `
A shortfall is paid in from own money the same day: corridor house topup. What
the house has earned may be taken out: corridor house transfer.

Example:
  corridor safeguarding show`,
  },
})

const sign = writing({
  name: 'safeguarding sign',
  path: '/v3/operator/safeguarding/sign',
  operationId: 'signSafeguarding',
  summary: 'Sign the figures of today for a pool and a currency.',
  description:
    'The snapshot keeps the figures, the banks against the books, who signed and what was ' +
    'done. A shortfall needs an action. Signing again adds a correction.',
  body: Closed(
    {
      pool: Literals(SAFEGUARDED, { description: 'The pool.' }),
      currency: CurrencyCode,
      ...optional({
        entered: Type.Integer({
          ...{ minimum: 0, maximum: MAX_MINOR, [MINOR_OF]: 'currency' },
          [REASON]: 'amount_out_of_range',
          description: 'Resources besides the accounts at banks: insurance, liquid assets.',
        }),
        action: Text(1000, { description: 'What was done about the difference; one line.' }),
      }),
    },
    { title: 'SignSafeguarding' },
  ),
  response: SignedDayResponse,
  refusals: ['currency', 'amount_out_of_range'],
  byPerson: true,
  asksPassword: true,
  async run(acting, { pool, currency, entered = 0, action = '' }) {
    const kept = await acting.kept()
    if (kept !== null) return kept
    const days = await readSafeguarding(acting.audit)
    const day = days.find(one => one.pool === pool && one.currency === currency)
    if (day === undefined) {
      const message = `no client money in ${currency} belongs to the pool ${pool}`
      throw refuseIfAny([invalidField('currency', message)])
    }
    const state = stateOfDay(day, BigInt(entered))
    if (state === 'shortfall' && action.trim() === '') {
      refuseIfAny([invalidField('action', 'a shortfall is signed with what was done about it')])
    }
    const signed = { entered: BigInt(entered), state, action, by: acting.operator.name }
    return acting.change(async sql => presentSigned(await insertSignedDay(sql, day, signed)))
  },
  command: {
    words({ day, pool, currency, state, by, number }) {
      const correction = number > 1 ? ` as number ${number}` : ''
      return `${day} ${pool} ${currency}: ${state}, signed by ${by}${correction}`
    },
    arguments: ['pool', 'currency'],
    help: `
Example:
  corridor safeguarding sign payments EUR --action "Nothing to do"`,
  },
})

const list = reading({
  name: 'safeguarding list',
  path: '/v3/operator/safeguarding/day',
  operationId: 'listSignedDays',
  summary: 'List the signed days of a month.',
  query: Closed(
    optional({
      month: Formed(MONTH, 'The month, such as 2026-11; by default this one.'),
    }),
  ),
  response: SignedDayResponse,
  list: true,
  refusals: ['invalid_query_parameter'],
  async find(audit, { month }) {
    if (month !== undefined) checkMonth(month)
    const days = await listSignedDays(audit, month ?? (await databaseNow(audit)).slice(0, 7))
    return days.map(presentSigned)
  },
  command: {
    words: days => days.map(signedColumns),
    none: 'no signed day: corridor safeguarding sign signs today',
    help: '\nExample:\n  corridor safeguarding list --month 2026-11',
  },
})

const pool = writing({
  name: 'safeguarding pool',
  path: '/v3/operator/account/:id/pool',
  operationId: 'setAccountPool',
  summary: 'Say to which pool of safeguarded money an account belongs.',
  description: 'Accounts belong to `payments`, unless this is said.',
  params: AccountPath,
  body: Closed({ pool: Literals(POOLS, { description: 'The pool.' }) }, { title: 'SetPool' }),
  response: Type.Object({ account_id: AccountId, pool: Literals(POOLS) }, { title: 'AccountPool' }),
  asksPassword: true,
  async run(acting, { id, pool }) {
    await accountNamed(acting.audit, id)
    return acting.change(async sql => {
      await upsertAccountPool(sql, id, pool)
      return { account_id: id, pool }
    })
  },
  command: {
    subject: 'account',
    arguments: ['pool'],
    words: ({ account_id, pool }) => `${account_id} belongs to the pool ${pool}`,
    help: '\nExample:\n  corridor safeguarding pool acc_7k2m9x4q emoney',
  },
})

const MostShare = {
  pool: Literals(SAFEGUARDED, { description: 'The pool.' }),
  most_share: Type.Integer({
    ...{ minimum: 1, maximum: 100 },
    description: 'The largest share of one institution in percent; 100 for no alarm.',
  }),
}

const share = writing({
  name: 'safeguarding share',
  path: '/v3/operator/safeguarding/share',
  operationId: 'setMostShare',
  summary: 'Say which share of a pool one institution may hold at most.',
  description:
    'It holds for the money of all currencies together, added up in the pivot of the rate book, ' +
    'or for one currency.',
  body: Closed({ ...MostShare, ...optional({ currency: CurrencyCode }) }, { title: 'SetShare' }),
  response: Type.Object(
    {
      ...MostShare,
      currency: Type.String({ description: 'Empty for all currencies together.' }),
    },
    { title: 'MostShare' },
  ),
  refusals: ['currency'],
  asksPassword: true,
  async run(acting, { pool, most_share, currency = '' }) {
    refuseIfAny(currency === '' ? [] : currencyProblems('currency', currency))
    return acting.change(async sql => {
      await upsertMostShare(sql, { pool, currency, most_share })
      return { pool, most_share, currency }
    })
  },
  command: {
    arguments: ['pool', 'most_share'],
    options: { currency: 'of the money in this currency alone, such as EUR' },
    words: ({ pool, most_share, currency }) =>
      `one institution may hold ${most_share} % of ${pool}${currency && ` in ${currency}`}`,
    help: `
corridor report institutions shows what each institution holds.

Examples:
  corridor safeguarding share payments 60
  corridor safeguarding share payments 75 --currency EUR`,
  },
})

export const safeguarding: ActionGroup = { actions: [show, sign, list, pool, share] }

function presentDay(day: KeptSafeguarding) {
  const { requirement, resource, d1_requirement, d1_resource, earned } = day
  return {
    ...{ day: day.day, as_of: day.as_of, pool: day.pool, currency: day.currency },
    ...{ requirement: String(requirement), resource: String(resource) },
    ...{ d1_requirement: String(d1_requirement), d1_resource: String(d1_resource) },
    ...{ earned: String(earned), external: [...day.external] },
  }
}

function presentNow({
  negative,
  parts,
  ...day
}: Safeguarding): Static<typeof SafeguardingResponse> {
  const texts = Object.entries(parts).map(([name, amount]) => [name, String(amount)])
  return {
    ...presentDay(day),
    parts: Object.fromEntries(texts),
    state: stateOfDay(day),
    negative_clients: negative,
  }
}

function presentSigned(signed: SignedDay): Static<typeof SignedDayResponse> {
  const { number, at, entered, state, action, by } = signed
  return { ...presentDay(signed), number, at, entered: String(entered), state, action, by }
}

type Shown = ReturnType<typeof presentDay> & { readonly state: string }

function columnsOf({ pool, currency, state, ...day }: Shown) {
  const words = (minor: string) => moneyWords(BigInt(minor), currency)
  return {
    pool,
    owed: words(day.requirement),
    held: words(day.resource),
    state,
    'day before': `${words(day.d1_requirement)} of ${words(day.d1_resource)}`,
    earned: words(day.earned),
  }
}

function nowColumns({ negative_clients, parts: _, ...day }: Static<typeof SafeguardingResponse>) {
  return { ...columnsOf(day), negative: negative_clients === 0 ? '' : String(negative_clients) }
}

function signedColumns({ day, number, by, action, ...signed }: Static<typeof SignedDayResponse>) {
  const { 'day before': _, ...columns } = columnsOf({ day, ...signed })
  return { day: number === 1 ? day : `${day} no. ${number}`, ...columns, by, action }
}
