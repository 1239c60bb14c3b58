// Compares every journal of a conversion with the conversion and its quote, and every conversion
// with its journals. The walk of the books comes before. Another check prices the quote again.
import { conversionPostings } from '../conversions/postings.ts'
import type { JournalKind } from '../ledger/rules.ts'
import { POSTING_COLUMNS, type PostingColumns } from '../ledger/store.ts'
import type { PostedFigures } from '../payouts/postings.ts'
import { numberedId } from '../values/id.ts'
import type { Instant } from '../values/instant.ts'
import {
  countOf,
  journalProblem,
  nameRows,
  ofAccount,
  otherPostings,
  postingsText,
  rule,
  statement,
  type Verification,
} from './rows.ts'
import { checkEach } from './stream.ts'

/** The kinds of the journals of a conversion. */
export const CONVERSION_KINDS: readonly JournalKind[] = ['conversion_out', 'conversion_in']
const KINDS = CONVERSION_KINDS.map(kind => `'${kind}'`).join(', ')
/** With the predicate of the index by kind, to the letter: conversions are few among payouts. */
const ofConversions = (j: string) =>
  `${j}.kind in (${KINDS}) and ${j}.kind not in ('payout', 'settlement')`

/** A journal, with its conversion and the figures of the quote; null where there is none. */
interface ConversionJournal extends PostingColumns, PostedFigures {
  account_id: string
  id: string
  number: bigint
  kind: JournalKind
  created_at: Instant
  currency: string
  amount: bigint
  fixed_fee: bigint
  variable_fee: bigint
  counterpart: string | null
  /** The number of the conversion's first journal; null without a conversion. */
  first: bigint | null
  made_at: Instant | null
  /** The conversion that the journal beside it is about. */
  beside: string | null
  quote_type: string | null
  quote_status: string | null
  differs: boolean
}

const JOURNALS = `
  select j.account_id, 'cnv' || substr(j.source, 4) as id, j.number, j.kind, j.created_at,
    j.currency, j.amount, j.fixed_fee, j.variable_fee, ${POSTING_COLUMNS},
    j.metadata ->> 'counterpart' as counterpart, c.number as first, c.created_at as made_at,
    'cnv' || substr(b.source, 4) as beside, q.payout_type as quote_type, q.status as quote_status,
    (c.holding_currency, c.destination_currency) is distinct from
      (q.holding_currency, q.destination_currency) as differs, q.holding_currency,
    q.holding_amount, q.payout_currency, q.payout_amount, q.destination_currency,
    q.destination_amount, q.fixed_fee_holding, q.variable_fee_holding, q.fx_income_holding,
    q.fx_income_destination
  from journals j
  left join conversions c on c.account_id = j.account_id and c.id = 'cnv' || substr(j.source, 4)
    and left(j.source, 3) = case j.kind when 'conversion_out' then 'cnv' else 'cni' end
  left join quotes q on q.account_id = c.account_id and q.id = c.quote_id
  left join journals b on b.account_id = j.account_id and ${ofConversions('b')}
    and b.number = j.number + case j.kind when 'conversion_out' then 1 else -1 end
  where ${ofConversions('j')}`

const ALL = statement`
  ${JOURNALS} and ${ofAccount('j.account_id')} order by j.account_id, j.number`

/** $2 has the numbers of the journals. */
const NUMBERED = `${JOURNALS} and j.account_id = $1 and j.number = any ($2::text[]::bigint[])
  order by j.number`

/** Each conversion has both journals. The journals are compared with it. */
const HAVE_JOURNALS = rule('conversions')`
  select c.account_id, c.id as key, 'journals ' || c.number || ' and ' || c.number + 1
      || ' of this conversion' as expected,
    coalesce(string_agg(j.kind || ' ' || j.number, ', ' order by j.number), 'none') as found
  from conversions c left join journals j on j.account_id = c.account_id
    and 'cnv' || substr(j.source, 4) = c.id and ${ofConversions('j')}
  where ${ofAccount('c.account_id')}
  group by c.account_id, c.id, c.number
  having array_agg(j.kind || ' ' || j.number order by j.number) is distinct from
    array['conversion_out ' || c.number, 'conversion_in ' || c.number + 1]`

/** Returns the number of conversions. */
export async function checkConversions(run: Verification): Promise<number> {
  await checkEach<ConversionJournal>(run, 'journals', ALL, checkJournal)
  await nameRows(run, HAVE_JOURNALS)
  return countOf(run, 'count(*)', 'conversions')
}

/** Checks the journals of one account with these numbers, all of which are of conversions. */
export async function checkConversionsAt(
  { tx, account_id, findings }: Verification & { readonly account_id: string },
  numbers: readonly bigint[],
): Promise<void> {
  const rows = await tx.unsafe<ConversionJournal[]>(NUMBERED, [account_id, numbers.map(String)])
  for (const row of rows) {
    const place = { table: 'journals', account_id, key: `number ${row.number}` }
    findings.guard(place, () => checkJournal(row))
  }
}

function checkJournal(row: ConversionJournal): void {
  const { id, first, kind, number } = row
  const is_first = kind === 'conversion_out'
  if (first === null || row.made_at === null) {
    throw journalProblem(row, `conversion ${id}`, 'none')
  }
  const expected = first + (is_first ? 0n : 1n)
  if (number !== expected) {
    throw journalProblem(row, `number ${expected} of conversion ${id}`, String(number))
  }
  const [here, made] = [row.created_at, row.made_at]
  if (here !== made) throw journalProblem(row, `the time of conversion ${id}, ${made}`, here)
  const beside = numberedId('btr', row, number + (is_first ? 1n : -1n))
  if (row.beside !== id || row.counterpart !== beside) {
    const found = `${row.beside ?? 'none'}, named ${row.counterpart ?? 'nothing'}`
    throw journalProblem(row, `the other journal of ${id}, named ${beside}`, found)
  }
  if (row.quote_type !== 'conversion' || row.quote_status !== 'used' || row.differs) {
    const found = row.quote_type === null ? 'none' : `${row.quote_type} ${row.quote_status}`
    throw journalProblem(row, `a used quote of conversion ${id}`, found)
  }
  checkFigures(row, is_first)
}

function checkFigures(row: ConversionJournal, is_first: boolean): void {
  const { sold, bought } = conversionPostings(row)
  const wanted = (is_first ? sold : bought).filter(({ amount }) => amount !== 0n)
  const found = otherPostings(row, wanted)
  if (found !== undefined) throw journalProblem(row, postingsText(...wanted), found)
  const line = lineText(row, row.amount, row.fixed_fee, row.variable_fee)
  const quoted = is_first
    ? lineText(row, -row.holding_amount, -row.fixed_fee_holding, -row.variable_fee_holding)
    : lineText(row, row.destination_amount, 0n, 0n)
  if (line !== quoted) throw journalProblem(row, `a line of ${quoted}`, line)
}

function lineText({ currency }: ConversionJournal, amount: bigint, ...fees: readonly bigint[]) {
  return `${currency} ${amount}, fees ${fees.join(' and ')}`
}
