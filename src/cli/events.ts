// corridor events replay: delivers earlier events to a webhook endpoint again.
import type { Command } from 'commander'
import { accountIdOf } from '../operator/operator-write.ts'
import { replayWrite } from '../operator/webhooks.ts'
import type { WebhookOutcome } from '../webhooks/decide.ts'
import type { ReplayRequest } from '../webhooks/request.ts'
import { checkReplay } from '../webhooks/rules.ts'
import type { Replayed } from '../webhooks/webhook.ts'
import { addCommand, print, withContext } from './context.ts'
import { archiveCommands } from './events-archive.ts'
import { UsageError } from './failure.ts'
import { readTypes } from './listen.ts'

interface ReplayOptions {
  event?: string[]
  from?: string
  to?: string
  dead?: boolean
  events?: readonly string[]
}

const HELP = `
Name events with --event, a time with --from and --to, or all dead deliveries
with --dead. They go as deliveries of their own, with their order and retries,
and with the same webhook-id, by which a receiver knows what it has had.

Examples:
  corridor events replay whe_01m7xpm2kz8t3vqw5n0r --dead
  corridor events replay whe_01m7xpm2kz8t3vqw5n0r \\
    --from 2026-11-20T00:00:00Z --events 'payout.*'`

export function eventsCommands(events: Command): void {
  archiveCommands(events)
  addCommand(events, 'replay', 'deliver events again to a webhook endpoint')
    .argument('<endpoint>', 'the webhook endpoint')
    .option('--event <id...>', 'these events')
    .option('--from <time>', 'events at this ISO 8601 time or after it')
    .option('--to <time>', 'events before this time')
    .option('--dead', 'every event whose last delivery to it is dead')
    .option(
      '--events <types>',
      'of a time only these types, such as payout.failed or payout.*',
      readTypes,
    )
    .addHelpText('after', HELP)
    .action(replay)
}

/** The answer to one portion says where the next begins. */
async function replay(id: string, options: ReplayOptions): Promise<void> {
  const request = readRequest(options)
  const deliveries = await withContext(async ({ audit, run }) => {
    const key = { account_id: await accountIdOf(audit, 'webhook endpoint', id), id }
    let sum = 0
    for (let rest: ReplayRequest | undefined = request; rest !== undefined; ) {
      const written: WebhookOutcome = await run(replayWrite(key, rest))
      const { replayed } = written
      if (replayed === null) throw new Error('a replay without an outcome')
      sum += replayed.deliveries
      rest = replayed.has_more ? restOf(request, replayed) : undefined
    }
    return sum
  })
  const words = `${deliveries} ${deliveries === 1 ? 'event' : 'events'} to ${id}`
  print({ endpoint: id, deliveries }, words)
}

/** As the API takes it, checked by the same rules. */
function readRequest(options: ReplayOptions): ReplayRequest {
  const { event, from, to, dead, events: types = [] } = options
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

/** A dead delivery that is replayed is no longer dead, so the same request finds the others. */
function restOf(request: ReplayRequest, { next, last }: Replayed): ReplayRequest {
  if (next === null || last === null) return request
  const { event_types } = request
  const sequence = { from: Number(next), to: Number(last) }
  return { sequence, ...(event_types && { event_types }) }
}
