// corridor account create|list|set, fund.
import type { Command } from 'commander'
import {
  type Account,
  DUPLICATE_WINDOW_S,
  MAX_DUPLICATE_WINDOW_S,
  makeApiKey,
} from '../account/rules.ts'
import { newSecret } from '../account/secret.ts'
import { listAccounts, updateDuplicateWindow } from '../account/store.ts'
import { presentBalanceTransaction } from '../balance-transaction/wire.ts'
import type { Sql } from '../db/connect.ts'
import { Refusal } from '../errors.ts'
import { type Fund, fundAccount, openAccount } from '../funding/operations.ts'
import { newId } from '../id.ts'
import { currencyExponent } from '../money/currency.ts'
import { formatMajor } from '../money/decimal.ts'
import { readAmount, readCurrency, readMoney } from './amounts.ts'
import { CommandFailed, type Context, print, table, UsageError, withContext } from './context.ts'

interface Json {
  json?: boolean
}

export interface NewAccount {
  readonly name: string
  readonly currencies: readonly string[]
  readonly primary_currency: string
  readonly fund: readonly { readonly currency: string; readonly amount: bigint }[]
  readonly sandbox?: boolean
  readonly duplicate_window_s?: number
}

export interface OpenedAccount {
  readonly account: Account
  readonly key_id: string
  /** Shown once; the database has only its hash. */
  readonly secret: string
}

/** An account with a key that may write, funded. */
export async function createAccount(context: Context, wanted: NewAccount): Promise<OpenedAccount> {
  const account: Account = {
    account_id: newId('acc'),
    name: wanted.name,
    currencies: wanted.currencies,
    primary_currency: wanted.primary_currency,
    deposit_address: newId('dep'),
    sandbox: wanted.sandbox ?? false,
    duplicate_window_s: wanted.duplicate_window_s ?? DUPLICATE_WINDOW_S,
  }
  const secret = newSecret(account)
  const options = { scope: 'write', name: 'first key', secret } as const
  const key = makeApiKey(account.account_id, options, newId)
  await context.write(openAccount, { account, key })
  for (const { currency, amount } of wanted.fund) {
    await fund(context, { account_id: account.account_id, currency, amount, source: newId('esc') })
  }
  return { account, key_id: key.key_id, secret }
}

/**
 * A credit; when it is not known whether it happened, says how to ask again without a second one.
 */
async function fund(context: Context, command: Fund) {
  try {
    return await context.write(fundAccount(newId), command)
  } catch (error) {
    const unknown = error instanceof Refusal && error.status === 503
    if (!unknown) throw error
    const { account_id, currency, amount, source } = command
    const major = formatMajor(amount, currencyExponent(currency))
    throw new CommandFailed(
      'the database did not answer; whether the money was credited is not known. This credits it ' +
        `once, however often it is run: corridor fund ${account_id} ${currency} ${major} ` +
        `--source ${source}`,
    )
  }
}

export function accountCommands(program: Command): void {
  const account = program.command('account').description('open, list and guard accounts')
  createCommand(account)
  setCommand(account)
  listCommand(account)
}

function createCommand(account: Command): void {
  account
    .command('create')
    .description('open an account; prints its id, deposit address, key id and, once, the secret')
    .requiredOption('--name <name>', 'who the account belongs to')
    .requiredOption('--currencies <codes>', 'balance currencies, such as USD,EUR,HKD')
    .requiredOption('--primary <code>', 'primary holding currency')
    .option('--fund <CODE=amount...>', 'opening balances in major units, such as USD=100000.00')
    .option('--sandbox', 'an account for tests: its clock can be moved, and it funds itself')
    .option('--duplicate-window <time>', WINDOW_MEANING, describeWindow(DUPLICATE_WINDOW_S))
    .option('--json', 'print JSON')
    .addHelpText('after', CREATE_HELP)
    .action(async (options: CreateOptions) => {
      const wanted = readNewAccount(options)
      const opened = await withContext(context => createAccount(context, wanted))
      const { account: a, key_id, secret } = opened
      const words = [
        `account          ${a.account_id}`,
        `deposit address  ${a.deposit_address}`,
        `key id           ${key_id}`,
        `secret           ${secret}   (shown once)`,
      ].join('\n')
      print(options, { ...a, key_id, secret }, words)
    })
}

