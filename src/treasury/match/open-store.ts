// Reads open lines and items, and what lies around a line. It reads as the auditor, who sees the
// items of all accounts.
import { sql, type Tag } from '../../sql/sql.ts'
import type { OpenItem, OpenLine } from './match.ts'
import { MOST_AMOUNTS } from './subset-sum.ts'
import { DAYS_AROUND, type Surroundings } from './suggest.ts'

/** A page has no more lines: each is compared with what lies around it. */
export const MOST_LINES = 50
/** The most items of one kind that are compared with a line. */
const MOST_NEAR = 200
const MOST_TWINS = 50
/** A larger block is not shown payment by payment. */
const MOST_NAMED = 500

const LINE = sql`l.id, l.nostro, l.amount, l.currency, l.booked_on::text as booked_on,
  l.value_on::text as value_on, l.code, l.end_to_end_id, l.uetr, l.instruction, l.block, l.file,
  l.bank_reference, l.counterparty, l.counterparty_name, l.text`

const PAYEE_NAME = sql`coalesce(p.name, a.name, '')`
const PAYEE_ACCOUNT = sql`coalesce(p.account, '')`

/** A payee of a payout; else the account that an item is of. */
const ITEM = sql`i.id, i.nostro, i.amount, i.currency, i.booked_at, i.value_on::text as value_on,
  i.kind, i.account_id, i.payout_id, i.rail, i.key, i.uetr, i.block,
  ${PAYEE_NAME} as payee_name, ${PAYEE_ACCOUNT} as payee_account`
const PAYEES = sql`
  left join lateral (
    select beneficiary_details ->> 'name' as name, payee_account(beneficiary_details) as account
    from payouts p
    where p.account_id = i.account_id and p.id = i.payout_id limit 1
  ) p on i.payout_id <> ''
  left join accounts a on a.account_id = i.account_id and i.payout_id = ''`

/** What changes whenever a line or an item is new. The transaction acts for the house. */
export async function findMatchMark(tx: Tag): Promise<string> {
  const [row] = await tx<{ mark: string }[]>`
    select concat_ws(' ', (select max(id) from bank_lines), (select max(id) from nostro_items))
      as mark`
  return row?.mark ?? ''
}

/** Which lines or items a list has. */
export interface Listing {
  readonly nostro: string
  readonly state: 'open' | 'matched'
  /** The list continues after this number; 0 for the first page. */
  readonly after: bigint
  /** The number of the one that is wanted, whatever its state; 0 for all. */
  readonly only?: bigint
  readonly limit: number
}

/** A line or an item in a list; `match` is null for an open one. */
export type Listed<Row> = Row & { readonly match: bigint | null }

/** What is open by its day, and what is matched by its number: each has an index in its order. */
function listed(listing: Listing, table: 'bank_lines l' | 'nostro_items i') {
  const { nostro, state, after, only = 0n } = listing
  const [name = '', alias = ''] = table.split(' ')
  const columns = state === 'matched' ? ['id'] : [LISTED_BY[alias as 'l' | 'i'], 'id']
  const order = sql.unsafe(columns.map(column => `${alias}.${column}`).join(', '))
  const begun = sql`and (${order}) > (
    select ${sql.unsafe(columns.join(', '))} from ${sql(name)} where id = ${after})`
  const in_state = sql`and ${sql(alias)}.match is ${state === 'matched' ? sql`not null` : sql`null`}
    ${after === 0n ? sql`` : begun}`
  const where = sql`${sql(alias)}.nostro = ${nostro}
    ${only === 0n ? in_state : sql`and ${sql(alias)}.id = ${only}`}`
  return { where, order }
}

const LISTED_BY = { l: 'booked_on', i: 'value_on' } as const

/** Lines of a nostro, the oldest first. */
export async function listLines(audit: Tag, listing: Listing) {
  const { where, order } = listed(listing, 'bank_lines l')
  return audit<Listed<OpenLine>[]>`
    select ${LINE}, l.match from bank_lines l
    where ${where} order by ${order} limit ${listing.limit}::integer`
}

