// corridor restore, of the embedded database: a backup alone, or with the log to an instant. A copy
// is accepted after its books are verified. A rehearsal removes it again.
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Command } from 'commander'
import { countUnsent } from '../adapters/bank-file/unsent-store.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type Head, listHeads } from '../ledger/store.ts'
import { NO_ARCHIVE } from '../postgres/archive.ts'
import { readFacts } from '../postgres/backup-file.ts'
import { clusterFiles } from '../postgres/open.ts'
import type { Recovery } from '../postgres/recover.ts'
import { restoreBackup, restoreScratch, type Took } from '../postgres/restore.ts'
import { pauseRestored } from '../rails/restored.ts'
import { type Instant, instantFromIso } from '../values/instant.ts'
import { describe } from '../verify/problem.ts'
import { type Verdict, verify } from '../verify/run.ts'
import { requireEmbedded } from './backup.ts'
import { personIn, print, withContext } from './context.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { sinceWords, type ToldSince, tellSince } from './restored-since.ts'
import { table } from './table.ts'
import { checkedWords, presentVerdict } from './verify.ts'

const SHOWN_HEADS = 20

const RESTORE_HELP = `
CORRIDOR_USER names an operator of the backup, if it has users; the command asks
before it works. CORRIDOR_DATA must have no database yet. The copy takes its
place there once it runs, has been migrated to this version, and has passed
corridor verify.

--to recovers the copy by the archive of the log (CORRIDOR_ARCHIVE): it has each
transaction that ended up to then, and nothing later. The command then reads the
log to its end, and lists the payouts that may have gone out since.

--rehearse works beside a running service, and removes the copy again.

Examples:
  CORRIDOR_DATA=./copy \\
    corridor restore /backups/corridor-2026-11-21.tar.zst
  CORRIDOR_DATA=./copy CORRIDOR_ARCHIVE=/archive \\
    corridor restore /backups --to 2026-11-21T14:05:00Z
  corridor restore /backups --to latest --rehearse`

/** `latest`: the end of the log. */
type To = Instant | 'latest'

interface Options {
  readonly to?: To
  readonly rehearse?: boolean
}

export function restoreCommand(command: Command): void {
  command
    .argument('<file>', 'file that corridor backup made, or a folder: its newest')
    .option('--to <time>', 'as of this time (ISO 8601), or latest: the end of the log', readTo)
    .option('--rehearse', 'restore into a scratch folder, verify, tell the times, remove it')
    .addHelpText('after', RESTORE_HELP)
    .action(async (from: string, { to, rehearse = false }: Options) => {
      const config = requireEmbedded(readConfig())
      const recovery = recoveryOf(config, to)
      const file = await backupIn(from)
      const copy = await restore(config, file, recovery, rehearse)
      const { restored, verdict, heads, unsent, since } = copy
      const about = { file, rehearsal: rehearse, ...restored, ...presentVerdict(verdict) }
      // The scratch folder is gone, and nobody pays by a copy that is gone.
      const data = rehearse ? about : { ...about, heads, unsent, since }
      print(data, rehearse ? rehearsalWords(copy) : restoreWords(copy, config))
      if (!verdict.ok) process.exitCode = 1
    })
}

function readTo(text: string): To {
  if (text === 'latest') return text
  const instant = instantFromIso(text)
  if (instant === undefined) {
    throw new UsageError(`--to must be latest, or like 2026-11-21T14:05:00Z, not "${text}"`)
  }
  if (instant > (instantFromIso(new Date().toISOString()) ?? '')) {
    throw new UsageError(`--to must not be in the future, as ${text} is`)
  }
  return instant
}

function recoveryOf({ archive_dir }: Config, to: Options['to']): Recovery | undefined {
  if (to === undefined) return undefined
  if (archive_dir !== '' && archive_dir !== NO_ARCHIVE)
    return { archive_dir, to: to === 'latest' ? null : to }
  throw new UsageError('--to needs CORRIDOR_ARCHIVE, the folder that has the log')
}

/** The newest backup of a folder, by the server's clock when it began. */
async function backupIn(from: string): Promise<string> {
  const found = await stat(from).catch(() => undefined)
  if (found?.isDirectory() !== true) return from
  let newest: { readonly path: string; readonly as_of: string } | undefined
  for (const name of (await readdir(from)).sort()) {
    const path = join(from, name)
    const facts = await readFacts(path)
    if (facts !== undefined && facts.as_of >= (newest?.as_of ?? '')) newest = { path, ...facts }
  }
  if (newest === undefined) throw new CommandFailed(`${from} has no backup of corridor`)
  return newest.path
}

