// corridor listen: prints events as they happen, and forwards them to a receiver under development.
// It follows the numbers of events, which have no gaps, and writes nothing.
import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Sql } from '../db/connect.ts'
import { countEvents, listEventsAfter } from '../event/store.ts'
import { matches } from '../webhook/rules.ts'
import { withContext } from './context.ts'
import { findAccount } from './find.ts'
import { eventJson, eventLine, type Forwarder, openForwarder, readTypes } from './forward.ts'

interface ListenOptions {
  account?: string
  forwardTo?: string
  secret?: string
  events?: string
  json?: boolean
}

const POLL_MS = 200
const PORTION = 100

const HELP = `
Events that happened before are not shown; see corridor events replay. Ends with
Ctrl-C. A receiver checks signatures as those of webhooks (Standard Webhooks);
without --secret a new one is made and printed.

Examples:
  npx corridor listen
  npx corridor listen --forward-to http://localhost:3000/hook \\
    --events 'payout.*,balance_transaction.created'`

export function listenCommand(program: Command): void {
  program
    .command('listen')
    .description('print events as they happen, and forward them signed to a URL')
    .option('--account <account>', 'of this account alone (default: of every account)')
    .option('--forward-to <url>', 'where events are sent, one after the other, without retries')
    .option('--secret <whsec>', 'what forwarded events are signed with')
    .option('--events <types>', 'only these types, such as payout.failed or payout.*')
    .option('--json', 'print one line of JSON for each event')
    .addHelpText('after', HELP)
    .action(listen)
}

async function listen(options: ListenOptions): Promise<void> {
  const types = readTypes(options.events)
  const { forwardTo, secret, account: account_id } = options
  const forwarder = forwardTo === undefined ? undefined : openForwarder(forwardTo, secret)
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => stopping.abort())
  }
  await withContext(async ({ audit: sql }) => {
    if (account_id !== undefined) await findAccount(sql, account_id)
    const numbers = await readNumbers(sql, account_id)
    process.stderr.write(greeting(account_id, forwarder, secret === undefined))
    await follow(sql, { account_id, types, forwarder, json: options.json === true }, numbers, {
      signal: stopping.signal,
    })
  })
}

interface Following {
  readonly account_id: string | undefined
  readonly types: readonly string[]
  readonly forwarder: Forwarder | undefined
  readonly json: boolean
}

/** Until the signal: `numbers` are of the events that were seen last, by account. */
async function follow(
  sql: Sql,
  following: Following,
  numbers: Map<string, bigint>,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  let away = false
  while (!signal.aborted) {
    try {
      for (const [account_id, newest] of await readNumbers(sql, following.account_id)) {
        if (newest === (numbers.get(account_id) ?? 0n)) continue
        await showNew(sql, following, numbers, account_id, newest, signal)
      }
      away = false
    } catch (error) {
      // The service beside may be starting anew; nothing is missed, as the numbers stay.
      if (!away) process.stderr.write(`corridor: trying again: ${(error as Error).message}\n`)
      away = true
    }
    await setTimeout(POLL_MS, undefined, { signal }).catch(() => {})
  }
}

/** Shows and forwards what an account has beyond the number that was seen last. */
async function showNew(
  sql: Sql,
  { types, forwarder, json }: Following,
  numbers: Map<string, bigint>,
  account_id: string,
  newest: bigint,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    const after = numbers.get(account_id) ?? 0n
    const events = await listEventsAfter(sql, account_id, { after, to: newest }, PORTION)
    for (const event of events) {
      if (signal.aborted) return
      if (matches(types, event.type)) {
        const result = await forwarder?.send(event)
        process.stdout.write(`${(json ? eventJson : eventLine)(event, result)}\n`)
      }
      numbers.set(account_id, event.sequence)
    }
    if (events.length < PORTION) return
  }
}

async function readNumbers(sql: Sql, account_id: string | undefined): Promise<Map<string, bigint>> {
  const rows = await countEvents(sql, account_id)
  return new Map(rows.map(row => [row.account_id, row.count]))
}

/** A secret that was given is known, and is not for logs. */
function greeting(
  account_id: string | undefined,
  forwarder: Forwarder | undefined,
  shows_secret: boolean,
): string {
  const of = account_id ?? 'every account'
  const lines = [`Listening to events of ${of}. Ctrl-C ends.`]
  if (forwarder !== undefined) {
    lines.push(`Forwarding to ${forwarder.url}`)
    if (shows_secret) lines.push(`Signing secret  ${forwarder.secret}`)
  }
  return `${lines.join('\n')}\n\n`
}
