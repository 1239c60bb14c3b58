// corridor account set, freeze, unfreeze and close: what an operator changes of an account.
import type { Command } from 'commander'
import { DUPLICATE_WINDOW_S, MAX_DUPLICATE_WINDOW_S } from '../account/rules.ts'
import type { AccountState } from '../account/states.ts'
import type { Settings } from '../account/store.ts'
import { changeSettings, changeState } from '../funding/accounts.ts'
import { countOpenPayouts } from '../payout/state-store.ts'
import { readCurrency } from './amounts.ts'
import { print, UsageError, withContext } from './context.ts'
import { findAccount } from './find.ts'
import { MAX_NAME, readReason, readText } from './texts.ts'

interface Json {
  json?: boolean
}

interface SetOptions extends Json {
  name?: string
  addCurrencies?: string
  primary?: string
  duplicateWindow?: string
}

export function accountChangeCommands(account: Command): void {
  account
    .command('set')
    .description('change name, currencies, primary currency or guard of an account')
    .argument('<account>', 'account id')
    .option('--name <name>', 'who the account belongs to')
    .option('--add-currencies <codes>', 'balances to add, such as GBP,JPY; none is taken away')
    .option('--primary <code>', 'primary holding currency')
    .option('--duplicate-window <time>', WINDOW_MEANING)
    .option('--json', 'print JSON')
    .addHelpText('after', SET_HELP)
    .action(setAction)
  stateCommand(account, 'freeze', 'frozen', 'let an account read and receive, and nothing else')
  stateCommand(account, 'unfreeze', 'active', 'let a frozen account pay again')
  stateCommand(account, 'close', 'closed', 'close an account that is empty; it is only read')
}

const SET_HELP = `
A payout to the same beneficiary details with the same amount, currency and
reference as one made within the window is refused, unless the request says
"allow_duplicate": true.

Examples:
  npx corridor account set acc_01m7xpm2kyj94bggdx1c --duplicate-window 1h
  npx corridor account set acc_01m7xpm2kyj94bggdx1c --add-currencies GBP,JPY`

async function setAction(account_id: string, options: SetOptions): Promise<void> {
  const { name, addCurrencies, primary, duplicateWindow } = options
  const change = {
    account_id,
    add_currencies: addCurrencies === undefined ? [] : addCurrencies.split(',').map(readCurrency),
    ...(name !== undefined && { name: readText('--name', name, MAX_NAME) }),
    ...(primary !== undefined && { primary_currency: readCurrency(primary) }),
    ...(duplicateWindow !== undefined && { duplicate_window_s: readWindow(duplicateWindow) }),
  }
  if ([name, addCurrencies, primary, duplicateWindow].every(option => option === undefined)) {
    throw new UsageError(
      'say what to change: --name, --add-currencies, --primary or --duplicate-window',
    )
  }
  const { before, after } = await withContext(async context => {
    await findAccount(context.sql, account_id)
    return context.write(changeSettings, change)
  })
  const words = SETTINGS.map(([label, of]) => [label, of(before), of(after)] as const)
    .filter(([, was, is]) => was !== is)
    .map(([label, was, is]) => `${account_id}  ${label} was ${was}, is ${is}`)
  const data = { account_id, before: presentSettings(before), after: presentSettings(after) }
  print(options, data, words.join('\n') || `${account_id}  is so already`)
}

const SETTINGS: readonly (readonly [label: string, of: (settings: Settings) => string])[] = [
  ['name', ({ name }) => name],
  ['currencies', ({ currencies }) => currencies.join(',')],
  ['primary', ({ primary_currency }) => primary_currency],
  ['duplicate window', ({ duplicate_window_s }) => describeWindow(duplicate_window_s)],
]

function presentSettings({ name, currencies, primary_currency, duplicate_window_s }: Settings) {
  return { name, currencies, primary_currency, duplicate_window_s }
}

function stateCommand(account: Command, name: string, to: AccountState, description: string): void {
  account
    .command(name)
    .description(description)
    .argument('<account>', 'account id')
    .requiredOption('--reason <text>', 'why; kept in the history of the account, for you alone')
    .option('--json', 'print JSON')
    .addHelpText('after', `${STATE_HELP[to]}\n\n${stateExample(name)}`)
    .action(async (account_id: string, options: Json & { reason: string }) => {
      const change = { account_id, to, reason: readReason(options.reason) }
      const { from, reason } = await withContext(async context => {
        await findAccount(context.sql, account_id)
        return context.write(changeState(countOpenPayouts), change)
      })
      const words = `${account_id}  was ${from}, is ${to}: ${reason}`
      print(options, { account_id, from, to, reason }, words)
    })
}

const STATE_HELP: Readonly<Record<AccountState, string>> = {
  frozen: `
Every process refuses what the account asks for once this returns, with 403
account_frozen, but reads and cancelling payouts. Payouts that are made already
go on; those held for a review wait. A closed account is reopened by this.`,
  active: `
What waited for the account goes on.`,
  closed: `
Refused while there is money in a balance or a payout that is not over. What
comes back later needs the account reopened: corridor account freeze.`,
}

function stateExample(name: string): string {
  return `Example:\n  npx corridor account ${name} acc_01m7xpm2kyj94bggdx1c --reason "Case 118"`
}

const WINDOW_UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

export const WINDOW_MEANING =
  'how long a payout like an earlier one is refused, such as 10m, or off'
export const DEFAULT_WINDOW = describeWindow(DUPLICATE_WINDOW_S)

/** `90s`, `10m`, `2h`, `7d` or `off`, in seconds. */
export function readWindow(text: string): number {
  if (text === 'off') return 0
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (WINDOW_UNITS.find(([name]) => name === unit)?.[1] ?? 0)
  if (seconds > 0 && seconds <= MAX_DUPLICATE_WINDOW_S) return seconds
  const most = describeWindow(MAX_DUPLICATE_WINDOW_S)
  throw new UsageError(`a window is like 90s, 10m or 2h, at most ${most}, or off; not "${text}"`)
}

export function describeWindow(seconds: number): string {
  if (seconds === 0) return 'off'
  const [unit, size] = WINDOW_UNITS.find(([, size]) => seconds % size === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}
