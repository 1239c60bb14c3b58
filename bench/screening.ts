// The scenario screening: how well and how fast names are found among 60,000 listed ones.
import { Screener } from '../src/screening/screener.ts'
import type { Figure, Goal } from './figure.ts'
import type { Options } from './options.ts'
import { say } from './report.ts'
import { listedEntries } from './screening/listed-names.ts'
import { mistypedFound, namesFound, ordinaryHeld } from './screening/measure.ts'
import { seeded } from './screening/random.ts'

const LISTED = 60_000
const SEED = 20261123

const NOTE =
  'Listed names are made from syllables, ordinary ones from usual names of twenty languages ' +
  '(bench/screening); nothing but the name and its kind is known of a party.'

export async function benchScreening({ quick, record }: Options): Promise<readonly Figure[]> {
  const drawn = quick ? 1_000 : 10_000
  const random = seeded(SEED)
  const entries = listedEntries(LISTED, random)
  const from = performance.now()
  const screener = new Screener([{ list: 'ofac', entries }])
  const built_ms = Math.round(performance.now() - from)
  say(`  ${screener.size} names of ${entries.length} entries, indexed in ${built_ms} ms`)
  record('plan', { seed: SEED, names: screener.size, entries: entries.length, drawn, built_ms })
  ordinaryHeld(screener, drawn, random)
  const { held, took_ms, cpu_ms } = ordinaryHeld(screener, drawn, random)
  const mistyped = mistypedFound(screener, entries, drawn, random)
  const at = (times: readonly number[], share: number) =>
    times[Math.floor(times.length * share)] ?? Number.NaN
  return [
    figure('published names found', 100 * namesFound(screener, entries, drawn, random), {
      what: 'value',
      at_least: 99,
    }),
    ...Object.entries(mistyped).map(([error, found]) =>
      figure(`names found with ${error}`, 100 * found, { what: 'value', at_least: 95 }),
    ),
    figure('ordinary names held', 100 * held, { what: 'value', at_most: 1 }),
    figure('a name asked for, p50', at(took_ms, 0.5), undefined, 'ms'),
    figure('a name asked for, p95', at(took_ms, 0.95), { what: 'value', at_most: 10 }, 'ms'),
    figure('a name asked for, processor time, p95', at(cpu_ms, 0.95), undefined, 'ms'),
  ]
}

function figure(name: string, value: number, goal: Goal | undefined, unit = '%'): Figure {
  return {
    name: `screening, 60,000 names: ${name}`,
    unit,
    rounds: [{ value, baselines: {} }],
    goals: goal === undefined ? [] : [goal],
    note: NOTE,
  }
}
