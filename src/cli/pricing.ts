// corridor pricing set|list|remove|history: sets and lists pricing policies: spreads, validity of
// quotes, age of rates and the pivot.

import type { Command } from 'commander'
import { Refusal } from '../errors.ts'
import { given } from '../given.ts'
import type { Instant } from '../instant.ts'
import { endPolicy, listPricing, setPolicies } from '../operator/pricing.ts'
import { MEANINGS, readPair, readValue } from '../price/policy/load.ts'
import {
  DEFAULTS,
  describeScope,
  INSTALLATION,
  indexPolicies,
  inForce,
  POLICY_NAMES,
  type Policies,
  type Policy,
  type PolicyName,
  rowsOf,
  SANDBOX_DEFAULTS,
  type Scope,
} from '../price/policy/rules.ts'
import { addCommand, example, print, withContext } from './context.ts'
import { readOrRefuse, refuseAsCommand, UsageError } from './failure.ts'
import { historyCommand } from './history.ts'
import { optionName } from './input.ts'
import { listing } from './table.ts'

const SET_HELP = `
Without --account and --pair it is for the whole installation. What is set for a
pair goes before what is set for an account, and what is set for a pair of an
account before both; each value for itself. A pair is directed: USD/HKD is what
those who pay HKD from USD get.

What is likely a slip is refused without --force: a spread over 500 bps, or over
three times the present one; a validity over a day; a price that is fixed for
over thirty days; an age over seven days.

Examples:
  npx corridor pricing set --spread-bps 50
  npx corridor pricing set --spread-bps 30 --account acc_7k2m9x4q \\
    --pair USD/HKD --from 2026-12-01T00:00:00Z
  npx corridor pricing set --max-age-s calendar --quote-validity-s 600`

const REMOVE_HELP = `
A row that waits is taken back. One in force ends, now or at --from, and what is
set for more holds again. corridor pricing list shows the numbers.

Example:
  npx corridor pricing remove 7`

export function pricingCommands(pricing: Command): void {
  const set = pricing.command('set').description('set values from now on, or from a time to come')
  for (const name of POLICY_NAMES) set.option(`${optionOf(name)} <value>`, MEANINGS[name])
  set
    .option('--account <account>', 'for this account alone')
    .option('--pair <from/to>', 'for this conversion alone, such as USD/HKD')
    .option('--from <time>', 'ISO 8601 time from which it holds (default: now)')
    .option('--force', 'set what is likely a slip of the finger')
    .addHelpText('after', SET_HELP)
    .action(setAction)
  addCommand(pricing, 'list', 'list what is in force and what waits')
    .addHelpText('after', example('pricing list'))
    .action(listAction)
  addCommand(pricing, 'remove', 'end one row, or take it back while it waits')
    .argument('<number>', 'of the row, as corridor pricing list shows it')
    .option('--from <time>', 'ISO 8601 time at which it ends (default: now)')
    .addHelpText('after', REMOVE_HELP)
    .action(removeAction)
  historyCommand(pricing, {
    table_name: 'pricing_policies',
    description: 'list what was set, newest first, and what it followed',
    subject: row => `${row.name} of ${describeScope(row as unknown as Scope)}`,
    describe: row => `${row.value ?? 'nothing'} from ${row.effective_from}`,
    example: 'pricing history',
  })
}

function optionOf(name: PolicyName): string {
  return `--${name.replaceAll('_', '-')}`
}

/** The options of `pricing set`, besides one for each policy. */
interface SetOptions {
  account?: string
  pair?: string
  from?: string
  force?: boolean
}

async function setAction(options: SetOptions): Promise<void> {
  const { force = false, from } = options
  const values = readValues({ ...options })
  const pair = options.pair === undefined ? {} : readOrRefuse(readPair(options.pair))
  const scope = { ...INSTALLATION, ...pair, account_id: options.account ?? null }
  if (values.pivot !== undefined && describeScope(scope) !== describeScope(INSTALLATION)) {
    throw new UsageError('--pivot is for the whole installation: leave out --account and --pair')
  }
  const request = given({ scope, values, force, from })
  const { made, policies, now } = await withContext(({ sql }) => setPolicies(sql, request)).catch(
    refuseAsCommand,
  )
  print(made, made.map(row => describeChange(policies, row, now)).join('\n'))
}

function readValues(options: Record<string, unknown>): Partial<Record<PolicyName, string>> {
  const values = POLICY_NAMES.flatMap(name => {
    const text = options[optionName(name)]
    return text === undefined ? [] : [[name, readOrRefuse(readValue(name, String(text)))] as const]
  })
  if (values.length > 0) return Object.fromEntries(values)
  throw new UsageError(`say what to set: ${POLICY_NAMES.map(optionOf).join(', ')}`)
}

async function listAction(): Promise<void> {
  const { defaults, rows } = await withContext(({ sql }) => listPricing(sql))
  const cells = rows.map(({ policy_id, name, value, effective_from: from, state, ...scope }) => ({
    number: String(policy_id),
    for: describeScope(scope),
    name,
    value: value ?? 'nothing',
    from,
    state,
  }))
  const defaultCells = (scope: string, name: string, value: string) => {
    return { number: '', for: scope, name, value, from: '', state: 'default' }
  }
  const default_rows = defaults.flatMap(({ name, value, sandbox_value }) => [
    defaultCells(describeScope(INSTALLATION), name, value),
    ...(sandbox_value === value ? [] : [defaultCells('sandboxes', name, sandbox_value)]),
  ])
  print({ defaults, rows }, listing([...default_rows, ...cells]))
}

async function removeAction(number: string, options: { from?: string }): Promise<void> {
  const policy_id = /^\d{1,9}$/.test(number) ? Number(number) : 0
  const { row, made, policies, now } = await withContext(({ sql }) =>
    endPolicy(sql, policy_id, options.from),
  ).catch(error => {
    if (!(error instanceof Refusal) || error.status !== 404) return refuseAsCommand(error)
    throw new UsageError(`no row ${number}; corridor pricing list shows those there are`)
  })
  const { name, value, effective_from } = row
  const ending = `${name} for ${describeScope(row)}: ${value} from ${effective_from}`
  const ended = made.map(end => describeChange(policies, end, now)).join()
  print({ removed: row }, ended || `${ending}: taken back`)
}

/** `spread_bps for pair USD/HKD: 50 from now on; until then 25, for the installation`. */
function describeChange(policies: Policies, row: Policy, now: Instant): string {
  const before = inForce(policies, row.name, row, row.effective_from)
  const rows = rowsOf(policies)
  const after = inForce(indexPolicies([...rows, row]), row.name, row, row.effective_from)
  const when = row.effective_from > now ? `from ${row.effective_from}` : 'from now on'
  const until = `until then ${valueWords(row, before)}`
  return `${row.name} for ${describeScope(row)}: ${valueWords(row, after)} ${when}; ${until}`
}

/** A value in force for the row, and the scope it was set for if that differs from the row's. */
function valueWords(row: Policy, source: Policy | undefined): string {
  if (source === undefined) {
    const [value, of_sandboxes] = [DEFAULTS[row.name], SANDBOX_DEFAULTS[row.name]]
    const sandbox_words = value === of_sandboxes ? '' : ` (${of_sandboxes} of sandboxes)`
    return `${value}, the default${sandbox_words}`
  }
  const same = describeScope(source) === describeScope(row)
  return same ? `${source.value}` : `${source.value}, as set for ${describeScope(source)}`
}
