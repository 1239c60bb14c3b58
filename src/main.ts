// The command line. Each command is a file in cli/; this one only joins them and turns what went
// wrong into one line and an exit code: 1 for a failure, 2 for a wrong call.
import { Command, CommanderError } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { accountCommands } from './cli/account.ts'
import { backupCommands } from './cli/backup.ts'
import { CommandFailed, UsageError } from './cli/context.ts'
import { demoCommand } from './cli/demo.ts'
import { entityCommands } from './cli/entity.ts'
import { eventsCommands } from './cli/events.ts'
import { feesCommands } from './cli/fees.ts'
import { fundingCommands } from './cli/funding.ts'
import { keyCommands } from './cli/key.ts'
import { listenCommand } from './cli/listen.ts'
import { openapiCommand } from './cli/openapi.ts'
import { payoutCommands } from './cli/payout.ts'
import { ratesCommands } from './cli/rates.ts'
import { startCommands } from './cli/start.ts'
import { statementCommand } from './cli/statement.ts'
import { verifyCommand } from './cli/verify.ts'
import { ConfigError } from './config.ts'
import { DatabaseProblem, isConnectionLost } from './db/failure.ts'
import { Refusal } from './errors.ts'

const program = new Command('corridor')
  .description('A self-hosted engine for cross-border payouts on a ledger that can be proved.')
  .version(packageJson.version)
  .showHelpAfterError('(corridor --help lists the commands)')
  // Names alone leave room for what they do; arguments stand in each command's own help.
  .configureHelp({ subcommandTerm: command => command.name() })
  .addHelpText('after', '\nExit codes: 0 done, 1 failed or refused, 2 wrong call or setting.')
  .exitOverride()

startCommands(program)
accountCommands(program)
keyCommands(program)
fundingCommands(program)
ratesCommands(program)
feesCommands(program)
payoutCommands(program)
statementCommand(program)
entityCommands(program)
listenCommand(program)
eventsCommands(program)
demoCommand(program)
verifyCommand(program)
backupCommands(program)
openapiCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed what was wrong, or the help that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : 2
  } else {
    process.stderr.write(`corridor: ${describeError(error)}\n`)
    process.exitCode = error instanceof UsageError || error instanceof ConfigError ? 2 : 1
  }
}

/** One line for what people can put right, a stack for what only we can. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const expected = [UsageError, CommandFailed, ConfigError, DatabaseProblem, Refusal]
  if (expected.some(kind => error instanceof kind)) return error.message
  if (isConnectionLost(error)) return `the database cannot be reached: ${error.message}`
  return error.stack ?? error.message
}
