// Sets, lists, shows and removes the limits of payouts.
import { MAX_NEW_FOR } from '../controls/limit/asked-limit.ts'
import {
  EACH,
  type Limit,
  type LimitKind,
  PERS,
  type Sum,
  type Window,
} from '../controls/limit/limit.ts'
import { totalOf } from '../controls/limit/rules.ts'
import { deleteLimit, listLimits, listSumsOf, lockLimits } from '../controls/limit/store.ts'
import { MAX_HOURS, windowFrom } from '../controls/limit/window.ts'
import { kindWords, quantity, windowWords } from '../controls/limit/words.ts'
import { pathId } from '../http/docs.ts'
import {
  Closed,
  CurrencyCode,
  Id,
  integerOrNull,
  Literals,
  MINOR_OF,
  optional,
  REASON,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { countsPast } from '../payouts/create/limit-operation.ts'
import type { Sql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import type { Instant } from '../values/instant.ts'
import { amountToJson } from '../values/money/json.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { placeLimit, presentLimit } from './limit-changes.ts'
import { accountNamed, known } from './operator-write.ts'
import { AccountId, MAX_MINOR } from './request.ts'

const MAX_COUNT = 999_999_999_999_999

const SetLimitRequest = Closed(
  optional({
    account_id: AccountId,
    key_id: Id('key', 'Only payouts that this key of an account makes.'),
    each: Literals(EACH, { description: 'What is counted separately; `account` by default.' }),
    rail: Text(40, { minLength: 1, description: 'Only payouts that go to this rail first.' }),
    network: Text(64, { minLength: 1, description: 'Only over this network or chain.' }),
    new_for_hours: Type.Integer({
      minimum: 1,
      maximum: MAX_NEW_FOR,
      description: 'Only payouts to payees that the account has known for fewer hours.',
    }),
    amount: Type.Integer({
      minimum: 0,
      maximum: MAX_MINOR,
      [REASON]: 'amount_out_of_range',
      [MINOR_OF]: 'currency',
      description: 'The most that may be paid, in minor units of `currency`.',
      examples: [5_000_000],
    }),
    currency: CurrencyCode,
    count: Type.Integer({ minimum: 0, maximum: MAX_COUNT, description: 'The most payouts.' }),
    per: Literals(PERS, { description: '`day` is a day of `zone`; `hours` are the last `hours`.' }),
    zone: Text(64, { minLength: 1, examples: ['Europe/Berlin'] }),
    hours: Type.Integer({ minimum: 1, maximum: MAX_HOURS }),
  }),
  {
    title: 'SetLimit',
    description:
      'A limit needs `per`, and an `amount` with its `currency` or a `count`. A condition ' +
      'that is left out is any.',
  },
)

const LIMIT = {
  limit_id: Id('lim', 'Limit id.'),
  account_id: textOrNull(),
  key_id: textOrNull(),
  rail: textOrNull(),
  network: textOrNull(),
  new_for_hours: integerOrNull(),
  each: Literals(EACH),
  currency: textOrNull(),
  per: Literals(PERS),
  zone: textOrNull(),
  hours: integerOrNull(),
  cap: Type.Integer({
    description: 'Minor units of the currency; without a currency, a number of payouts.',
  }),
  window: Type.String({ examples: ['payout', 'day:Europe/Berlin', '24h'] }),
}

export const LimitResponse = Type.Object(LIMIT, {
  title: 'PayoutLimit',
  description: 'How much accounts may pay out, or how many payouts they may make; null is any.',
})

const SetLimitResponse = Type.Object(
  {
    ...LIMIT,
    before: Type.Union([LimitResponse, Type.Null()]),
    counted: integerOrNull({
      description: 'How many earlier payouts already count; null if the limit existed before.',
    }),
  },
  { title: 'ChangedLimit', description: 'The limit, and the limit that it has replaced.' },
)

export const UsedLimitResponse = Type.Object(
  {
    ...LIMIT,
    used: Type.Array(
      Type.Object({
        account_id: AccountId,
        subject: Type.String({
          description: 'The key or the payee, if the limit counts them separately.',
        }),
        used: Type.Integer(),
      }),
      { description: 'What is counted now, the largest first; at most 50.' },
    ),
  },
  { title: 'UsedLimit', description: 'A limit, and what it has counted.' },
)

const list = reading({
  name: 'limit list',
  path: '/v3/operator/limit',
  operationId: 'listLimits',
  summary: 'List the limits, or those that count payouts of an account.',
  query: Closed(optional({ account_id: AccountId })),
  response: LimitResponse,
  list: true,
  refusals: ['invalid_query_parameter', 'not_found'],
  find: async (audit, { account_id }) => (await listLimitsOf(audit, account_id)).map(presentLimit),
  command: {
    words: limits =>
      limits.map(limit => ({
        limit: limit.limit_id,
        counts: kindOf(limit),
        'at most': capWords(limit),
      })),
    none: 'no limit: corridor limit set sets one',
    options: { account_id: 'only those that count payouts of this account' },
    help: '\nExample:\n  corridor limit list',
  },
})

const show = reading({
  name: 'limit show',
  path: '/v3/operator/limit/:id',
  operationId: 'getLimit',
  summary: 'Show what a limit has counted, the most used first.',
  params: pathId('lim'),
  response: UsedLimitResponse,
  find: async (audit, { id }) => presentUsed(await showLimit(audit, id)),
  command: {
    words(limit) {
      const head = `${limit.limit_id}: ${kindOf(limit)}: ${capWords(limit)}`
      const rows = limit.used.map(({ account_id, subject, used }) => ({
        account: account_id,
        [limit.each === 'account' ? '' : limit.each]: subject,
        used: quantity(limit.currency, BigInt(used)),
        left: quantity(limit.currency, BigInt(Math.max(limit.cap - used, 0))),
      }))
      return { head, rows }
    },
    none: 'nothing is used',
    help: '\nExample:\n  corridor limit show lim_01m7xpm2m0c6hkd4r9ye',
  },
})

const SET_HELP = `
A payout that a limit has no room for is refused with limit_exceeded. One that
fails, is cancelled or comes back counts no more. Without --account the limit
counts the payouts of each account, each account by itself.

An amount is what is paid, without fees, converted into the currency at mid and
rounded up. A payout that cannot be converted is refused.

Payouts of the window that are there count from the beginning, at the rates of
now; but not for a limit of keys, as payouts do not say which key made them, nor
for one of new payees.
A limit that counts the same is changed, and goes on counting.

Examples:
  corridor limit set --account acc_7k2m9x4q --hours 24 \\
    --amount 50000.00 --currency USD
  corridor limit set --each payee --per day --zone Europe/Berlin --count 3
  corridor limit set --new-for-hours 72 --per payout --amount 500 \\
    --currency USD
  corridor limit set --key key_01m7xpm2m0c6hkd4r9ye --per payout \\
    --amount 1000 --currency EUR`

const set = writing({
  name: 'limit set',
  path: '/v3/operator/limit',
  operationId: 'setLimit',
  summary: 'Set a limit, or change the cap of the limit with the same conditions.',
  description:
    'Payouts that were already made in the window count from the beginning. For an ' +
    'installation of thousands of accounts, `corridor limit set` has the time for this ' +
    'count. A session that raises a cap must have confirmed its password lately.',
  body: SetLimitRequest,
  response: SetLimitResponse,
  refusals: ['currency', 'amount_out_of_range', 'not_found'],
  run: placeLimit,
  command: {
    words(limit) {
      const was = limit.before === null ? 'no limit' : capWords(limit.before)
      const counted =
        limit.counted === null || !countsPast(limit)
          ? ''
          : `; ${limit.counted} payouts count already`
      return `${limit.limit_id}: ${kindOf(limit)}: ${capWords(limit)} (before: ${was})${counted}`
    },
    help: SET_HELP,
    options: {
      account_id: 'only payouts of this account (default: each account by itself)',
      each: 'what is counted by itself (default: account)',
      amount: 'the most that may be paid, in major units',
      currency: 'the currency that amounts are counted in',
      per: 'payout: each by itself; day: of the --zone; hours: the last --hours',
      zone: 'the time zone of the day, such as Europe/Berlin',
      hours: `the last so many hours, 1 to ${MAX_HOURS}`,
    },
  },
})

const remove = writing({
  name: 'limit remove',
  path: '/v3/operator/limit/:id/remove',
  operationId: 'removeLimit',
  summary: 'Remove a limit. If it is set again, it counts anew.',
  params: pathId('lim'),
  emptyBody: 'RemoveLimitRequest',
  asksPassword: true,
  actsAgain: true,
  response: LimitResponse,
  run: (acting, { id }) => acting.change(async sql => presentLimit(await removeLimit(sql, id))),
  command: {
    words: limit =>
      `${limit.limit_id}: ${kindOf(limit)}: no limit any more (before: ${capWords(limit)})`,
    help: '\nExample:\n  corridor limit remove lim_01m7xpm2m0c6hkd4r9ye',
  },
})

export const limits: ActionGroup = {
  actions: [list, show, set, remove],
}

const kindOf = (limit: LimitKind) => `payouts of ${kindWords(limit)}`

function capWords(limit: Pick<LimitKind, 'currency' | keyof Window> & { cap: bigint | number }) {
  return `${quantity(limit.currency, BigInt(limit.cap))} ${windowWords(limit)}`
}

async function listLimitsOf(sql: Sql, account_id: string | undefined): Promise<Limit[]> {
  if (account_id !== undefined) await accountNamed(sql, account_id)
  const all = await listLimits(sql)
  const isOf = (limit: Limit) => limit.account_id === null || limit.account_id === account_id
  return account_id === undefined ? all : all.filter(isOf)
}

const MOST_SHOWN = 50

interface UsedLimit {
  readonly limit: Limit
  /** What each counter has in its window now, the greatest first. */
  readonly used: readonly {
    readonly account_id: string
    readonly subject: string
    readonly used: bigint
  }[]
}

/** Refuses (404) an unknown id. */
async function showLimit(audit: Sql, limit_id: string): Promise<UsedLimit> {
  const limit = await limitNamed(audit, limit_id)
  return { limit, used: usedOf(limit, await listSumsOf(audit, limit_id)) }
}

function usedOf(
  limit: Limit,
  sums: readonly (Sum & { readonly now: Instant })[],
): UsedLimit['used'] {
  const now = sums.filter(({ now, starts_at }) => starts_at >= windowFrom(limit, now))
  const counters = Map.groupBy(now, ({ account_id, subject }) => `${account_id} ${subject}`)
  return [...counters.values()]
    .map(sums => {
      const { account_id, subject } = sums[0] as Sum
      return { account_id, subject, used: totalOf(sums) }
    })
    .filter(({ used }) => used > 0n)
    .toSorted((a, b) => (a.used < b.used ? 1 : -1))
    .slice(0, MOST_SHOWN)
}

/** Set again, it counts from zero. Refuses (404) an unknown id. */
function removeLimit(sql: Sql, limit_id: string): Promise<Limit> {
  return sql.begin(async tx => {
    await lockLimits(tx)
    const limit = await limitNamed(tx, limit_id)
    await deleteLimit(tx, limit_id)
    return limit
  })
}

async function limitNamed(sql: Tag, limit_id: string): Promise<Limit> {
  const limits = await listLimits(sql)
  const limit = limits.find(one => one.limit_id === limit_id)
  return known('limit', limit_id, limit)
}

function presentUsed({ limit, used }: UsedLimit) {
  const counters = used.map(({ used, ...counter }) => ({ ...counter, used: amountToJson(used) }))
  return { ...presentLimit(limit), used: counters }
}
