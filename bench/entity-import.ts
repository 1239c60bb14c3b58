// Rows a second of `corridor entity import`, as a process of its own with its start, from a CSV
// file of people who are new to the account.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { personOf } from './entity-record.ts'
import type { Target } from './target.ts'

/** From the start of the process to its end. */
export async function measureImport(target: Target, rows: number, first: number): Promise<number> {
  const file = join(target.folder, 'people.csv')
  const people = Array.from({ length: rows }, (_, i) => flatten(personOf(first + i)))
  const header = Object.keys(people[0] ?? {})
  const lines = people.map(person => header.map(column => person[column]).join(','))
  await writeFile(file, `${[header.join(','), ...lines].join('\n')}\n`)
  const started = performance.now()
  const args = ['entity', 'import', file, '--account', target.account_id, '--json']
  const { created } = JSON.parse(await target.command(...args))
  const seconds = (performance.now() - started) / 1000
  if (created !== rows) throw new Error(`of ${rows} rows, ${created} were imported`)
  return rows / seconds
}

/** Members by their path; no value of these people needs quotes. */
function flatten(record: object, prefix = ''): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([name, value]): [string, string][] =>
      typeof value === 'object'
        ? Object.entries(flatten(value, `${prefix}${name}.`))
        : [[prefix + name, String(value)]],
    ),
  )
}