/** Items of a nostro, the oldest first. `''` has those that no nostro is known for. */
export async function listItems(audit: Tag, listing: Listing) {
  const { where, order } = listed(listing, 'nostro_items i')
  return audit<Listed<OpenItem>[]>`
    select ${ITEM}, i.match from (
      select * from nostro_items i where ${where} order by ${order}
      limit ${listing.limit}::integer) i
    ${PAYEES} order by ${order}`
}

/** Lines by number, those that are matched too. */
export async function findLines(audit: Tag, numbers: readonly bigint[]) {
  return audit<Listed<OpenLine>[]>`
    select ${LINE}, l.match from bank_lines l
    where l.id = any (${numbers.map(String)}::text[]::bigint[]) order by l.id`
}

/** Items by number, those that are matched too. */
export async function findItems(audit: Tag, numbers: readonly bigint[]) {
  return audit<Listed<OpenItem>[]>`
    select ${ITEM}, i.match from nostro_items i ${PAYEES}
    where i.id = any (${numbers.map(String)}::text[]::bigint[]) order by i.id`
}

/** What lies around these open lines, at most MOST_LINES, in their order. */
export async function findSurroundings(
  audit: Tag,
  lines: readonly OpenLine[],
): Promise<Surroundings[]> {
  const asked = lines.slice(0, MOST_LINES)
  const ids = asked.map(({ id }) => String(id))
  const [named, near, siblings] = await Promise.all([
    findNamed(audit, ids),
    findNear(audit, ids, 'near'),
    findSiblings(audit, ids),
  ])
  // Several lines sum to a larger item: a line without another one of its payer has none.
  const several = [...new Set(siblings.map(({ line }) => String(line)))]
  const larger = several.length === 0 ? [] : await findNear(audit, several, 'larger')
  const of = <Row extends { readonly line: bigint }>(rows: readonly Row[], id: bigint) =>
    rows.filter(row => row.line === id)
  return asked.map(line => ({
    line,
    named: of(named, line.id),
    near: of(near, line.id),
    larger: of(larger, line.id),
    siblings: of(siblings, line.id),
  }))
}

type Around<Row> = Row & { readonly line: bigint }

/** Pairs that a person has taken apart are not proposed again. */
const NOT_UNDONE = sql`not exists (
  select from matches m where m.nostro = l.nostro and m.undone_at is not null
    and l.id = any (m.lines) and i.id = any (m.items))`

async function findNamed(audit: Tag, ids: readonly string[]) {
  const by = (column: string, spelling: string) => sql`
    (select i.* from nostro_items i
    where (i.nostro = l.nostro) is true and i.match is null and i.${sql(column)} <> ''
      and i.${sql(column)} = l.${sql(spelling)} and (sign(i.amount) = sign(l.amount)) is true
      and ${NOT_UNDONE}
    limit ${MOST_NAMED}::integer)`
  return audit<Around<OpenItem>[]>`
    with keys as materialized (
      select distinct l.id, l.nostro, l.amount, k.key, fold_reference(k.key) as folded,
        lower(k.key) as lowered
      from bank_lines l
      cross join lateral unnest(array[l.end_to_end_id, l.uetr, l.instruction, l.block, l.file,
        l.bank_reference]) as k (key)
      where l.id = any (${ids}::text[]::bigint[]) and l.match is null and k.key <> '')
    select i.line, ${ITEM} from (
      select distinct l.id as line, i.* from keys l
      cross join lateral (${by('key', 'folded')} union all ${by('uetr', 'lowered')}
        union all ${by('block', 'key')}) i) i
    ${PAYEES} order by i.line, i.id`
}

/** Whose items sum up together; '' for nobody's. */
const PAYEE = sql`case when i.kind like 'payout%'
  then coalesce(nullif(p.account, ''), p.name, a.name, '') else i.account_id end`

