// corridor limit set|list|show|remove|history: how much, and how many payouts, accounts may make.
import { type Command, Option } from 'commander'
import type { Account } from '../account/rules.ts'
import { listAccounts, listApiKeys } from '../account/store.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { transact } from '../db/transact.ts'
import { Lane } from '../engine/lane.ts'
import { newId } from '../id.ts'
import type { Instant } from '../instant.ts'
import { EACH, type Limit, type LimitKind, type Sum } from '../limit/limit.ts'
import { type LimitCells, readLimit } from '../limit/load.ts'
import { isSameKind, totalOf } from '../limit/rules.ts'
import {
  deleteLimit,
  limitOfHistory,
  listLimits,
  listSumsOf,
  lockLimits,
  updateCap,
} from '../limit/store.ts'
import { MAX_HOURS, windowFrom } from '../limit/window.ts'
import { kindWords, quantity, windowName, windowWords } from '../limit/words.ts'
import { amountToJson } from '../money/json.ts'
import { VOCABULARY } from '../operator/fees.ts'
import { countsPast, setLimit } from '../payout/limit-operation.ts'
import { SIMULATOR } from '../rail/rail.ts'
import { listRails } from '../rail/row-store.ts'
import { openReference } from '../reference.ts'
import {
  CommandFailed,
  type Context,
  findAccount,
  type Json,
  print,
  readOrRefuse,
  withContext,
} from './context.ts'
import { historyCommand } from './history.ts'
import { table } from './table.ts'

type SetOptions = LimitCells & Json

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
  limit
    .command('set')
    .description('set a limit, or change the cap of the one that counts the same')
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
  limit
    .command('list')
    .description('list the limits')
    .option('--account <id>', 'only those that count payouts of this account')
    .addHelpText('after', '\nExample:\n  npx corridor limit list')
    .action(listAction)
  limit
    .command('show')
    .description('show what a limit has counted, the most used first')
    .argument('<limit>', 'as corridor limit list shows it')
    .addHelpText('after', '\nExample:\n  npx corridor limit show lim_01m7xpm2m0c6hkd4r9ye')
    .action(showAction)
  limit
    .command('remove')
    .description('remove a limit; set again, it counts anew')
    .argument('<limit>', 'as corridor limit list shows it')
    .addHelpText('after', '\nExample:\n  npx corridor limit remove lim_01m7xpm2m0c6hkd4r9ye')
    .action(removeAction)
  historyCommand(limit, {
    table_name: 'limits',
    description: 'list what changed in the limits, newest first',
    subject: row => kindOf(limitOfHistory(row)),
    describe: row => capWords(limitOfHistory(row)),
    example: 'limit history --limit 20',
  })
}

async function setAction(options: SetOptions): Promise<void> {
  const { limit, before, counted } = await withContext(async context => {
    const { kind, accounts } = await readKind(context, options)
    const before = await changeCap(context.sql, kind)
    if (before !== undefined) return { limit: { ...before, cap: kind.cap }, before, counted: null }
    const limit = { ...kind, limit_id: newId('lim') }
    return { limit, before, counted: await makeLimit(context, limit, accounts) }
  })
  const was = before === undefined ? 'no limit' : capWords(before)
  const past = counted === null || !countsPast(limit) ? '' : `; ${counted} payouts count already`
  const words = `${limit.limit_id}: ${kindOf(limit)}: ${capWords(limit)} (before: ${was})${past}`
  const json = { ...jsonOf(limit), before: before === undefined ? null : jsonOf(before) }
  print(options, { ...json, counted }, words)
}

async function readKind({ sql }: Context, options: SetOptions) {
  const [all, keys, rails] = await Promise.all([
    listAccounts(sql),
    listApiKeys(sql),
    listRails(sql),
  ])
  if (options.account !== undefined) await findAccount(sql, options.account)
  const kind = readOrRefuse(
    readLimit(options, {
      rails: [...rails.map(({ name }) => name), SIMULATOR],
      keys: new Map(keys.map(key => [key.key_id, key.account_id])),
      networkName,
    }),
  )
  const accounts = all.filter(
    ({ account_id }) => kind.account_id === null || kind.account_id === account_id,
  )
  return { kind, accounts }
}

/** Types that name networks. */
const WITH_NETWORKS = ['local', 'local_payment_network', 'wallet']

export function networkName(name: string): string | undefined {
  const names = WITH_NETWORKS.map(type => VOCABULARY.networkName(type, name))
  return names.find(known => known !== undefined)?.toLowerCase()
}

