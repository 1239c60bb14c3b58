// Fills an account with payouts by SQL, like a long history of requests: it copies all rows that
// the service wrote for one payout.
//
// The copies have every row of a payout (payout and state, journals, events, kept answer), as wide
// as the original and with the same references; unique ids of the service's form; journals and
// events numbered without gaps, with created_at in that order; and balances and heads of the book
// that follow from them. So the service can read them, settle them and write after them. They
// differ from real payouts: ids end in a counter instead of random characters, and all payouts are
// alike and have one time. The hashes are a chain only with `chained`, which takes longer; without
// it `corridor verify` finds the books wrong.

import { setTimeout } from 'node:timers/promises'
import type { Sql } from '../src/sql/connect.ts'
import { numberedIdSql } from '../src/sql/id-sql.ts'
import type { Tag } from '../src/sql/sql.ts'
import { EVENT_SEAL, ROW_KINDS } from '../src/statements/event/rules.ts'
import { instantIn } from '../src/values/id.ts'
import { storedRows } from '../src/verify/seals.ts'
import { asOwner } from './database.ts'
import { type Filling, fillTables, timePartOfIds } from './fill.ts'
import { NUMBER_DIGITS } from './load.ts'
import { makeBeneficiary, payOnce, payoutBody } from './payouts.ts'
import { literal, readRows, type StoredRow } from './row-copy.ts'
import type { Target } from './target.ts'

interface FillOptions {
  /** `processing` payouts are due to be settled. */
  readonly status: 'processing' | 'succeeded'
  /** How many of the newest payouts have a kept answer; by default all. */
  readonly kept_answers?: number
  /** Makes the hashes a chain. */
  readonly chained?: boolean
}

/**
 * Adds `count` payouts to the account, to which nobody else may write at the same time. Returns a
 * template of their ids, in which `#existing#` stands for a number from 1 to `count`.
 */
export async function fillPayouts(
  target: Target,
  count: number,
  { status, kept_answers = count, chained = false }: FillOptions,
): Promise<string> {
  const beneficiary = await makeBeneficiary(target)
  return asOwner(target.database_url, async owner => {
    const before = await readBook(owner, target.account_id)
    const { id } = await payOnce(target, payoutBody('USD→USD', beneficiary))
    if (status !== 'processing') await target.command('payout', 'transition', id, status)
    const left = await readBook(owner, target.account_id)
    const { time_part, at } = await timeAfter(left.last_written_at)
    const book = { ...left, now: at }
    const sample = await readSample(owner, id, { before, status })
    const copying = { book, sample, count, kept_answers, chained, time_part }
    const fillings: Filling[] = []
    for (const table of sample.keys()) fillings.push(await fillingOf(owner, table, copying))
    await fillTables(target.database_url, fillings)
    await writeBook(owner, copying)
    if (chained) await sealEvents(owner, target.account_id, book.event_count)
    return `pot_${copying.time_part}#existing#`
  })
}

/** Waits until the time is after `earlier`; returns the time and the part of ids that holds it. */
async function timeAfter(earlier: string) {
  for (;;) {
    const time_part = timePartOfIds()
    const at = instantIn(`pot_${time_part}${'0'.repeat(NUMBER_DIGITS)}`)
    if (at > earlier) return { time_part, at }
    await setTimeout(10)
  }
}

interface Book {
  readonly account_id: string
  readonly journal_count: string
  readonly event_count: string
  /** Hex digits. */
  readonly head_hash: string
  readonly available: string
  readonly last_written_at: string
  readonly now: string
}

async function readBook(owner: Sql, account_id: string): Promise<Book> {
  const [book] = await owner<Book[]>`
    select account_id, journal_count::text, event_count::text, available::text,
      encode(head_hash, 'hex') as head_hash,
      last_written_at, clock_timestamp() as now
    from books join balances using (account_id)
    where account_id = ${account_id} and currency = 'USD'`
  if (book === undefined) throw new Error(`account ${account_id} has no book`)
  return book
}

