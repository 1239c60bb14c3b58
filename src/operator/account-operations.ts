// How an operator opens, changes, freezes and closes accounts, under the lock of the account's
// book.
import {
  type Account,
  DAILY_QUOTA,
  DUPLICATE_WINDOW_S,
  makeApiKey,
  type NewApiKey,
} from '../accounts/rules.ts'
import { ACCOUNT_TRANSITIONS, type AccountState, checkOpen } from '../accounts/states.ts'
import {
  insertAccount,
  insertApiKey,
  listAccountsInFull,
  type Settings,
  updateSettings,
  updateState,
} from '../accounts/store.ts'
import type { Operation } from '../engine/operation.ts'
import type { Book } from '../ledger/rules.ts'
import { insertBalances, insertBook, type LockedBooks, lockBooks } from '../ledger/store.ts'
import { countOpenPayouts } from '../payouts/lists/count-store.ts'
import { confineTo } from '../sql/confine.ts'
import { isSpread } from '../sql/shard.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { newAccountId, newId } from '../values/id.ts'
import { currencyExponent } from '../values/money/currency.ts'
import { formatMajor } from '../values/money/decimal.ts'
import { newSecret } from '../values/secret.ts'

interface OpenAccount {
  readonly account: Account
  readonly key: NewApiKey
}

/** A trigger, which `corridor distribute` adds, refuses live accounts too. */
const SANDBOXES_ONLY =
  'A spread database is for trials with sandboxes alone: open live accounts on one PostgreSQL ' +
  '(docs/distributed.md).'

/** Opens an account with its empty book and first key, all or nothing. */
export const openAccount: Operation<OpenAccount, null, OpenAccount> = {
  name: 'open_account',
  load: () => Promise.resolve(null),
  decide(_state, command) {
    const is_live = !command.account.sandbox
    refuseIfAny(is_live && isSpread() ? [invalidField('sandbox', SANDBOXES_ONLY)] : [])
    return command
  },
  store(tx, outcomes) {
    void confineTo(
      tx,
      outcomes.map(({ account }) => account.account_id),
    )
    return Promise.all(
      outcomes.flatMap(({ account, key }) => [
        insertAccount(tx, account),
        insertBook(tx, account),
        insertApiKey(tx, key),
      ]),
    )
  },
}

type Write = <C, S, O>(operation: Operation<C, S, O>, command: C) => Promise<O>

/** An id has 40 random bits: so many taken ids in a row are a fault. */
const MAX_TRIES = 5

/** The primary key refuses a taken id; then another one is tried. */
export async function openUnderNewId(
  write: Write,
  accountOf: (account_id: string) => OpenAccount,
  newId: () => string = newAccountId,
): Promise<OpenAccount> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await write(openAccount, accountOf(newId()))
    } catch (error) {
      if (tries === MAX_TRIES || !isTaken(error)) throw error
    }
  }
}

function isTaken(error: unknown): boolean {
  const { code, constraint_name } = error as { code?: string; constraint_name?: string }
  return code === '23505' && constraint_name === 'accounts_pkey'
}

interface ChangeState {
  readonly account_id: string
  readonly to: AccountState
  /** Why, for operators: the account and its history keep it. */
  readonly reason: string
}

interface ChangedState extends ChangeState {
  readonly from: AccountState
}

interface LoadedStates extends LockedBooks {
  readonly open_payouts: ReadonlyMap<string, number>
}

/** Refuses (409) to close an account with a balance or an open payout. For lanes of one command. */
export const changeState: Operation<ChangeState, LoadedStates, ChangedState> = {
  name: 'change_account_state',
  async load(tx, commands) {
    const ids = commands.map(({ account_id }) => account_id)
    const [locked, counts] = await Promise.all([
      lockBooks(tx, ids),
      Promise.all(ids.map(async id => [id, await countOpenPayouts(tx, id)] as const)),
    ])
    return { ...locked, open_payouts: new Map(counts) }
  },
  decide({ books, open_payouts }, change) {
    const { account_id, to } = change
    const book = bookNamed(books, account_id)
    const from = book.state
    if (!ACCOUNT_TRANSITIONS[from].includes(to)) {
      const message =
        from === to
          ? `Account ${account_id} is ${from} already.`
          : `Account ${account_id} is ${from}; freezing it reopens it.`
      throw refusal('invalid_transition', message)
    }
    if (to === 'closed') checkEmpty(book, open_payouts.get(account_id) ?? 0)
    return { ...change, from }
  },
  store: (tx, outcomes) => Promise.all(outcomes.map(change => updateState(tx, change))),
}

