// The command line. Each command is a file in cli/; this one only joins them, and hands what went
// wrong to cli/failed.ts.
import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { accountCommands } from './cli/account.ts'
import { backupCommands } from './cli/backup.ts'
import { report } from './cli/context.ts'
import { demoCommand } from './cli/demo.ts'
import { distributeCommand } from './cli/distribute.ts'
import { entityCommands } from './cli/entity.ts'
import { eventsCommands } from './cli/events.ts'
import { feesCommands } from './cli/fees.ts'
import { fundingCommands } from './cli/funding.ts'
import { keyCommands } from './cli/key.ts'
import { listenCommand } from './cli/listen.ts'
import { openapiCommand } from './cli/openapi.ts'
import { payoutCommands } from './cli/payout.ts'
import { pricingCommands } from './cli/pricing.ts'
import { ratesCommands } from './cli/rates.ts'
import { routeCommands } from './cli/route.ts'
import { startCommands } from './cli/start.ts'
import { statementCommand } from './cli/statement.ts'
import { verifyCommand } from './cli/verify.ts'
import { checkVariables } from './config.ts'

const json = process.argv.includes('--json')

const program = new Command('corridor')
  .description('A self-hosted engine for cross-border payouts on a ledger that can be proved.')
  .version(packageJson.version)
  .showHelpAfterError('(corridor --help lists the commands)')
  // Names alone leave room for what they do; arguments stand in each command's own help.
  .configureHelp({ subcommandTerm: command => command.name() })
  .addHelpText('after', '\nExit codes: 0 done, 1 failed or refused, 2 wrong call or setting.')
  .exitOverride()
  // Handed down to every command that is added below.
  .configureOutput(json ? { writeErr: () => {} } : {})
  // Those that read no settings refuse a mistyped one too.
  .hook('preAction', () => checkVariables())

startCommands(program)
accountCommands(program)
keyCommands(program)
fundingCommands(program)
ratesCommands(program)
feesCommands(program)
routeCommands(program)
pricingCommands(program)
payoutCommands(program)
statementCommand(program)
entityCommands(program)
listenCommand(program)
eventsCommands(program)
demoCommand(program)
verifyCommand(program)
backupCommands(program)
distributeCommand(program)
openapiCommand(program)

// Whoever reads may have read enough, as `head` has: what is left is nobody's to print.
process.stdout.on('error', error => {
  process.exit((error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : report(error, json))
})

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error, json)
}
