// The commands of the command line. The module of a command is imported when it is called: most
// need little of the product, and loading all of it takes the larger part of a second.
import { Command } from 'commander'
import packageJson from '../../package.json' with { type: 'json' }
import { checkVariables } from '../config.ts'
import { offerJson, pathOf, report, running } from './context.ts'

interface Called {
  readonly name: string
  readonly description: string
  /** Resolves to what gives the command its arguments, options and subcommands. */
  load(): Promise<(command: Command) => void>
}

/** In the order of `corridor --help`. */
const COMMANDS: readonly Called[] = [
  {
    name: 'start',
    description: 'run the service; on an empty database, make a funded sandbox account first',
    load: async () => (await import('./start.ts')).startCommand,
  },
  {
    name: 'migrate',
    description: 'bring the database schema up to date',
    load: async () => (await import('./migrate.ts')).migrateCommand,
  },
  {
    name: 'doctor',
    description: 'look at the machine, the database and live accounts, and say what to mend',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  {
    name: 'account',
    description: 'open, list, change and freeze accounts',
    load: async () => (await import('./account.ts')).accountCommands,
  },
  {
    name: 'key',
    description: 'create, list and revoke API keys',
    load: async () => (await import('./key.ts')).keyCommands,
  },
  {
    name: 'user',
    description: 'name the people who run commands',
    load: async () => (await import('./user.ts')).userCommands,
  },
  {
    name: 'audit',
    description: 'show and prove who has changed what',
    load: async () => (await import('./audit.ts')).auditCommands,
  },
  {
    name: 'fund',
    description: 'credit an account with money that has come in',
    load: async () => (await import('./funding.ts')).fundCommand,
  },
  {
    name: 'withdraw',
    description: 'book money that leaves an account other than by a payout',
    load: async () => (await import('./funding.ts')).withdrawCommand,
  },
  {
    name: 'adjust',
    description: 'correct a balance, up or down, with a reason',
    load: async () => (await import('./funding.ts')).adjustCommand,
  },
  {
    name: 'reverse',
    description: 'take back what fund, withdraw or adjust has booked, once',
    load: async () => (await import('./funding.ts')).reverseCommand,
  },
  {
    name: 'rates',
    description: 'list, set and load exchange rates',
    load: async () => (await import('./rates.ts')).ratesCommands,
  },
  {
    name: 'fees',
    description: 'list, set, import and remove rows of the fee schedule',
    load: async () => (await import('./fees.ts')).feesCommands,
  },
  {
    name: 'rail',
    description: 'add, pause and remove rails of live accounts',
    load: async () => (await import('./rail.ts')).railCommands,
  },
  {
    name: 'route',
    description: 'say which rails take the payouts of live accounts, in which order',
    load: async () => (await import('./route.ts')).routeCommands,
  },
  {
    name: 'limit',
    description: 'limit how much, and how many payouts, accounts may make',
    load: async () => (await import('./limit.ts')).limitCommands,
  },
  {
    name: 'approval-rule',
    description: 'let payouts and beneficiaries wait until people approve them',
    load: async () => (await import('./approval-rule.ts')).approvalRuleCommands,
  },
  {
    name: 'beneficiary',
    description: 'approve, reject or archive a beneficiary',
    load: async () => (await import('./beneficiary.ts')).beneficiaryCommands,
  },
  {
    name: 'file',
    description: 'list and release files for banks, send them again, look into the quarantine',
    load: async () => (await import('./file.ts')).fileCommands,
  },
  {
    name: 'pricing',
    description: 'set and list spreads, validity of quotes, age of rates and the pivot',
    load: async () => (await import('./pricing.ts')).pricingCommands,
  },
  {
    name: 'payout',
    description: 'list payouts, pay and move them by hand, import files',
    load: async () => (await import('./payout.ts')).payoutCommands,
  },
  {
    name: 'statement',
    description: 'write the statement of an account, as CSV, ISO 20022 or MT940',
    load: async () => (await import('./statement.ts')).statementCommand,
  },
  {
    name: 'entity',
    description: 'review entities, explain what is a duplicate and why, import files',
    load: async () => (await import('./entity.ts')).entityCommands,
  },
  {
    name: 'lists',
    description: 'import sanctions lists from files, and show how old they are',
    load: async () => (await import('./lists.ts')).listsCommands,
  },
  {
    name: 'screening',
    description: 'ask the sanctions lists about a name',
    load: async () => (await import('./screening.ts')).screeningCommands,
  },
  {
    name: 'listen',
    description: 'print events as they happen, and forward them signed to a URL',
    load: async () => (await import('./listen.ts')).listenCommand,
  },
  {
    name: 'trigger',
    description: 'make an event happen in a sandbox, such as payout.failed',
    load: async () => (await import('./trigger.ts')).triggerCommand,
  },
  {
    name: 'logs',
    description: 'print the last requests of sandboxes and why they were refused, and follow them',
    load: async () => (await import('./logs.ts')).logsCommand,
  },
  {
    name: 'events',
    description: 'deliver events again; write old ones to a file, and prove it',
    load: async () => (await import('./events.ts')).eventsCommands,
  },
  {
    name: 'privacy',
    description: 'find, export and erase personal data, and set how long payments are kept',
    load: async () => (await import('./privacy.ts')).privacyCommands,
  },
  {
    name: 'demo',
    description: 'make an account and a payout on the running service, and add up its ledger',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  {
    name: 'verify',
    description: 'recompute every balance from the journals; exits 1 naming the first bad row',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  {
    name: 'backup',
    description: 'write the embedded database to one file, while the service runs',
    load: async () => (await import('./backup.ts')).backupCommand,
  },
  {
    name: 'restore',
    description: 'put a backup into an empty CORRIDOR_DATA, and verify it',
    load: async () => (await import('./backup.ts')).restoreCommand,
  },
  {
    name: 'distribute',
    description: 'spread the tables of accounts over the machines of a Citus cluster',
    load: async () => (await import('./distribute.ts')).distributeCommand,
  },
  {
    name: 'openapi',
    description: 'print the OpenAPI document of the interface',
    load: async () => (await import('./openapi.ts')).openapiCommand,
  },
]

/** The words of a call, without the name of the program. */
type Words = readonly string[]

/** Runs the command that is called, and sets the exit code. */
export async function runCommand(words: Words): Promise<void> {
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

/** Whether the call, or `corridor help NAME`, is of the command of this name. */
function isNamed(words: Words, name: string): boolean {
  const [first, second] = words.filter(word => !word.startsWith('-'))
  return (first === 'help' ? second : first) === name
}

/** Names and describes every command; those that `isWanted` names can be run. */
export async function makeProgram(
  isWanted: (name: string) => boolean,
  json = false,
): Promise<Command> {
  const program = new Command('corridor')
    .description('A self-hosted engine for cross-border payouts on a ledger that can be proved.')
    .version(packageJson.version)
    .showHelpAfterError('(corridor --help lists the commands)')
    // Lists commands by name; each command's own help shows its arguments.
    .configureHelp({ subcommandTerm: command => command.name() })
    .addHelpText('after', '\nExit codes: 0 done, 1 failed or refused, 2 wrong call or setting.')
    .exitOverride()
    // Inherited by every command added below.
    .configureOutput(json ? { writeErr: () => {} } : {})
    // Commands that read no settings refuse a mistyped one as well.
    .hook('preAction', (_program, command) => {
      checkVariables()
      running.command = pathOf(command)
    })
  for (const { name, description, load } of COMMANDS) {
    const command = program.command(name).description(description)
    command.showHelpAfterError(`(corridor ${name} --help shows how to call it)`)
    if (isWanted(name)) (await load())(command)
  }
  offerJson(program)
  return program
}
