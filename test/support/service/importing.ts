// What tests of imports share: files of rows, the command run with a report, caught in the middle as
// a process of its own, and what the database holds.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { BARE, type Cli } from './cli.ts'
import { until } from './process.ts'
import type { Client } from './service.ts'

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

export const jsonLines = (bodies: readonly unknown[]) =>
  bodies.map(body => (typeof body === 'string' ? body : JSON.stringify(body))).join('\n')

/** Runs `corridor … import` with a report: what it printed as JSON, and the lines of the report. */
export async function runImport(
  cli: Cli,
  group: string,
  path: string,
  { account }: Client,
  more: readonly string[],
) {
  const report = `${path}.report.jsonl`
  const to = ['--account', account.account_id, '--report', report, '--json']
  const ran = await cli.run(group, 'import', path, ...to, ...more)
  const lines = (await readFile(report, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  return { ...ran, report: lines.map(line => JSON.parse(line)) }
}

/** An import started as a process of its own, and caught when `begun` says so. */
export async function startAndCatch(
  args: readonly string[],
  database_url: string,
  begun: () => Promise<boolean>,
): Promise<ChildProcess & { said(): string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...BARE, DATABASE_URL: database_url },
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  }
  await until('the first batch', begun)
  return Object.assign(child, { said: () => said })
}
