// Lists by maker. What people make is in a partial index. What keys make is not: keys make most
// objects. A list by a key reads a bounded number of the objects of its range.
import type { Order } from '../sql/order.ts'
import type { Filter, Filters, Page, Wanted } from '../sql/page.ts'
import { type Fragment, sql as part, type Tag } from '../sql/sql.ts'
import { refusal } from '../values/errors.ts'
import { instantIn, type Key } from '../values/id.ts'
import { OPERATOR, OPERATORS } from './maker.ts'

/** The most objects that a list by a key reads. */
export const MOST_READ = 100_000
/** The most people who run the installation that a list by `operator` looks for. */
const MOST_OPERATORS = 100

/** To the letter the predicate of the index of what people make. */
const BY_PEOPLE = "left(made_by, 4) <> 'key_'"
const isKey = (maker: string) => maker.startsWith('key_')

/** The filters of a list with an index of what people make; `made_by_key` is for keys. */
export const BY_MAKER: readonly Filter[] = [
  { name: 'made_by', by: 'made_by', leads: 'always', within: BY_PEOPLE },
  { name: 'made_by_key', by: 'made_by', leads: 'never' },
]

interface Made<Row> {
  readonly table: string
  readonly order: Order
  /** Reads a page by these filters; `condition` is a further one, `and …`. */
  read(wanted: Wanted, condition: Fragment): Promise<Page<Row> | undefined>
}

/**
 * A page by the filter `made_by`, if it is set. Refuses (400) a list by a key when none of the
 * MOST_READ newest objects of its range is the key's, and others are older.
 */
export async function findPageByMaker<Row extends Key>(
  sql: Tag,
  account_id: string,
  { filters: { made_by, ...filters }, ...asked }: Wanted,
  { table, order, read }: Made<Row>,
): Promise<Page<Row> | undefined> {
  if (made_by === undefined) return read({ ...asked, filters }, part``)
  const makers = await storedMakers(sql, table, account_id, made_by)
  const by = (name: string): Wanted => ({ ...asked, filters: { ...filters, [name]: makers } })
  if (!makers.some(isKey)) return read(by('made_by'), part``)
  const edge = await findEdge(sql, table, account_id, asked, order)
  if (edge === undefined) return read(by('made_by_key'), part``)
  const is_newer = asked.cursor?.towards === 'newer'
  const within = is_newer
    ? part`and id < (select ${edge}::text)`
    : part`and id > (select ${edge}::text)`
  const page = await read(by('made_by_key'), within)
  if (page === undefined || page.has_more) return page
  if (page.rows.length > 0) return { ...page, has_more: true }
  const at = instantIn(edge)
  const message =
    `None of ${MOST_READ} objects is by ${made_by.join(' or ')}: go on with ` +
    `${is_newer ? `created.gte=${at}` : `created.lt=${at}`}.`
  throw refusal('invalid_query_parameter', message, 'made_by')
}

/** The makers as stored: of `operator` all people of the installation who have made something. */
async function storedMakers(sql: Tag, table: string, account_id: string, made_by: Filters[string]) {
  if (!made_by?.includes(OPERATOR)) return made_by ?? []
  // Skips along the index from one maker to the next.
  const next = (after: Fragment) => part`
    select made_by from ${sql(table)} where account_id = ${account_id}
      and ${sql.unsafe(BY_PEOPLE)} and made_by > ${after} order by made_by limit 1`
  const found = await sql<{ made_by: string }[]>`
    with recursive k as (
      (${next(part`(select ${OPERATORS}::text)`)})
      union all
      select n.made_by from k cross join lateral (${next(part`k.made_by`)}) n
    )
    select made_by from k where starts_with(made_by, ${OPERATORS}) limit ${MOST_OPERATORS}`
  // If there is none, the name stands for nobody.
  return [...made_by, ...found.map(row => row.made_by)]
}

/** The id that is MOST_READ objects from where the page begins; undefined for none. */
async function findEdge(
  sql: Tag,
  table: string,
  account_id: string,
  { cursor, above, below }: Omit<Wanted, 'filters'>,
  order: Order,
): Promise<string | undefined> {
  const [after = ''] = await order.locate(sql, account_id, above, 'above')
  const [before = ''] = await order.locate(sql, account_id, below, 'below')
  const is_newer = cursor?.towards === 'newer'
  const later = cursor !== null && is_newer && cursor.id > after ? cursor.id : after
  const earlier = cursor !== null && !is_newer && cursor.id < before ? cursor.id : before
  const [row] = await sql<{ id: string }[]>`
    select id from ${sql(table)}
    where account_id = ${account_id} and id > ${later} and id < ${earlier}
    order by id ${is_newer ? part`` : part`desc`} limit 1 offset ${MOST_READ}`
  return row?.id
}