/** The rows that the service wrote for one payout, by table; the slowest tables come first. */
type Sample = ReadonlyMap<string, readonly StoredRow[]>

/** Reads the sample's rows: those written after the book's state `before`. */
async function readSample(
  owner: Sql,
  id: string,
  { before, status }: { readonly before: Book } & Pick<FillOptions, 'status'>,
): Promise<Sample> {
  const mine = `account_id = '${before.account_id}'`
  const since = `created_at > '${before.last_written_at}'`
  const conditions = {
    events: `sequence > ${before.event_count} order by sequence`,
    idempotency_keys: `${since} and strpos(body, '${id}') > 0`,
    payouts: `id = '${id}'`,
    [status === 'processing' ? 'open_payouts' : 'payout_outcomes']: `id = '${id}'`,
    journals: `number > ${before.journal_count} order by number`,
  }
  const sample: Map<string, readonly StoredRow[]> = new Map()
  for (const [table, condition] of Object.entries(conditions)) {
    const rows = await readRows(owner, table, `${mine} and ${condition}`)
    if (rows.length === 0) throw new Error(`the sample left no row in ${table}`)
    sample.set(table, rows)
  }
  return sample
}

interface Copying {
  /** The book after the sample payout. */
  readonly book: Book
  readonly sample: Sample
  readonly count: number
  readonly kept_answers: number
  readonly chained: boolean
  /** The part of all ids that holds their time. */
  readonly time_part: string
}

/**
 * The statement that copies the rows of one table. In it, `nth` counts rows, `n` payouts and `k`
 * the rows of one payout.
 */
