// corridor doctor: checks what an operator would check first. It changes nothing.
import type { Command } from 'commander'
import { listAccountsInFull } from '../accounts/store.ts'
import { type Config, readConfig } from '../config/config.ts'
import { clock } from '../ledger/clock.ts'
import { openDatabase } from '../postgres/open.ts'
import type { Sql } from '../sql/connect.ts'
import { DatabaseProblem } from '../sql/failure.ts'
import { refuseUnready, refuseWithoutSchema } from '../sql/migrate.ts'
import { asOwner, type Context, onDatabase, print } from './context.ts'
import {
  checkAccounts,
  checkArchive,
  checkClock,
  checkDisk,
  checkLists,
  checkNode,
  checkPort,
  checkRates,
  checkUpkeep,
  checkWebhooks,
  checkWorkers,
  countProcesses,
  type Finding,
  inOrder,
  wrong,
} from './doctor-checks.ts'
import { table } from './table.ts'

const HELP = `
It changes nothing, and works whether or not the service is running. Exit code 0
when all is in order, 1 when something needs a person.

Examples:
  corridor doctor
  corridor doctor --json | jq '.checks[] | select(.ok | not)'`

export function doctorCommand(command: Command): void {
  command.addHelpText('after', HELP).action(async () => {
    const checks = await examine(readConfig())
    const ok = checks.every(check => check.ok)
    print({ ok, checks }, wordsOf(checks))
    if (!ok) process.exitCode = 1
  })
}

/** Without a database or its schema, nothing that needs it is checked. */
async function examine(config: Config): Promise<Finding[]> {
  const machine = [checkNode(), await checkPort(config)]
  const database = await openDatabase(config, { create: false }).catch(asFinding('database'))
  if ('check' in database) return [...machine, database]
  try {
    const opened = await asOwner(database.url, async owner => ({
      version: await readVersion(owner),
      processes: await countProcesses(owner),
      schema: await checkSchema(owner).catch(asFinding('schema')),
    }))
    const server = inOrder('database', `PostgreSQL ${opened.version}, ${database.description}`)
    const disks = [await checkDisk(config), await checkArchive(config)]
    const basics = [...machine, ...disks, server, opened.schema]
    if (!opened.schema.ok) return basics
    const rest = await onDatabase(config, database.url, context =>
      examineBooks(context, opened.processes),
    )
    return [...basics, checkJump(), ...rest]
  } finally {
    await database.release()
  }
}

function checkJump(): Finding {
  const { jump } = clock
  if (jump === null) return inOrder('writes', 'the clock of the database has not jumped')
  const found = `stopped: the database's clock shows ${jump.found}, not about ${jump.expected}`
  return wrong('writes', found, 'set the clock right, then run corridor clock confirm')
}

async function examineBooks(context: Context, processes: number): Promise<Finding[]> {
  const accounts = await listAccountsInFull(context.sql)
  const live = accounts.filter(({ sandbox, state }) => !sandbox && state === 'active')
  const has_live = live.length > 0
  const ofLive = has_live
    ? [
        await checkRates(context, live),
        await checkLists(context),
        ...(await checkAccounts(context, live)),
        await checkWebhooks(context, new Set(live.map(({ account_id }) => account_id))),
      ]
    : [inOrder('accounts', 'none is live: rates, lists, fees and routes are those of sandboxes')]
  return [
    await checkClock(context.sql),
    ...(await checkWorkers(context, processes, has_live)),
    ...ofLive,
    ...(await checkUpkeep(context, has_live)),
  ]
}

async function readVersion(owner: Sql): Promise<string> {
  const [row] = await owner`select current_setting('server_version') as version`
  return row?.version ?? ''
}

async function checkSchema(owner: Sql): Promise<Finding> {
  await refuseWithoutSchema(owner)
  await refuseUnready(owner)
  return inOrder('schema', 'has the migrations of this version, and no others')
}

/** The message of a DatabaseProblem is one sentence: the problem, a colon and what to do. */
function asFinding(check: string) {
  return (error: unknown): Finding => {
    if (!(error instanceof DatabaseProblem)) throw error
    return wrong(check, error.message, 'do as it says; docs/operations.md, "Runbook", has more')
  }
}

function wordsOf(checks: readonly Finding[]): string {
  const rows = checks.map(({ check, ok, found }) => [ok ? 'in order' : 'WRONG', check, found])
  const bad = checks.filter(({ ok }) => !ok)
  const todo = bad.map(({ check, fix }) => `${check}: ${fix}`)
  const last = bad.length === 0 ? ['Nothing needs you.'] : ['What to do:', ...todo]
  return [table(['', 'check', 'found'], rows), '', ...last].join('\n')
}
