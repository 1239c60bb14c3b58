// corridor audit list|export|verify: lists, exports and proves the audit log.
import { once } from 'node:events'
import { type Command, InvalidArgumentError } from 'commander'
import { describeOrigin } from '../audit/origin.ts'
import {
  type AuditedChange,
  type AuditFilter,
  findChange,
  findHead,
  listAudit,
  listAuditAfter,
} from '../audit/store.ts'
import type { Sql } from '../db/connect.ts'
import { type Instant, instantFromIso } from '../instant.ts'
import { presentChange } from '../operator/audit-response.ts'
import { toSecond } from '../text/age.ts'
import { describe, type Problem } from '../verify/problem.ts'
import { verifyAudit } from '../verify/run.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { UsageError } from './failure.ts'
import { MAX_LIMIT, readLimit } from './input.ts'
import { listing } from './table.ts'
import { visible } from './terminal.ts'

interface ListOptions {
  readonly by?: string
  readonly act?: string
  readonly account?: string
  readonly id?: string
  readonly since?: Instant
  readonly before?: bigint
  readonly limit: number
}

export function auditCommands(audit: Command): void {
  addCommand(audit, 'list', 'list what was done, newest first')
    .option('--by <user>', 'by this user alone')
    .option('--act <command>', 'by this command alone, such as "payout transition"')
    .option('--account <account>', 'to this account alone')
    .option('--id <id>', 'to this object alone, such as a payout')
    .option('--since <time>', 'from this time on, as 2026-11-23T08:00:00Z', readTime)
    .option('--before <number>', 'before this number: the next page', readNumber)
    .option('--limit <count>', `most to list, 1 to ${MAX_LIMIT}`, readLimit, 50)
    .addHelpText('after', example('audit list --by ada --act payout'))
    .action(listAction)
  addCommand(audit, 'export', 'write the whole log, oldest first, one JSON object a line')
    .option('--after <number>', 'only what comes after this number', readNumber)
    .addHelpText('after', example('audit export > audit.jsonl'))
    .action(exportAction)
  addCommand(audit, 'verify', 'prove that nothing of the log was changed, added or removed')
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
  npx corridor audit verify`

function readTime(text: string): Instant {
  const instant = instantFromIso(text)
  if (instant !== undefined) return instant
  throw new InvalidArgumentError('It is no time such as 2026-11-23T08:00:00Z.')
}

function readNumber(text: string): bigint {
  if (/^\d{1,18}$/.test(text)) return BigInt(text)
  throw new InvalidArgumentError('It is no number of a change.')
}

async function listAction(options: ListOptions): Promise<void> {
  const { by = '', act = '', account = '', id = '', since = null, before = null } = options
  const filter: AuditFilter = { by, act, account_id: account, id, since, before }
  const changes = await withContext(({ audit }) => listAudit(audit, filter, options.limit))
  const rows = changes.map(change => ({
    number: String(change.change_id),
    when: toSecond(change.changed_at),
    who: change.changed_by,
    act: change.act || change.via || 'a statement by hand',
    table: change.table_name,
    what: describeChange(change),
    why: change.reason,
    from: describeOrigin(change.origin),
  }))
  print(changes.map(presentChange), listing(rows, 'nothing that fits was done'))
}

/** The name of the row, and the members that differ: all of a new row, none of a deleted one. */
function describeChange({ before, after }: AuditedChange): string {
  const row = after ?? before ?? {}
  const named = ['account_id', 'id', 'key_id', 'name'].flatMap(key => row[key] ?? [])
  const changed = Object.entries(after ?? {}).flatMap(([key, value]) => {
    const was = before?.[key]
    if (value === was || value === null || named.includes(value)) return []
    if (was !== undefined && was !== null) return [`${key} ${was} → ${value}`]
    return value === '' ? [] : [`${key} ${value}`]
  })
  return [...named, ...(after === null ? ['removed'] : changed)].join(' ')
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

/**
 * A problem if the log has another change, or none, at the number of the kept head. So it finds a
 * log that was cut, even if the log was continued.
 */
async function problemsOfHead(audit: Sql, kept: Head | undefined): Promise<Problem[]> {
  if (kept === undefined || kept.change_id === 0n) return []
  const hash = await findChange(audit, kept.change_id)
  if (hash === kept.hash) return []
  const key = `change_id ${kept.change_id}`
  const expected = `the hash that was kept, ${kept.hash}`
  return [{ table: 'audit_log', account_id: '', key, expected, found: hash ?? 'none' }]
}
