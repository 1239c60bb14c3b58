// The scenario storage: bytes on disk, bytes of write-ahead log and index entries of payouts that
// are made and settled. The machine's speed does not change these, so one round is enough.

import {
  asSuperuser,
  describeSizes,
  entriesOfIndexes,
  KEEPING_LOG,
  logBytes,
  logPosition,
  readSizes,
  type SizeOfTable,
  sizesOfTables,
  sumOfSizes,
} from './database.ts'
import { type Figure, onlyRound, readable } from './figure.ts'
import type { Options } from './options.ts'
import { makeBeneficiary, PAYOUTS, payOnce, payoutBody, recipient, times } from './payouts.ts'
import { say, whole } from './report.ts'
import { settleDue } from './settle-run.ts'
import { type Target, withTargets } from './target.ts'

/** Quick runs make as many. */
const PAYOUTS_MADE = 8_000
const CONNECTIONS = 64

/** The figures of one payout. */
interface Stored {
  readonly tables: readonly SizeOfTable[]
  readonly log_bytes: number
  /** Index entries by index, while payouts are made and while they are settled. */
  readonly made: Readonly<Record<string, number>>
  readonly settled: Readonly<Record<string, number>>
}

export function benchStorage({ postgres, record }: Options): Promise<readonly Figure[]> {
  record('plan', { payouts: PAYOUTS_MADE, connections: CONNECTIONS })
  const settings = [postgres ?? '', KEEPING_LOG].join('\n')
  return withTargets(2, { postgres: settings }, async targets => {
    const [known, fresh] = targets as [Target, Target]
    const beneficiary = await makeBeneficiary(known)
    const plain = await store(PLAIN, known, i => ({
      ...payoutBody('USD→USD', beneficiary),
      reference_id: `INV-${i}`,
    }))
    const inline = await store(INLINE, fresh, i => ({
      ...PAYOUTS['USD→USD'],
      reference_id: `INV-${i}`,
      beneficiary_details: recipient(i),
    }))
    record('stored', { plain, inline })
    return [...figuresOf(PLAIN, plain), ...figuresOf(INLINE, inline)]
  })
}

/** A kind of payout, and its goals. */
interface Making {
  readonly name: string
  readonly keyed: boolean
  readonly note: string
  /** Goals: the most bytes for each payout. */
  readonly disk: number
  readonly log: number
  /** Goal: the most index entries; undefined without a goal. */
  readonly entries?: number
}

const PLAIN: Making = {
  name: 'payout made and settled',
  keyed: false,
  note: 'To a beneficiary that there is, without a key',
  disk: 3_300,
  log: 4_600,
  entries: 15,
}
const INLINE: Making = {
  name: 'payout with a new beneficiary inline and a key, made and settled',
  keyed: true,
  note: 'Each to a new beneficiary, with a key',
  disk: 6_000,
  log: 7_000,
}

/** Makes and settles payouts on an account with the default check for duplicates. */
async function store(
  { name, keyed }: Making,
  target: Target,
  bodyOf: (i: number) => object,
): Promise<Stored> {
  const { account_id, database_url } = target
  await target.command('account', 'set', account_id, '--duplicate-window-s', '600')
  // Settles the payout that made the beneficiary.
  await settleDue(target)
  return asSuperuser(database_url, async sql => {
    const before = await readSizes(database_url)
    // After a checkpoint the first change of each page logs the whole page.
    await sql`checkpoint`
    const first = await logPosition(sql)
    await times(PAYOUTS_MADE, CONNECTIONS, i => payOnce(target, bodyOf(i), keyed))
    const middle = await logPosition(sql)
    await settleDue(target)
    const last = await logPosition(sql)
    const entries = async (from: string, to: string) => {
      const counted = Object.entries(await entriesOfIndexes(sql, from, to))
      return Object.fromEntries(counted.map(([index, count]) => [index, count / PAYOUTS_MADE]))
    }
    const stored: Stored = {
      tables: await sizesOfTables(database_url, PAYOUTS_MADE, before),
      log_bytes: (await logBytes(sql, first, last)) / PAYOUTS_MADE,
      made: await entries(first, middle),
      settled: await entries(middle, last),
    }
    sayStored(name, stored)
    return stored
  })
}

function sayStored(name: string, { tables, log_bytes, made, settled }: Stored): void {
  say(`  ${name}: ${whole(sumOfSizes(tables))} bytes on disk (${describeSizes(tables)})`)
  say(`    ${whole(log_bytes)} bytes of log`)
  for (const [what, entries] of Object.entries({ made, settled })) {
    say(`    index entries ${what}: ${readable(sum(entries))} (${describeEntries(entries)})`)
  }
}

function sum(entries: Readonly<Record<string, number>>): number {
  return Object.values(entries).reduce((a, b) => a + b, 0)
}

/** `events_pkey 3.00, payouts_pkey 1.00`; without indexes of less than 0.01 entries. */
function describeEntries(entries: Readonly<Record<string, number>>): string {
  const each = Object.entries(entries).filter(([, count]) => count >= 0.01)
  return each.map(([index, count]) => `${index} ${readable(count)}`).join(', ')
}

function figuresOf(making: Making, stored: Stored): readonly Figure[] {
  const { tables, log_bytes, made, settled } = stored
  const note =
    `${making.note}, on an empty account with the guard against paying twice. By table: ` +
    `${describeSizes(tables)}.`
  const figure = (what: string, unit: string, value: number, most?: number): Figure => ({
    name: `${making.name}: ${what}`,
    unit,
    rounds: onlyRound(value),
    goals: most === undefined ? [] : [{ what: 'value', at_most: most }],
    note,
  })
  return [
    figure('on disk', 'bytes', sumOfSizes(tables), making.disk),
    figure('in the log', 'bytes', log_bytes, making.log),
    figure('index entries', 'entries', sum(made) + sum(settled), making.entries),
  ]
}
