// Lists of payouts: an account's, and an operator's over all accounts.
import { BY_MAKER, findPageByMaker } from '../../accounts/maker-store.ts'
import { findNamed } from '../../parties/beneficiary/store.ts'
import type { Sql } from '../../sql/connect.ts'
import { mergePages } from '../../sql/merge.ts'
import { byId } from '../../sql/order.ts'
import {
  type Filter,
  findPage,
  findPageAt,
  type Listed,
  type Narrow,
  type Page,
  type Wanted,
} from '../../sql/page.ts'
import { type Fragment, sql as part, type Tag } from '../../sql/sql.ts'
import { cutPage, type Followed, withinBytes } from '../../sql/within-bytes.ts'
import { type Refusal, refusal } from '../../values/errors.ts'
import { idBound, instantIn, withPrefix } from '../../values/id.ts'
import { BY_METADATA, pairFilters } from '../metadata-store.ts'
import type { Payout } from '../payout.ts'
import { GIVEN_BACK_STATUSES, isGivenBack, OPEN_STATUSES, type PayoutStatus } from '../states.ts'
import { joinState, PAYOUT_COLUMNS, type PayoutRow, payoutOf, STATE_COLUMNS } from '../store.ts'

/** The table that lists payouts of one status fast, and the condition of its index. */
function keptByStatus(status: string): Narrow {
  if (GIVEN_BACK_STATUSES.some(one => one === status)) {
    return { table: 'payout_outcomes', stated: "n.status <> 'succeeded'" }
  }
  return {
    table: 'open_payouts',
    stated: status === 'processing' ? null : "n.status <> 'processing'",
  }
}

const LISTED: Listed = {
  table: 'payouts',
  columns: [...PAYOUT_COLUMNS, ...STATE_COLUMNS],
  join: joinState,
  order: byId('pot'),
  filters: [
    BY_METADATA,
    { name: 'quote', by: 'quote_id', leads: 'always' },
    // The id of the payout that carries the quote.
    { name: 'carrier', by: 'id', leads: 'never' },
    { name: 'reference_id', by: 'reference_id', leads: 'always' },
    {
      name: 'beneficiary',
      by: 'beneficiary_id',
      leads: 'always',
      // The index has only payouts whose beneficiary was made in an earlier batch, so that the
      // times in both ids differ.
      within: 'substr(beneficiary_id, 5, 11) <> substr(id, 5, 11)',
    },
    { name: 'on_behalf_of', by: 'on_behalf_of', leads: 'always' },
    ...BY_MAKER,
    { name: 'status', by: 'status', leads: 'always', common: ['succeeded'], kept: keptByStatus },
    { name: 'currency', by: 'currency', leads: 'never' },
    { name: 'holding_currency', by: 'holding_currency', leads: 'never' },
    { name: 'type', by: 'type', leads: 'never' },
  ],
  kinds: ['currency', 'holding_currency', 'type'],
  long: ['beneficiary_details', 'particulars', 'metadata', 'answers'],
}

/** For a list of few payouts, such as one batch, whose filters need no index. */
const LISTED_NEARBY: Listed = {
  ...LISTED,
  filters: LISTED.filters.map(filter => ({ ...(filter as Filter), leads: 'never' })),
  kinds: [],
}

/** The lists that a page is read from. */
interface Reading {
  readonly listed: Listed
  readonly nearby: Listed
}

const IN_FULL: Reading = { listed: LISTED, nearby: LISTED_NEARBY }

/** What payouts are sorted and summed by. */
export type PayoutSums = Pick<PayoutRow, (typeof SUMS)[number]>
const SUMS = [
  'account_id',
  'id',
  'created_at',
  'quote_id',
  'currency',
  'amount',
  'holding_currency',
  'holding_amount',
  'fixed_fee',
  'variable_fee',
] as const

/** Without long columns, so that no page is cut by its bytes. */
function bySums({ long: _, ...listed }: Listed): Listed {
  return { ...listed, columns: SUMS }
}

const BY_SUMS: Reading = { listed: bySums(LISTED), nearby: bySums(LISTED_NEARBY) }

/**
 * A page of the account's payouts; undefined when the cursor names none of them. Refuses (400) a
 * `beneficiary_name` that more than MOST_NAMED beneficiaries have.
 */
export async function listPayouts(sql: Tag, account_id: string, asked: Wanted) {
  const page = await listByMaker<PayoutRow>(sql, account_id, asked, IN_FULL)
  return page && { ...page, rows: page.rows.map(payoutOf) }
}

