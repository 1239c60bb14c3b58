// corridor rail add|remove|exceptions|unsent. Running services open a changed rail without a
// restart. The other commands are actions.
import type { Command } from 'commander'
import { alertWords, nextCommand } from '../adapters/bank-file/alert.ts'
import { findAlerts } from '../adapters/bank-file/alert-store.ts'
import { listUnsent } from '../adapters/bank-file/unsent-store.ts'
import { nextStep, troubleWords } from '../adapters/evm/trouble.ts'
import { findTroubles } from '../adapters/evm/trouble-store.ts'
import { RAIL_KINDS, timetablesOf } from '../adapters/registry.ts'
import { presentException } from '../operator/exceptions.ts'
import { railNamed } from '../operator/rail-named.ts'
import { presentRail, rails } from '../operator/rails.ts'
import type { RailException } from '../rails/attempt.ts'
import { listOpenExceptions } from '../rails/exception-store.ts'
import type { RailRow } from '../rails/kind.ts'
import { readRail } from '../rails/load-rail.ts'
import { MANUAL } from '../rails/rail.ts'
import {
  countAskedAttempts,
  deleteRail,
  insertRail,
  listRails,
  updateRail,
} from '../rails/row-store.ts'
import { conditionWords } from '../rails/rules.ts'
import { listRoutes } from '../rails/store.ts'
import { timetableConflict } from '../rails/timetable.ts'
import { databaseNow, type Sql } from '../sql/connect.ts'
import { type Instant, secondsBetween } from '../values/instant.ts'
import { moneyWords } from '../values/money/words.ts'
import { describeAge } from '../values/text/age.ts'
import { commandsOf } from './action.ts'
import { addCommand, type Context, example, print, withContext } from './context.ts'
import { CommandFailed, readOrRefuse, UsageError } from './failure.ts'
import { DEFAULT_LIMIT, readInput, readLimit } from './input.ts'
import { triedWords, tryRail } from './rail-carriage.ts'
import { railCheckCommand } from './rail-check.ts'
import { listing } from './table.ts'

interface AddOptions {
  readonly kind: string
  readonly config: string
  readonly secret?: string
  readonly replace?: boolean
}

export function railCommands(rail: Command): void {
  commandsOf(rails)(rail)
  rail
    .command('add')
    .description('add a rail, which routes can then name; --replace gives one other settings')
    .argument('<name>', 'what routes and payouts call it, such as main_bank')
    .requiredOption('--kind <kind>', `its kind: ${KIND_NAMES}`)
    .requiredOption('--config <file>', 'its settings, a file of JSON; - is standard input')
    .option('--secret <file>', 'what it signs or logs in with, a file of one line')
    .option('--replace', 'give the rail of this name these settings; its kind stays')
    .addHelpText('after', ADD_HELP)
    .action(addAction)
  addCommand(rail, 'remove', 'remove a rail that has no routes and never had a payout')
    .argument('<name>', 'the rail')
    .addHelpText('after', example('rail remove main_bank'))
    .action(removeAction)
  railCheckCommand(rail)
  exceptionCommands(rail)
  unsentCommand(rail)
}

const KIND_NAMES = RAIL_KINDS.map(({ name }) => name).join(', ')

const KINDS = RAIL_KINDS.map(({ name, description, secret }) => {
  const needs = secret === null ? 'no secret' : `--secret: ${secret}`
  return `  ${name.padEnd(10)} ${description}; ${needs}`
})

const ADD_HELP = `
Kinds:
${KINDS.join('\n')}

The answer names payouts that the rail cannot carry, by trying the examples of
GET /v3/payout/requirements. A rail is asked by every running service within a
second. The secret is kept in the database as it is, and never shown; the
history has its digest.

Example:
  corridor rail add main_bank --kind connector \\
    --config bank.json --secret bank.key`

async function addAction(name: string, options: AddOptions): Promise<void> {
  const { kind, replace = false } = options
  const [config, secret] = await Promise.all([
    readInput(options.config),
    options.secret === undefined ? { text: '' } : readInput(options.secret),
  ])
  const given = { name, kind, config: config.text, secret: secret.text }
  const rail = readOrRefuse(readRail(given, RAIL_KINDS))
  const { before, tried } = await withContext(async ({ sql, audit }) => {
    const before = (await listRails(sql)).find(known => known.name === name)
    await (replace ? replaceRail({ sql, audit }, rail, before) : addRail(sql, rail))
    return { before, tried: await tryRail(sql, rail) }
  })
  const words = before === undefined ? 'added' : 'has other settings'
  const hint = `lead payouts to it: corridor route set --rail ${name}`
  const said = [`rail ${name} of kind ${rail.kind} ${words}; ${hint}`, triedWords(rail, tried)]
  print({ ...presentRail(rail), not_carried: tried }, said.filter(Boolean).join('\n'))
}

