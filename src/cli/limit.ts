// corridor limit set|list|show|remove|history: sets, lists and removes limits on the payouts of
// accounts: how much, and how many. Shows what limits have counted.
import { type Command, Option } from 'commander'
import { Lane } from '../engine/lane.ts'
import { EACH, type Limit, type LimitKind } from '../limit/limit.ts'
import type { LimitCells } from '../limit/load.ts'
import { limitOfHistory } from '../limit/store.ts'
import { MAX_HOURS } from '../limit/window.ts'
import { kindWords, quantity, windowWords } from '../limit/words.ts'
import {
  listLimitsOf,
  placeLimit,
  presentLimit,
  presentSet,
  presentUsed,
  removeLimit,
  type SetLimit,
  showLimit,
} from '../operator/limits.ts'
import { countsPast, type Write } from '../payout/limit-operation.ts'
import { openReference } from '../reference.ts'
import type { Read } from '../text/csv.ts'
import { addCommand, type Context, example, print, withContext } from './context.ts'
import { readOrRefuse } from './failure.ts'
import { historyCommand } from './history.ts'
import { listing, table } from './table.ts'

const EXAMPLE = `npx corridor limit set --account acc_7k2m9x4q --hours 24 \\
    --amount 50000.00 --currency USD`

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
  ${EXAMPLE}
  npx corridor limit set --each payee --per day --zone Europe/Berlin --count 3
  npx corridor limit set --new-for 72 --per payout --amount 500 --currency USD
  npx corridor limit set --key key_01m7xpm2m0c6hkd4r9ye --per payout \\
    --amount 1000 --currency EUR`

export function limitCommands(limit: Command): void {
  addCommand(limit, 'set', 'set a limit, or change the cap of the one that counts the same')
    .option('--account <id>', 'only payouts of this account (default: each account by itself)')
    .option('--key <id>', 'only payouts that this API key makes')
    .addOption(
      new Option('--each <what>', 'what is counted by itself').choices(EACH).default('account'),
    )
    .option('--rail <rail>', 'only payouts that go to this rail first')
    .option('--network <name>', 'only over this local network, payment network or chain')
    .option('--new-for <hours>', 'only to payees that the account has known for less than that')
    .option('--amount <amount>', 'the most that may be paid, in major units of the currency')
    .option('--currency <code>', 'the currency that amounts are counted in')
    .option('--count <number>', 'the most payouts')
    .option('--per <window>', 'payout: each by itself; day: of the --zone')
    .option('--zone <zone>', 'the time zone of the day, such as Europe/Berlin')
    .option('--hours <number>', `the last so many hours, 1 to ${MAX_HOURS}`)
    .addHelpText('after', SET_HELP)
    .action(setAction)
  addCommand(limit, 'list', 'list the limits')
    .option('--account <id>', 'only those that count payouts of this account')
    .addHelpText('after', example('limit list'))
    .action(listAction)
  addCommand(limit, 'show', 'show what a limit has counted, the most used first')
    .argument('<limit>', 'as corridor limit list shows it')
    .addHelpText('after', example('limit show lim_01m7xpm2m0c6hkd4r9ye'))
    .action(showAction)
  addCommand(limit, 'remove', 'remove a limit; set again, it counts anew')
    .argument('<limit>', 'as corridor limit list shows it')
    .addHelpText('after', example('limit remove lim_01m7xpm2m0c6hkd4r9ye'))
    .action(async (limit_id: string) => {
      const limit = await withContext(({ sql }) => removeLimit(sql, limit_id))
      const was = `no limit any more (before: ${capWords(limit)})`
      print(presentLimit(limit), `${limit_id}: ${kindOf(limit)}: ${was}`)
    })
  historyCommand(limit, {
    table_name: 'limits',
    description: 'list what changed in the limits, newest first',
    subject: row => kindOf(limitOfHistory(row)),
    describe: row => capWords(limitOfHistory(row)),
    example: 'limit history --limit 20',
  })
}

async function setAction(options: LimitCells): Promise<void> {
  const placed = readOrRefuse(await withContext(context => place(context, options)))
  const { limit, before, counted } = placed
  const was = before === undefined ? 'no limit' : capWords(before)
  const counted_words =
    counted === null || !countsPast(limit) ? '' : `; ${counted} payouts count already`
  const set_words = `${kindOf(limit)}: ${capWords(limit)} (before: ${was})`
  const words = `${limit.limit_id}: ${set_words}${counted_words}`
  print(presentSet(placed), words)
}

/** A new limit counts the last payouts of thousands of accounts, in one transaction. */
const MAX_WAIT_MS = 120_000

async function place({ sql }: Context, options: LimitCells): Promise<Read<SetLimit>> {
  const reference = await openReference(sql)
  try {
    const write: Write = (operation, command) =>
      new Lane(sql, operation, { max_batch: 1, max_wait_ms: MAX_WAIT_MS }).run(command)
    return await placeLimit<SetLimit>(
      {
        sql,
        change: work => work(sql),
        write,
        make: async (operation, command, count, set) => set(count(await write(operation, command))),
        pricing: reference.pricing,
      },
      options,
    )
  } finally {
    await reference.close()
  }
}

async function listAction({ account }: { readonly account?: string }): Promise<void> {
  const limits = await withContext(({ sql }) => listLimitsOf(sql, account))
  const rows = limits.map(limit => ({
    limit: limit.limit_id,
    of: kindOf(limit),
    is: capWords(limit),
  }))
  print(limits.map(presentLimit), listing(rows, `no limit. Try ${EXAMPLE}`))
}

async function showAction(limit_id: string): Promise<void> {
  const shown = await withContext(({ audit }) => showLimit(audit, limit_id))
  const { limit, used } = shown
  const rows = used.map(({ account_id, subject, used }) => [
    account_id,
    subject,
    quantity(limit.currency, used),
    quantity(limit.currency, limit.cap > used ? limit.cap - used : 0n),
  ])
  const head = `${limit_id}: ${kindOf(limit)}: ${capWords(limit)}`
  const of = limit.each === 'account' ? '' : limit.each
  const counters =
    rows.length === 0 ? 'nothing is used' : table(['account', of, 'used', 'left'], rows)
  print(presentUsed(shown), `${head}\n${counters}`)
}

function kindOf(limit: LimitKind): string {
  return `payouts of ${kindWords(limit)}`
}

function capWords(limit: Limit): string {
  return `${quantity(limit.currency, limit.cap)} ${windowWords(limit)}`
}
