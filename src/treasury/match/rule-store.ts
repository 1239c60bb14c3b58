// Finds matches that the engine makes by itself: only by exact keys, with equal amounts, where a
// key hits one line and one item. Each statement reads open lines, and finds items by index.
// `docs/treasury.md` has the rules in words.

import type { TransactionSql } from '../../sql/connect.ts'
import type { Fragment, Tag } from '../../sql/sql.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import type { Matched } from './match.ts'
import type { RulePattern } from './nostro-rule.ts'

export async function hasOpenLines(sql: Tag, nostro: string): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (select from bank_lines where nostro = ${nostro} and match is null) as found`
  return row?.found === true
}

/** Lines and items that fit. The items sum to the line. */
export interface Pairing {
  readonly line: bigint
  readonly amount: bigint
  readonly items: readonly bigint[]
  /** Whether the items are those of the line's details. */
  readonly by_details: boolean
}

interface PairingRow extends Omit<Pairing, 'items'> {
  readonly items: readonly string[]
}

/** Shorter texts are no keys: too many payments have them. */
const SHORTEST_KEY = 6
/** A key that is a word of a text is longer. */
const SHORTEST_WORD = 8
const DATE = '^(?:(?:19|20)[0-9]{6}|[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}[.-][0-9]{2}[.-][0-9]{4})$'
/** What carriers write where there is no key. */
const NO_KEYS = ['NOTPROVIDED', 'NOT PROVIDED', 'NONREF', 'NOREFERENCE', 'UNKNOWN']

const isKey = (tx: TransactionSql, name: string) => {
  const key = tx.unsafe(name)
  return tx`length(${key}) between ${SHORTEST_KEY}::integer and 100
    and upper(${key}) <> all (${NO_KEYS}::text[])`
}

/** The open lines of the nostro in its currency, with the matches that a person has undone. */
function openLines(tx: TransactionSql, { name, currency }: Matched): Fragment {
  return tx`
    open_lines as materialized (
      select id, amount, value_on, code, end_to_end_id, uetr, instruction, bank_reference, block,
        file, text, details
      from bank_lines where nostro = ${name} and match is null and currency = ${currency}),
    undone as materialized (
      select distinct l.line, i.item from matches m
      cross join lateral unnest(m.lines) as l (line) cross join lateral unnest(m.items) as i (item)
      where m.nostro = ${name} and m.undone_at is not null
        and l.line in (select id from open_lines))`
}

/**
 * The keys that a carrier has of its own, and the id of the line, which a funding made of it has. A
 * line that sums up two payments has those of each.
 */
function carriedKeys(tx: TransactionSql): Fragment {
  return tx`
    select l.id as line, 0::bigint as part, 1 as parts, l.amount as whole, l.amount, k.key
    from open_lines l
    cross join lateral unnest(array[l.end_to_end_id, l.uetr, l.instruction, l.bank_reference,
      'line_' || l.id]) as k (key)
    where jsonb_array_length(l.details) < 2
    union all
    select l.id, case when n.parts < 2 then 0 else d.part end, greatest(n.parts, 1), l.amount,
      case when n.parts < 2 then l.amount else d.amount end, k.key
    from open_lines l
    cross join lateral (select jsonb_array_length(l.details) as parts) n
    cross join lateral rows from (jsonb_to_recordset(l.details) as (amount bigint,
      end_to_end_id text, uetr text, instruction text)) with ordinality
      as d (amount, end_to_end_id, uetr, instruction, part)
    cross join lateral unnest(array[d.end_to_end_id, d.uetr, d.instruction]) as k (key)`
}

/**
 * The words of the texts that may be our keys: our own ids have 15 characters; other keys have a
 * digit, and are no date.
 */
function writtenKeys(tx: TransactionSql): Fragment {
  return tx`
    select l.id, 0, 1, l.amount, l.amount, w.word from open_lines l
    cross join lateral (
      select upper(word) as word
      from regexp_split_to_table(l.text, '[^[:alnum:]]+') as word
      union
      select upper(btrim(word, '.,:;()/+?"''')) from regexp_split_to_table(l.text, '\\s+') as word
    ) w
    where jsonb_array_length(l.details) < 2
      and length(w.word) between ${SHORTEST_WORD}::integer and 100
      and (length(w.word) = 15 or w.word ~ '[0-9]')
      and w.word !~ ${DATE}`
}

/**
 * Open items that have the key of `c`, up to three by each column: more than one is none. Neither
 * nostro nor amount is a condition of the index: many items have them, and few a key. Row-level
 * security allows no function in a condition of the index, so `c` has each spelling of the key.
 */
function itemsOf(tx: TransactionSql, nostro: Matched, besides: Fragment): Fragment {
  const by = (column: string, spelling: string) => tx`
    (select i.id, i.key, i.instruction, i.uetr from nostro_items i
    where (i.nostro = ${nostro.name}) is true and i.match is null and i.${tx(column)} <> ''
      and i.${tx(column)} = c.${tx(spelling)} and i.currency = ${nostro.currency} and ${besides}
    limit 3)`
  return tx`${by('key', 'folded')} union all ${by('instruction', 'key')} union all
    select u.* from (select where length(c.key) = 36) is_uetr
    cross join lateral ${by('uetr', 'lowered')} u`
}

const spellings = (tx: TransactionSql, keys: Fragment) => tx`
  select distinct line, part, parts, whole, amount, key, fold_reference(key) as folded,
    lower(key) as lowered
  from (${keys}) c where ${isKey(tx, 'c.key')}`

/**
 * Pairs of a line, or of a line's details, with items by key and amount. A key that hits two lines
 * or two items pairs none of them. With `and_text`, words of the texts are keys too.
 */
export async function findByKey(
  tx: TransactionSql,
  nostro: Matched,
  and_text: boolean,
  most: number,
): Promise<Pairing[]> {
  const written = and_text ? tx`union all ${writtenKeys(tx)}` : tx``
  // No other line may name the item. `edges` cannot tell: it has three items of a key at most.
  const unnamed = (column: string, spelling: string) => tx`
    not exists (
      select from carried o where o.${tx(spelling)} = e.${tx(column)} and o.amount = e.amount
        and (o.line, o.part) <> (e.line, e.part)
        and (o.line, e.item) not in (select line, item from undone))`
  const fits = tx`(i.amount = c.amount) is true
    and (c.line, i.id) not in (select line, item from undone)`
  const rows = await tx<PairingRow[]>`
    with ${openLines(tx, nostro)},
    carried as materialized (${spellings(tx, tx`${carriedKeys(tx)} ${written}`)}),
    edges as materialized (
      select distinct c.line, c.part, c.parts, c.whole, c.amount, e.id as item, e.key,
        e.instruction, e.uetr
      from carried c cross join lateral (${itemsOf(tx, nostro, fits)}) e),
    counted as (
      select e.*, count(*) over (partition by line, part) as items from edges e),
    lone as (
      select line, max(whole) as amount, max(parts) as parts, count(*) as found,
        sum(amount) as booked, max(part) > 0 as by_details, array_agg(item order by item) as items
      from counted e where items = 1
        and ${unnamed('key', 'folded')}
        and ${unnamed('instruction', 'key')}
        and ${unnamed('uetr', 'lowered')}
      group by line)
    select f.line, f.amount, f.items::text[] as items, f.by_details from lone f
    where f.amount = f.booked and f.found = f.parts
    order by f.line limit ${most}::integer`
  return rows.map(pairing)
}

/**
 * Lines that are the sum of all open items of a block of payments, or of a file, with the sign of
 * the line. The block is named by the line as its block, its file or another key.
 */
export async function findByBlock(
  tx: TransactionSql,
  nostro: Matched,
  most: number,
): Promise<Pairing[]> {
  const sums = (column: 'block' | 'file') => tx`
    select n.line, n.amount, g.items from named n
    cross join lateral (
      select array_agg(i.id order by i.id) as items, sum(i.amount) as amount from nostro_items i
      where (i.nostro = ${nostro.name}) is true and i.match is null and i.${tx(column)} <> ''
        and i.${tx(column)} = n.name and (sign(i.amount) = sign(n.amount)) is true
        and i.currency = ${nostro.currency}) g
    where g.amount = n.amount`
  const rows = await tx<PairingRow[]>`
    with ${openLines(tx, nostro)},
    named as materialized (
      select distinct l.id as line, l.amount, n.name from open_lines l
      cross join lateral unnest(array[l.block, l.file, l.end_to_end_id, l.instruction,
        l.bank_reference]) as n (name)
      where ${isKey(tx, 'n.name')}),
    fits as materialized (${sums('block')} union ${sums('file')}),
    each as materialized (
      select f.line, unnest(f.items) as item from fits f),
    doubtful as (
      select line from (
        select line, count(*) over (partition by item) as lines from each) e where lines > 1
      union all
      select line from fits group by line having count(*) > 1
      union all
      select line from each where (line, item) in (select line, item from undone))
    select f.line, f.amount, f.items::text[] as items, false as by_details from fits f
    where f.line not in (select line from doubtful)
    order by f.line limit ${most}::integer`
  return rows.map(pairing)
}

/** A line and an item of one amount, whose other account is that of the item's payee. */
export interface AccountPair {
  readonly line: bigint
  readonly item: bigint
  readonly amount: bigint
  readonly line_on: IsoDate
  readonly item_on: IsoDate
  /** Whether both have keys, which then differ; or a person has undone their match. */
  readonly is_refused: boolean
}

/** A line with more items of its amount is too uncertain, and so is each other line of it. */
const MOST_OF_AMOUNT = 100

/** Some days around each open line of one payment; how near they are is judged by `byAccount`. */
export async function findByAccount(
  tx: TransactionSql,
  nostro: Matched,
): Promise<readonly AccountPair[]> {
  return tx<AccountPair[]>`
    with ${openLines(tx, nostro)},
    paying as materialized (
      select l.id, l.amount, l.value_on, bare_account(b.counterparty) as account, l.uetr,
        ${isKey(tx, 'l.end_to_end_id')} as has_key
      from open_lines l join bank_lines b on b.id = l.id
      where b.counterparty <> '' and jsonb_array_length(l.details) < 2),
    near as materialized (
      select l.id as line, l.amount, i.id as item, i.value_on, i.key, i.uetr,
        count(*) over (partition by l.id) as items
      from paying l cross join lateral (
        select i.id, i.value_on, i.key, i.uetr from nostro_items i
        where (i.nostro = ${nostro.name}) is true and i.match is null and i.amount = l.amount
          and i.nostro = ${nostro.name} and i.currency = ${nostro.currency} and i.payout_id <> ''
          and i.value_on between l.value_on - 7 and l.value_on + 7
        limit ${MOST_OF_AMOUNT + 1}::integer) i),
    payees as materialized (
      select item, account from payee_accounts(array(select distinct item from near)))
    select n.line, n.item, n.amount, l.value_on::text as line_on, n.value_on::text as item_on,
      l.has_key and n.key <> '' or l.uetr <> '' and n.uetr <> ''
        or (n.line, n.item) in (select line, item from undone) as is_refused
    from near n join paying l on l.id = n.line
    join payees p on p.item = n.item and p.account = l.account and l.account <> ''
    where n.amount not in (select amount from near where items > ${MOST_OF_AMOUNT}::integer)
    order by n.line, n.item`
}

function pairing({ items, ...row }: PairingRow): Pairing {
  return { ...row, items: items.map(BigInt) }
}

/** A line that a rule of the nostro fits. */
export interface Ruled {
  readonly line: bigint
  readonly amount: bigint
  readonly value_on: IsoDate
  /** The place of the rule, counted from 0. */
  readonly rule: number
  /** Open items of transfers with its amount, ten days around it at most. */
  readonly transfers: readonly bigint[]
  /** How many open lines have one of them as theirs. */
  readonly rivals: number
}

/**
 * Open lines that a rule fits, with the first such rule. Leaves out lines that name an open item by
 * its key: these are payments, whatever their text says. And those of a match that a person has
 * undone.
 */
export async function findByRule(
  tx: TransactionSql,
  nostro: Matched,
  patterns: readonly RulePattern[],
  { after, most }: { readonly after: bigint; readonly most: number },
): Promise<Ruled[]> {
  const rows = await tx<(Omit<Ruled, 'transfers'> & { transfers: readonly string[] })[]>`
    with ${openLines(tx, nostro)},
    carried as materialized (${spellings(tx, carriedKeys(tx))}),
    named as materialized (
      select c.line from carried c
      cross join lateral (${itemsOf(tx, nostro, tx`true`)}) e
      union
      select l.id from open_lines l cross join lateral (
        select from nostro_items i
        where (i.nostro = ${nostro.name}) is true and i.match is null and i.block <> ''
          and i.block in (l.block, l.end_to_end_id, l.bank_reference) limit 1) i),
    ruled as materialized (
      select distinct on (l.id) l.id as line, l.amount, l.value_on, r.place - 1 as rule
      from open_lines l
      join unnest(${patterns.map(one => one.code)}::text[],
        ${patterns.map(one => one.text)}::text[])
        with ordinality as r (code, text, place)
        on upper(l.code) like r.code and upper(l.text) like r.text
      where l.id > ${after} and l.id not in (select line from undone)
        and l.id not in (select line from named)
      order by l.id, r.place
      limit ${most}::integer)
    select r.line, r.amount, r.value_on::text as value_on, r.rule::integer as rule,
      coalesce(t.items, '{}')::text[] as transfers, (
        select count(*)::integer from ruled o
        where o.amount = r.amount and abs(o.value_on - r.value_on) <= 10) as rivals
    from ruled r
    left join lateral (
      select array_agg(i.id order by i.id) as items from nostro_items i
      join house_journals h on h.number = i.house_number and h.kind in ('transfer', 'topup')
      where i.nostro = ${nostro.name} and i.match is null and i.amount = r.amount
        and i.kind = 'house' and i.value_on between r.value_on - 10 and r.value_on + 10
        and (r.line, i.id) not in (select line, item from undone)
    ) t on true
    order by r.line`
  return rows.map(row => ({ ...row, transfers: row.transfers.map(BigInt) }))
}
