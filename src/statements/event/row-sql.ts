// The SQL that reads the words of rows of events (row.ts). The view each_event is the same select.
// Pure.

/** The number before the first event of row `e`. */
export const beforeSql = (e: string) =>
  `${e}.sequence - length(${e}.told) + length(replace(${e}.told, ' ', '')) - 1`

/** `rows` are the rows of events to unfold. */
const eachOf = (rows: string) => `(
select account_id, number as sequence, sequence as row_sequence,
  numbered_id('evt', account_id, created_at, number) as id,
  case mark when 'B' then 'beneficiary.created' when 'Q' then 'payout_quote.created'
    when 'P' then 'payout.created' when 'L' then 'balance_transaction.created'
    when 'D' then 'payout.succeeded' when 'S' then 'payout.succeeded' else type end collate "C"
    as type,
  case mark when 'B' then 'bnf_' || id_time(created_at) || ending
    when 'Q' then 'poq_' || id_time(created_at) || ending
    when 'P' then 'pot_' || id_time(created_at) || ending
    when 'L' then numbered_id('btr', account_id, created_at, ending::bigint)
    when 'D' then 'pot_' || split_part(ending, '.', 2)
    else object_id end collate "C" as object_id,
  case
    when own is not null then own
    when mark = 'P' then format('{"status":"processing","by":"account","journals":[%s]}',
      case when words[nth + 1] like 'L%' then substr(words[nth + 1], 2) end)::json
    when mark = 'D' then format('{"status":"succeeded","previous_status":"processing",'
      '"failure":null,"by":"rail","journals":[%s]}', split_part(ending, '.', 1))::json
    else '{}' end as data,
  created_at, mark, ending, object_id as about, word = 'Q'
    or coalesce(words[nth - 1] = 'Q', false) as carried,
  -- Lines and carried quotes have none. Where each word has one, the place of the word is that of
  -- its digest. Otherwise counts from the end, 32 bytes for each later word with a digest, as the
  -- first word may lack one.
  case when mark = 'L' or word = 'Q' then null
    when octet_length(content) = 32 * cardinality(words) then substr(content, 32 * nth - 31, 32)
    else nullif(substr(content, octet_length(content) - 31 - 32 * (octet_length(rest)
      - octet_length(replace(replace(replace(replace(replace(rest, 'Q ', '  '), 'Q', ''), 'P', ''),
        'B', ''), 'D', ''))), 32), '') end
    as content,
  case when nth = cardinality(words) then kept end as kept, own
from (
  select e.*, words, word, nth::integer as nth, sequence - cardinality(words) + nth as number,
    left(word, 1) as mark,
    case word when 'Q' then substr(words[nth + 1], 2) else substr(word, 2) end as ending,
    array_to_string(words[nth + 1:], ' ') as rest,
    case json_typeof(data -> (nth::integer - 1)) when 'object' then data -> (nth::integer - 1) end
      as own
  -- Without the offset, PostgreSQL splits the words again wherever they are named.
  from ${rows} e
  cross join lateral (select string_to_array(e.told, ' ') as words offset 0) split
  cross join lateral unnest(words) with ordinality as w (word, nth)
) w)`

/**
 * One row for each event. `sequence` is its number, and `row_sequence` the number of its row.
 * `mark` is the letter of its word. `ending` is the rest of the word; for a Q alone, of the next.
 * `carried` is true for a Q alone and for the payout of the next word. `about` is the object_id of
 * the row, which has an index. `own` is the data that the row stores for it, null for the usual
 * data, which take long to compute. PostgreSQL computes only the columns that a statement reads.
 */
export const EACH_EVENT = eachOf('events')

/**
 * The same of the rows that have a word with one of these letters, and that fulfil a condition. Of
 * them it has every event.
 */
export function eventsOf(letters: string, condition = 'true'): string {
  const has = Array.from(letters, letter => `strpos(told, '${letter}') > 0`)
  return eachOf(`(select * from events where (${has.join(' or ')}) and ${condition})`)
}
