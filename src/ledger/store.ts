// The SQL statements of books: lock, read and append.
import type { Account } from '../accounts/rules.ts'
import { confineTo } from '../sql/confine.ts'
import type { Sql, TransactionSql } from '../sql/connect.ts'
import { inserter, updater } from '../sql/rows.ts'
import { among, byShard, eachShard, holdShard, isSpread, tableAt, within } from '../sql/shard.ts'
import { sql as part, type Tag } from '../sql/sql.ts'
import { type Instant, instantToMicros, plusMicros } from '../values/instant.ts'
import { clock, refuseBookAhead } from './clock.ts'
import { type WrittenRow, writtenToday } from './quota.ts'
import type { Book, Journal, JournalLine, LedgerCode, Posting } from './rules.ts'

export interface LockedBooks {
  readonly books: ReadonlyMap<string, Book>
  /**
   * The database's time, read under the locks. Rates age and workers wait by it; a book's own `now`
   * is by its account's clock.
   */
  readonly now: Instant
  /**
   * Version of rates, fees and pricing policies. Prices must use this version or a newer one. Null
   * in a spread database, where the coordinator has the version and other machines have the books:
   * prices must use the coordinator's present version.
   */
  readonly price_version: bigint | null
  /** Version of the sanctions lists, by the same rule. */
  readonly lists_version: bigint | null
}

/**
 * Locks the books of these accounts and reads their balances, clocks and states. Confines the
 * transaction to these accounts. It locks by shard and then by account id, as every lock of books
 * does. A book's `now` is after its last write, even after someone set the database's clock back:
 * so created_at rises with the numbers, and a list by time gains no row before a row already read.
 * Refuses with clock_jumped after a jump of the database's clock.
 */
export async function lockBooks(
  tx: TransactionSql,
  account_ids: readonly string[],
): Promise<LockedBooks> {
  const ids = [...new Set(account_ids)]
  void confineTo(tx, ids)
  const shards = byShard(ids.map(account_id => ({ account_id })))
  // The statements are pipelined: the reads take their snapshots after the first statement holds
  // every lock. `execute` sends the first one at once, so that all later ones run under the locks.
  const locked = shards.map(keys =>
    tx<BookRow[]>`
      select account_id, state, journal_count, encode(head_hash, 'hex') as head_hash, event_count,
        ${WRITTEN},
        has_limit_uses,
        encode(event_head, 'hex') as event_head
      from ${tableAt(tx, 'books')} k where ${among('k', keys)}
      order by account_id for update`.execute(),
  )
  holdShard(tx)
  const read = shards.map(keys =>
    tx<BalanceRow[]>`
      select b.account_id, b.currency, b.available, m.now,
        m.now + k.clock_ahead as by_clock,
        k.last_written_at + interval '1 microsecond' as after_last
      from (select clock_timestamp() as now offset 0) m, ${tableAt(tx, 'books')} k
      join ${tableAt(tx, 'balances')} b on b.account_id = k.account_id
      where ${among('k', keys)} ${within('b', keys)}`.execute(),
  )
  const priced = isSpread()
    ? [{ price_version: null, lists_version: null }]
    : tx<{ price_version: bigint; lists_version: bigint }[]>`
        select price_version, lists_version from reference_version where only_row`
  const [books, balances, [version]] = await Promise.all([
    Promise.all(locked).then(rows => rows.flat()),
    Promise.all(read).then(rows => rows.flat()),
    priced,
  ])
  const byAccount = Map.groupBy(balances, row => row.account_id)
  const now = balances.reduce((last, row) => (row.now > last ? row.now : last), '')
  if (now !== '') clock.refuseJump(now)
  for (const row of balances) refuseBookAhead(row)
  const result = new Map<string, Book>()
  for (const row of books) {
    const rows = byAccount.get(row.account_id) ?? []
    result.set(row.account_id, {
      ...row,
      ...writtenToday(row),
      now: rows[0] === undefined ? '' : accountTime(rows[0], now),
      balances: new Map(rows.map(({ currency, available }) => [currency, available])),
      changed: new Set(),
      kept: new Map(),
      ids_given: 0,
    })
  }
  if (version === undefined) throw new Error('the reference data has no version')
  return { books: result, now, ...version }
}

/** The SQL of `WrittenRow`, of books. */
export const WRITTEN = part`written_day, written_rows, written_bytes,
  floor(date_part('epoch', clock_timestamp()) / 86400)::integer as today`

/** What one account, or for null every account, has written. */
export function listWritten(audit: Tag, account_id: string | null) {
  return audit<(WrittenRow & Pick<Book, 'account_id'>)[]>`
    select account_id, ${WRITTEN} from books
    where ${account_id}::text is null or account_id = ${account_id}`
}

/** A book's row, without its balances. */
type BookRow = Omit<Book, 'now' | 'balances' | 'changed' | 'kept' | 'ids_given'> & WrittenRow

