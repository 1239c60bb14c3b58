// What every scenario says and keeps alike: lines on the terminal, the machine it ran on, and the
// numbers of a run as a file. Knows no scenario.
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, release, type } from 'node:os'
import { join } from 'node:path'

/** `2 cores (AMD EPYC), Linux 6.18`. */
export function describeMachine(): string {
  const model = cpus()[0]?.model ?? 'unknown'
  return `${availableParallelism()} cores (${model}), ${type()} ${release()}`
}

/** Keeps a result as bench/results/2026-11-21T0145-payout.json, named by its minute in UTC. */
export async function keep(scenario: string, result: object): Promise<void> {
  const folder = join(import.meta.dirname, 'results')
  await mkdir(folder, { recursive: true })
  const minute = new Date().toISOString().slice(0, 16).replaceAll(':', '')
  const file = join(folder, `${minute}-${scenario}.json`)
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
  say(`written to ${file}`)
}

export function whole(number: number): string {
  return Math.round(number).toLocaleString('en')
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

export function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
