// The scenario verify: the time of `corridor verify` for a million journals, all valid, and with
// one fault near the end, which takes longest to find.
import type { Sql } from '../src/db/connect.ts'
import { asSuperuser } from './database.ts'
import { type Figure, type FigureRound, readable } from './figure.ts'
import { type Options, targetOf } from './options.ts'
import { fillPayouts } from './payout-fill.ts'
import { say, whole } from './report.ts'
import { type Target, type TargetOptions, withTargets } from './target.ts'

interface Plan {
  readonly rounds: number
  /** Two journals each. */
  readonly payouts: number
}

const FULL: Plan = { rounds: 3, payouts: 500_000 }
const QUICK: Plan = { rounds: 1, payouts: 10_000 }

const LIMIT_S = 60

/** A fault, the statement that repairs it, and the row that verify must name. */
interface Fault {
  readonly name: string
  readonly table: string
  readonly key: string
  readonly plant: string
  readonly undo: string
}

/** `number` is the journal of a payout close to the end of the book, before its settlement. */
function faultsAt(account_id: string, number: bigint): readonly Fault[] {
  const at = (n: bigint | string) => `account_id = '${account_id}' and number = ${n}`
  const move = (from: bigint | string, to: bigint | string) =>
    `update journals set number = ${to} where ${at(from)}`
  const spare = '9000000000'
  const exchange = [move(number, spare), move(number + 1n, number), move(spare, number + 1n)].join(
    ';',
  )
  const row = { table: 'journals', key: `number ${number}` }
  return [
    {
      name: 'a changed amount',
      ...row,
      plant: `update journals set amounts[1] = amounts[1] - 1, amounts[2] = amounts[2] + 1,
        amount = amount - 1 where ${at(number)}`,
      undo: `update journals set amounts[1] = amounts[1] + 1, amounts[2] = amounts[2] - 1,
        amount = amount + 1 where ${at(number)}`,
    },
    {
      name: 'a changed line',
      ...row,
      plant: `update journals set balance_after = balance_after + 1 where ${at(number)}`,
      undo: `update journals set balance_after = balance_after - 1 where ${at(number)}`,
    },
    { name: 'a reordered journal', ...row, plant: exchange, undo: exchange },
  ]
}

export function benchVerifying(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('plan', plan)
  return withBook(plan.payouts, targetOf(options.postgres), book => measure(plan, book))
}

/** A book to verify, and a session that no trigger keeps from changing it. */
interface Book {
  readonly target: Target
  readonly sql: Sql
  readonly journals: number
  readonly faults: readonly Fault[]
}

/** Works with a book of `payouts` payouts, two journals each. */
export function withBook<T>(
  payouts: number,
  options: TargetOptions,
  work: (book: Book) => Promise<T>,
): Promise<T> {
  return withTargets(1, options, async targets => {
    const [target] = targets as [Target]
    await fillPayouts(target, payouts, { status: 'succeeded', kept_answers: 0, chained: true })
    return asSuperuser(target.database_url, async sql => {
      await sql`set session_replication_role = replica`
      const [book] = await sql<{ journals: bigint; pair: bigint }[]>`
        select b.journal_count as journals, max(j.number) as pair
        from books b join journals j on j.account_id = b.account_id and j.kind = 'payout'
        where b.account_id = ${target.account_id} group by 1`
      if (book === undefined) throw new Error('an empty book')
      const faults = faultsAt(target.account_id, book.pair)
      return await work({ target, sql, journals: Number(book.journals), faults })
    })
  })
}

async function measure(plan: Plan, book: Book): Promise<readonly Figure[]> {
  const clean: FigureRound[] = []
  const found: FigureRound[] = []
  for (let i = 1; i <= plan.rounds; i++) {
    say(`round ${i} of ${plan.rounds}`)
    clean.push({ value: await verifyClean(book), baselines: {} })
    const times: number[] = []
    for (const fault of book.faults) times.push(await findFault(book, fault))
    found.push({ value: Math.max(...times), baselines: {} })
  }
  const goals = [{ what: 'value', at_most: LIMIT_S }] as const
  const books = `${whole(book.journals)} journals`
  return [
    { name: `verify ${books}, in order`, unit: 's', rounds: clean, goals },
    {
      name: `verify ${books}, the slowest of three faults found`,
      unit: 's',
      rounds: found,
      goals,
      note: 'A changed amount, a changed line and a reordered journal, at the end of the book.',
    },
  ]
}

/** The seconds that `corridor verify` takes for a valid book. */
export async function verifyClean({ target }: Book): Promise<number> {
  const started = performance.now()
  const { ok } = JSON.parse(await target.command('verify', '--json'))
  const seconds = (performance.now() - started) / 1000
  if (ok !== true) throw new Error('a false alarm')
  say(`  in order: ${readable(seconds)} s`)
  return seconds
}

/** Plants a fault and repairs it; returns the seconds until verify names the right row. */
export async function findFault({ target, sql }: Book, fault: Fault): Promise<number> {
  const { name, table, key, plant, undo } = fault
  await sql.unsafe(plant)
  const started = performance.now()
  // The exit code is 1, and what was printed is with the error.
  const { stdout = '{}' } = await target.command('verify', '--json').then(
    () => ({ stdout: '{}' }),
    (error: { stdout?: string }) => error,
  )
  const seconds = (performance.now() - started) / 1000
  await sql.unsafe(undo)
  const { problem } = JSON.parse(stdout)
  if (problem?.table !== table || problem.key !== key || problem.account_id !== target.account_id) {
    throw new Error(`${name} was not found: ${stdout}`)
  }
  say(`  ${name}: ${readable(seconds)} s, ${problem.table} ${problem.key}`)
  return seconds
}
