// The command line. Each command is a file in cli/; this one only joins them and turns what went wrong
// into one line and an exit code: 1 for a failure, 2 for a wrong call.
import { Command, CommanderError } from 'commander'
import { accountCommands, fundCommand, keyCommands } from './cli/account.ts'
import { UsageError } from './cli/context.ts'
import { startCommands } from './cli/start.ts'
import { Refusal } from './errors.ts'

const program = new Command('corridor')
  .description('A self-hosted engine for cross-border payouts on a ledger that can be proved.')
  .version('0.1.0')
  .showHelpAfterError('(corridor --help lists the commands)')
  .exitOverride()

startCommands(program)
accountCommands(program)
keyCommands(program)
fundCommand(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) {
    // Commander has printed what was wrong, or the help that was asked for.
    process.exitCode = error.exitCode === 0 ? 0 : 2
  } else {
    const expected = error instanceof UsageError || error instanceof Refusal
    const words = expected ? error.message : (error as Error)?.stack
    process.stderr.write(`corridor: ${words ?? String(error)}\n`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  }
}
