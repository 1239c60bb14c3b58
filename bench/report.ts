// Prints the progress of scenarios: lines with the time since the start, and results of loads.
import type { Cost } from './cpu.ts'
import { readable } from './figure.ts'
import type { LoadResult } from './load.ts'

/** Prints a line with the minutes and seconds since the start of the program. */
export function say(line: string): void {
  process.stdout.write(line === '' ? '\n' : `${elapsed()}  ${line}\n`)
}

function elapsed(): string {
  const seconds = Math.floor(process.uptime())
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`.padStart(6)
}

export function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
}

/** Prints the rate, latency and cost of a load. */
export function sayLoad(name: string, unit: string, load: LoadResult & Cost): void {
  const { per_second, p50_ms, p99_ms } = load
  say(
    `  ${name}: ${whole(per_second)} ${unit}, p50 ${readable(p50_ms)} ms, ` +
      `p99 ${readable(p99_ms)} ms; ${wordCost(load)}`,
  )
}

export function wordCost({ service_cpu_s, database_cpu_s }: Cost): string {
  const [service, database] = [service_cpu_s.toFixed(3), database_cpu_s.toFixed(3)]
  return `CPU s per 1,000: service ${service}, database ${database}`
}

/** Runs the rounds one after the other, numbered from 1; returns their results. */
export async function inRounds<T>(count: number, run: (round: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let round = 1; round <= count; round++) {
    say(`round ${round} of ${count}`)
    results.push(await run(round))
  }
  return results
}
