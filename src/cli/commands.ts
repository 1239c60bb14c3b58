// A call imports the module of its own command alone: loading all of the product takes the larger
// part of a second.
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { checkVariables } from '../config/variables.ts'
import type { ActionGroup } from '../operator/action.ts'
import { pathOf, running } from './context.ts'
import { report } from './failure.ts'
import { pasteable } from './pasteable.ts'

/** In the order of `corridor --help`. */
const DESCRIPTIONS = {
  start: 'run the service; an empty embedded database gets a sandbox account first',
  migrate: 'bring the database schema up to date',
  doctor: 'look at the machine, the database and live accounts, and say what to mend',
  clock: 'show whether the clock of the database has jumped, and confirm it',
  account: 'open, list, change and freeze accounts',
  sandbox: 'open a sandbox account with play money, to try Corridor with',
  key: 'create, list and revoke API keys',
  user: 'name the people who run commands',
  'second-factor': 'say who must log in with a second factor',
  audit: 'show and prove who has changed what',
  fund: 'credit an account with money that has come in',
  withdraw: 'book money that leaves an account other than by a payout',
  adjust: 'correct a balance, up or down, with a reason',
  reverse: 'take back what fund, withdraw or adjust has booked, once',
  rates: 'list, set and load exchange rates',
  fees: 'list, set, import and remove rows of the fee schedule',
  rail: 'add, pause and remove rails of live accounts',
  route: 'say which rails take the payouts of live accounts, in which order',
  'funding-key': 'say by which references and virtual IBANs incoming money finds its account',
  nostro: 'add accounts at banks, and see what each bank and the books have',
  house: 'book transfers, deals and top-ups between the accounts at banks',
  month: 'close months of the books, and see what a month still needs',
  safeguarding: 'show and sign what is owed to clients and what is held for them',
  report: 'show the books: trial balance, ledger, income, transit, suspense and others',
  limit: 'limit how much, and how many payouts, accounts may make',
  'approval-rule': 'let payouts and beneficiaries wait until people approve them',
  beneficiary: 'approve or reject a beneficiary',
  file: 'list and release files for banks, send them again, look into the quarantine',
  pricing: 'set and list spreads, validity of quotes, age of rates and the pivot',
  payout: 'list payouts, pay and move them by hand, import files',
  search: 'find payouts, payees, entities and accounts by one text',
  statement: 'write the statement of an account, as CSV, ISO 20022 or MT940',
  entity: 'review entities, explain what is a duplicate and why, import files',
  lists: 'import sanctions lists from files, and show how old they are',
  screening: 'look at what screening holds, decide about it, and ask the lists about a name',
  listen: 'print events as they happen, and forward them signed to a URL',
  trigger: 'make an event happen in a sandbox, such as payout.failed',
  logs: 'print the last requests of sandboxes and why they were refused, and follow them',
  events: 'deliver events again; write old ones to a file, and prove it',
  privacy: 'find, export and erase personal data, and set how long payments are kept',
  demo: 'make an account and a payout on the running service, and add up its ledger',
  verify: 'recompute every balance from the journals; exits 1 naming the first bad row',
  backup: 'write the embedded database to one file, while the service runs',
  restore: 'put a backup into an empty CORRIDOR_DATA, and verify it',
  distribute: 'spread the tables of accounts over the machines of a Citus cluster',
}

type Load = () => Promise<(command: Command) => void>

const actions = async (group: ActionGroup) => (await import('./action.ts')).commandsOf(group)

const booking = async (name: string) => {
  const { funding } = await import('../operator/funding.ts')
  return actions({ actions: funding.filter(action => action.name === name) })
}

