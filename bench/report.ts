// What every scenario says on the terminal: lines with the time since the start, tables, and what a
// load came to. Knows no scenario.
import type { Cost } from './cpu.ts'
import type { LoadResult } from './load.ts'
import { readable } from './numbers.ts'
import type { BaselineResult } from './pgbench.ts'

/** A line, with the minutes and seconds since the start of the program. */
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

/** One load, under a name: what came through, how fast, and what it cost. */
export function sayLoad(name: string, unit: string, load: LoadResult & Cost): void {
  const { per_second, p50_ms, p99_ms, service_cpu_s, database_cpu_s } = load
  say(
    `  ${name}: ${whole(per_second)} ${unit}, p50 ${readable(p50_ms)} ms, ` +
      `p99 ${readable(p99_ms)} ms; CPU s per 1,000: ` +
      `service ${service_cpu_s.toFixed(3)}, database ${database_cpu_s.toFixed(3)}`,
  )
}

/** pgbench at its best, under a name. */
export function sayBaseline(
  name: string,
  { per_second, clients, latency_ms }: BaselineResult,
): void {
  say(
    `  pgbench, ${name}: ${whole(per_second)}/s with ${clients} clients, ` +
      `${readable(latency_ms)} ms`,
  )
}

/** Rows under a header, each column as wide as its widest cell; all but the first to the right. */
export function sayTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const lines = [header, ...rows]
  const widths = header.map((_, i) => Math.max(...lines.map(cells => cells[i]?.length ?? 0)))
  for (const cells of lines) {
    const padded = cells.map((cell, i) =>
      i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0),
    )
    say(padded.join('  '))
  }
}