/**
 * `near`: items of the line's amount; and of those that are next smaller, each that may sum to it
 * with another one of its payee. `larger`: those that are next larger. All have the line's sign.
 * The index by amount is read no further than their number.
 */
async function findNear(audit: Tag, ids: readonly string[], which: 'near' | 'larger') {
  const next = (sign: string, [bound, order]: readonly [string, string], most: number) => sql`
    (select i.* from nostro_items i
    where ${sql.unsafe(sign)} and ${sql.unsafe(bound)} and i.nostro = l.nostro and i.match is null
      and i.value_on between l.value_on - ${DAYS_AROUND}::integer
        and l.value_on + ${DAYS_AROUND}::integer
      and ${NOT_UNDONE}
    order by ${sql.unsafe(order)}, i.id limit ${most}::integer)`
  const found =
    which === 'near'
      ? sql`${next('true', ['i.amount = l.amount', 'abs(i.value_on - l.value_on)'], MOST_TWINS)}
        union all ${next('l.amount > 0', ['i.amount > 0 and i.amount < l.amount', DOWN], MOST_NEAR)}
        union all ${next('l.amount < 0', ['i.amount < 0 and i.amount > l.amount', UP], MOST_NEAR)}`
      : sql`${next('l.amount > 0', ['i.amount > l.amount', UP], MOST_AMOUNTS)}
        union all ${next('l.amount < 0', ['i.amount < l.amount', DOWN], MOST_AMOUNTS)}`
  const wanted =
    which === 'near'
      ? sql`i.is_twin or i.payee <> '' and i.alike between 2 and ${MOST_AMOUNTS}::integer`
      : sql`true`
  return audit<Around<OpenItem>[]>`
    select i.line, i.id, i.nostro, i.amount, i.currency, i.booked_at, i.value_on::text as value_on,
      i.kind, i.account_id, i.payout_id, i.rail, i.key, i.uetr, i.block, i.payee_name,
      i.payee_account
    from (
      select i.*, ${PAYEE_NAME} as payee_name, ${PAYEE_ACCOUNT} as payee_account, ${PAYEE} as payee,
        count(*) filter (where not i.is_twin) over (partition by i.line, ${PAYEE}) as alike
      from (
        select l.id as line, abs(i.value_on - l.value_on) as days, i.amount = l.amount as is_twin,
          i.*
        from bank_lines l
        cross join lateral (${found}) i
        where l.id = any (${ids}::text[]::bigint[]) and l.match is null) i
      ${PAYEES}) i
    where ${wanted} order by i.line, i.days, i.id`
}

const DOWN = 'i.amount desc, i.value_on desc'
const UP = 'i.amount, i.value_on'

/** The open lines of the nostros are read once, whatever the number of lines. */
async function findSiblings(audit: Tag, ids: readonly string[]) {
  const by = (column: 'counterparty' | 'counterparty_name') => sql`
    select o.id as line, l.id from asked o join bank_lines l on l.nostro = o.nostro
      and l.${sql(column)} = o.${sql(column)} and l.match is null and l.id <> o.id
      and sign(l.amount) = sign(o.amount)
      and l.value_on between o.value_on - ${DAYS_AROUND}::integer
        and o.value_on + ${DAYS_AROUND}::integer
    where o.${sql(column)} <> ''`
  return audit<Around<OpenLine>[]>`
    with asked as materialized (
      select id, nostro, amount, value_on, counterparty, counterparty_name from bank_lines
      where id = any (${ids}::text[]::bigint[]) and match is null
        and counterparty || counterparty_name <> ''),
    pairs as (${by('counterparty')} union ${by('counterparty_name')}),
    ranked as (
      select p.line, l.*, row_number() over (partition by p.line
        order by abs(l.value_on - o.value_on), l.id) as place
      from pairs p join bank_lines l on l.id = p.id join asked o on o.id = p.line)
    select l.line, ${LINE} from ranked l where l.place <= ${MOST_AMOUNTS}::integer
    order by l.line, l.id`
}
