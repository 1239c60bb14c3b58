// The scenario screening: how well and how fast names are found among 60,000 listed ones, and what
// screening costs the rate of payouts.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { Screener } from '../src/screening/screener.ts'
import type { ListedEntry } from '../src/screening/screening.ts'
import { type Figure, type Goal, onlyRound, percentile } from './figure.ts'
import type { Options } from './options.ts'
import { say, whole } from './report.ts'
import { listedEntries } from './screening/listed-names.ts'
import { mistypedFound, namesFound, ordinaryHeld } from './screening/measure.ts'
import { measurePass, type Passed } from './screening/pass.ts'
import { seeded } from './screening/random.ts'
import { benchScreeningRate } from './screening/rate.ts'

const LISTED = 60_000
const SEED = 20261123

const NOTE =
  'Listed names are made from syllables, ordinary ones from usual names of twenty languages ' +
  '(bench/screening); nothing but the name and its kind is known of a party.'

export async function benchScreening(options: Options): Promise<readonly Figure[]> {
  const { quick, record } = options
  const drawn = quick ? 1_000 : 10_000
  const random = seeded(SEED)
  const entries = listedEntries(LISTED, random)
  const { screener, built_ms, turn_ms } = await indexed(entries)
  say(`  ${screener.size} names of ${entries.length} entries, indexed in ${whole(built_ms)} ms`)
  record('plan', { seed: SEED, names: screener.size, entries: entries.length, drawn, built_ms })
  ordinaryHeld(screener, drawn, random)
  const { held, took_ms, cpu_ms } = ordinaryHeld(screener, drawn, random)
  const mistyped = mistypedFound(screener, entries, drawn, random)
  return [
    figure('published names found', 100 * namesFound(screener, entries, drawn, random), {
      what: 'value',
      at_least: 99,
    }),
    ...Object.entries(mistyped).map(([error, found]) =>
      figure(`names found with ${error}`, 100 * found, { what: 'value', at_least: 95 }),
    ),
    figure('ordinary names held', 100 * held, { what: 'value', at_most: 1 }),
    figure('a name asked for, p50', percentile(took_ms, 0.5), undefined, 'ms'),
    figure(
      'a name asked for, p95',
      percentile(took_ms, 0.95),
      { what: 'value', at_most: 10 },
      'ms',
    ),
    figure('a name asked for, processor time, p95', percentile(cpu_ms, 0.95), undefined, 'ms'),
    figure(
      'the longest turn while they are indexed',
      turn_ms,
      { what: 'value', at_most: 25 },
      'ms',
    ),
    ...passFigures(await measurePass(options, entries, random)),
    ...(await benchScreeningRate(options, entries, random)),
  ]
}

function passFigures({ entities, idle_ms, busy_ms, ...passed }: Passed): Figure[] {
  const of = `${entities} entities`
  return [
    figure(`${of}, new ones compared`, passed.queued_per_s, undefined, 'entities/s'),
    figure(`${of}, compared again with a new list`, passed.passed_per_s, undefined, 'entities/s'),
    figure(`${of}, found`, (100 * passed.found) / entities, undefined),
    figure('a balance read, nothing else done, p99', percentile(idle_ms, 0.99), undefined, 'ms'),
    figure('a balance read during the pass, p50', percentile(busy_ms, 0.5), undefined, 'ms'),
    figure('a balance read during the pass, p99', percentile(busy_ms, 0.99), undefined, 'ms'),
  ]
}

/**
 * The index, the milliseconds to build it, and the longest time that other work of the process
 * waited for it.
 */
async function indexed(entries: readonly ListedEntry[]) {
  const turns = monitorEventLoopDelay({ resolution: 1 })
  turns.enable()
  await setTimeout(20)
  turns.reset()
  // The monitor's first turn has no start time.
  await setTimeout(5)
  const from = performance.now()
  const screener = await Screener.of([{ list: 'ofac', entries }])
  const built_ms = performance.now() - from
  await setTimeout(20)
  turns.disable()
  return { screener, built_ms, turn_ms: turns.max / 1e6 }
}

function figure(name: string, value: number, goal: Goal | undefined, unit = '%'): Figure {
  return {
    name: `screening, 60,000 names: ${name}`,
    unit,
    rounds: onlyRound(value),
    goals: goal === undefined ? [] : [goal],
    note: NOTE,
  }
}
