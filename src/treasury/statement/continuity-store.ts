// Lists what is wrong with the statements of nostros: gaps, overlaps, sums that differ, and those
// that are late.
import type { Tag } from '../../sql/sql.ts'
import type { Instant } from '../../values/instant.ts'
import { moneyWords } from '../../values/money/words.ts'
import type { Nostro } from '../nostro.ts'
import { listNostros } from '../nostro-store.ts'
import type { Continuity } from './continuity.ts'
import { lateStatement } from './late.ts'

export interface StatementTrouble {
  readonly nostro: string
  readonly kind: Exclude<Continuity, 'proved'> | 'statement_late'
  /** The statement; null for one that is not here. */
  readonly statement: bigint | null
  /** The last day of the statement. */
  readonly day: string
  readonly since: Instant
  /** What is wrong, in a sentence. */
  readonly words: string
}

interface Troubled {
  readonly nostro: string
  readonly id: bigint
  readonly state: StatementTrouble['kind']
  readonly day: string
  readonly opening: bigint | null
  readonly closing: bigint | null
  readonly amount: bigint
  /** The closing balance of the statement before it; null for the first. */
  readonly before: bigint | null
  readonly since: Instant
}

/** The most that are listed. */
const MOST = 1_000

/** The troubles of one nostro, or of all that are open; the oldest first. */
export async function listStatementTroubles(
  sql: Tag,
  nostro?: string,
): Promise<StatementTrouble[]> {
  const nostros = (await listNostros(sql)).filter(
    ({ name, closed_at }) => closed_at === null && (nostro === undefined || name === nostro),
  )
  const names = nostros.map(({ name }) => name)
  const rows = await sql<Troubled[]>`
    select s.nostro, s.id, s.state, s.closed_on::text as day, s.opening, s.closing, s.amount,
      p.closing as before, f.received_at as since
    from bank_statements s join statement_files f on f.sha256 = s.sha256
    left join lateral (
      select closing from bank_statements where nostro = s.nostro
        and (closed_on, id) < (s.closed_on, s.id)
      order by closed_on desc, id desc limit 1) p on true
    where s.nostro = any (${names}::text[]) and s.state <> 'proved'
    order by s.closed_on, s.id limit ${MOST}`
  const of = new Map(nostros.map(one => [one.name, one]))
  const troubles = rows.flatMap(({ nostro: name, id, state, day, since, ...row }) => {
    const found = of.get(name)
    if (found === undefined) return []
    const words = wordsOf(state, found, row)
    return [{ nostro: name, kind: state, statement: id, day, since, words }]
  })
  const all: StatementTrouble[] = [...troubles, ...(await listLate(sql, nostros))]
  return all.toSorted((a, b) => (a.since < b.since ? -1 : a.since > b.since ? 1 : 0))
}

function wordsOf(
  state: StatementTrouble['kind'],
  { currency, opening_balance }: Nostro,
  { opening, closing, amount, before }: Pick<Troubled, 'opening' | 'closing' | 'amount' | 'before'>,
): string {
  const money = (value: bigint | null) => (value === null ? 'nothing' : moneyWords(value, currency))
  if (opening === null || closing === null) {
    return 'it has no balances, so nothing proves that no line is missing'
  }
  if (state === 'sum_differs') {
    const sum = money(opening + amount)
    return `its lines lead from ${money(opening)} to ${sum}, and it closes with ${money(closing)}`
  }
  const follows = money(before ?? opening_balance)
  if (state === 'overlap') {
    return `it has lines of other statements, and opens with ${money(opening)} behind ${follows}`
  }
  return `it opens with ${money(opening)} behind ${follows}: a statement before it is missing`
}

/** The nostros whose statement of a banking day is not here by its time. */
async function listLate(sql: Tag, nostros: readonly Nostro[]): Promise<StatementTrouble[]> {
  const names = nostros.map(({ name }) => name)
  const rows = await sql<{ nostro: string; last: string | null; now: Instant }[]>`
    select n.name as nostro, max(s.closed_on)::text as last, statement_timestamp() as now
    from unnest(${names}::text[]) as n (name)
    left join bank_statements s on s.nostro = n.name group by n.name`
  const known = new Map(rows.map(row => [row.nostro, row]))
  return nostros.flatMap(nostro => {
    const { last = null, now = '' } = known.get(nostro.name) ?? {}
    const late = now === '' ? undefined : lateStatement(nostro, last, now)
    if (late === undefined) return []
    const { day, due_at: since } = late
    const words = `the statement of ${day} was due at ${since.slice(0, 16)}Z`
    return [{ nostro: nostro.name, kind: 'statement_late', statement: null, day, since, words }]
  })
}
