// What the commands that change rates share: how far a rate may move without a word, and what was
// changed, before and after.
import { type Command, Option } from 'commander'
import type { Sql } from '../db/connect.ts'
import { formatDecimal, parseMajor } from '../money/decimal.ts'
import { findPivot } from '../price/policy/store.ts'
import type { ChangeOptions } from '../price/rate/change.ts'
import { type Judged, MAX_MOVE_BPS } from '../price/rate/guard.ts'
import { presentRate } from '../price/rate/load.ts'
import type { Rate } from '../price/rate/rules.ts'
import { UsageError } from './context.ts'
import { toSecond } from './outline.ts'
import { table } from './table.ts'

export interface Changing {
  readonly json?: boolean
  readonly force?: boolean
  readonly dryRun?: boolean
  readonly maxMove?: string
}

/** The options of Changing, less --force, whose words are each command's own. */
export function changing(command: Command): Command {
  const usual = MAX_MOVE_BPS / 100
  return command
    .addOption(
      new Option(
        '--max-move <percent>',
        `how far a rate may be from the present one without --force (default: ${usual})`,
      ),
    )
    .option('--dry-run', 'check everything and write nothing')
    .option('--json', 'print JSON')
}

/** Read before the database is opened. */
export function readMaxMove({ maxMove }: Changing): number {
  if (maxMove === undefined) return MAX_MOVE_BPS
  const bps = parseMajor(maxMove, 2)
  if (bps !== undefined && bps <= 1_000_000n) return Number(bps)
  throw new UsageError(`--max-move must be a percentage such as 10 or 2.5, not "${maxMove}"`)
}

export async function changeOptions(sql: Sql, options: Changing): Promise<ChangeOptions> {
  return {
    pivot: await findPivot(sql),
    max_move_bps: readMaxMove(options),
    force: options.force === true,
    dry_run: options.dryRun === true,
  }
}

export function presentChange({ rate, before, inverse }: Judged) {
  const orNull = (row: Rate | undefined) => (row === undefined ? null : presentRate(row))
  return { ...presentRate(rate), previous: orNull(before), replaced_inverse: orNull(inverse) }
}

/** What a change replaces, for people: the pair's row, and that of the inverse. */
export function describeReplaced({ before, inverse }: Judged): string | undefined {
  const was = before && describeMid(before)
  const other = inverse && `${inverse.base}/${inverse.quote} ${describeMid(inverse)}`
  return [was, other].filter(word => word !== undefined).join(' and ') || undefined
}

function describeMid({ mid, pegged }: Rate): string {
  return `${formatDecimal(mid)}${pegged ? ', pegged' : ''}`
}

export function changesTable(changes: readonly Judged[]): string {
  const rows = changes.map(change => [change.rate, describeReplaced(change)] as const)
  const cells = rows.map(([rate, before]) => [
    rate.base,
    rate.quote,
    formatDecimal(rate.mid),
    rate.source,
    toSecond(rate.as_of),
    before ?? 'new',
  ])
  return table(['base', 'quote', 'mid', 'source', 'as of', 'before'], cells)
}
