// GET and POST /v3/operator/limit, GET /v3/operator/limit/{id}, and POST …/remove.
import type { Static } from 'typebox'
import type { Sql } from '../db/connect.ts'
import { invalidField, refuseIfAny } from '../errors.ts'
import { given } from '../given.ts'
import { checkConfirmed } from '../http/authenticate.ts'
import { pathId } from '../http/docs.ts'
import type { Reply } from '../http/idempotency/kept-reply.ts'
import { ListOf } from '../http/list.ts'
import {
  Closed,
  CurrencyCode,
  Id,
  integerOrNull,
  Literals,
  optional,
  REASON,
  Text,
  textOrNull,
} from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { EACH, PERS } from '../limit/limit.ts'
import { type LimitCells, MAX_NEW_FOR } from '../limit/load.ts'
import { MAX_HOURS } from '../limit/window.ts'
import { findCurrency } from '../money/currency.ts'
import type { PricingAt } from '../price/price.ts'
import { type Call, callOf, type Desk } from './desk.ts'
import { type DeskRoutes, listAnswer } from './desk-routes.ts'
import {
  listLimitsOf,
  placeLimit,
  presentLimit,
  presentSet,
  presentUsed,
  removeLimit,
  type SetLimit,
  showLimit,
} from './limits.ts'
import { AccountId, MAX_MINOR, majorText } from './request.ts'
import { readOrRefuse } from './words.ts'

interface Needs {
  readonly reference: { pricing(price_version: bigint | null): Promise<PricingAt> }
}

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
type SetLimitRequest = Static<typeof SetLimitRequest>

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

const UsedLimitResponse = Type.Object(
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

export function deskLimitRoutes(routes: DeskRoutes, deps: Needs): void {
  routes.read('/v3/operator/limit', {
    operationId: 'listLimits',
    summary: 'List the limits, or those that count payouts of an account.',
    querystring: Closed(optional({ account_id: AccountId })),
    response: ListOf(LimitResponse),
    refusals: ['invalid_query_parameter', 'not_found'],
    async answer({ query: { account_id } }, { audit }) {
      return listAnswer((await listLimitsOf(audit, account_id)).map(presentLimit))
    },
  })
  routes.read('/v3/operator/limit/:id', {
    operationId: 'getLimit',
    summary: 'Show what a limit has counted, the most used first.',
    params: pathId('lim'),
    response: UsedLimitResponse,
    answer: async ({ params }, { audit }) => presentUsed(await showLimit(audit, params.id)),
  })
  setRoute(routes, deps)
  routes.change('/v3/operator/limit/:id/remove', {
    act: 'limit remove',
    actsAgain: true,
    config: { asksPassword: true },
    operationId: 'removeLimit',
    summary: 'Remove a limit. If it is set again, it counts anew.',
    params: pathId('lim'),
    emptyBody: 'RemoveLimitRequest',
    response: LimitResponse,
    change: async (sql, { params }) => presentLimit(await removeLimit(sql, params.id)),
  })
}

function setRoute(routes: DeskRoutes, deps: Needs): void {
  routes.write('/v3/operator/limit', {
    config: { check: checkLimit },
    operationId: 'setLimit',
    summary: 'Set a limit, or change the cap of the limit with the same conditions.',
    description:
      'Payouts that were already made in the window count from the beginning. For an ' +
      'installation of thousands of accounts, `corridor limit set` has the time for this ' +
      'count. A session that raises a cap must have confirmed its password lately.',
    body: SetLimitRequest,
    response: SetLimitResponse,
    idempotent: true,
    refusals: ['currency', 'amount_out_of_range', 'not_found'],
    answer: (request, desk) =>
      setOnce(desk, deps, callOf(request, 'limit set'), cellsOf(request.body), () =>
        checkConfirmed(request),
      ),
  })
}

/**
 * Sets the limit in many transactions. The one that makes or changes the limit keeps the answer.
 */
async function setOnce(
  desk: Desk,
  { reference }: Needs,
  call: Call,
  cells: LimitCells,
  checkRaise: () => void,
): Promise<Reply> {
  const change = (work: (sql: Sql) => Promise<SetLimit | null>) =>
    desk.changeOnceOrNull(call, async sql => {
      const set = await work(sql)
      return set && presentSet(set)
    })
  // A repeat gets its answer first: a rail or key that the limit names may be gone by now.
  const kept = call.claim === null ? null : await change(() => Promise.resolve(null))
  if (kept !== null) return kept
  const placed = await placeLimit<Reply>(
    {
      sql: desk.audit,
      change,
      write: (operation, command) => desk.run(call.author, { operation, command, act: null }),
      make: (operation, command, count, set) =>
        desk.runOnce(call, operation, command, done => presentSet(set(count(done)))),
      pricing: version => reference.pricing(version),
      checkRaise,
    },
    cells,
  )
  return readOrRefuse(placed)
}

function checkLimit({ amount, currency }: SetLimitRequest): void {
  refuseIfAny(
    amount !== undefined && (currency === undefined || findCurrency(currency) === undefined)
      ? [invalidField('currency', 'An amount is of a currency: name it.')]
      : [],
  )
}

/** The body as the texts of the command's options. */
function cellsOf(body: SetLimitRequest): LimitCells {
  return given({
    account: body.account_id,
    key: body.key_id,
    each: body.each,
    rail: body.rail,
    network: body.network,
    newFor: body.new_for_hours?.toString(),
    amount: majorText(body.amount, body.currency),
    currency: body.currency,
    count: body.count?.toString(),
    per: body.per === 'hours' ? undefined : body.per,
    zone: body.zone,
    hours: body.hours?.toString(),
  })
}
