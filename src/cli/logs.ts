// corridor logs: prints the rows that the service writes when CORRIDOR_REQUEST_LOG is set.
import type { Command } from 'commander'
import { accountNamed } from '../operator/operator-write.ts'
import { type LoggedRequest, OUTCOMES, presentLogged } from '../sandbox/request-log/request-log.ts'
import { listRecent, type RecentFilter } from '../sandbox/request-log/store.ts'
import type { Sql } from '../sql/connect.ts'
import { idBound, instantIn } from '../values/id.ts'
import { plusMilliseconds } from '../values/instant.ts'
import { running, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { follow, stopSignal } from './follow.ts'
import { visible } from './terminal.ts'

interface LogsOptions {
  readonly account?: string
  readonly failed?: boolean
  readonly follow?: boolean
  readonly limit: string
}

const POLL_MS = 500
/** The most rows of one look with --follow. */
const PORTION = 1_000
/** Processes write up to a second late, and their clocks differ. */
const LATE_MS = 30_000
const NOT_SUCCEEDED = OUTCOMES.filter(outcome => outcome !== 'succeeded')

const HELP = `
The service keeps the last requests of sandbox accounts when it is started with
CORRIDOR_REQUEST_LOG=on. Requests with no valid key belong to no account and are
not kept.

Examples:
  corridor logs --failed
  corridor logs --account acc_7k2m9x4q --follow`

export function logsCommand(command: Command): void {
  command
    .option('--account <account>', 'of this account alone (default: of every sandbox)')
    .option('--failed', 'only requests that did not succeed')
    .option('--follow', 'go on with requests as they end, until Ctrl-C')
    .option('--limit <count>', 'how many to begin with', '20')
    .option('--json', 'print one line of JSON for each request')
    .addHelpText('after', HELP)
    .action(logs)
}

async function logs(options: LogsOptions): Promise<void> {
  const { account: account_id = null, failed = false } = options
  if (!/^(?:[0-9]|[1-9][0-9]{1,2}|1000)$/.test(options.limit)) {
    throw new UsageError('--limit is a number from 0 to 1000')
  }
  const outcomes = failed ? NOT_SUCCEEDED : OUTCOMES
  const filter = { account_id, outcomes, after: '', limit: Number(options.limit) }
  await withContext(async ({ audit: sql }) => {
    if (account_id !== null && !(await accountNamed(sql, account_id)).sandbox) {
      throw new CommandFailed(`${account_id} is no sandbox: its requests are not kept`)
    }
    const rows = (await listRecent(sql, filter)).toReversed()
    for (const row of rows) show(row)
    if (options.follow === true) await followNew(sql, filter, rows)
    else if (rows.length === 0 && filter.limit > 0) process.stderr.write(NO_REQUEST)
  })
}

function show(row: LoggedRequest): void {
  process.stdout.write(`${running.json ? JSON.stringify(presentLogged(row)) : lineOf(row)}\n`)
}

const NO_REQUEST =
  'No request is kept. The service keeps them when it is started with CORRIDOR_REQUEST_LOG=on.\n'

/** `shown` are the rows that are printed already. */
async function followNew(sql: Sql, filter: RecentFilter, shown: readonly LoggedRequest[]) {
  const signal = stopSignal()
  let newest = shown.at(-1)?.id ?? (await newestOf(sql, filter.account_id))
  // A request that ended earlier is not printed, even if a process writes its row later.
  const start = newest
  const printed = new Set(shown.map(({ id }) => id))
  process.stderr.write('Following the requests of sandboxes. Ctrl-C ends.\n')
  await follow(signal, POLL_MS, async () => {
    const after = lookBack(newest, start)
    const rows = await listRecent(sql, { ...filter, after, limit: PORTION })
    for (const row of rows.toReversed()) {
      if (!printed.has(row.id)) show(row)
      printed.add(row.id)
      if (row.id > newest) newest = row.id
    }
    for (const id of printed) if (id <= after) printed.delete(id)
  })
}

async function newestOf(sql: Sql, account_id: string | null): Promise<string> {
  const [row] = await listRecent(sql, { account_id, outcomes: OUTCOMES, after: '', limit: 1 })
  return row?.id ?? ''
}

/** LATE_MS before the newest row, but not before `start`. */
function lookBack(newest: string, start: string): string {
  if (newest === '') return ''
  const early = idBound('rql', plusMilliseconds(instantIn(newest), -LATE_MS), 'before')
  return early > start ? early : start
}

/** A request that did not succeed has its reason, too. */
function lineOf(row: LoggedRequest): string {
  const { method, path, status, duration_us, reason, remarks, request_id } = row
  const ended = status === null ? 'left' : String(status)
  const time = `${instantIn(row.id).slice(0, 19)}Z`
  const lines = [
    `${time}  ${ended.padEnd(4)} ${method.padEnd(6)} ${path}  ${duration_us / 1000} ms`,
  ]
  const why = reason === '' ? '' : `${reason}${remarks === '' ? '' : ` at ${remarks}`}  `
  if (row.outcome !== 'succeeded') lines.push(`  ${why}${request_id}`)
  return lines.map(visible).join('\n')
}