/** The newest payouts that the filters fit, with what they are sorted and summed by. */
export async function listSums(
  sql: Tag,
  account_id: string,
  asked: Wanted,
  most: number,
): Promise<Page<PayoutSums>> {
  const wanted = { ...asked, limit: most, cursor: null }
  const page = await listByMaker<PayoutSums>(sql, account_id, wanted, BY_SUMS)
  return page ?? { rows: [], has_more: false }
}

function listByMaker<Row extends PayoutSums>(
  sql: Tag,
  account_id: string,
  asked: Wanted,
  reading: Reading,
): Promise<Page<Row> | undefined> {
  const read = (wanted: Wanted, condition: Fragment) =>
    listNamed<Row>(sql, account_id, wanted, condition, reading)
  const { table, order } = LISTED
  return findPageByMaker<Row>(sql, account_id, asked, { table, order, read })
}

async function listNamed<Row extends PayoutSums>(
  sql: Tag,
  account_id: string,
  asked: Wanted,
  by_maker: Fragment,
  reading: Reading,
): Promise<Page<Row> | undefined> {
  const { beneficiary_name, ...filters } = asked.filters
  if (beneficiary_name === undefined) {
    return listPlain<Row>(sql, account_id, asked, by_maker, reading)
  }
  const found = await findNamed(sql, account_id, beneficiary_name, MOST_NAMED + 1)
  if (found.length > MOST_NAMED) throw tooManyNamed()
  const { beneficiary = found } = filters
  const named = beneficiary.filter(id => found.includes(id))
  // If no beneficiary has the name, an id that no beneficiary has leads to no payout.
  const ids = named.length === 0 ? [NO_BENEFICIARY] : named
  const wanted = { ...asked, filters: { ...filters, beneficiary: ids } }
  return listPlain<Row>(sql, account_id, wanted, by_maker, reading)
}

/** The most beneficiaries that a name may lead to: the payouts of each are looked up. */
const MOST_NAMED = 500

const NO_BENEFICIARY = 'bnf_'.padEnd(24, '0')

function tooManyNamed(): Refusal {
  const message =
    `More than ${MOST_NAMED} beneficiaries have such a name: send more of the name, or send the ` +
    'ids of the beneficiaries as beneficiary.'
  return refusal('invalid_query_parameter', message, 'beneficiary_name')
}

async function listPlain<Row extends PayoutSums>(
  sql: Tag,
  account_id: string,
  asked: Wanted,
  by_maker: Fragment,
  reading: Reading,
): Promise<Page<Row> | undefined> {
  const [filters, by_pairs] = pairFilters(sql, asked.filters)
  const condition = part`${by_pairs} ${by_maker}`
  const wanted = { ...asked, filters }
  if (filters.scheduled !== undefined) {
    return listScheduled<Row>(sql, account_id, wanted, condition, reading)
  }
  const { quote, reference_id, beneficiary } = filters
  // A page that quote or reference leads already has the payout that made the beneficiary.
  const by_beneficiary = quote === undefined && reference_id === undefined
  const paid = by_beneficiary ? (beneficiary ?? []) : []
  const [page, ...firsts] = await Promise.all([
    findPage<Row>(sql, reading.listed, account_id, wanted, condition),
    ...(paid.length === 0
      ? []
      : [listFirsts<Row>(sql, account_id, wanted, paid, condition, reading)]),
  ])
  const named = new Set(page?.rows.map(({ quote_id }) => quote_id))
  const carrying = (quote ?? []).filter(id => !named.has(id))
  const carriers = await Promise.all(
    carrying.map(id => findCarrier<Row>(sql, account_id, wanted, id, condition, reading)),
  )
  return [...firsts, ...carriers].reduce(
    (all, one) => all && one && mergePages(wanted, all, one),
    page,
  )
}

/**
 * Scheduled payouts that wait for their `execute_at`. The payout that the cursor names may have
 * been executed since.
 */
async function listScheduled<Row extends PayoutSums>(
  sql: Tag,
  account_id: string,
  { filters: { scheduled: _, ...filters }, ...asked }: Wanted,
  condition: Fragment,
  { nearby }: Reading,
): Promise<Page<Row> | undefined> {
  const { cursor } = asked
  const place = cursor && (await LISTED.order.find(sql, 'payouts', { account_id, id: cursor.id }))
  if (place === undefined) return undefined
  const listed = { ...nearby, table: 'scheduled_payouts' }
  const wanted = { ...asked, filters }
  return findPageAt<Row>(sql, listed, account_id, wanted, place, condition)
}

