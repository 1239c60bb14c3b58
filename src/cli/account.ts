// corridor account: opens, lists, shows and changes accounts, and lists what changed in them.
import type { Command } from 'commander'
import { DUPLICATE_WINDOW_S, MAX_DAILY, MAX_DUPLICATE_WINDOW_S } from '../account/rules.ts'
import type { AccountState } from '../account/states.ts'
import type { Settings } from '../account/store.ts'
import type { HistoricRow } from '../audit/store.ts'
import { given } from '../given.ts'
import { newId } from '../id.ts'
import { changeSettings, changeState } from '../operator/account-operations.ts'
import {
  type AccountInFull,
  accountNamed,
  findAccounts,
  presentAccount,
  presentSettings,
  showAccount,
} from '../operator/accounts.ts'
import { createAccount, type NewAccount, type OpenedAccount } from '../operator/create-account.ts'
import { listKeysOf } from '../operator/keys.ts'
import { addCommand, type Context, example, operatorOf, print, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { book } from './funding.ts'
import { historyCommand } from './history.ts'
import { readCurrency, readMoney, readName, readReason } from './input.ts'
import { keyTable } from './key.ts'
import { listing, money, outline } from './table.ts'

interface FundedAccount extends NewAccount {
  /** The opening balances of a sandbox, in minor units; a live account gets none. */
  readonly fund: readonly { readonly currency: string; readonly amount: bigint }[]
}

/**
 * Creates an account and books its opening balances. Calls `onOpened` before the funding, which may
 * fail, because nobody can read the secret later.
 * @throws CommandFailed if the funding is unconfirmed; it names the command that books it once
 */
export async function createFunded(
  context: Context,
  { fund, ...new_account }: FundedAccount,
  onOpened: (opened: OpenedAccount) => void = () => {},
): Promise<OpenedAccount> {
  const opened = await createAccount(
    (operation, command) => context.run({ operation, command, act: null }),
    new_account,
    operatorOf(context).name,
  )
  onOpened(opened)
  const { account_id } = opened.account
  for (const { currency, amount } of fund) {
    // A sandbox has no bank, and so no reference. The source keeps a repeated command from funding
    // twice.
    const source = newId('esc')
    const booking = { account_id, currency, amount, source, reference: '', reason: '' }
    const retry = `corridor fund ${account_id} ${money(currency, amount)} --source ${source}`
    await book(context, { kind: 'funding', ...booking }, retry)
  }
  return opened
}

export function accountCommands(account: Command): void {
  account
    .command('create')
    .description('open an account; prints its id, deposit address, key id and, once, the secret')
    .requiredOption('--name <name>', 'who the account belongs to', readName)
    .requiredOption('--currencies <codes>', 'balance currencies, such as USD,EUR,HKD')
    .requiredOption('--primary <code>', 'primary holding currency', readCurrency)
    .option('--fund <CODE=amount...>', 'of a sandbox: opening balances, such as USD=100000.00')
    .option('--sandbox', 'an account for tests: its clock can be moved, and it funds itself')
    .option('--duplicate-window <time>', WINDOW_MEANING, DEFAULT_WINDOW)
    .addHelpText('after', CREATE_HELP)
    .action(createAction)
  addCommand(account, 'list', 'list accounts with their states and balances')
    .addHelpText('after', example('account list'))
    .action(listAction)
  addCommand(account, 'show', 'show an account: state, balances, deposit address, guard and keys')
    .argument('<account>', 'account id')
    .addHelpText('after', example('account show acc_7k2m9x4q'))
    .action(showAction)
  addCommand(account, 'set', 'change name, currencies, primary currency or guard of an account')
    .argument('<account>', 'account id')
    .option('--name <name>', 'who the account belongs to', readName)
    .option('--add-currencies <codes>', 'balances to add, such as GBP,JPY; none is taken away')
    .option('--primary <code>', 'primary holding currency', readCurrency)
    .option('--duplicate-window <time>', WINDOW_MEANING, readWindow)
    .option('--daily-rows <n>', 'rows that its requests may write in a day', readQuota('rows'))
    .option('--daily-mb <n>', 'megabytes that they may write in a day', readQuota('mb'))
    .addHelpText('after', SET_HELP)
    .action(setAction)
  addStateCommand(account, 'freeze', 'frozen', 'let an account read and receive, and nothing else')
  addStateCommand(account, 'unfreeze', 'active', 'let a frozen account pay again')
  addStateCommand(account, 'close', 'closed', 'close an account that is empty; it is only read')
  historyCommand(account, {
    table_name: 'accounts',
    description: 'list what changed in accounts, newest first',
    argument: {
      name: 'account',
      meaning: 'only this account',
      read: account_id => ({ account_id }),
    },
    subject: row => `${row.account_id}`,
    describe: describeHistoric,
    example: 'account history acc_7k2m9x4q',
  })
}

/** A row of the history in words: the settings that an operator can change. */
function describeHistoric(row: HistoricRow): string {
  const window = describeWindow(Number(row.duplicate_window_s))
  const currencies = (JSON.parse(row.currencies ?? '[]') as string[]).join(',')
  const state = row.state ?? 'active'
  const reason = row.state_reason ? ` (${row.state_reason})` : ''
  const quota = `${row.daily_rows} rows and ${row.daily_mb} MB a day`
  const settings = `${currencies}, primary ${row.primary_currency}, ${window}, ${quota}`
  return `${row.name}, ${settings}, ${state}${reason}`
}

async function createAction(options: CreateOptions): Promise<void> {
  const new_account = readNewAccount(options)
  await withContext(context => createFunded(context, new_account, printOpened))
}

function printOpened({ account, key_id, secret }: OpenedAccount): void {
  const words = [
    `account          ${account.account_id}`,
    `deposit address  ${account.deposit_address}`,
    `key id           ${key_id}`,
    `secret           ${secret}   (shown once)`,
  ].join('\n')
  print({ ...account, key_id, secret }, words)
}

const CREATE_HELP = `
A live account is funded with the bank's reference, once it is there: corridor
fund acc_... USD 100000.00 --reference ...

Examples:
  npx corridor account create --name "Harbour Trading" \\
    --currencies USD,EUR,HKD --primary USD
  npx corridor account create --name "Trial" --sandbox \\
    --currencies USD,EUR --primary USD --fund USD=100000.00 EUR=5000.00`

async function listAction(): Promise<void> {
  const accounts = await withContext(({ audit }) => findAccounts(audit, null))
  const rows = accounts.map(account => ({
    account: account.account_id,
    name: account.name,
    state: account.state,
    kind: account.sandbox ? 'sandbox' : 'live',
    balances: balanceWords(account),
  }))
  const words = listing(rows, 'no account yet; corridor account create opens one')
  print(accounts.map(presentAccount), words)
}

async function showAction(account_id: string): Promise<void> {
  const { shown, keys } = await withContext(async ({ sql, audit }) => {
    const shown = await showAccount(audit, account_id)
    return { shown, keys: await listKeysOf(sql, account_id) }
  })
  const words = [...accountLines(shown), '', keyTable(keys)]
  print({ ...presentAccount(shown), keys }, words.join('\n'))
}

function balanceWords({ balances }: AccountInFull): string {
  return balances.map(({ currency, available }) => money(currency, available)).join(', ')
}

function accountLines(account: AccountInFull): string[] {
  const { state, state_reason } = account
  return outline({
    account: account.account_id,
    name: account.name,
    state: state_reason === '' ? state : `${state} (${state_reason})`,
    kind: account.sandbox ? 'sandbox' : 'live',
    balances: balanceWords(account),
    primary: account.primary_currency,
    'deposit address': account.deposit_address,
    'duplicate window': describeWindow(account.duplicate_window_s),
    'daily quota': `${account.daily_rows} rows, ${account.daily_mb} MB`,
    created: account.created_at,
  })
}

interface CreateOptions {
  name: string
  currencies: string
  primary: string
  fund?: string[]
  sandbox?: boolean
  duplicateWindow: string
}

function readNewAccount(options: CreateOptions): FundedAccount {
  const { name, primary: primary_currency, sandbox = false } = options
  const currencies = [...new Set(options.currencies.split(',').map(readCurrency))]
  const fund = (options.fund ?? []).map(readMoney)
  for (const code of [primary_currency, ...fund.map(money => money.currency)]) {
    if (!currencies.includes(code)) throw new UsageError(`${code} is not among --currencies`)
  }
  const duplicate_window_s = readWindow(options.duplicateWindow)
  if (!sandbox && fund.length > 0) {
    throw new UsageError(
      '--fund is for sandboxes, as it takes no reference: open the account without it, then run ' +
        'corridor fund ACCOUNT CURRENCY AMOUNT --reference REFERENCE, the bank’s',
    )
  }
  return { name, currencies, primary_currency, fund, sandbox, duplicate_window_s }
}

/** Makes the parser of an option of the daily quota. */
function readQuota(name: 'rows' | 'mb'): (text: string) => number {
  return text => {
    const number = /^[1-9][0-9]{0,9}$/.test(text) ? Number(text) : 0
    if (number >= 1 && number <= MAX_DAILY) return number
    throw new UsageError(`--daily-${name} must be a whole number from 1 to ${MAX_DAILY}`)
  }
}

interface SetOptions {
  name?: string
  addCurrencies?: string
  primary?: string
  duplicateWindow?: number
  dailyRows?: number
  dailyMb?: number
}

const SET_HELP = `
A payout to the same beneficiary details with the same amount, currency and
reference as one made within the window is refused, unless the request says
"allow_duplicate": true.

Requests of an account that has written its daily quota are refused until 00:00
UTC; what makes or moves a payout of a live account, at twice the quota. A
cancellation is never refused.

Examples:
  npx corridor account set acc_7k2m9x4q --duplicate-window 1h
  npx corridor account set acc_7k2m9x4q --add-currencies GBP,JPY`

async function setAction(account_id: string, options: SetOptions): Promise<void> {
  const { name, addCurrencies, primary, duplicateWindow, dailyRows, dailyMb } = options
  const settings = given({
    name,
    primary_currency: primary,
    duplicate_window_s: duplicateWindow,
    daily_rows: dailyRows,
    daily_mb: dailyMb,
  })
  if (Object.keys(settings).length === 0 && addCurrencies === undefined) {
    throw new UsageError('say what to change, such as --name or --duplicate-window')
  }
  const add_currencies = addCurrencies?.split(',').map(readCurrency) ?? []
  const change = { ...settings, account_id, add_currencies }
  const { before, after } = await withContext(async context => {
    await accountNamed(context.sql, account_id)
    return context.run({ operation: changeSettings, command: change, act: null })
  })
  const words = SETTINGS.map(([label, of]) => [label, of(before), of(after)] as const)
    .filter(([, was, is]) => was !== is)
    .map(([label, was, is]) => `${account_id}  ${label} was ${was}, is ${is}`)
  const data = { account_id, before: presentSettings(before), after: presentSettings(after) }
  print(data, words.join('\n') || `${account_id}  has these settings already`)
}

const SETTINGS: readonly (readonly [label: string, of: (settings: Settings) => string])[] = [
  ['name', ({ name }) => name],
  ['currencies', ({ currencies }) => currencies.join(',')],
  ['primary', ({ primary_currency }) => primary_currency],
  ['duplicate window', ({ duplicate_window_s }) => describeWindow(duplicate_window_s)],
  ['daily rows', ({ daily_rows }) => String(daily_rows)],
  ['daily megabytes', ({ daily_mb }) => String(daily_mb)],
]

function addStateCommand(
  account: Command,
  name: string,
  to: AccountState,
  description: string,
): void {
  addCommand(account, name, description)
    .argument('<account>', 'account id')
    .requiredOption('--reason <text>', REASON, readReason)
    .addHelpText('after', `${STATE_HELP[to]}\n${example(`account ${name} ${EXAMPLE}`)}`)
    .action(async (account_id: string, { reason }: { reason: string }) => {
      const change = { account_id, to, reason }
      const { from } = await withContext(async context => {
        await accountNamed(context.sql, account_id)
        return context.run({ operation: changeState, command: change, act: null })
      })
      const words = `${account_id}  was ${from}, is ${to}: ${reason}`
      print({ account_id, from, to, reason }, words)
    })
}

const REASON = 'why; kept in the history of the account, for you alone'
const EXAMPLE = 'acc_7k2m9x4q --reason "Case 118"'

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

const WINDOW_UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

const WINDOW_MEANING = 'how long a payout like an earlier one is refused, such as 10m, or off'
const DEFAULT_WINDOW = describeWindow(DUPLICATE_WINDOW_S)

/** `90s`, `10m`, `2h`, `7d` or `off`, in seconds. */
function readWindow(text: string): number {
  if (text === 'off') return 0
  const [, count = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const seconds = Number(count) * (WINDOW_UNITS.find(([name]) => name === unit)?.[1] ?? 0)
  if (seconds > 0 && seconds <= MAX_DUPLICATE_WINDOW_S) return seconds
  const most = describeWindow(MAX_DUPLICATE_WINDOW_S)
  throw new UsageError(`a window is like 90s, 10m or 2h, at most ${most}, or off; not "${text}"`)
}

function describeWindow(seconds: number): string {
  if (seconds === 0) return 'off'
  const [unit, size] = WINDOW_UNITS.find(([, size]) => seconds % size === 0) ?? ['s', 1]
  return `${seconds / size}${unit}`
}