/** Changes the cap of the limit of this kind, and returns it as it was; undefined for none. */
function changeCap(sql: Sql, kind: LimitKind & Pick<Limit, 'cap'>): Promise<Limit | undefined> {
  return transact(sql, async tx => {
    await lockLimits(tx)
    const before = (await listLimits(tx)).find(limit => isSameKind(limit, kind))
    if (before !== undefined) await updateCap(tx, { ...before, cap: kind.cap })
    return before
  })
}

/** What is left of thousands of accounts is counted in one transaction. */
const MAX_WAIT_MS = 120_000

async function makeLimit(
  { sql }: Context,
  limit: Limit,
  accounts: readonly Account[],
): Promise<number> {
  const reference = await openReference(sql, () => {})
  try {
    return await setLimit(
      // Triggers write the audit log.
      (operation, command) => {
        return new Lane(sql, operation, { max_batch: 1, max_wait_ms: MAX_WAIT_MS }).run(command)
      },
      reference.pricing,
      limit,
      accounts,
    )
  } finally {
    await reference.close()
  }
}

async function listAction(options: Json & { readonly account?: string }): Promise<void> {
  const limits = await withContext(async ({ sql }) => {
    const { account } = options
    if (account !== undefined) await findAccount(sql, account)
    const all = await listLimits(sql)
    const isOf = ({ account_id }: Limit) => account_id === null || account_id === account
    return account === undefined ? all : all.filter(isOf)
  })
  const rows = limits.map(limit => [limit.limit_id, kindOf(limit), capWords(limit)])
  const words = rows.length === 0 ? `no limit. Try ${EXAMPLE}` : table(['limit', 'of', 'is'], rows)
  print(options, limits.map(jsonOf), words)
}

/** The most counters that are shown. */
const MOST_SHOWN = 50

async function showAction(limit_id: string, options: Json): Promise<void> {
  const { limit, used } = await withContext(async ({ sql, audit }) => {
    const limit = await findLimit(sql, limit_id)
    return { limit, used: usedOf(limit, await listSumsOf(audit, limit_id)) }
  })
  const rows = used.map(({ account_id, subject, used }) => [
    account_id,
    subject,
    quantity(limit.currency, used),
    quantity(limit.currency, limit.cap > used ? limit.cap - used : 0n),
  ])
  const head = `${limit_id}: ${kindOf(limit)}: ${capWords(limit)}`
  const of = limit.each === 'account' ? '' : limit.each
  const shown = rows.length === 0 ? 'nothing is used' : table(['account', of, 'used', 'left'], rows)
  const json = used.map(({ used, ...counter }) => ({ ...counter, used: amountToJson(used) }))
  print(options, { ...jsonOf(limit), used: json }, `${head}\n${shown}`)
}

/** What each counter has in its window now, the most first. */
function usedOf(limit: Limit, sums: readonly (Sum & { readonly now: Instant })[]) {
  const now = sums.filter(({ now, starts_at }) => starts_at >= windowFrom(limit, now))
  const counters = Map.groupBy(now, ({ account_id, subject }) => `${account_id} ${subject}`)
  return [...counters.values()]
    .map(of => {
      const { account_id, subject } = of[0] as Sum
      return { account_id, subject, used: totalOf(of) }
    })
    .filter(({ used }) => used > 0n)
    .toSorted((a, b) => (a.used < b.used ? 1 : -1))
    .slice(0, MOST_SHOWN)
}

async function removeAction(limit_id: string, options: Json): Promise<void> {
  const limit = await withContext(({ sql }) =>
    transact(sql, async tx => {
      await lockLimits(tx)
      const limit = await findLimit(tx, limit_id)
      await deleteLimit(tx, limit_id)
      return limit
    }),
  )
  const words = `${limit_id}: ${kindOf(limit)}: no limit any more (before: ${capWords(limit)})`
  print(options, jsonOf(limit), words)
}

async function findLimit(sql: Sql | TransactionSql, limit_id: string): Promise<Limit> {
  const limit = (await listLimits(sql)).find(one => one.limit_id === limit_id)
  if (limit !== undefined) return limit
  throw new CommandFailed(
    `there is no limit ${limit_id}; corridor limit list shows those there are`,
  )
}

function kindOf(limit: LimitKind): string {
  return `payouts of ${kindWords(limit)}`
}

function capWords(limit: Limit): string {
  return `${quantity(limit.currency, limit.cap)} ${windowWords(limit)}`
}

/** A limit as JSON: its cap in minor units, or payouts. */
function jsonOf(limit: Limit) {
  return { ...limit, cap: amountToJson(limit.cap), window: windowName(limit) }
}
