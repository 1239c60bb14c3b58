// corridor account create|list, key create|list|revoke, fund.
import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { type Account, makeApiKey, SCOPES, type Scope } from '../account/rules.ts'
import { insertApiKey, listAccounts, listKeysOfAccount, markKeyRevoked } from '../account/store.ts'
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
  }
  const secret = newSecret()
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

/** 256 random bits. */
function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

export function accountCommands(program: Command): void {
  const account = program.command('account').description('open and list accounts')
  account
    .command('create')
    .description('open an account; prints its id, deposit address, key id and, once, the secret')
    .requiredOption('--name <name>', 'who the account belongs to')
    .requiredOption('--currencies <codes>', 'balance currencies, such as USD,EUR,HKD')
    .requiredOption('--primary <code>', 'primary holding currency')
    .option('--fund <CODE=amount...>', 'opening balances in major units, such as USD=100000.00')
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
      ])
      const headings = ['account', 'name', 'currencies', 'primary', 'deposit address']
      print(options, accounts, table(headings, rows))
    })
}

const CREATE_HELP = `
Example:
  npx corridor account create --name "Harbour Trading" \\
    --currencies USD,EUR,HKD --primary USD --fund USD=100000.00 EUR=5000.00`

interface CreateOptions extends Json {
  name: string
  currencies: string
  primary: string
  fund?: string[]
}

function readNewAccount(options: CreateOptions): NewAccount {
  if (options.name.trim() === '') throw new UsageError('--name must say who the account belongs to')
  const currencies = [...new Set(options.currencies.split(',').map(readCurrency))]
  const primary_currency = readCurrency(options.primary)
  const fund = (options.fund ?? []).map(readMoney)
  for (const code of [primary_currency, ...fund.map(money => money.currency)]) {
    if (!currencies.includes(code)) throw new UsageError(`${code} is not among --currencies`)
  }
  return { name: options.name, currencies, primary_currency, fund }
}

const KEY_CREATE_HELP = `
Example:
  npx corridor key create acc_01m7xpm2kyj94bggdx1c \\
    --scope ${SCOPES[0]} --name "monthly report"`

export function keyCommands(program: Command): void {
  const key = program.command('key').description('create, list and revoke API keys')
  key
    .command('create')
    .description('make a key; prints its id and, once, its secret')
    .argument('<account>', 'account id')
    .option('--scope <scope>', `one of ${SCOPES.join(', ')}`, 'write')
    .option('--name <name>', 'what the key is for', '')
    .option('--json', 'print JSON')
    .addHelpText('after', KEY_CREATE_HELP)
    .action(async (account_id: string, options: Json & { scope: string; name: string }) => {
      const scope = SCOPES.find(s => s === options.scope)
      if (scope === undefined) throw new UsageError(`scope must be one of ${SCOPES.join(', ')}`)
      const made = await withContext(({ sql }) => createKey(sql, account_id, scope, options.name))
      const words = `key id  ${made.key_id}\nsecret  ${made.secret}   (shown once)`
      print(options, made, words)
    })
  key
    .command('list')
    .description('list the keys of an account')
    .argument('<account>', 'account id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor key list acc_01m7xpm2kyj94bggdx1c')
    .action(async (account_id: string, options: Json) => {
      const keys = await withContext(({ sql }) => listKeysOfAccount(sql, account_id))
      const rows = keys.map(k => [k.key_id, k.scope, k.name, k.created_at, k.revoked_at ?? ''])
      print(options, keys, table(['key id', 'scope', 'name', 'created', 'revoked'], rows))
    })
  key
    .command('revoke')
    .description('revoke a key; every process refuses it within a second')
    .argument('<key>', 'key id')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  npx corridor key revoke key_01m7xpm2kz8t3vqw5n0r')
    .action(async (key_id: string, options: Json) => {
      const done = await withContext(({ sql }) => markKeyRevoked(sql, key_id))
      if (!done) throw new UsageError(`no live key ${key_id}`)
      print(options, { key_id, revoked: true }, `${key_id} is revoked`)
    })
}

async function createKey(sql: Sql, account_id: string, scope: Scope, name: string) {
  await findAccount(sql, account_id)
  const secret = newSecret()
  const key = makeApiKey(account_id, { scope, name, secret }, newId)
  await insertApiKey(sql, key)
  return { account_id, key_id: key.key_id, scope, secret }
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
