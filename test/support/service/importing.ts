// Runs imports for tests: with a report, as a process caught in the middle, or in the test's own
// process.

import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openFile } from '../../../src/imports/file.ts'
import { importIdOf } from '../../../src/imports/paid-once.ts'
import { importPayouts, PAYOUT_COLUMNS } from '../../../src/imports/payouts.ts'
import type { Cli } from './cli.ts'
import { outputOf, spawnCommand, until } from './process.ts'
import type { Client, TestService } from './service.ts'

export const jsonLines = (bodies: readonly unknown[]) =>
  bodies.map(body => (typeof body === 'string' ? body : JSON.stringify(body))).join('\n')

/** Runs `corridor … import` with `--report`; returns its result and the lines of the report. */
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

/** Starts an import as a process; returns it once `begun` is true, rejects when it ends before. */
export async function startAndCatch(
  args: readonly string[],
  database_url: string,
  begun: () => Promise<boolean>,
): Promise<ChildProcess & { output(): string }> {
  const child = spawnCommand(args, { DATABASE_URL: database_url })
  const output = outputOf(child)
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`ended with ${code} before its first batch: ${output()}`)
  })
  await Promise.race([until('the first batch', begun), ended])
  ended.catch(() => {})
  return Object.assign(child, { output })
}

/** Makes payouts in this process as an import of this name; returns the import's id. */
export async function importInto(
  { deps }: Pick<TestService, 'deps'>,
  { account }: Client,
  name: string,
  bodies: readonly object[],
  made_by = '',
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'import-'))
  try {
    const path = join(folder, 'payouts.jsonl')
    await writeFile(path, jsonLines(bodies))
    const file = await openFile(path, PAYOUT_COLUMNS)
    assert.ok(!('problems' in file))
    const { unanswered } = await importPayouts({
      ...{ sql: deps.sql, account, file, name, made_by, sender_bic: deps.config.bic },
      ...{ maker: `operator:${made_by || 'root'}` },
      ...{ dry_run: false, allow_duplicates: false, isStopped: () => false, onBalances: () => {} },
      onResults(rows) {
        for (const { problems } of rows) assert.deepEqual(problems, [])
      },
    })
    assert.equal(unanswered, 0)
  } finally {
    await rm(folder, { recursive: true })
  }
  return importIdOf(account.account_id, name)
}