async function addRail(sql: Sql, rail: RailRow): Promise<void> {
  const kind = RAIL_KINDS.find(({ name }) => name === rail.kind)
  if (kind?.requires_secret === true && rail.secret === '') {
    throw new UsageError(`a rail of kind ${rail.kind} needs --secret, a file: ${kind.secret}`)
  }
  refuseMissing(rail)
  if (await insertRail(sql, rail)) return
  throw new CommandFailed(`there is a rail ${rail.name}; --replace gives it other settings`)
}

/** A rail that cannot open would let its payouts wait. */
function refuseMissing({ kind, config, secret }: RailRow): void {
  const missing = RAIL_KINDS.find(({ name }) => name === kind)?.lacks(config, secret) ?? []
  if (missing.length > 0) throw new UsageError(missing.join('; '))
}

async function replaceRail(
  { sql, audit }: Pick<Context, 'sql' | 'audit'>,
  rail: RailRow,
  before: RailRow | undefined,
): Promise<void> {
  if (before === undefined) {
    throw new CommandFailed(`there is no rail ${rail.name}; without --replace it is added`)
  }
  if (before.kind !== rail.kind) {
    const message = `rail ${rail.name} is of kind ${before.kind} and keeps it; add another rail`
    throw new UsageError(message)
  }
  await refuseIdentityChange(audit, rail, before)
  await refuseContradictedRoutes(sql, rail)
  // The secret stays unless a new one is given.
  const row = rail.secret === '' ? { ...rail, secret: before.secret } : rail
  refuseMissing(row)
  await updateRail(sql, row).catch(error => {
    if (constraintOf(error) === 'keeps_its_wallets') {
      const hint = 'mark it draining, and take it out once they have ended'
      throw new CommandFailed(`rail ${rail.name} has payments of a wallet under way: ${hint}`)
    }
    if (constraintOf(error) !== 'keeps_its_identity') throw error
    // The rail was resumed, or got a payout, since it was read.
    throw new CommandFailed(`rail ${rail.name} was asked about a payout at this moment: try again`)
  })
}

function constraintOf(error: unknown): string | undefined {
  return (error as { constraint_name?: string }).constraint_name
}

/** Another provider or bank account does not know the rail's payouts, and would pay them again. */
async function refuseIdentityChange(audit: Sql, rail: RailRow, before: RailRow): Promise<void> {
  const kind = RAIL_KINDS.find(({ name }) => name === rail.kind)
  const changed = kind?.identity?.find(
    member => settingOf(before.config, member) !== settingOf(rail.config, member),
  )
  if (changed === undefined) return
  const keeps = `rail ${rail.name} keeps its ${changed}`
  const handed = await countAskedAttempts(audit, rail.name)
  if (handed > 0) {
    const payouts = `${handed} ${handed === 1 ? 'payout' : 'payouts'}`
    throw new CommandFailed(`${keeps}: it is asked about ${payouts}; add another rail`)
  }
  // A process that has not read the new settings yet would hand a payout to the old provider.
  if (before.paused_reason === '') {
    throw new CommandFailed(`${keeps} while it is asked: corridor rail pause ${rail.name} first`)
  }
}