function setCommand(account: Command): void {
  account
    .command('set')
    .description('change how an account is guarded')
    .argument('<account>', 'account id')
    .requiredOption('--duplicate-window <time>', WINDOW_MEANING)
    .option('--json', 'print JSON')
    .addHelpText('after', SET_HELP)
    .action(async (account_id: string, options: Json & { duplicateWindow: string }) => {
      const duplicate_window_s = readWindow(options.duplicateWindow)
      const known = await withContext(({ sql }) =>
        updateDuplicateWindow(sql, account_id, duplicate_window_s),
      )
      if (!known) throw new UsageError(`no account ${account_id}`)
      const words = `${account_id}  duplicate window ${describeWindow(duplicate_window_s)}`
      print(options, { account_id, duplicate_window_s }, words)
    })
}

function listCommand(account: Command): void {
  account
    .command('list')
    .description('list accounts')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor account list')
    .action(async (options: Json) => {
      const accounts = await withContext(({ sql }) => listAccounts(sql))
      const rows = accounts.map(a => [
        a.account_id,
        a.name,
        a.currencies.join(','),
        a.primary_currency,
        a.deposit_address,
        a.sandbox ? 'sandbox' : '',
        describeWindow(a.duplicate_window_s),
      ])
      const headings = ['account', 'name', 'currencies', 'primary', 'deposit address']
      headings.push('kind', 'duplicates')
      print(options, accounts, table(headings, rows))
    })
}

const CREATE_HELP = `
Example:
  npx corridor account create --name "Harbour Trading" \\
    --currencies USD,EUR,HKD --primary USD --fund USD=100000.00 EUR=5000.00`

const SET_HELP = `
A payout to the same beneficiary details with the same amount, currency and
reference as one made within the window is refused, unless the request says
"allow_duplicate": true.

Example:
  npx corridor account set acc_01m7xpm2kyj94bggdx1c --duplicate-window 1h`

const WINDOW_MEANING = 'how long a payout like an earlier one is refused, such as 10m, or off'

const WINDOW_UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

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

interface CreateOptions extends Json {
  name: string
  currencies: string
  primary: string
  fund?: string[]
  sandbox?: boolean
  duplicateWindow: string
}

function readNewAccount(options: CreateOptions): NewAccount {
  if (options.name.trim() === '') throw new UsageError('--name must say who the account belongs to')
  const currencies = [...new Set(options.currencies.split(',').map(readCurrency))]
  const primary_currency = readCurrency(options.primary)
  const fund = (options.fund ?? []).map(readMoney)
  for (const code of [primary_currency, ...fund.map(money => money.currency)]) {
    if (!currencies.includes(code)) throw new UsageError(`${code} is not among --currencies`)
  }
  const duplicate_window_s = readWindow(options.duplicateWindow)
  const sandbox = options.sandbox === true
  return { name: options.name, currencies, primary_currency, fund, sandbox, duplicate_window_s }
}

export function fundCommand(program: Command): void {
  program
    .command('fund')
    .description('credit an account with money that has come in; writes an escrow transaction')
    .argument('<account>', 'account id')
    .argument('<currency>', 'currency code')
    .argument('<amount>', 'amount in major units, such as 100000.00')
    .option('--source <esc_id>', 'the escrow it came from; a source funds an account once')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor fund acc_01m7xpm2kyj94bggdx1c USD 100000.00')
    .action(
      async (
        account_id: string,
        code: string,
        text: string,
        options: Json & { source?: string },
      ) => {
        const currency = readCurrency(code)
        const amount = readAmount(text, currency)
        const source = readSource(options.source)
        const funded = await withContext(async context => {
          await findAccount(context.sql, account_id)
          return fund(context, { account_id, currency, amount, source })
        })
        const { line } = funded.entries[0]
        const after = formatMajor(line.balance_after, currencyExponent(currency))
        const words = `${line.id}  ${currency} ${text} from ${source}; balance now ${after}`
        print(options, presentBalanceTransaction(line), words)
      },
    )
}

function readSource(source: string | undefined): string {
  if (source === undefined) return newId('esc')
  if (/^esc_[0-9A-Za-z]{1,60}$/.test(source)) return source
  throw new UsageError(`--source must be an escrow id, esc_ and letters or digits`)
}

export async function findAccount(sql: Sql, account_id: string): Promise<Account> {
  const account = (await listAccounts(sql)).find(a => a.account_id === account_id)
  if (account === undefined) throw new UsageError(`no account ${account_id}`)
  return account
}
