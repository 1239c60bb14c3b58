// Derives the house's books again from the journals of accounts, and compares: sums of days, items,
// totals of nostros, matches, statements, and the chain of the house's journals.
import { LINE_SOURCE } from '../treasury/funding-key.ts'
import { DAYS, ITEMS } from '../treasury/item-store.ts'
import { ofAccount, type Rule, rowsOf, rule, statement, type Verification } from './rows.ts'

/** All journals of live accounts that are derived. */
const STRETCHES = statement`stretches (account_id, after, upto) as (
    select account_id, 0::bigint, number from account_cursors where ${ofAccount('account_id')})`

/** No cursor is ahead of its book, and only live accounts have one. */
const CURSORS = rule('account_cursors')`
  select c.account_id, '' as key,
    'a live book with at least ' || c.number || ' journals' as expected,
    case when b.sandbox then 'a sandbox' else coalesce(b.journal_count::text, 'none') end as found
  from account_cursors c left join books b using (account_id)
  where ${ofAccount('c.account_id')}
    and (b.account_id is null or b.sandbox or c.number > b.journal_count)`

const SUMS_OF_DAYS = rule('account_days')`
  with ${STRETCHES},
  derived as (${DAYS}),
  kept as (select * from account_days where ${ofAccount('account_id')})
  select coalesce(d.account_id, k.account_id) as account_id,
    concat_ws(' ', coalesce(d.day, k.day), coalesce(d.currency, k.currency),
      coalesce(d.code, k.code)) as key,
    coalesce(d.amount || ' of ' || d.postings || ' postings, up to journal ' || d.number, 'none')
      as expected,
    coalesce(k.amount || ' of ' || k.postings || ' postings, up to journal ' || k.number, 'none')
      as found
  from derived d full join kept k on k.account_id = d.account_id and k.day = d.day
    and k.currency = d.currency and k.code = d.code
  where (d.amount, d.postings, d.number) is distinct from (k.amount, k.postings, k.number)`

/** The nostro of an item is what people decide: any one of the currency, once it is open. */
const ITEMS_OF_JOURNALS = rule('nostro_items')`
  with ${STRETCHES},
  nostro_maps as (select '{}'::jsonb as by_rail, '{}'::jsonb as by_name),
  derived as (${ITEMS}),
  kept as (select * from nostro_items where number is not null and ${ofAccount('account_id')})
  select coalesce(d.account_id, k.account_id) as account_id,
    'item of journal ' || coalesce(d.number, k.number) as key,
    coalesce(concat_ws(' ', d.kind, d.currency, d.amount, d.value_on, d.payout_id, d.attempt,
      d.rail, d.key, d.uetr, d.instruction, d.block, d.file), 'none') as expected,
    coalesce(concat_ws(' ', k.kind, k.currency, k.amount, k.value_on, k.payout_id, k.attempt,
      k.rail, k.key, k.uetr, k.instruction, k.block, k.file), 'none') as found
  from derived d full join kept k on k.account_id = d.account_id and k.number = d.number
  where (d.amount, d.booked_at, d.value_on, d.currency, d.kind, d.payout_id, d.attempt, d.rail,
      d.key, d.uetr, d.instruction, d.block, d.file)
    is distinct from (k.amount, k.booked_at, k.value_on, k.currency, k.kind, k.payout_id, k.attempt,
      k.rail, k.key, k.uetr, k.instruction, k.block, k.file)`

const NOSTROS_OF_ITEMS = rule('nostro_items')`
  select i.account_id, 'item ' || i.id as key,
    'a nostro in ' || i.currency || ', open on ' || i.value_on as expected,
    coalesce(n.name || ' in ' || n.currency || ', open since ' || n.opening_on, 'none') as found
  from nostro_items i left join nostros n on n.name = i.nostro
  where i.nostro <> '' and ${ofAccount('i.account_id')} and (n.name is null
    or n.currency <> i.currency or (n.opening_on > i.value_on and i.kind <> 'house'))`

