// corridor rail exceptions: lists the payouts, files and rails that wait for a person. A payout
// stands still until a person closes its exception; the exception of a file or a rail ends with its
// cause.

import type { Command } from 'commander'
import { alertWords, nextCommand } from '../adapters/bank-file/alert.ts'
import { findAlerts } from '../adapters/bank-file/alert-store.ts'
import { presentException } from '../operator/exceptions.ts'
import type { RailException } from '../rails/attempt.ts'
import { listOpenExceptions } from '../rails/exception-store.ts'
import { databaseNow } from '../sql/connect.ts'
import { type Instant, secondsBetween } from '../values/instant.ts'
import { describeAge } from '../values/text/age.ts'
import { print, withContext } from './context.ts'
import { DEFAULT_LIMIT, readLimit } from './input.ts'
import { listing } from './table.ts'

export function exceptionCommands(rail: Command): void {
  rail
    .command('exceptions')
    .description('list payouts, files and rails that wait for a person, the oldest first')
    .option('--limit <number>', 'at most so many payouts', String(DEFAULT_LIMIT))
    .addHelpText('after', LIST_HELP)
    .action(listAction)
}

const LIST_HELP = `
Each has its age and the command that comes next, once you know the cause. An
exception of a payout is closed by you; that of a file or a rail is over when
its cause is.

Example:
  npx corridor rail exceptions`

async function listAction(options: { limit: string }): Promise<void> {
  const limit = readLimit(options.limit)
  const { open, alerts, now } = await withContext(async ({ audit }) => {
    const open = await listOpenExceptions(audit, { payout_id: '', number: 0 }, limit)
    const alerts = await findAlerts(audit, audit)
    return { open, alerts, now: await databaseNow(audit) }
  })
  const ageOf = (since: Instant) => describeAge(secondsBetween(since, now))
  const payouts = open.map(exception => ({
    payout: exception.payout_id,
    'no.': String(exception.number),
    rail: exception.rail,
    kind: exception.kind,
    age: ageOf(exception.opened_at),
    what: exception.message,
    next: closingCommand(exception),
  }))
  const files = alerts.map(alert => ({
    'file or rail': alert.about.slice(0, LONGEST_ID),
    rail: alert.rail,
    kind: alert.kind,
    age: ageOf(alert.since),
    what: alertWords(alert),
    next: nextCommand(alert),
  }))
  const words = [
    listing(payouts, 'no payout waits for a person'),
    listing(files, 'no file and no rail waits for a person'),
  ]
  const data = [
    ...open.map(exception => ({ ...presentException(exception), next: closingCommand(exception) })),
    ...alerts.map(alert => {
      const { rail, kind, about, since: opened_at } = alert
      const [message, next] = [alertWords(alert), nextCommand(alert)]
      return { rail, kind, about, message, opened_at, next }
    }),
  ]
  print(data, words.join('\n\n'))
}

/** The length of a message id. Of a hash, that many digits are enough. */
const LONGEST_ID = 16

function closingCommand({ payout_id, number }: RailException): string {
  return `corridor rail close-exception ${payout_id} ${number} --note …`
}
