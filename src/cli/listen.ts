// corridor listen: prints events as they happen, and forwards them, signed and without retries, to
// a receiver. It finds events by their numbers, which have no gaps, and writes nothing.
import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { withObjects } from '../history/event-object/operations.ts'
import { accountNamed } from '../operator/operator-write.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { EventWithObject, NamedEvent } from '../statements/event/event.ts'
import { presentEvent } from '../statements/event/response.ts'
import { countEvents, listEventsAfter } from '../statements/event/store.ts'
import { isPortOfHttp, matches } from '../webhooks/rules.ts'
import { type SendResult, send } from '../webhooks/send.ts'
import { newSecret, webhookHeaders } from '../webhooks/sign.ts'
import { EVENT_TYPES } from '../webhooks/webhook.ts'
import { running, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { follow, stopSignal } from './follow.ts'
import { visible } from './terminal.ts'

interface ListenOptions {
  account?: string
  forwardTo?: string
  secret?: string
  events?: readonly string[]
}

const POLL_MS = 200
const PORTION = 100

const HELP = `
Events that happened before are not shown. Ends with
Ctrl-C. A receiver checks signatures as those of webhooks (Standard Webhooks);
without --secret a new one is made and printed.

Examples:
  corridor listen
  corridor listen --forward-to http://localhost:3000/hook \\
    --events 'payout.*,balance_transaction.created'`

export function listenCommand(command: Command): void {
  command
    .option('--account <account>', 'of this account alone (default: of every account)')
    .option('--forward-to <url>', 'where events are sent, one after the other, without retries')
    .option('--secret <whsec>', 'what forwarded events are signed with')
    .option('--events <types>', 'only these types, such as payout.failed or payout.*', readTypes)
    .option('--json', 'print one line of JSON for each event')
    .addHelpText('after', HELP)
    .action(listen)
}

async function listen(options: ListenOptions): Promise<void> {
  const { account: account_id, forwardTo, secret, events: types = [] } = options
  const forwarder = forwardTo === undefined ? undefined : openForwarder(forwardTo, secret)
  const signal = stopSignal()
  await withContext(async ({ audit: sql }) => {
    if (account_id !== undefined) await accountNamed(sql, account_id)
    const numbers = await readNumbers(sql, account_id)
    process.stderr.write(greeting(account_id, forwarder, secret === undefined))
    // `numbers` stays while the database is away, so no event is missed.
    await follow(signal, POLL_MS, async () => {
      for (const [id, newest] of await readNumbers(sql, account_id)) {
        if (newest === (numbers.get(id) ?? 0n)) continue
        await showNew({ sql, types, forwarder, numbers, signal }, id, newest)
      }
    })
  })
}

interface Following {
  readonly sql: Sql
  readonly types: readonly string[]
  readonly forwarder: Forwarder | undefined
  readonly numbers: Map<string, bigint>
  readonly signal: AbortSignal
}

/** From the last event that was read up to `newest`. */
async function showNew(
  { sql, types, forwarder, numbers, signal }: Following,
  account_id: string,
  newest: bigint,
): Promise<void> {
  for (;;) {
    const after = numbers.get(account_id) ?? 0n
    const within = { after, to: newest }
    const page = (tx: TransactionSql) => listEventsAfter(tx, account_id, within, PORTION)
    const { found, matching } = await readEvents(sql, page, types)
    for (const event of matching) {
      if (signal.aborted) return
      printEvent(event, await forwarder?.send(event))
      numbers.set(account_id, event.sequence)
    }
    numbers.set(account_id, found.at(-1)?.sequence ?? after)
    if (found.length === 0) return
  }
}

/** One snapshot: all that `find` finds, and those of these types with their objects. */
function readEvents(
  sql: Sql,
  find: (tx: TransactionSql) => Promise<readonly NamedEvent[]>,
  types: readonly string[] = [],
): Promise<{
  readonly found: readonly NamedEvent[]
  readonly matching: readonly EventWithObject[]
}> {
  const read = async (tx: TransactionSql) => {
    const found = await find(tx)
    const of_types = found.filter(({ type }) => matches(types, type))
    return { found, matching: await withObjects(tx, of_types) }
  }
  return sql.begin('isolation level repeatable read read only', read)
}

async function readNumbers(sql: Sql, account_id: string | undefined): Promise<Map<string, bigint>> {
  const rows = await countEvents(sql, account_id)
  return new Map(rows.map(row => [row.account_id, row.count]))
}

/** Shows only a secret that it has made: the caller knows any other. */
function greeting(
  account_id: string | undefined,
  forwarder: Forwarder | undefined,
  shows_secret: boolean,
): string {
  const lines = [`Listening to events of ${account_id ?? 'every account'}. Ctrl-C ends.`]
  if (forwarder !== undefined) {
    lines.push(`Forwarding to ${forwarder.url}`)
    if (shows_secret) lines.push(`Signing secret  ${forwarder.secret}`)
  }
  return `${lines.join('\n')}\n\n`
}

const TIMEOUT_MS = 15_000

type Forwarder = ReturnType<typeof openForwarder>

/** The operator names the receiver, so any address is allowed. @throws UsageError */
export function openForwarder(receiver_url: string, secret = newSecret(randomBytes(32))) {
  const parsed = URL.parse(receiver_url)
  const has_login = parsed !== null && (parsed.username !== '' || parsed.password !== '')
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || has_login) {
    throw new UsageError('--forward-to is a URL such as http://localhost:3000/hook')
  }
  if (!isPortOfHttp(parsed)) {
    const words = `port ${parsed.port} is of another protocol, and webhooks never go there`
    throw new UsageError(`--forward-to: ${words}; take one such as 3000`)
  }
  if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
    throw new UsageError('--secret is whsec_ and base64, as printed when an endpoint is made')
  }
  const url = parsed.href
  return {
    url,
    /** The receiver checks signatures with it. */
    secret,
    send(event: EventWithObject): Promise<SendResult> {
      const body = JSON.stringify(presentEvent(event))
      const headers = webhookHeaders([secret], event.id, Math.floor(Date.now() / 1000), body)
      return send({ url, headers, body, timeout_ms: TIMEOUT_MS, allow_private: true })
    },
  }
}

