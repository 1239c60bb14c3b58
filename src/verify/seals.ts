// Compares the newest event of every object, and the event of every line, with its row.
import { CONVERSION_SEAL } from '../conversions/columns.ts'
import { BENEFICIARY_SEAL } from '../parties/beneficiary/columns.ts'
import { ENTITY_SEAL } from '../parties/entity/columns.ts'
import { PAYOUT_SEAL } from '../payouts/columns.ts'
import { QUOTE_SEAL } from '../quotes/columns.ts'
import { KEPT_DAYS } from '../quotes/expired-store.ts'
import { idTimeSql, microsSql } from '../sql/id-sql.ts'
import { TIME_END } from '../statements/event/row.ts'
import { eventsOf } from '../statements/event/row-sql.ts'
import { MAX_NAMED } from './problem.ts'
import {
  isArchived,
  nameRows,
  ofAccount,
  rowsOf,
  rule,
  STATED_PAYOUTS,
  type Statement,
  type Verification,
} from './rows.ts'

/** The quotes of payouts, or those of conversions. */
function quotesOf(prefix: string): string {
  return `(select * from quotes where left(id, 3) = '${prefix}')`
}

/**
 * Tables whose rows have a digest in events. `mark` begins the word of a creation in `events.told`.
 * A payout's digest covers its state.
 */
const SEALED = [
  { prefix: 'pot', table: 'payouts', mark: 'P', seal: PAYOUT_SEAL, rows: STATED_PAYOUTS },
  { prefix: 'poq', table: 'quotes', mark: 'Q', seal: QUOTE_SEAL, rows: quotesOf('poq') },
  { prefix: 'coq', table: 'quotes', mark: '-', seal: QUOTE_SEAL, rows: quotesOf('coq') },
  { prefix: 'cnv', table: 'conversions', mark: '-', seal: CONVERSION_SEAL },
  { prefix: 'bnf', table: 'beneficiaries', mark: 'B', seal: BENEFICIARY_SEAL },
  { prefix: 'ent', table: 'entities', mark: '-', seal: ENTITY_SEAL },
] as const

const PREFIXES = SEALED.map(({ prefix }) => `'${prefix}'`).join(', ')

/** An unused quote from before this time may be deleted. */
const UNTIL = `statement_timestamp() - interval '${KEPT_DAYS} days'`

/** Follows the mark of a payout with a carried quote, whose event is the previous word. */
const CARRYING = 'Q'

/**
 * Every row must have an event, and the digest of its newest event. The id's time and end identify
 * the event of its creation; the whole id identifies later events. An old quote may be deleted;
 * `matchPayouts` misses a quote that a payout names.
 */
export async function checkSeals(run: Verification): Promise<void> {
  const { findings } = run
  const wrong = await rowsOf<WrongRow>(run)`with changed as (
      select distinct on (account_id, id) account_id, id, true as changed, content from (
        select account_id, object_id as id, sequence as number, content from ${eventsOf('-SD')} e
        where (mark = 'D'
            or mark in ('-', 'S') and split_part(object_id, '_', 1) in (${PREFIXES}))
          and ${ofAccount('account_id')}
        union all
        select account_id, object_id, number, content from archived_seals
        where split_part(object_id, '_', 1) in (${PREFIXES}) and ${ofAccount('account_id')}
      ) changes
      order by account_id, id, number desc
    ), made as (
      select account_id, created_at, ending, true as made, content,
        mark || case when carried then '${CARRYING}' else '' end as mark
      from ${eventsOf('BPQ')} e
      where (mark in ('B', 'P') or mark = 'Q' and not carried) and ${ofAccount('account_id')}
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
      where (s.id is null and (m.mark = 'Q' and m.created_at < ${UNTIL}
        or c.id like 'coq_%' and c.id < 'coq_' || id_time(${UNTIL}))) is not true
    ) held
    where not is_there or row is distinct from event or is_told is null
    order by 1, 2, 3 limit ${MAX_NAMED}`
  for (const { table_name: table, account_id, id: key, row, event, no_row } of wrong) {
    const expected = no_row ? expectedRow(key, event) : expectedDigest(event)
    findings.add({ table, account_id, key, expected, found: row === null ? 'none' : row })
  }
  await nameRows(run, LINES)
}

/** A line's journal number identifies its event, and the journal's hash covers the line. */
const LINES = rule('journals')`
  select coalesce(j.account_id, e.account_id) as account_id,
    'number ' || coalesce(j.number, e.number) as key,
    case when j.number is null then 'number ' || e.number || ', which an event names'
      else 'an event of this row' end as expected, 'none' as found
  from (
    select account_id, created_at, number::text as number from journals
    where currency is not null and ${ofAccount('account_id')}
  ) j
  full join (
    select account_id, created_at, ending as number from ${eventsOf('L')} e
    where mark = 'L' and ${ofAccount('account_id')}
  ) e on e.account_id = j.account_id and e.number = j.number and e.created_at = j.created_at
  where j.number is null
    or (e.number is null and not ${isArchived('j.created_at', 'j.account_id')})`

export const storedRows: Statement = account_id => {
  const ofRows = `where ${ofAccount('account_id')(account_id)}`
  const rows = SEALED.map(({ table, mark, seal, ...read }) => {
    // A carried quote has no digest of its own: the payout's digest covers it.
    const marked =
      mark === 'P' ? `case quote_id when '' then 'P${CARRYING}' else 'P' end` : `'${mark}'`
    return `
      select '${table}' as table_name, account_id, id, ${marked} as mark, created_at,
        substr(id, ${TIME_END + 1}) as ending, ${seal.sql('t')} as content
      from ${'rows' in read ? read.rows : table} t ${ofRows}`
  })
  return rows.join(' union all ')
}

/** The SQL of a created object's id. PostgreSQL evaluates it only for wrong rows. */
function idOfMade(m: string): string {
  const prefixes = SEALED.map(({ mark, prefix }) => `when '${mark}' then '${prefix}_'`)
  return `case left(${m}.mark, 1) ${prefixes.join(' ')} end
        || ${idTimeSql(microsSql(`${m}.created_at`))} || ${m}.ending`
}

function tableOfMark(mark: string): string {
  const tables = SEALED.map(s => `when '${s.mark}' then '${s.table}'`)
  return `case left(${mark}, 1) ${tables.join(' ')} end`
}

function tableOfId(id: string): string {
  const tables = SEALED.map(({ prefix, table }) => `when '${prefix}' then '${table}'`)
  return `case split_part(${id}, '_', 1) ${tables.join(' ')} end`
}

interface WrongRow {
  table_name: string
  account_id: string
  id: string
  row: string | null
  event: string | null
  no_row: boolean
}

function expectedRow(key: string, event: string | null): string {
  return event === null ? `${key}, which an event names` : `a row with digest ${event}`
}

function expectedDigest(event: string | null): string {
  return event === null ? 'an event of this row' : `digest ${event} of its newest event`
}