interface BalanceRow {
  account_id: string
  currency: string
  available: bigint
  /** The database's time when it read the row. */
  now: Instant
  /** The account's time at the same moment. */
  by_clock: Instant
  /** A microsecond after the book's last write. */
  after_last: Instant
}

/**
 * The account's time as of the last read, and after the book's last write. The service reads books
 * of several shards one after the other; with one time for all, both journals of a transfer have
 * the same created_at.
 */
function accountTime({ now, by_clock, after_last }: BalanceRow, last_read: Instant): Instant {
  const micros = now === last_read ? 0n : instantToMicros(last_read) - instantToMicros(now)
  const then = micros === 0n ? by_clock : plusMicros(by_clock, micros)
  return then > after_last ? then : after_last
}

/** The time by the account's clock, for reads. Throws for an account without a book. */
export async function accountNow(sql: Tag, account_id: string): Promise<Instant> {
  const [row] = await sql<{ now: Instant }[]>`
    select clock_timestamp() + clock_ahead as now from books where account_id = ${account_id}`
  if (row === undefined) throw new Error(`account ${account_id} has no book`)
  return row.now
}

export function updateBooks(tx: TransactionSql, books: readonly Book[]) {
  return updateHeads(
    tx,
    books.map(book => ({ ...book, last_written_at: book.now, written_day: book.today })),
  )
}

const updateHeads = updater<
  Pick<Book, 'account_id' | 'journal_count' | 'head_hash' | 'event_count' | 'event_head'> &
    Omit<WrittenRow, 'today'> & { readonly last_written_at: Instant }
>('books', ['account_id'], {
  account_id: 'text',
  journal_count: 'bigint',
  head_hash: 'hex',
  event_count: 'bigint',
  event_head: 'hex',
  last_written_at: 'timestamptz',
  written_day: 'integer',
  written_rows: 'bigint',
  written_bytes: 'bigint',
})

/** Writes changed balances. A constraint rejects negative ones. */
export function updateBalances(tx: TransactionSql, books: readonly Book[]) {
  return updateAvailable(
    tx,
    books.flatMap(({ account_id, balances, changed, now }) =>
      [...changed].map(currency => {
        const available = balances.get(currency) as bigint
        return { account_id, currency, available, updated_at: now }
      }),
    ),
  )
}

const updateAvailable = updater<{
  readonly account_id: string
  readonly currency: string
  readonly available: bigint
  readonly updated_at: Instant
}>('balances', ['account_id', 'currency'], {
  account_id: 'text',
  currency: 'text',
  available: 'bigint',
  updated_at: 'timestamptz',
})

/**
 * Appends journals with their lines. The constraint journal_sums_to_zero rejects unbalanced ones.
 */
export function insertJournals(tx: TransactionSql, journals: readonly Journal[]): Promise<unknown> {
  return insertRows(
    tx,
    journals.map(({ postings, line, ...journal }) => ({
      ...journal,
      ...(line ?? NO_LINE),
      ...columnsOf(postings),
    })),
  )
}

/** The columns of a line; all null for a journal without one. */
export type LineColumns = { readonly [K in keyof JournalLine]: JournalLine[K] | null }

const NO_LINE: LineColumns = {
  currency: null,
  amount: null,
  fixed_fee: null,
  variable_fee: null,
  balance_after: null,
  undoes: null,
  fx_conversions: null,
  metadata: null,
}

const insertRows = inserter<StoredJournal>('journals', {
  account_id: 'text',
  number: 'bigint',
  kind: 'text',
  source: 'text',
  codes: 'text',
  currencies: 'text',
  amounts: 'bigints',
  created_at: 'timestamptz',
  hash: 'hex',
  currency: 'text',
  amount: 'bigint',
  fixed_fee: 'bigint',
  variable_fee: 'bigint',
  balance_after: 'bigint',
  undoes: 'text',
  fx_conversions: 'json_text',
  metadata: 'json_text',
})

type StoredJournal = Omit<Journal, 'postings' | 'line'> & LineColumns & ReturnType<typeof columnsOf>

/** The columns of postings. Codes and currencies are words with a space between two. */
function columnsOf(postings: readonly Posting[]) {
  return {
    codes: postings.map(({ code }) => code).join(' '),
    currencies: postings.map(({ currency }) => currency).join(' '),
    amounts: postings.map(({ amount }) => amount),
  }
}

/** The columns of postings as read: each has words with a space between two. */
export interface PostingColumns {
  readonly codes: string
  readonly currencies: string
  readonly amounts: string
}

/** The SQL of `PostingColumns` for journals `j`. Words are faster to read than arrays. */
export const POSTING_COLUMNS = `j.codes, j.currencies, array_to_string(j.amounts, ' ') as amounts`

/** The postings of a row; undefined when the three lists differ in length or are empty. */
export function readPostings(columns: PostingColumns): Posting[] | undefined {
  if (columns.amounts === '') return undefined
  const codes = columns.codes.split(' ')
  const currencies = columns.currencies.split(' ')
  const amounts = columns.amounts.split(' ')
  if (codes.length !== currencies.length || codes.length !== amounts.length) return undefined
  return codes.map(
    (code, i): Posting => ({
      code: code as LedgerCode,
      currency: currencies[i] ?? '',
      amount: BigInt(amounts[i] ?? 0),
    }),
  )
}

