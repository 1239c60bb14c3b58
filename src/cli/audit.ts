// corridor audit export|verify.
import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import { findChange, findHead, listAuditAfter } from '../ledger/audit/store.ts'
import { auditLog, presentChange } from '../operator/audit.ts'
import type { Sql } from '../sql/connect.ts'
import { describe, type Problem } from '../verify/problem.ts'
import { verifyAudit } from '../verify/run.ts'
import { commandsOf } from './action.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { visible } from './terminal.ts'

export function auditCommands(group: Command): void {
  commandsOf(auditLog)(group)
  addCommand(group, 'export', 'write the whole log, oldest first, one JSON object a line')
    .option('--after <number>', 'only what comes after this number', readNumber)
    .addHelpText('after', example('audit export > audit.jsonl'))
    .action(exportAction)
  addCommand(group, 'verify', 'prove that nothing of the log was changed, added or removed')
    .option(
      '--head <head>',
      'number:hash, as an earlier run printed it: it is still there',
      readHead,
    )
    .addHelpText('after', VERIFY_HELP)
    .action(verifyAction)
}

const VERIFY_HELP = `
Each change carries a hash over itself and the change before it. Keep the head
that this prints where nobody who has the database can change it. With --head a
later run proves that the log up to there is the same.

Example:
  corridor audit verify`

function readNumber(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw new InvalidArgumentError('It is no number of a change.')
}

const PORTION = 1_000

async function exportAction({ after = 0n }: { after?: bigint }): Promise<void> {
  await withContext(async ({ audit }) => {
    let last = after
    for (;;) {
      const changes = await listAuditAfter(audit, last, PORTION)
      const lines = changes.map(change => `${visible(JSON.stringify(presentChange(change)))}\n`)
      if (!process.stdout.write(lines.join(''))) await once(process.stdout, 'drain')
      last = changes.at(-1)?.change_id ?? last
      if (changes.length < PORTION) return
    }
  })
}

async function verifyAction({ head: kept_head }: { head?: Head }): Promise<void> {
  const { problems, head } = await withContext(async ({ audit }) => ({
    problems: [...(await verifyAudit(audit)), ...(await problemsOfHead(audit, kept_head))],
    head: await findHead(audit),
  }))
  const is_proved = problems.length === 0
  const newest = `${head.change_id}:${head.hash}`
  const words = is_proved
    ? `${head.change_id} changes, chained.\nThe audit log is in order. Its head: ${newest}`
    : [...problems.map(describe), `Not in order: ${problems.length} named.`].join('\n')
  print({ ok: is_proved, problems, head: is_proved ? newest : null }, words)
  if (!is_proved) process.exitCode = 1
}

type Head = ReturnType<typeof readHead>

function readHead(text: string) {
  const [, number = '', hash = ''] = /^(\d{1,18}):([0-9a-f]{64})$/.exec(text) ?? []
  if (number === '') throw new UsageError('--head must be number:hash, as audit verify prints it')
  return { change_id: BigInt(number), hash }
}

/** It finds a log that was cut, even if the log was continued. */
async function problemsOfHead(audit: Sql, kept: Head | undefined): Promise<Problem[]> {
  if (kept === undefined || kept.change_id === 0n) return []
  const hash = await findChange(audit, kept.change_id)
  if (hash === kept.hash) return []
  const key = `change_id ${kept.change_id}`
  const expected = `the hash that was kept, ${kept.hash}`
  return [{ table: 'audit_log', account_id: '', key, expected, found: hash ?? 'none' }]
}