const MODULES: Readonly<Record<keyof typeof DESCRIPTIONS, Load>> = {
  start: async () => (await import('./start.ts')).startCommand,
  migrate: async () => (await import('./migrate.ts')).migrateCommand,
  doctor: async () => (await import('./doctor.ts')).doctorCommand,
  clock: async () => actions((await import('../operator/clock.ts')).clockActions),
  account: async () => (await import('./account.ts')).accountCommands,
  sandbox: async () => (await import('./sandbox.ts')).sandboxCommands,
  key: async () => actions((await import('../operator/keys.ts')).keys),
  user: async () => (await import('./user.ts')).userCommands,
  'second-factor': async () => actions((await import('../operator/second-factor.ts')).secondFactor),
  audit: async () => (await import('./audit.ts')).auditCommands,
  fund: () => booking('fund'),
  withdraw: () => booking('withdraw'),
  adjust: () => booking('adjust'),
  reverse: () => booking('reverse'),
  rates: async () => (await import('./rates.ts')).ratesCommands,
  fees: async () => (await import('./fees.ts')).feesCommands,
  rail: async () => (await import('./rail.ts')).railCommands,
  route: async () => (await import('./route-explain.ts')).routeCommands,
  'funding-key': async () => actions((await import('../operator/funding-keys.ts')).fundingKeys),
  nostro: async () => (await import('./nostro.ts')).nostroCommands,
  house: async () => actions((await import('../operator/house.ts')).house),
  month: async () => actions((await import('../operator/months.ts')).months),
  safeguarding: async () => actions((await import('../operator/safeguarding.ts')).safeguarding),
  report: async () => actions((await import('../operator/reports.ts')).reports),
  limit: async () => actions((await import('../operator/limits.ts')).limits),
  'approval-rule': async () =>
    actions((await import('../operator/approval-rules.ts')).approvalRules),
  beneficiary: async () => (await import('./approvals.ts')).beneficiaryCommands,
  file: async () => (await import('./file.ts')).fileCommands,
  pricing: async () => actions((await import('../operator/pricing.ts')).pricing),
  payout: async () => (await import('./payout.ts')).payoutCommands,
  search: async () => actions((await import('../operator/searching.ts')).searching),
  statement: async () => (await import('./statement.ts')).statementCommand,
  entity: async () => (await import('./entity.ts')).entityCommands,
  lists: async () => (await import('./lists.ts')).listsCommands,
  screening: async () => (await import('./screening.ts')).screeningCommands,
  listen: async () => (await import('./listen.ts')).listenCommand,
  trigger: async () => (await import('./trigger.ts')).triggerCommand,
  logs: async () => (await import('./logs.ts')).logsCommand,
  events: async () => (await import('./events.ts')).eventsCommands,
  privacy: async () => (await import('./privacy.ts')).privacyCommands,
  demo: async () => (await import('./demo.ts')).demoCommand,
  verify: async () => (await import('./verify.ts')).verifyCommand,
  backup: async () => (await import('./backup.ts')).backupCommand,
  restore: async () => (await import('./restore.ts')).restoreCommand,
  distribute: async () => (await import('./distribute.ts')).distributeCommand,
}

export async function runCommand(words: readonly string[]): Promise<void> {
  running.words = words
  const json = words.includes('--json')
  // EPIPE: the reader, such as `head`, has closed the pipe.
  process.stdout.on('error', error => {
    process.exit((error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : report(error, json))
  })
  try {
    const program = await makeProgram(name => isNamed(words, name), json)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = report(error, json)
  }
}

/** Whether the words call the command of this name, or are `corridor help NAME`. */
function isNamed(words: readonly string[], name: string): boolean {
  const [first, second] = words.filter(word => !word.startsWith('-'))
  return (first === 'help' ? second : first) === name
}

/** Describes every command. Only those that `isWanted` names can be run. */
export async function makeProgram(isWanted: (name: string) => boolean, json = false) {
  const program = new Command('corridor')
    .description('A self-hosted engine for cross-border payouts on a ledger that can be proved.')
    .version(packageJson.version)
    .showHelpAfterError('(corridor --help lists the commands)')
    // Lists commands by name. Each command's own help shows its arguments.
    .configureHelp({ subcommandTerm: command => command.name() })
    .addHelpText('after', '\nExit codes: 0 done, 1 failed or refused, 2 wrong call or setting.')
    .exitOverride()
    // Inherited by every command added below.
    .configureOutput({
      writeOut: words => void process.stdout.write(pasteable(words)),
      ...(json && { writeErr: () => {} }),
    })
    // Commands that read no settings also refuse a mistyped setting.
    .hook('preAction', (_program, command) => {
      checkVariables()
      running.command = pathOf(command)
      running.json = command.opts().json === true
    })
  for (const [name, description] of Object.entries(DESCRIPTIONS)) {
    const command = program.command(name).description(description)
    command.showHelpAfterError(`(corridor ${name} --help shows how to call it)`)
    if (isWanted(name)) (await MODULES[name as keyof typeof MODULES]())(command)
  }
  offerJson(program)
  return program
}

function offerJson(program: Command): void {
  for (const command of program.commands) {
    const has_json = command.options.some(({ long }) => long === '--json')
    if (command.commands.length > 0) offerJson(command)
    else if (!has_json) command.option('--json', 'print JSON')
  }
}
