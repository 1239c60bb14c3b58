// Opening and funding accounts. Both write a book, so both are operations that run in lanes.

import type { Account, NewApiKey } from '../account/rules.ts'
import { insertAccount, insertApiKey } from '../account/store.ts'
import { storeBooks } from '../balance-transaction/operations.ts'
import { type Entry, postEntry } from '../balance-transaction/rules.ts'
import { confineTo } from '../db/confine.ts'
import type { Operation } from '../engine/operation.ts'
import { refusal } from '../errors.ts'
import { type Event, recordEvent } from '../event/rules.ts'
import type { NewId } from '../id.ts'
import { checkRoom, type Posting } from '../ledger/rules.ts'
import { insertBook, type LockedBooks, lockBooks } from '../ledger/store.ts'

export interface OpenAccount {
  readonly account: Account
  readonly key: NewApiKey
}

/** A new account with its empty book and first key, all or nothing. */
export const openAccount: Operation<OpenAccount, null, OpenAccount> = {
  name: 'open_account',
  load: () => Promise.resolve(null),
  decide: (_state, command) => command,
  store(tx, outcomes) {
    confineTo(
      tx,
      outcomes.map(({ account }) => account.account_id),
    )
    return Promise.all(
      outcomes.flatMap(({ account, key }) => [
        insertAccount(tx, account),
        insertBook(tx, account.account_id, account.currencies),
        insertApiKey(tx, key),
      ]),
    )
  },
}

export interface Fund {
  readonly account_id: string
  readonly currency: string
  /** Minor units, positive. */
  readonly amount: bigint
  /** The escrow the money came from; it funds an account once. */
  readonly source: string
}

export interface FundState extends LockedBooks {
  /** `account_id/source` of escrows that have funded already. */
  readonly spent: Set<string>
}

export interface Funded {
  readonly entries: readonly [Entry]
  readonly events: readonly Event[]
}

/** Money coming in from outside: a credit of type `escrow`. */
export function fundAccount(newId: NewId): Operation<Fund, FundState, Funded> {
  return {
    name: 'fund_account',

    async load(tx, commands) {
      const locked = await lockBooks(
        tx,
        commands.map(command => command.account_id),
      )
      const rows = await tx<{ account_id: string; source: string }[]>`
        select account_id, source from balance_transactions
        where account_id = any (${commands.map(command => command.account_id)}::text[])
          and source = any (${commands.map(command => command.source)}::text[])
          and type = 'escrow'`
      return { ...locked, spent: new Set(rows.map(row => `${row.account_id}/${row.source}`)) }
    },

    decide({ books, spent }, { account_id, currency, amount, source }) {
      const book = books.get(account_id)
      if (book === undefined) throw refusal('not_found', `No account ${account_id}.`)
      if (!book.balances.has(currency)) {
        const held = [...book.balances.keys()].join(', ')
        const message = `The account holds no ${currency} balance; it holds ${held}.`
        throw refusal('holding_currency_not_found', message, 'currency')
      }
      checkRoom(book, currency, amount, 'amount')
      if (spent.has(`${account_id}/${source}`)) {
        const message = `${source} has funded this account already.`
        throw refusal('source_already_used', message, 'source')
      }
      // After this point it succeeds.
      spent.add(`${account_id}/${source}`)
      const entry = postEntry(
        book,
        { kind: 'funding', source, postings: fundingPostings(currency, amount) },
        {
          type: 'escrow',
          currency,
          amount,
          fixed_fee: 0n,
          variable_fee: 0n,
          fx_conversions: [],
          description: source,
          source,
        },
        newId,
      )
      const created = { type: 'balance_transaction.created', object_id: entry.line.id, data: {} }
      return { entries: [entry], events: [recordEvent(book, created, newId)] }
    },

    store: (tx, outcomes, { books }) => Promise.all(storeBooks(tx, books, outcomes)),
  }
}

function fundingPostings(currency: string, amount: bigint): Posting[] {
  return [
    { code: 'funding', currency, amount: -amount },
    { code: 'available', currency, amount },
  ]
}
