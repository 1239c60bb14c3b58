// Compares stored rows with what events tell about them: the newest event of every object has the
// digest of its row, and every line has its event.
import { BENEFICIARY_SEAL } from '../beneficiary/columns.ts'
import { idTimeSql, microsSql } from '../db/id-sql.ts'
import { ENTITY_SEAL } from '../entity/columns.ts'
import { TIME_END } from '../event/row.ts'
import { PAYOUT_SEAL } from '../payout/columns.ts'
import { QUOTE_SEAL } from '../quote/columns.ts'
import { MAX_NAMED } from './problem.ts'
import {
  isArchived,
  ofAccount,
  rowsOf,
  STATED_PAYOUTS,
  type Statement,
  type Verifying,
} from './rows.ts'

/**
 * Tables whose rows have their digest in events, and the mark by which an event tells of their
 * creation. A payout's digest covers its state.
 */
const SEALED = [
  { prefix: 'pot', table: 'payouts', mark: 'P', seal: PAYOUT_SEAL, rows: STATED_PAYOUTS },
  { prefix: 'poq', table: 'quotes', mark: 'Q', seal: QUOTE_SEAL },
  { prefix: 'bnf', table: 'beneficiaries', mark: 'B', seal: BENEFICIARY_SEAL },
  { prefix: 'ent', table: 'entities', mark: '-', seal: ENTITY_SEAL },
] as const

const PREFIXES = SEALED.map(({ prefix }) => `'${prefix}'`).join(', ')

/** Follows the mark of a payout whose quote the previous event tells. */
const CARRYING = 'Q'

/**
 * Every row must be as its newest event left it, and some event must tell of every row. The event
 * of a creation is found by the time in the id and the id's end; later events by the id. A line is
 * found by the number of its journal, whose hash vouches for it. For archived events their seals
 * count. Whether an archived event told of a line follows from the line's time.
 */
export async function checkSeals(of: Verifying): Promise<void> {
  const { tx, findings } = of
  // Sorting by times and texts takes several times as long as hashing.
  await tx.unsafe('set local enable_mergejoin = off; set local enable_memoize = off')
  const wrong = await rowsOf<Named>(of)`with told as not materialized (
      select account_id, sequence, created_at, object_id, content,
        string_to_array(told, ' ') as words
      from events where ${ofAccount('account_id')}
    ), changed as (
      select distinct on (account_id, id) account_id, id, true as changed, content from (
        select account_id, object_id as id, ${numberOf('1')} as number,
          ${digestOf('1')} as content
        from told
        where split_part(object_id, '_', 1) in (${PREFIXES})
        union all
        select account_id, 'pot_' || split_part(word, '.', 2), ${numberOf('nth')},
          ${digestOf('nth')}
        from told cross join lateral unnest(words) with ordinality as w (word, nth)
        where word like 'D%'
        union all
        select account_id, object_id, number, content from archived_seals
        where split_part(object_id, '_', 1) in (${PREFIXES}) and ${ofAccount('account_id')}
      ) changes
      order by account_id, id, number desc
    ), made as (
      select account_id, created_at, substr(word, 2) as ending, true as made,
        left(word, 1) || case words[nth - 1] when 'Q' then '${CARRYING}' else '' end as mark,
        case when word not like 'L%' then ${digestOf('nth')} end as content
      from told cross join lateral unnest(words) with ordinality as w (word, nth)
      where left(word, 1) not in ('-', 'S', 'D') and word <> 'Q'
    ), stored as (${storedRows})
    select account_id, table_name, id, encode(row, 'hex') as row, encode(event, 'hex') as event,
      not is_there as no_row
    from (
      select coalesce(s.account_id, m.account_id, c.account_id) as account_id, s.created_at,
        coalesce(s.table_name, ${tableOfMark('m.mark')}, ${tableOfId('c.id')}) as table_name,
        coalesce(s.id, c.id, ${idOfMade('m')}) as id, s.id is not null as is_there,
        made or changed as is_told, s.content as row,
        case when changed then c.content else m.content end as event
      from stored s
      full join made m on m.account_id = s.account_id and m.created_at = s.created_at
        and m.mark = s.mark and m.ending = s.ending
      full join changed c on c.account_id = s.account_id and c.id = s.id
    ) held
    where not is_there or row is distinct from event or (is_told is null
      and not (table_name = 'journals' and ${isArchived('created_at', 'held.account_id')}))
    order by 1, 2, 3 limit ${MAX_NAMED}`
  await tx.unsafe('set local enable_mergejoin = on; set local enable_memoize = on')
  for (const { table_name: table, account_id, id: key, row, event, no_row } of wrong) {
    const expected = no_row ? missing(key, event) : said(event)
    findings.add({ table, account_id, key, expected, found: row === null ? 'none' : row })
  }
}

/**
 * The digest of the nth word. Its place is found from the end of `content`: each later word has
 * one, except lines and carried quotes. Of the earlier words, only the first may have none.
 */
function digestOf(nth: string): string {
  const rest = `array_to_string(words[${nth} + 1:], ' ')`
  const after = `length(replace(${rest}, 'Q ', ' ')) - length(translate(${rest}, 'BQPD', ''))`
  return `nullif(substr(content, octet_length(content) - 32 * (${after}) - 31, 32), '')`
}

/** The number of the event that this word of a row tells. */
function numberOf(nth: string): string {
  return `sequence - cardinality(words) + ${nth}`
}

/** The digests of the present rows, and how the events of their creation name them. */
export const storedRows: Statement = account_id => {
  const ofRows = `where ${ofAccount('account_id')(account_id)}`
  const rows = SEALED.map(({ table, mark, seal, ...read }) => {
    // A quote that a payout carries has no digest besides the payout's.
    const marked =
      mark === 'P' ? `case quote_id when '' then 'P${CARRYING}' else 'P' end` : `'${mark}'`
    return `
      select '${table}' as table_name, account_id, id, ${marked} as mark, created_at,
        substr(id, ${TIME_END + 1}) as ending, ${seal.sql('t')} as content
      from ${'rows' in read ? read.rows : table} t ${ofRows}`
  })
  // Every check names journals by their numbers.
  rows.push(`
      select 'journals', account_id, 'number ' || number, 'L', created_at, number::text, null::bytea
      from journals ${ofRows} and currency is not null`)
  return rows.join(' union all ')
}

/** The id of a created object. It is computed for wrong rows alone. */
function idOfMade(m: string): string {
  const prefixes = SEALED.map(({ mark, prefix }) => `when '${mark}' then '${prefix}_'`)
  return `case left(${m}.mark, 1) when 'L' then 'number ' || ${m}.ending
      else case left(${m}.mark, 1) ${prefixes.join(' ')} end
        || ${idTimeSql(microsSql(`${m}.created_at`))} || ${m}.ending end`
}

function tableOfMark(mark: string): string {
  const tables = SEALED.map(s => `when '${s.mark}' then '${s.table}'`)
  return `case left(${mark}, 1) ${tables.join(' ')} when 'L' then 'journals' end`
}

function tableOfId(id: string): string {
  const tables = SEALED.map(({ prefix, table }) => `when '${prefix}' then '${table}'`)
  return `case split_part(${id}, '_', 1) ${tables.join(' ')} end`
}

interface Named {
  table_name: string
  account_id: string
  id: string
  row: string | null
  event: string | null
  no_row: boolean
}

function missing(key: string, event: string | null): string {
  return event === null ? `${key}, of which an event tells` : `a row of digest ${event}`
}

function said(event: string | null): string {
  return event === null
    ? 'an event that tells of it'
    : `digest ${event}, as its newest event has it`
}
