// The SQL that reads the words of rows of events (row.ts). The view each_event is the same select.
// Pure.

/** The number before the first event of row `e`. */
export const beforeSql = (e: string) =>
  `${e}.sequence - length(${e}.told) + length(replace(${e}.told, ' ', '')) - 1`

/**
 * One row for each event. `sequence` is its number, and `row_sequence` the number of its row.
 * `mark` is the letter of its word. `ending` is the rest of the word; for a Q alone, of the next.
 * `carried` is true for a Q alone and for the payout of the next word. `about` is the object_id of
 * the row, which has an index. PostgreSQL computes only the columns that a statement reads.
 */
export const EACH_EVENT = `(
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
    when json_typeof(data -> (nth - 1)) = 'object' then data -> (nth - 1)
    when mark = 'P' then format('{"status":"processing","by":"account","journals":[%s]}',
      case when words[nth + 1] like 'L%' then substr(words[nth + 1], 2) end)::json
    when mark = 'D' then format('{"status":"succeeded","previous_status":"processing",'
      '"failure":null,"by":"rail","journals":[%s]}', split_part(ending, '.', 1))::json
    else '{}' end as data,
  created_at, mark, ending, object_id as about, word = 'Q'
    or coalesce(words[nth - 1] = 'Q', false) as carried,
  -- Counts from the end, 32 bytes for each later word with a digest. Lines and carried quotes have
  -- none. The first word may lack one: the length of content shows it.
  case when mark <> 'L' and word <> 'Q' then nullif(substr(content, octet_length(content) - 31
    - 32 * (length(replace(rest, 'Q ', ' ')) - length(translate(rest, 'BQPD', ''))), 32), '') end
    as content,
  case when nth = cardinality(words) then kept end as kept
from (
  select e.*, word, nth::integer as nth, sequence - cardinality(words) + nth as number,
    left(word, 1) as mark,
    case word when 'Q' then substr(words[nth + 1], 2) else substr(word, 2) end as ending,
    array_to_string(words[nth + 1:], ' ') as rest
  from (select *, string_to_array(told, ' ') as words from events) e
  cross join lateral unnest(words) with ordinality as w (word, nth)
) w)`