/** Without the blanks that people write into an IBAN; '' if unset. */
function settingOf(config: unknown, path: string): string {
  let value = config
  for (const name of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[name]
  return String(value ?? '').replaceAll(' ', '')
}

/** Payouts would be released for a day whose files the bank no longer takes. */
async function refuseContradictedRoutes(sql: Sql, rail: RailRow): Promise<void> {
  const timetable = timetablesOf([rail]).get(rail.name)
  if (timetable === undefined) return
  const routes = (await listRoutes(sql)).filter(route => route.rail === rail.name)
  const contradictions = routes.flatMap(route => {
    const why = route.timetable && timetableConflict(route.timetable, timetable)
    return why ? [`the route for ${conditionWords(route)}: ${why}`] : []
  })
  if (contradictions.length === 0) return
  const hint = 'set those routes again by corridor route set, with --no-cut-off or an earlier one'
  throw new CommandFailed(`timetable contradicts ${contradictions.join('; ')}; ${hint}`)
}

async function removeAction(name: string): Promise<void> {
  const rail = await withContext(async ({ sql }) => {
    const rail = await railNamed(sql, name)
    if (rail.kind === MANUAL) {
      throw new UsageError(`rail ${name} is the manual rail: it cannot be removed`)
    }
    const routes = (await listRoutes(sql)).filter(route => route.rail === name)
    if (routes.length > 0) {
      const hint = 'corridor route remove them first'
      throw new CommandFailed(`${routes.length} routes lead to rail ${name}; ${hint}`)
    }
    await deleteRail(sql, name).catch(error => {
      if (constraintOf(error) !== 'carried_nothing') throw error
      const hint = `corridor rail pause ${name} asks it nothing any more`
      throw new CommandFailed(`rail ${name} has had payouts and stays; ${hint}`)
    })
    return rail
  })
  print(presentRail(rail), `rail ${name} removed`)
}

export function exceptionCommands(rail: Command): void {
  rail
    .command('exceptions')
    .description('list payouts, files and rails that wait for a person, the oldest first')
    .option('--limit <number>', 'at most so many payouts', String(DEFAULT_LIMIT))
    .addHelpText('after', LIST_HELP)
    .action(listAction)
}

const LIST_HELP = `
Each has its age and the command that comes next, once you know the cause. An
exception of a payout is closed by you; that of a file or a rail is over when
its cause is.

Example:
  corridor rail exceptions`

async function listAction(options: { limit: string }): Promise<void> {
  const limit = readLimit(options.limit)
  const { open, alerts, now } = await withContext(async ({ audit }) => {
    const open = await listOpenExceptions(audit, { payout_id: '', number: 0 }, limit)
    const alerts = await findWaiting(audit)
    return { open, alerts, now: await databaseNow(audit) }
  })
  const ageOf = (since: Instant) => describeAge(secondsBetween(since, now))
  const payouts = open.map(exception => ({
    payout: exception.payout_id,
    'no.': String(exception.number),
    rail: exception.rail,
    kind: exception.kind,
    age: ageOf(exception.opened_at),
    what: exception.message,
    next: closingCommand(exception),
  }))
  const files = alerts.map(alert => ({
    'file or rail': alert.about.slice(0, LONGEST_ID),
    rail: alert.rail,
    kind: alert.kind,
    age: ageOf(alert.since),
    what: alert.message,
    next: alert.next,
  }))
  const words = [
    listing(payouts, 'no payout waits for a person'),
    listing(files, 'no file and no rail waits for a person'),
  ]
  const data = [
    ...open.map(exception => ({ ...presentException(exception), next: closingCommand(exception) })),
    ...alerts.map(alert => {
      const { rail, kind, about, since: opened_at, message, next } = alert
      return { rail, kind, about, message, opened_at, next }
    }),
  ]
  print(data, words.join('\n\n'))
}

/** What waits for a person beside payouts: files, rails and wallets, the oldest first. */
async function findWaiting(audit: Sql) {
  const [alerts, troubles] = await Promise.all([findAlerts(audit, audit), findTroubles(audit)])
  const all = [
    ...alerts.map(alert => ({ ...alert, message: alertWords(alert), next: nextCommand(alert) })),
    ...troubles.map(trouble => ({
      ...trouble,
      about: trouble.wallet || trouble.rail,
      message: troubleWords(trouble),
      next: nextStep(trouble),
    })),
  ]
  return all.sort((a, b) => (a.since < b.since ? -1 : 1))
}

/** The length of a message id. Of a hash, that many digits are enough. */
const LONGEST_ID = 16

function closingCommand({ payout_id, number }: RailException): string {
  return `corridor rail close-exception ${payout_id} ${number} --note …`
}

const HELP = `
In a restored or promoted database they may have gone out since the copy was
made. A payout that goes out again has the same end-to-end id: look for each at
the bank before you resume its rail.

Example:
  corridor rail unsent --rail main_bank`

export function unsentCommand(rail: Command): void {
  rail
    .command('unsent')
    .description('list payouts that no rail is known to have, with the ids that a bank would have')
    .option('--rail <name>', 'of this rail alone')
    .option('--limit <number>', 'at most so many payouts', String(DEFAULT_LIMIT))
    .addHelpText('after', HELP)
    .action(async ({ rail, limit }: { rail?: string; limit: string }) => {
      const most = readLimit(limit)
      const unsent = await withContext(({ audit }) => listUnsent(audit, rail, most))
      const rows = unsent.map(({ id, amount, currency, attempt, end_to_end_id, ...row }) => ({
        payout: id,
        account: row.account_id,
        rail: row.rail,
        status: row.status,
        amount: moneyWords(amount, currency),
        attempt: String(attempt),
        'end-to-end id': end_to_end_id,
      }))
      const data = unsent.map(({ id: payout, amount, ...row }) => ({
        ...{ payout, amount: String(amount) },
        ...row,
      }))
      print(data, listing(rows, 'each open payout is known to its rail'))
    })
}
