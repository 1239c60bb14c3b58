// The scenario memory: resident memory of the service, second by second, under a load of payouts on
// one hot account for ten minutes.
import { type Cost, memoryMib, withCost } from './cpu.ts'
import { type Figure, median, readable } from './figure.ts'
import { type LoadResult, sendLoad } from './load.ts'
import type { Options } from './options.ts'
import { GUARD_NOTE, payerOf, payoutLoad } from './payouts.ts'
import { say, whole } from './report.ts'
import { withTarget } from './target.ts'

const CONNECTIONS = 256

const FULL_S = 600
const QUICK_S = 30
/**
 * The number of parts of a run: in a full run a part is a minute. The first part is the warm-up.
 */
const PARTS = 10

/** Seconds between two printed lines. */
const SAY_EVERY_S = 30

export function benchMemory(options: Options): Promise<readonly Figure[]> {
  const seconds = options.quick ? QUICK_S : FULL_S
  options.record('plan', { seconds, connections: CONNECTIONS })
  return withTarget(options, async target => {
    const payer = await payerOf(target)
    const load = payoutLoad(target.address, [payer], CONNECTIONS)
    const series: number[] = []
    const sampling = setInterval(() => void sample(target.service_pid, series), 1000)
    const loaded = await withCost([target.service_pid], target.postgres_pid, () =>
      sendLoad(options.generator, { ...load, seconds }),
    ).finally(() => clearInterval(sampling))
    options.record('rss_mib_by_second', series)
    options.record('load', loaded)
    return figuresOf(series, loaded)
  })
}

async function sample(pid: number, series: number[]): Promise<void> {
  series.push(Math.round((await memoryMib(pid)) * 10) / 10)
  if (series.length % SAY_EVERY_S === 0) say(`  ${readable(series.at(-1) ?? Number.NaN)} MiB`)
}

function figuresOf(series: readonly number[], loaded: LoadResult & Cost): Figure[] {
  const part = Math.floor(series.length / PARTS)
  const warm = series.slice(part)
  const second = median(warm.slice(0, part))
  const last = median(warm.slice(-part))
  const { requests, per_second, ...rest } = loaded
  const note =
    `${whole(requests)} payouts at ${whole(per_second)} a second; after the first tenth of the ` +
    `time, memory changes by ${slope(warm).toFixed(2)} MiB a minute (least squares). ${GUARD_NOTE}`
  return [
    {
      name: 'most memory of the service, hot account, 256 connections',
      unit: 'MiB',
      rounds: [{ ...rest, value: Math.max(...warm), baselines: {} }],
      goals: [{ what: 'value', at_most: 250 }],
      note,
    },
    {
      name: 'memory of the service, last minute of the same',
      unit: 'MiB',
      rounds: [{ value: last, baselines: { 'second minute': second } }],
      goals: [{ what: 'ratio', to: 'second minute', at_most: 1.1 }],
      note,
    },
  ]
}

/** The slope a minute of the least-squares line through values a second apart. */
export function slope(values: readonly number[]): number {
  const mean = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0) / numbers.length
  const middle = (values.length - 1) / 2
  const height = mean(values)
  const rise = mean(values.map((value, i) => (i - middle) * (value - height)))
  return (rise / mean(values.map((_, i) => (i - middle) ** 2))) * 60
}