/** Nobody is refused if there are no operators. */
function refuseOthers(config: Config, operators: readonly string[]): void {
  if (operators.length === 0 || operators.includes(personIn(config))) return
  const names = operators.join(', ')
  throw new CommandFailed(`${config.user} is no operator of the backup; its operators: ${names}`)
}

type Copy = Awaited<ReturnType<typeof restore>>

const PAUSED_REASON = 'restored from a backup: compare it with what the rail has been given'

interface Checked {
  readonly verdict: Verdict
  readonly heads: readonly Head[]
  /** The payouts that may have gone out since the backup. */
  readonly unsent: number
  /** What the log has after the instant; null without one. */
  readonly since: ToldSince | null
}

async function restore(
  config: Config,
  file: string,
  recovery: Recovery | undefined,
  rehearse: boolean,
) {
  let checked: Checked | undefined
  const told = rehearse || recovery?.to == null ? undefined : { ...recovery, to: recovery.to }
  const restoreInto = rehearse ? restoreScratch : restoreBackup
  const restored = await restoreInto({
    file,
    data_dir: rehearse ? join(config.data_dir, 'postgres.rehearsal') : config.data_dir,
    log: () => {},
    recovery,
    mayRestore: operators => refuseOthers(config, operators),
    async accept(data_dir) {
      checked = await withContext(
        async ({ sql, audit }) => {
          // The rails may have got payouts that the copy does not have.
          const files = await clusterFiles({ ...config, data_dir })
          await pauseRestored(sql, files, PAUSED_REASON)
          const verdict = await verify(audit, { account_id: null })
          return {
            verdict,
            heads: await listHeads(audit),
            unsent: await countUnsent(audit),
            since: told && verdict.ok ? await tellSince(audit, { file, config, ...told }) : null,
          }
        },
        { ...config, data_dir },
      )
      return checked.verdict.ok
    },
  })
  if (checked === undefined) throw new Error('the copy was not looked at')
  return { file, restored, ...checked }
}

function restoreWords({ file, restored, verdict, heads, unsent, since }: Copy, config: Config) {
  const { as_of, data_dir, recovered } = restored
  if (!verdict.ok) {
    return [
      `Not in order: ${describe(verdict.problem)}`,
      `The copy of ${as_of} is in ${data_dir}, and ${config.data_dir} has no database.`,
    ].join('\n')
  }
  const rows = heads
    .slice(0, SHOWN_HEADS)
    .map(({ account_id, journals, head_hash }) => [account_id, journals, head_hash])
  const more = heads.length - rows.length
  return [
    `Restored ${file}, begun ${as_of}, into ${data_dir}.`,
    ...(recovered ? [reachedWords(recovered.reached, as_of)] : []),
    checkedWords(verdict.checked),
    table(['account', 'journals', 'head hash'], rows),
    ...(more > 0 ? [`and ${more} more accounts, listed by --json`] : []),
    'The books are in order, and the service can be started.',
    ...(since === null ? [] : sinceWords(since)),
    `Rails other than manual are paused. ${unsent} payouts may have gone out since:`,
    'compare them with the bank (corridor rail unsent), then corridor rail resume.',
  ].join('\n')
}

function reachedWords(reached: Instant | null, as_of: string): string {
  return `By the log, its last transaction ended at ${reached ?? as_of}.`
}

function rehearsalWords({ file, restored, verdict }: Copy): string {
  const { as_of, recovered, took } = restored
  if (!verdict.ok) return `Not in order: ${describe(verdict.problem)}`
  return [
    `Rehearsed the restore of ${file}, begun ${as_of}. The copy is removed.`,
    ...(recovered ? [reachedWords(recovered.reached, as_of)] : []),
    checkedWords(verdict.checked),
    `The books are in order. ${tookWords(took)}`,
  ].join('\n')
}

function tookWords({ unpack_ms, recover_ms, accept_ms }: Took): string {
  const seconds = (ms: number) => `${(ms / 1000).toLocaleString('en')} s`
  const total = unpack_ms + recover_ms + accept_ms
  return (
    `It took ${seconds(total)}: ${seconds(unpack_ms)} to unpack, ${seconds(recover_ms)} to read ` +
    `the log, ${seconds(accept_ms)} to start and to verify.`
  )
}