/** Inserts an empty book with a zero balance in each currency. */
export async function insertBook(
  tx: TransactionSql,
  { account_id, sandbox, currencies }: Account,
): Promise<void> {
  const book = tx`insert into books (account_id, sandbox, head_hash)
    values (${account_id}, ${sandbox}, decode(repeat('00', 32), 'hex'))`.execute()
  await Promise.all([book, insertBalances(tx, account_id, currencies)])
}

/**
 * Inserts zero balances in currencies that the account does not hold yet. Throws for an account
 * without a book.
 */
export async function insertBalances(
  tx: TransactionSql,
  account_id: string,
  currencies: readonly string[],
): Promise<void> {
  const { count } = await tx`
    insert into balances (account_id, currency, account_state)
    select b.account_id, c.currency, b.state
    from books b cross join unnest(${[...currencies]}::text[]) as c(currency)
    where b.account_id = ${account_id}`
  if (count !== currencies.length) throw new Error(`account ${account_id} has no book`)
}

type JournalRow = Omit<Journal, 'postings' | 'line'> & LineColumns & PostingColumns

/** The SQL of the columns of journals `j`. JSON is the text that the hash covers. */
const COLUMNS = `account_id, number, kind, source, ${POSTING_COLUMNS}, created_at,
  encode(hash, 'hex') as hash, currency, amount, fixed_fee, variable_fee, balance_after,
  undoes, fx_conversions::text as fx_conversions, metadata::text as metadata`

/** One account's journals with a number above `after`, in order. */
export async function listJournals(
  sql: Tag,
  account_id: string,
  filter: { readonly after: bigint; readonly limit: number },
): Promise<Journal[]> {
  const rows = await sql<JournalRow[]>`
    select ${sql.unsafe(COLUMNS)} from journals j
    where account_id = ${account_id} and number > ${filter.after}
    order by number limit ${filter.limit}`
  return rows.map(journalFromRow)
}

/** Journals by account and number, in no order. */
export async function findJournals(
  sql: Tag,
  keys: readonly { readonly account_id: string; readonly number: bigint }[],
): Promise<Journal[]> {
  const rows = await eachShard(
    keys,
    keys => sql<JournalRow[]>`
      select r.*
      from unnest(
        ${keys.map(key => key.account_id)}::text[],
        ${keys.map(key => key.number.toString())}::text[]::bigint[]
      ) as k(account_id, number)
      cross join lateral (
        select ${sql.unsafe(COLUMNS)} from journals j
        where j.account_id = k.account_id and j.number = k.number
          ${within('j', keys)} limit 1
      ) r`,
  )
  return rows.map(journalFromRow)
}

function journalFromRow(row: JournalRow): Journal {
  const { account_id, number, kind, source, created_at, hash } = row
  const postings = readPostings(row)
  if (postings === undefined) throw new Error(`stored postings of journal ${number}`)
  return { account_id, number, kind, source, postings, line: lineFromRow(row), created_at, hash }
}

/** A row's line; null for a journal without one. */
export function lineFromRow(row: LineColumns): JournalLine | null {
  const { currency, amount, fixed_fee, variable_fee, balance_after } = row
  // A constraint lets these columns be null only together.
  if (currency === null || amount === null) return null
  if (fixed_fee === null || variable_fee === null || balance_after === null) return null
  const { undoes, fx_conversions, metadata } = row
  const figures = { currency, amount, fixed_fee, variable_fee, balance_after }
  return { ...figures, undoes, fx_conversions, metadata }
}

/** The heads of an account's two chains: journals and events. */
export interface Head {
  readonly account_id: string
  /** The number of journals, as text: it may exceed the range of a JSON number. */
  readonly journals: string
  /** 64 hex digits. */
  readonly head_hash: string
  /** The number of events, as text. */
  readonly events: string
  /** 64 hex digits. */
  readonly event_head: string
}

export async function listHeads(sql: Sql): Promise<Head[]> {
  const rows = await sql<Head[]>`
    select account_id, journal_count::text as journals, encode(head_hash, 'hex') as head_hash,
      event_count::text as events, encode(event_head, 'hex') as event_head
    from books order by account_id`
  return [...rows]
}

/** The balances of one account; for null, of every account that the role may see. */
export async function listBalancesOf(
  sql: Sql,
  account_id: string | null,
): Promise<{ account_id: string; currency: string; available: bigint }[]> {
  return sql`
    select account_id, currency, available from balances
    where ${account_id}::text is null or account_id = ${account_id}
    order by account_id, currency`
}

/** The current balances of an account, one row a currency. */
export async function listBalances(
  sql: Tag,
  account_id: string,
): Promise<{ currency: string; available: bigint; updated_at: Instant }[]> {
  return sql`
    select currency, available, updated_at from balances
    where account_id = ${account_id} order by currency`
}