/** The payout that carries this quote, if the other filters fit it. */
function findCarrier<Row extends PayoutSums>(
  sql: Tag,
  account_id: string,
  { filters: { quote: _, ...filters }, ...wanted }: Wanted,
  quote_id: string,
  condition: Fragment,
  { nearby }: Reading,
): Promise<Page<Row> | undefined> {
  const carrier = withPrefix(quote_id, 'pot')
  return findPage<Row>(
    sql,
    nearby,
    account_id,
    { ...wanted, filters: { ...filters, carrier: [carrier] } },
    sql`and quote_id = '' ${condition}`,
  )
}

/**
 * The payouts that made the beneficiaries. The index by beneficiary leaves them out, because most
 * beneficiaries are paid once, by that payout. The payout's id is the first one after the
 * beneficiary's id, with the same time. A batch makes thousands of ids with one time, so each
 * payout is looked up by itself.
 */
async function listFirsts<Row extends PayoutSums>(
  sql: Tag,
  account_id: string,
  { filters: { beneficiary: _, ...filters }, ...wanted }: Wanted,
  beneficiary_ids: readonly string[],
  condition: Fragment,
  { nearby }: Reading,
): Promise<Page<Row> | undefined> {
  const payouts = await sql<{ id: string }[]>`
    select r.id
    from unnest(${[...beneficiary_ids]}::text[],
      ${beneficiary_ids.map(id => withPrefix(id, 'pot'))}::text[],
      ${beneficiary_ids.map(id => idBound('pot', instantIn(id), 'after'))}::text[]
    ) as k (beneficiary_id, first, last)
    cross join lateral (
      select p.id, p.beneficiary_id from payouts p
      where p.account_id = ${account_id} and p.id >= k.first and p.id <= k.last
      order by p.account_id, p.id limit 1
    ) r
    where r.beneficiary_id = k.beneficiary_id`
  const carrier = payouts.map(({ id }) => id)
  const few = { ...wanted, filters: { ...filters, carrier } }
  return findPage<Row>(sql, nearby, account_id, few, condition)
}

export interface OperatorFilter {
  readonly account_id?: string
  readonly status?: PayoutStatus
  readonly rail?: string
  /** The payout after which the page begins. */
  readonly starting_after?: string
}

/**
 * A page of payouts of all accounts, read by index in each account. With an open status the
 * oldest come first, so that a limit hides no waiting payout for ever. Otherwise the newest come
 * first.
 */
export async function listForOperators(
  audit: Sql,
  { account_id, status, rail, starting_after }: OperatorFilter,
  limit: number,
): Promise<Page<Payout>> {
  const waits = status !== undefined && OPEN_STATUSES.includes(status)
  const is_given_back = status !== undefined && isGivenBack({ status })
  // Ids are in the order of time, across all accounts.
  const beyond = waits
    ? audit`n.id > ${starting_after ?? ''}`
    : audit`n.id < ${starting_after ?? ''}`
  const after = starting_after === undefined ? audit`true` : beyond
  const table = status === undefined ? 'payouts' : waits ? 'open_payouts' : 'payout_outcomes'
  const stated = status === undefined ? audit`true` : audit`n.status = ${status}`
  // The condition of the partial index of payouts given back.
  const indexed = is_given_back ? audit`n.status <> 'succeeded'` : audit`true`
  const found = audit`
    select r.* from books b
    cross join lateral (
      select p.* from ${audit(table)} n
      cross join lateral (
        select ${audit([...PAYOUT_COLUMNS, ...STATE_COLUMNS])} from payouts p ${joinState(audit)}
        where p.account_id = b.account_id and p.id = n.id
          and ${rail === undefined ? audit`true` : audit`s.rail = ${rail}`} limit 1
      ) p
      where n.account_id = b.account_id and ${stated} and ${indexed} and ${after}
      order by ${waits ? audit`n.id` : audit`n.id desc`} limit ${limit + 1}
    ) r
    where ${account_id === undefined ? audit`true` : audit`b.account_id = ${account_id}`}
    order by ${waits ? audit`created_at, id` : audit`created_at desc, id desc`} limit ${limit + 1}`
  const page = cutPage(await audit<(PayoutRow & Followed)[]>`${withinBytes(LISTED, found)}`, limit)
  return { ...page, rows: page.rows.map(payoutOf) }
}