const HOUSE_ITEMS = rule('nostro_items')`
  with derived as (
    select h.number, p.nostro, p.currency, -sum(p.amount) as amount, h.value_on
    from house_journals h cross join unnest(string_to_array(h.codes, ' '),
      string_to_array(h.currencies, ' '), string_to_array(h.nostros, ' '), h.amounts)
      as p (code, currency, nostro, amount)
    where p.code = 'bank' and $1::text is null
    group by h.number, p.nostro, p.currency, h.value_on having sum(p.amount) <> 0),
  kept as (select * from nostro_items where house_number is not null and $1::text is null)
  select '' as account_id,
    'item of journal ' || coalesce(d.number, k.house_number) || ' of the house' as key,
    coalesce(concat_ws(' ', d.nostro, d.currency, d.amount, d.value_on), 'none') as expected,
    coalesce(concat_ws(' ', k.nostro, k.currency, k.amount, k.value_on), 'none') as found
  from derived d full join kept k on k.house_number = d.number and k.nostro = d.nostro
  where (d.currency, d.amount, d.value_on) is distinct from (k.currency, k.amount, k.value_on)`

const HOUSE_CHAIN = rule('house_journals')`
  select '' as account_id, 'journal ' || number as key,
    'number ' || place || ', hash ' || encode(wanted, 'hex') as expected,
    'number ' || number || ', hash ' || encode(hash, 'hex') as found
  from (
    select h.number, h.hash, row_number() over w as place,
      sha256(coalesce(lag(h.hash) over w, decode(repeat('00', 32), 'hex')) || house_content(h))
        as wanted
    from house_journals h where $1::text is null window w as (order by h.number)) chain
  where number <> place or hash <> wanted`

const TOTALS = rule('nostro_totals')`
  with summed as (
    select nostro, 'book' as side, currency, count(*) as count, sum(amount) as amount
    from nostro_items where $1::text is null group by nostro, currency
    union all
    select nostro, 'bank', currency, count(*), sum(amount)
    from bank_lines where $1::text is null group by nostro, currency
    union all
    select nostro, 'matched_items', currency, count(*), sum(amount)
    from nostro_items where match is not null and $1::text is null group by nostro, currency
    union all
    select nostro, 'matched_lines', currency, count(*), sum(amount)
    from bank_lines where match is not null and $1::text is null group by nostro, currency),
  kept as (select * from nostro_totals where $1::text is null and count <> 0)
  select '' as account_id, concat_ws(' ', coalesce(s.nostro, k.nostro), coalesce(s.side, k.side),
      coalesce(s.currency, k.currency)) as key,
    coalesce(s.amount || ' of ' || s.count, 'none') as expected,
    coalesce(k.amount || ' of ' || k.count, 'none') as found
  from summed s full join kept k on k.nostro = s.nostro and k.side = s.side
    and k.currency = s.currency
  where (s.count, s.amount) is distinct from (k.count, k.amount)`

const OPEN_DAYS = rule('open_days')`
  with summed as (
    select nostro, currency, value_on as day, amount < 0 as is_out, count(*) as count,
      sum(amount) as amount
    from nostro_items where match is null and $1::text is null group by 1, 2, 3, 4),
  kept as (
    select nostro, currency, day, is_out, sum(count) as count, sum(amount) as amount
    from open_days where $1::text is null group by 1, 2, 3, 4
    having sum(count) <> 0 or sum(amount) <> 0)
  select '' as account_id, concat_ws(' ', coalesce(s.nostro, k.nostro),
      coalesce(s.currency, k.currency), coalesce(s.day, k.day),
      case when coalesce(s.is_out, k.is_out) then 'out' else 'in' end) as key,
    coalesce(s.amount || ' of ' || s.count, 'none') as expected,
    coalesce(k.amount || ' of ' || k.count, 'none') as found
  from summed s full join kept k on (k.nostro, k.currency, k.day, k.is_out)
    = (s.nostro, s.currency, s.day, s.is_out)
  where (s.count, s.amount) is distinct from (k.count, k.amount)`

/** What a gate has counted since it began is what is handed over, or settled and not derived. */
const HANDED_OVER = rule('handed_over')`
  select '' as account_id, n.name as key, n.added_up::text as expected, n.kept::text as found
  from (
    select n.name,
      case when n.name in (select nostro from gated_rails) then add_up_handed_over(n.name)
        else 0 end as added_up,
      coalesce((select sum(h.amount) from handed_over h where h.nostro = n.name), 0) as kept
    from nostros n where $1::text is null) n
  where added_up <> kept`

