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

/**
 * A page of the account's payouts; undefined when the cursor names none of them. Refuses (400) a
 * `beneficiary_name` that more than MOST_NAMED beneficiaries have.
 */
export async function listPayouts(sql: Tag, account_id: string, asked: Wanted) {
  const read = (wanted: Wanted, condition: Fragment) =>
    listNamed(sql, account_id, wanted, condition)
  const { table, order } = LISTED
  return findPageByMaker<Payout>(sql, account_id, asked, { table, order, read })
}

async function listNamed(sql: Tag, account_id: string, asked: Wanted, by_maker: Fragment) {
  const { beneficiary_name, ...filters } = asked.filters
  if (beneficiary_name === undefined) return listPlain(sql, account_id, asked, by_maker)
  const found = await findNamed(sql, account_id, beneficiary_name, MOST_NAMED + 1)
  if (found.length > MOST_NAMED) throw tooManyNamed()
  const { beneficiary = found } = filters
  const named = beneficiary.filter(id => found.includes(id))
  // If no beneficiary has the name, an id that no beneficiary has leads to no payout.
  const ids = named.length === 0 ? [NO_BENEFICIARY] : named
  const wanted = { ...asked, filters: { ...filters, beneficiary: ids } }
  return listPlain(sql, account_id, wanted, by_maker)
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

async function listPlain(sql: Tag, account_id: string, asked: Wanted, by_maker: Fragment) {
  const [filters, by_pairs] = pairFilters(sql, asked.filters)
  const condition = part`${by_pairs} ${by_maker}`
  const wanted = { ...asked, filters }
  if (filters.scheduled !== undefined) return listScheduled(sql, account_id, wanted, condition)
  const { quote, reference_id, beneficiary } = filters
  // A page that quote or reference leads already has the payout that made the beneficiary.
  const by_beneficiary = quote === undefined && reference_id === undefined
  const paid = by_beneficiary ? (beneficiary ?? []) : []
  const [page, ...firsts] = await Promise.all([
    findPage<PayoutRow>(sql, LISTED, account_id, wanted, condition),
    ...(paid.length === 0 ? [] : [listFirsts(sql, account_id, wanted, paid, condition)]),
  ])
  const named = new Set(page?.rows.map(({ quote_id }) => quote_id))
  const carrying = (quote ?? []).filter(id => !named.has(id))
  const carriers = await Promise.all(
    carrying.map(id => findCarrier(sql, account_id, wanted, id, condition)),
  )
  const merged = [...firsts, ...carriers].reduce(
    (all, one) => all && one && mergePages(wanted, all, one),
    page,
  )
  return merged && { ...merged, rows: merged.rows.map(payoutOf) }
}

/**
 * Scheduled payouts that wait for their `execute_at`. The payout that the cursor names may have
 * been executed since.
 */
async function listScheduled(
  sql: Tag,
  account_id: string,
  { filters: { scheduled: _, ...filters }, ...asked }: Wanted,
  condition: Fragment,
): Promise<Page<Payout> | undefined> {
  const { cursor } = asked
  const place = cursor && (await LISTED.order.find(sql, 'payouts', { account_id, id: cursor.id }))
  if (place === undefined) return undefined
  const listed = { ...LISTED_NEARBY, table: 'scheduled_payouts' }
  const wanted = { ...asked, filters }
  const page = await findPageAt<PayoutRow>(sql, listed, account_id, wanted, place, condition)
  return { ...page, rows: page.rows.map(payoutOf) }
}

/** The payout that carries this quote, if the other filters fit it. */
function findCarrier(
  sql: Tag,
  account_id: string,
  { filters: { quote: _, ...filters }, ...wanted }: Wanted,
  quote_id: string,
  condition: Fragment,
): Promise<Page<PayoutRow> | undefined> {
  const carrier = withPrefix(quote_id, 'pot')
  return findPage<PayoutRow>(
    sql,
    LISTED_NEARBY,
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
async function listFirsts(
  sql: Tag,
  account_id: string,
  { filters: { beneficiary: _, ...filters }, ...wanted }: Wanted,
  beneficiary_ids: readonly string[],
  condition: Fragment,
): Promise<Page<PayoutRow> | undefined> {
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
  const nearby = { ...wanted, filters: { ...filters, carrier } }
  return findPage<PayoutRow>(sql, LISTED_NEARBY, account_id, nearby, condition)
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
