// What corridor doctor finds about live accounts: whether each can be quoted a payout in every
// currency that its routes take, by the rules by which a quote is priced.
import type { Account } from '../account/rules.ts'
import { databaseNow } from '../db/connect.ts'
import { payoutOptions } from '../payout-options/rules.ts'
import { pricingFrom } from '../price/book.ts'
import { listFees } from '../price/fee/store.ts'
import { listPolicies } from '../price/policy/store.ts'
import { listRates } from '../price/rate/store.ts'
import { listRails } from '../rail/row-store.ts'
import { listRoutes } from '../rail/store.ts'
import { inForce } from '../rail/timetable.ts'
import { timetablesOf } from '../rails.ts'
import type { Context } from './context.ts'
import { type Finding, inOrder, wrong } from './doctor-machine.ts'

/** In minor units. Routes and networks may take small amounts alone, or large ones. */
const AMOUNTS = [10_000, 1_000_000, 100_000_000]

const FIXES = {
  route_unavailable: ['route', 'npx corridor route set, and npx corridor route explain'],
  fee_unavailable: ['fee', 'npx corridor fees set; --fixed-amount 0 when it is to cost nothing'],
  rate_unavailable: ['rate', 'npx corridor rates fetch, import or set'],
} as const
type Lack = keyof typeof FIXES

const LACKS = Object.keys(FIXES) as Lack[]

type Reference = Awaited<ReturnType<typeof readReference>>

/** One finding for routes, fees and rates each. */
export async function checkAccounts(
  context: Context,
  live: readonly Account[],
): Promise<Finding[]> {
  const reference = await readReference(context)
  const lacks = live.flatMap(account => lacksOf(account, reference))
  return LACKS.map(lack => {
    const [what, fix] = FIXES[lack]
    const check = `${what}s of accounts`
    const lacking = lacks.filter(found => found.lack === lack)
    const [first] = lacking
    if (first === undefined) return inOrder(check, `${live.length} live accounts lack none`)
    const accounts = new Set(lacking.map(({ account_id }) => account_id)).size
    const payouts = first.currency === '' ? 'any payout' : `payouts in ${first.currency}`
    const others = accounts === 1 ? '' : `, and ${accounts - 1} more accounts lack one`
    return wrong(check, `${first.account_id} has no ${what} for ${payouts}${others}`, `run ${fix}`)
  })
}

async function readReference({ sql }: Context) {
  const timetables = timetablesOf(await listRails(sql))
  const routes = await listRoutes(sql)
  const rates = await listRates(sql)
  const fees = await listFees(sql)
  const policies = await listPolicies(sql)
  return {
    routes: routes.map(route => inForce(route, timetables)),
    pricing: pricingFrom({ rates, fees, policies }),
    now: await databaseNow(sql),
  }
}

/** What refuses every way of a payout in a currency that a route of the account takes. */
function lacksOf(account: Account, reference: Reference) {
  const { account_id } = account
  const own = reference.routes.filter(r => r.account_id === null || r.account_id === account_id)
  const no_route = { account_id, lack: 'route_unavailable' as Lack, currency: '' }
  if (own.length === 0) return [no_route]
  const currencies = new Set(own.flatMap(({ currency }) => currency ?? account.currencies))
  return Array.from(currencies).flatMap(currency => {
    const lack = lackFor(account, currency, reference)
    return lack === undefined ? [] : [{ account_id, lack, currency }]
  })
}

/** Undefined when a way is possible, or only something else refuses all. */
function lackFor(account: Account, currency: string, reference: Reference): Lack | undefined {
  const { routes, pricing, now } = reference
  const times = { now, at: now }
  const options = AMOUNTS.flatMap(amount => {
    const request = { payout_info: { currency, amount } }
    return payoutOptions(request, { account, routes }, pricing(account, now), times)
  })
  if (options.some(({ judged }) => judged !== null)) return undefined
  const reasons = new Set(options.flatMap(({ problems }) => problems.map(({ reason }) => reason)))
  // A route is there: what stands after it in the way of a quote is what is to be mended first.
  return LACKS.toReversed().find(lack => reasons.has(lack))
}