/** A live match has the members that it names, of its nostro, with equal sums; undone ones none. */
const MATCHES = rule('matches')`
  with members as (
    select match, 'line' as side, id, amount, nostro from bank_lines where match is not null
    union all
    select match, 'item', id, amount, nostro from nostro_items where match is not null),
  had as (
    select match, sum(amount) filter (where side = 'line') as lines_sum,
      sum(amount) filter (where side = 'item') as items_sum,
      coalesce(array_agg(id order by id) filter (where side = 'line'), '{}') as lines,
      coalesce(array_agg(id order by id) filter (where side = 'item'), '{}') as items,
      min(nostro) as nostro, count(distinct nostro) as nostros
    from members where $1::text is null group by match),
  named as (
    select id, undone_at, nostro, lines_sum, items_sum,
      array(select unnest(lines) order by 1) as lines,
      array(select unnest(items) order by 1) as items
    from matches where $1::text is null)
  select '' as account_id, 'match ' || coalesce(n.id, h.match) as key,
    case when n.id is null then 'none' when n.undone_at is not null then 'undone, without members'
      else concat_ws(' ', n.nostro, n.lines_sum, n.items_sum, n.lines, n.items) end as expected,
    coalesce(concat_ws(' ', h.nostro, h.lines_sum, h.items_sum, h.lines, h.items), 'none') as found
  from named n full join had h on h.match = n.id
  where case when n.id is null or n.undone_at is not null then h.match is not null
    else h.match is null or h.nostros > 1 or n.lines_sum <> n.items_sum
      or (n.nostro, n.lines_sum, n.items_sum, n.lines, n.items) is distinct from
        (h.nostro, coalesce(h.lines_sum, 0), coalesce(h.items_sum, 0), h.lines, h.items) end`

/**
 * A statement has as many lines as it says, and they sum to its amount. The lines of one that
 * overlaps another are rows of both, so their sum proves neither.
 */
const STATEMENTS = rule('bank_statements')`
  select '' as account_id, 'statement ' || s.id as key,
    concat_ws(' of ', case when s.held = 0 then s.amount end, (s.lines - s.held) || ' lines')
      as expected,
    concat_ws(' of ', case when s.held = 0 then s.summed end, s.counted || ' lines') as found
  from (
    select s.id, s.amount, s.lines, s.held, count(l.id) as counted,
      coalesce(sum(l.amount) filter (where l.currency = n.currency), 0) as summed
    from bank_statements s join nostros n on n.name = s.nostro
    left join bank_lines l on l.statement = s.id
    where $1::text is null group by s.id, s.amount, s.lines, s.held) s
  where counted <> lines - held or (held = 0 and summed <> amount)`

/** A line that is credited to an account, and that another match has, is counted twice. */
const CREDITED = rule('matches')`
  select i.account_id, 'match ' || l.match as key, 'line_' || l.id || ' on no account' as expected,
    'journal ' || i.number || ' has it' as found
  from bank_lines l
  join nostro_items i on i.kind = 'funding' and i.match is null and i.instruction = 'line_' || l.id
  where l.match is not null and ${ofAccount('i.account_id')}
    and not exists (select from nostro_items r where r.account_id = i.account_id
      and r.number > i.number and r.kind = 'funding_reversal' and r.key = i.key
      and r.amount = -i.amount)`

/** The fundings of a line that stand, derived or not, are no more than it. */
const FUNDED = rule('journals')`
  select '' as account_id, 'fundings of line_' || l.id as key,
    'at most ' || l.amount as expected, f.amount::text as found
  from (
    select substring(j.source from '${LINE_SOURCE}')::bigint as line, sum(j.amount) as amount
    from journals j join books b on b.account_id = j.account_id and not b.sandbox
    where $1::text is null and j.kind in ('funding', 'funding_reversal')
      and j.source like 'esc\\_line%'
    group by 1) f
  join bank_lines l on l.id = f.line
  where f.amount > l.amount`

export const TREASURY: readonly Rule[] = [
  CURSORS,
  SUMS_OF_DAYS,
  ITEMS_OF_JOURNALS,
  NOSTROS_OF_ITEMS,
  HOUSE_ITEMS,
  HOUSE_CHAIN,
  TOTALS,
  OPEN_DAYS,
  HANDED_OVER,
  MATCHES,
  STATEMENTS,
  CREDITED,
  FUNDED,
]

/** The lines of banks; 0 for the books of one account. */
export async function countLines(run: Verification): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(run)`
    select count(*)::integer as count from bank_lines where $1::text is null`
  return row?.count ?? 0
}
