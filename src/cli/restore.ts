// corridor restore, of the embedded database. A copy is accepted after its books are verified.
import type { Command } from 'commander'
import { countUnsent } from '../adapters/bank-file/unsent-store.ts'
import { type Config, readConfig } from '../config/config.ts'
import { type Head, listHeads } from '../ledger/store.ts'
import { clusterFiles } from '../postgres/open.ts'
import { restoreBackup } from '../postgres/restore.ts'
import { pauseRestored } from '../rails/restored.ts'
import { describe } from '../verify/problem.ts'
import { type Verdict, verify } from '../verify/run.ts'
import { requireEmbedded } from './backup.ts'
import { personIn, print, withContext } from './context.ts'
import { CommandFailed } from './failure.ts'
import { table } from './table.ts'
import { checkedWords, presentVerdict } from './verify.ts'

const SHOWN_HEADS = 20

const RESTORE_HELP = `
CORRIDOR_USER names an operator of the backup, if it has users; the command asks
before it works. CORRIDOR_DATA must have no database yet. The copy takes its
place there once it runs, has been migrated to this version, and has passed
corridor verify.

Example:
  CORRIDOR_DATA=./copy \\
    corridor restore /backups/corridor-2026-11-21.tar.zst`

export function restoreCommand(command: Command): void {
  command
    .argument('<file>', 'file that corridor backup made')
    .addHelpText('after', RESTORE_HELP)
    .action(async (file: string) => {
      const config = requireEmbedded(readConfig())
      const copy = await restore(config, file)
      const { restored, verdict, heads, unsent } = copy
      const data = { file, ...restored, ...presentVerdict(verdict), heads, unsent }
      print(data, restoreWords(copy, config))
      if (!verdict.ok) process.exitCode = 1
    })
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
}

async function restore(config: Config, file: string) {
  let checked: Checked | undefined
  const restored = await restoreBackup({
    file,
    data_dir: config.data_dir,
    log: () => {},
    mayRestore: operators => refuseOthers(config, operators),
    async accept(data_dir) {
      checked = await withContext(
        async ({ sql, audit }) => {
          // The rails may have got payouts that the backup does not have.
          const files = await clusterFiles({ ...config, data_dir })
          await pauseRestored(sql, files, PAUSED_REASON)
          return {
            verdict: await verify(audit, { account_id: null }),
            heads: await listHeads(audit),
            unsent: await countUnsent(audit),
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

function restoreWords({ file, restored, verdict, heads, unsent }: Copy, config: Config): string {
  const { as_of, data_dir } = restored
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
    checkedWords(verdict.checked),
    table(['account', 'journals', 'head hash'], rows),
    ...(more > 0 ? [`and ${more} more accounts, listed by --json`] : []),
    'The books are in order, and the service can be started.',
    `Rails other than manual are paused. ${unsent} payouts may have gone out since:`,
    'compare them with the bank (corridor rail unsent), then corridor rail resume.',
  ].join('\n')
}