function checkEmpty({ account_id, balances }: Book, open_payouts: number): void {
  const held = [...balances]
    .filter(([, available]) => available !== 0n)
    .map(([code, available]) => `${code} ${formatMajor(available, currencyExponent(code))}`)
  const reasons = [
    ...(held.length > 0 ? [`it holds ${held.join(', ')}`] : []),
    ...(open_payouts > 0 ? [`${open_payouts} of its payouts are not over`] : []),
  ]
  if (reasons.length === 0) return
  const message = `Account ${account_id} cannot be closed: ${reasons.join(', and ')}.`
  throw refusal('invalid_transition', message)
}

/** An absent member keeps its value. A currency is only ever added. */
interface ChangeSettings extends Partial<Omit<Settings, 'currencies'>> {
  readonly account_id: string
  readonly add_currencies: readonly string[]
}

interface ChangedSettings {
  readonly account_id: string
  readonly before: Settings
  readonly after: Settings
  readonly added: readonly string[]
}

interface LoadedSettings extends LockedBooks {
  readonly accounts: ReadonlyMap<string, Settings>
}

/** For an account that is not closed. For lanes of one command. */
export const changeSettings: Operation<ChangeSettings, LoadedSettings, ChangedSettings> = {
  name: 'change_account_settings',
  async load(tx, commands) {
    const ids = commands.map(({ account_id }) => account_id)
    const [locked, accounts] = await Promise.all([
      lockBooks(tx, ids),
      Promise.all(ids.map(id => listAccountsInFull(tx, id))),
    ])
    return { ...locked, accounts: new Map(accounts.flat().map(a => [a.account_id, a])) }
  },
  decide({ books, accounts }, { account_id, add_currencies, ...change }) {
    checkOpen(bookNamed(books, account_id))
    const before = accounts.get(account_id)
    if (before === undefined) throw new Error(`account ${account_id} is not there`)
    const added = [...new Set(add_currencies)].filter(code => !before.currencies.includes(code))
    const after = { ...before, ...change, currencies: [...before.currencies, ...added] }
    if (!after.currencies.includes(after.primary_currency)) {
      const message = `The account holds no ${after.primary_currency} balance; add it as well.`
      throw refusal('holding_currency_not_found', message, 'primary_currency')
    }
    return { account_id, before, after, added }
  },
  store: (tx, outcomes) =>
    Promise.all(
      outcomes.flatMap(({ account_id, after, added }) => [
        updateSettings(tx, account_id, after),
        added.length > 0 && insertBalances(tx, account_id, added),
      ]),
    ),
}

function bookNamed(books: ReadonlyMap<string, Book>, account_id: string): Book {
  const book = books.get(account_id)
  if (book === undefined) throw refusal('not_found', `No account ${account_id}.`)
  return book
}

export type NewAccount = Pick<Account, 'name' | 'currencies' | 'primary_currency'> &
  Partial<Omit<Account, 'account_id' | 'deposit_address'>>

export interface OpenedAccount {
  readonly account: Account
  readonly key_id: string
  /** Shown once; the database has only its hash. */
  readonly secret: string
}

/** The key belongs to its maker: whoever has seen the secret approves no payout of the key. */
export async function createAccount(
  write: Write,
  wanted: NewAccount,
  owner: string,
): Promise<OpenedAccount> {
  const defaults = {
    sandbox: false,
    duplicate_window_s: DUPLICATE_WINDOW_S,
    us_state: 'none' as const,
    ...DAILY_QUOTA,
  }
  const settings = { ...defaults, ...wanted }
  const { sandbox } = settings
  const secret = newSecret({ sandbox })
  const { account, key } = await openUnderNewId(write, account_id => ({
    account: { ...settings, account_id, deposit_address: newId('dep') },
    key: makeApiKey(account_id, { scope: 'write', name: 'first key', secret, owner }, newId),
  }))
  return { account, key_id: key.key_id, secret }
}
