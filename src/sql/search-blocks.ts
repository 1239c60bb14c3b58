// Blocks of rows with successive ids, each with the bits that the signs of its rows' search texts
// set (a Bloom filter). A search reads the rows of the blocks that have its bits, and all rows that
// are in no block. So it reads few rows for a rare name, and misses none.
import { signOf, signsOf } from '../values/text/found-by.ts'
import { tableAt } from './shard.ts'
import { type Fragment, sql as part, type Tag } from './sql.ts'

/** The tables that have blocks. Each has `account_id`, `id` and `found_by`. */
export const SEARCHED = ['beneficiaries', 'entities'] as const
export type Searched = (typeof SEARCHED)[number]

/** Rows of a block. A search reads so many rows for each block that fits by chance. */
export const BLOCK_ROWS = 1_000

/** 1,000 names set about one bit in ten, so one block in a hundred fits a sign by chance. */
const BITS = 131_072
/** Each sign sets two bits. */
const SEEDS = [0x811c9dc5, 0x7feb352d]

/** The ids after one id, up to another. */
export interface Range {
  readonly after_id: string
  readonly last_id: string
}

/** After every id. */
const END = '~'

/** The places of a sign's bits: FNV-1a, and a finalizer that spreads it. */
function placesOf(sign: string): number[] {
  return SEEDS.map(seed => {
    let hash = seed
    for (let i = 0; i < sign.length; i += 1) {
      hash = Math.imul(hash ^ sign.charCodeAt(i), 0x01000193)
    }
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    return ((hash ^ (hash >>> 13)) >>> 0) % BITS
  })
}

/** The bits of some rows, as `get_bit` of PostgreSQL counts them. */
function bitsOf(texts: readonly string[]): Buffer {
  const bits = Buffer.alloc(BITS / 8)
  for (const place of texts.flatMap(text => signsOf(text).flatMap(placesOf))) {
    const byte = place >> 3
    bits[byte] = (bits[byte] ?? 0) | (1 << (place & 7))
  }
  return bits
}

/** Whether a block lacks one of these bits. Reads single bytes of it. */
const lacks = (places: Fragment) => part`exists (
  select from unnest(${places}) as place (at)
  where get_bit(substr(b.bits, place.at / 8 + 1, 1), place.at % 8) = 0
)`

/** More ranges cost more than a search of all rows, which ends with a full page. */
const MOST_RANGES = 60

/**
 * The ranges of ids that may have all parts of a search, oldest first. Undefined where a search of
 * all rows is better: without blocks, for parts without signs, and for parts that many blocks have.
 */
export async function findRanges(
  tx: Tag,
  listed: Searched,
  account_id: string,
  parts: readonly string[],
): Promise<readonly Range[] | undefined> {
  const places = parts.flatMap(text => signOf(text) ?? []).flatMap(placesOf)
  if (places.length === 0) return undefined
  const wanted = part`${`{${places.join(',')}}`}::text::integer[]`
  const rows = await tx<(Range & { before_id: string; fits: boolean; newest: boolean })[]>`
    select s.before_id, s.after_id, s.last_id, s.fits, s.newest from (
      select b.after_id, b.last_id, lag(b.last_id, 1, '') over by_id as before_id,
        lead(b.last_id) over by_id is null as newest, not ${lacks(wanted)} as fits
      from search_blocks b
      where b.account_id = ${account_id} and b.listed = ${listed}
      window by_id as (order by b.last_id)
    ) s
    where s.fits or s.newest or s.before_id <> s.after_id
    order by s.last_id limit ${MOST_RANGES + 1}::integer`
  if (rows.length === 0 || rows.length > MOST_RANGES) return undefined
  return rows.flatMap(({ before_id, after_id, last_id, fits, newest }) => [
    ...(before_id === after_id ? [] : [{ after_id: before_id, last_id: after_id }]),
    ...(fits ? [{ after_id, last_id }] : []),
    ...(newest ? [{ after_id: last_id, last_id: END }] : []),
  ])
}

interface Stretch extends Range {
  readonly texts: readonly string[]
}

/** The next block that is due: where one was deleted, or of BLOCK_ROWS rows after the last one. */
export async function findDueBlock(
  tx: Tag,
  listed: Searched,
  account_id: string,
): Promise<Stretch | undefined> {
  const [place] = await tx<{ after_id: string; until_id: string | null }[]>`
    select s.before_id as after_id, s.after_id as until_id from (
      select lag(b.last_id, 1, '') over (order by b.last_id) as before_id, b.after_id
      from search_blocks b where b.account_id = ${account_id} and b.listed = ${listed}
      union all
      select coalesce(max(b.last_id), ''), null
      from search_blocks b where b.account_id = ${account_id} and b.listed = ${listed}
    ) s
    where s.before_id is distinct from s.after_id order by s.before_id limit 1`
  const { after_id, until_id } = place ?? { after_id: '', until_id: null }
  const rows = await tx<{ id: string; found_by: string }[]>`
    select n.id, n.found_by from ${tableAt(tx, listed)} n
    where n.account_id = ${account_id} and n.id > ${after_id} and n.id <= ${until_id ?? END}
    order by n.account_id, n.id limit (select ${BLOCK_ROWS}::integer)`
  const isFull = rows.length === BLOCK_ROWS
  const last_id = isFull ? rows.at(-1)?.id : until_id
  if (last_id === undefined || last_id === null) return undefined
  return { after_id, last_id, texts: rows.map(({ found_by }) => found_by) }
}

/** Adds a block. The transaction holds the lock of the book since before it read the rows. */
export function insertBlock(
  tx: Tag,
  listed: Searched,
  account_id: string,
  { after_id, last_id, texts }: Stretch,
): Promise<unknown> {
  const bits = bitsOf(texts).toString('hex')
  return tx`
    insert into search_blocks (account_id, listed, after_id, last_id, bits)
    values (${account_id}, ${listed}, ${after_id}, ${last_id}, decode(${bits}, 'hex'))`.execute()
}

interface Changed {
  readonly account_id: string
  readonly id: string
  readonly found_by: string
}

/** Deletes the blocks whose bits lack a sign of these changed rows, and those of erased rows. */
export function dropOutdated(tx: Tag, listed: Searched, rows: readonly Changed[]) {
  const accounts = Map.groupBy(rows, ({ account_id }) => account_id)
  return [...accounts].map(([account_id, changed]) => dropOf(tx, listed, account_id, changed))
}

function dropOf(tx: Tag, listed: Searched, account_id: string, rows: readonly Changed[]) {
  const places = rows.map(({ found_by }) => `{${signsOf(found_by).flatMap(placesOf).join(',')}}`)
  return tx`
    delete from search_blocks d
    where d.account_id = ${account_id} and d.listed = ${listed} and d.last_id in (
      select b.last_id
      from unnest(${rows.map(({ id }) => id)}::text[], ${places}::text[]) as g (id, places)
      cross join lateral (
        select t.after_id, t.last_id, t.bits from search_blocks t
        where t.account_id = ${account_id} and t.listed = ${listed} and t.last_id >= g.id
        order by t.last_id limit 1
      ) b
      where b.after_id < g.id and (g.places = '{}' or ${lacks(part`g.places::integer[]`)})
    )`.execute()
}
