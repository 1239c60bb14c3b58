// corridor events replay: delivers earlier events to a webhook endpoint again, or sends them to a
// receiver under development.

import type { Command } from 'commander'
import { readRange } from '../http/list.ts'
import { accountNamed } from '../operator/accounts.ts'
import { replayDeed } from '../operator/webhooks.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { EventWithObject } from '../statements/event/event.ts'
import { findEvents, findNumbers, listEventsAfter } from '../statements/event/store.ts'
import type { Key } from '../values/id.ts'
import type { WebhookOutcome } from '../webhooks/decide.ts'
import type { ReplayRequest } from '../webhooks/request.ts'
import { checkReplay } from '../webhooks/rules.ts'
import type { Replayed } from '../webhooks/webhook.ts'
import { addCommand, type Context, print, withContext } from './context.ts'
import { archiveCommands } from './events-archive.ts'
import { CommandFailed, NotFound, UsageError } from './failure.ts'
import {
  type Forwarder,
  isTaken,
  openForwarder,
  printEvent,
  readEvents,
  readTypes,
} from './listen.ts'

interface ReplayOptions {
  event?: string[]
  from?: string
  to?: string
  dead?: boolean
  events?: readonly string[]
  endpoint?: string
  forwardTo?: string
  secret?: string
}

const PORTION = 100

const HELP = `
Name events with --event, a time with --from and --to, or with --endpoint all
dead deliveries with --dead. To an endpoint they go as deliveries of their own,
with their order and retries, and with the same webhook-id, by which a receiver
knows what it has had. To a URL they are sent at once, in order, signed, without
retries; a receiver that does not answer 2xx ends the command with exit code 1.

Examples:
  npx corridor events replay acc_7k2m9x4q --dead \\
    --endpoint whe_01m7xpm2kz8t3vqw5n0r
  npx corridor events replay acc_7k2m9x4q \\
    --from 2026-11-20T00:00:00Z --forward-to http://localhost:3000/hook`

export function eventsCommands(events: Command): void {
  archiveCommands(events)
  addCommand(events, 'replay', 'deliver events again, to a webhook endpoint or to a URL')
    .argument('<account>', 'account id')
    .option('--event <id...>', 'these events')
    .option('--from <time>', 'events at this ISO 8601 time or after it')
    .option('--to <time>', 'events before this time')
    .option('--dead', 'with --endpoint: every event whose last delivery to it is dead')
    .option(
      '--events <types>',
      'of a time only these types, such as payout.failed or payout.*',
      readTypes,
    )
    .option('--endpoint <id>', 'the webhook endpoint they are delivered to')
    .option('--forward-to <url>', 'the URL they are sent to')
    .option('--secret <whsec>', 'with --forward-to: what they are signed with')
    .addHelpText('after', HELP)
    .action(replay)
}

async function replay(account_id: string, options: ReplayOptions): Promise<void> {
  const { endpoint, forwardTo } = options
  if ((endpoint === undefined) === (forwardTo === undefined)) {
    throw new UsageError('say exactly one of --endpoint and --forward-to')
  }
  const request = readRequest(options)
  const forwarder = forwardTo === undefined ? undefined : openForwarder(forwardTo, options.secret)
  await withContext(async context => {
    await accountNamed(context.sql, account_id)
    if (endpoint !== undefined) await deliverAll(context, { account_id, id: endpoint }, request)
    if (forwarder === undefined) return
    if (options.secret === undefined) {
      process.stderr.write(`Signing secret  ${forwarder.secret}\n\n`)
    }
    await sendAll(eventsOf(context.audit, account_id, request), forwarder)
  })
}

/** The same request as the API takes, checked by the same rules. */
function readRequest(options: ReplayOptions): ReplayRequest {
  const { event, from, to, dead, events: types = [], forwardTo } = options
  if (dead === true && forwardTo !== undefined) {
    throw new UsageError('--dead is of an endpoint; say --endpoint')
  }
  const ranged = from !== undefined || to !== undefined
  const request: ReplayRequest = {
    ...(event === undefined ? {} : { events: event }),
    ...(ranged && { created: { ...(from && { gte: from }), ...(to && { lt: to }) } }),
    ...(dead === true && { status: 'dead' as const }),
    ...(types.length > 0 && { event_types: [...types] }),
  }
  const [problem] = checkReplay(request)
  if (problem === undefined) return request
  const words: Readonly<Record<string, string>> = {
    '': 'say exactly one of --event, --from or --to, and --dead',
    event_types: '--events goes with --from or --to',
    'created.gte': '--from is an ISO 8601 time with an offset, such as 2026-01-31T09:30:00Z',
    'created.lt': '--to is an ISO 8601 time with an offset, such as 2026-01-31T09:30:00Z',
  }
  throw new UsageError(words[problem.remarks] ?? problem.message)
}

/** Replays in portions. The answer to one portion says where the next begins. */
async function deliverAll(context: Context, key: Key, request: ReplayRequest): Promise<void> {
  const { id } = key
  let deliveries = 0
  for (let rest: ReplayRequest | undefined = request; rest !== undefined; ) {
    const written: WebhookOutcome = await context.run(replayDeed(key, rest))
    const { replayed } = written
    if (replayed === null) throw new Error('a replay without an outcome')
    deliveries += replayed.deliveries
    rest = replayed.has_more ? restOf(request, replayed) : undefined
  }
  const words = `${deliveries} ${deliveries === 1 ? 'event' : 'events'} to ${id}`
  print({ endpoint: id, deliveries }, words)
}

/** A dead delivery that is replayed is no longer dead, so the same request finds the others. */
function restOf(request: ReplayRequest, { next, last }: Replayed): ReplayRequest {
  if (next === null || last === null) return request
  const { event_types } = request
  const sequence = { from: Number(next), to: Number(last) }
  return { sequence, ...(event_types && { event_types }) }
}

/** Sends events one after the other. Throws at the first that the receiver does not take. */
async function sendAll(
  events: AsyncIterable<EventWithObject>,
  forwarder: Forwarder,
): Promise<void> {
  let sent = 0
  for await (const event of events) {
    const result = await forwarder.send(event)
    printEvent(event, result)
    if (!isTaken(result)) throw new CommandFailed(`${event.id} was not taken; ${sent} were`)
    sent += 1
  }
  process.stderr.write(`${sent} ${sent === 1 ? 'event was' : 'events were'} taken\n`)
}

/** The events that the request names, in the order of their numbers, with their objects. */
async function* eventsOf(
  sql: Sql,
  account_id: string,
  { events, created, event_types = [] }: ReplayRequest,
): AsyncGenerator<EventWithObject> {
  if (events !== undefined) {
    const keys = events.map(id => ({ account_id, id }))
    const { matching } = await readEvents(sql, tx => findEvents(tx, keys))
    const missing = events.find(id => matching.every(event => event.id !== id))
    if (missing !== undefined) throw new NotFound('event', missing)
    yield* matching.toSorted((a, b) => (a.sequence < b.sequence ? -1 : 1))
    return
  }
  const { from, to } = await findNumbers(sql, account_id, readRange(created ?? {}))
  for (let last = from - 1n; ; ) {
    const within = { after: last, to }
    const page = (tx: TransactionSql) => listEventsAfter(tx, account_id, within, PORTION)
    const { found, matching } = await readEvents(sql, page, event_types)
    yield* matching
    const final = found.at(-1)
    if (final === undefined) return
    last = final.sequence
  }
}