/** Reads `payout.failed,entity.*`. */
export function readTypes(text: string): readonly string[] {
  const types = text.split(',').map(type => type.trim())
  const unknown = types.find(type => !EVENT_TYPES.includes(type))
  if (unknown === undefined) return types
  throw new UsageError(`no type of event ${unknown}; there are ${EVENT_TYPES.join(', ')}`)
}

/** The receiver answered 2xx. */
function isTaken({ status_code }: SendResult): boolean {
  return status_code !== null && status_code >= 200 && status_code < 300
}

function printEvent(event: EventWithObject, result?: SendResult): void {
  const words = running.json ? eventJson(event, result) : eventLine(event, result)
  process.stdout.write(`${words}\n`)
}

/** Time, type and object in 80 columns. The answer of the receiver has its own line. */
function eventLine({ id, created_at, type, object_id }: EventWithObject, result?: SendResult) {
  const line = `${created_at.slice(0, 19)}Z  ${type.padEnd(30)} ${object_id}`
  if (result === undefined) return line
  const { status_code, error, duration_ms } = result
  const outcome = status_code === null ? `no answer: ${error}` : String(status_code)
  const mark = isTaken(result) ? '→' : '✗'
  return `${line}\n  ${visible(`${mark} ${outcome} in ${duration_ms} ms  ${id}`)}`
}

function eventJson(event: EventWithObject, result?: SendResult): string {
  const { status_code = null, error = '', duration_ms = 0 } = result ?? {}
  const forwarded = result === undefined ? null : { status_code, error, duration_ms }
  return JSON.stringify({ event: presentEvent(event), forwarded })
}