async function fillingOf(owner: Sql, table: string, copying: Copying): Promise<Filling> {
  const { book, sample, count, kept_answers } = copying
  const rows = sample.get(table) ?? []
  const after = table === 'idempotency_keys' ? Math.max(0, count - kept_answers) : 0
  const columns = await owner<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped order by attnum`
  const expressionOf = ({ name, type }: { name: string; type: string }): string => {
    if (copying.chained && `${table}.${name}` === 'journals.hash') {
      return `pg_temp.chained(${columns.flatMap(c => (c.name === name ? [] : expressionOf(c))).join(', ')})`
    }
    const known = counted(copying, table, name)
    if (known !== undefined) return known
    const each = rows.map(row => `${copied(copying, name, row[name] ?? null)}::${type}`)
    if (new Set(each).size === 1) return each[0] as string
    return `case k ${each.map((value, i) => `when ${i} then ${value}`).join(' ')} end`
  }
  const values = columns.map(expressionOf)
  const insert = `
    insert into ${table} (${columns.map(({ name }) => name).join(', ')})
    select ${values.join(', ')}
    from (
      select nth, n, (nth - 1) % ${rows.length} as k, lpad(n::text, ${NUMBER_DIGITS}, '0') as digits,
        timestamptz '${book.now}' as at
      from (
        select nth, (nth - 1) / ${rows.length} + 1 as n
        from (select generate_series(${after}::bigint + 1, ${count * rows.length}) as nth) counted
      ) numbered
      offset 0
    ) copy`
  if (table !== 'journals' || !copying.chained) return { table, insert }
  return { table, insert, prepare: chaining(book) }
}

/** hashJournal of ledger/rules.ts in SQL. It keeps the last hash in a setting of the session. */
function chaining({ head_hash }: Book): string {
  return `
    select set_config('bench.head', '${head_hash}', false);
    create function pg_temp.chained(number bigint, created_at timestamptz, amount bigint,
      fixed_fee bigint, variable_fee bigint, balance_after bigint, account_id text, kind text,
      source text, currency text, codes text, currencies text, amounts bigint[], undoes text,
      fx_conversions json, metadata json) returns bytea
    language plpgsql volatile as $$
    declare
      posted text := '';
      line text := '';
      hash bytea;
    begin
      for i in 1 .. cardinality(amounts) loop
        posted := posted || case i when 1 then '' else ',' end
          || '"' || split_part(codes, ' ', i) || ' ' || split_part(currencies, ' ', i) || ' ' || amounts[i] || '"';
      end loop;
      if currency is not null then
        line := ',"' || concat_ws(' ', currency, amount, fixed_fee, variable_fee, balance_after)
          || '",' || coalesce(to_json(undoes)::text, 'null')
          || ',' || coalesce(to_json(fx_conversions::text)::text, 'null')
          || ',' || coalesce(to_json(metadata::text)::text, 'null');
      end if;
      hash := sha256(convert_to('["' || current_setting('bench.head') || '","' || account_id || '","'
        || number || '","' || kind || '","' || source || '","'
        || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '",['
        || posted || ']' || line || ']', 'UTF8'));
      perform set_config('bench.head', encode(hash, 'hex'), false);
      return hash;
    end $$`
}

/** The index and amount of the payout's only journal that moves the balance. */
function debitOf(sample: Sample): { readonly index: number; readonly net: bigint } {
  const journals = sample.get('journals') ?? []
  const index = journals.findIndex(({ currency }) => currency !== null)
  const { amount, fixed_fee, variable_fee } = journals[index] ?? {}
  const net = [amount, fixed_fee, variable_fee].reduce((sum, text) => sum + BigInt(text ?? 0), 0n)
  return { index, net }
}

/** The expression of a column that counts on from copy to copy; undefined for others. */
function counted({ book, sample }: Copying, table: string, column: string) {
  const { index, net } = debitOf(sample)
  const ends = endsOf(sample)
  const expressions: Readonly<Record<string, string>> = {
    'events.sequence': `${book.event_count} + (n - 1) * ${ends.at(-1)} + (array[${ends}])[k + 1]`,
    'events.content': 'null::bytea',
    'events.kept': 'null::bytea',
    'events.hash': 'sha256(int8send(nth))',
    'journals.number': `${book.journal_count} + nth`,
    'journals.hash': 'sha256(int8send(nth))',
    'journals.balance_after': `case k when ${index} then ${book.available} + n * (${net}) end`,
    'idempotency_keys.key': 'gen_random_uuid()::text',
  }
  return expressions[`${table}.${column}`]
}

/**
 * For each row of `events` of a payout: how many of the payout's events there are up to its end.
 */
function endsOf(sample: Sample): number[] {
  let end = 0
  return (sample.get('events') ?? []).map(({ told }) => (end += told?.split(' ').length ?? 0))
}

/**
 * References that a copy replaces: ids, journal numbers in the data of events, and both in `told`.
 */
const REFERENCE =
  /((?:pot|poq|btr)_[0-9a-z]{20}|(?<="journals":\[)\d+|(?<=\bP)[0-9a-z]{9}|(?<=\b[LS])\d+)/

/** The value of a copy's column, from the sample's. */
function copied(
  { book, sample, time_part }: Copying,
  column: string,
  value: string | null,
): string {
  if (value === null) return 'null'
  if (column.endsWith('_at')) return 'at'
  const journals = sample.get('journals') ?? []
  const first = Number(journals[0]?.number)
  const parts = value.split(REFERENCE).map((part, i) => {
    if (i % 2 === 0) return literal(part)
    const before = `(${book.journal_count} + (n - 1) * ${journals.length}`
    if (part.startsWith('btr_')) {
      const number = `${before} + ${debitOf(sample).index + 1})`
      return numberedIdSql('btr', { account_id: `'${book.account_id}'`, created_at: 'at', number })
    }
    if (part.includes('_')) return `'${part.slice(0, 4)}${time_part}' || digits`
    if (column === 'told' && /^[0-9a-z]{9}$/.test(part)) return 'right(digits, 9)'
    return `${before} + ${Number(part) - first + 1})`
  })
  return parts.length === 1 ? (parts[0] as string) : `(${parts.join(' || ')})`
}

/** Updates book and balance to their state after all copies. */
async function writeBook(owner: Sql, { book, sample, count }: Copying): Promise<void> {
  const journals = count * (sample.get('journals')?.length ?? 0)
  const events = count * (endsOf(sample).at(-1) ?? 0)
  const { net } = debitOf(sample)
  await owner.begin(async tx => {
    const { count: written } = await tx`
      update books set journal_count = journal_count + ${journals},
        event_count = event_count + ${events}, head_hash = (
          select hash from journals j where j.account_id = books.account_id
          order by number desc limit 1),
        last_written_at = ${book.now}
      where account_id = ${book.account_id} and last_written_at = ${book.last_written_at}`
    if (written !== 1) throw new Error('the account was written to while it was filled')
    await tx`
      update balances set available = available + ${String(net)}::bigint * ${count},
        updated_at = (
          select created_at from journals j
          where j.account_id = balances.account_id and j.currency = 'USD'
          order by number desc limit 1)
      where account_id = ${book.account_id} and currency = 'USD'`
  })
}

/** The types of kinds that have another name. */
const OTHER_TYPES: Readonly<Record<string, string>> = { code: 'text', hex: 'bytea' }

/** The columns of events in the chain, with their SQL types. */
const LINKED = Object.fromEntries(
  Object.entries(ROW_KINDS).map(([name, kind]) => [name, OTHER_TYPES[kind] ?? kind]),
)

/**
 * Seals the account's rows of events after the sequence `after`: computes the digests of the rows
 * that the events are about, from their present state, and the hash chain up to the head. Nobody
 * may write to the account at the same time.
 */
export async function sealEvents(owner: Tag, account_id: string, after: string): Promise<void> {
  const mine = `account_id = '${account_id}'`
  const [book] = await owner.unsafe<{ head: string }[]>(
    `select encode(event_head, 'hex') as head from books where ${mine}`,
  )
  if (book === undefined) throw new Error(`account ${account_id} has no book`)
  const parameters = Object.entries(LINKED).map(([name, type]) => `${name} ${type}`)
  await owner.unsafe(`
    create or replace function pg_temp.link(previous bytea, ${parameters.join(', ')}) returns bytea
      language sql as $$ select ${EVENT_SEAL.sql('link')} $$;
    create or replace aggregate pg_temp.chain(${Object.values(LINKED).join(', ')}) (
      sfunc = pg_temp.link, stype = bytea, initcond = '\\x${book.head}')`)
  await owner.unsafe('alter table events disable trigger erased_only')
  await owner.unsafe(
    `update events e set content = c.content, hash = c.hash
    from (
      select sequence, content,
        pg_temp.chain(${Object.keys(LINKED).join(', ')}) over (order by sequence) as hash
      from (
        select ${Object.keys(LINKED).map(name => (name === 'content' ? 'd.content' : `e.${name}`))}
        from events e left join (
          select t.row_sequence,
            string_agg(coalesce(m.content, c.content), ''::bytea order by t.sequence) as content
          from (
            select row_sequence, sequence, created_at, mark, ending,
              case when mark in ('-', 'S') then object_id end as id
            from each_event where account_id = $1
          ) t
          left join (${storedRows(account_id)}) m
            on m.created_at = t.created_at and left(m.mark, 1) = t.mark and m.ending = t.ending
          left join (${storedRows(account_id)}) c on c.id = t.id
          group by 1
        ) d on d.row_sequence = e.sequence
        where e.account_id = $1 and e.sequence > ${after}
      ) told
    ) c
    where e.account_id = $1 and e.sequence = c.sequence`,
    [account_id],
  )
  await owner.unsafe('alter table events enable trigger erased_only')
  await owner.unsafe(`
    update books set event_head = (
      select hash from events where ${mine} order by sequence desc limit 1)
    where ${mine}`)
}
