// The command line: joins the commands of cli/ and reports their failures by cli/failed.ts.
import { Command } from 'commander'
import packageJson from '../package.json' with { type: 'json' }
import { accountCommands } from './cli/account.ts'
import { backupCommands } from './cli/backup.ts'
import { offerJson, report } from './cli/context.ts'
import { demoCommand } from './cli/demo.ts'
import { distributeCommand } from './cli/distribute.ts'
import { entityCommands } from './cli/entity.ts'
import { eventsCommands } from './cli/events.ts'
import { feesCommands } from './cli/fees.ts'
import { fileCommands } from './cli/file.ts'
import { fundingCommands } from './cli/funding.ts'
import { keyCommands } from './cli/key.ts'
import { listenCommand } from './cli/listen.ts'
import { openapiCommand } from './cli/openapi.ts'
import { payoutCommands } from './cli/payout.ts'
import { pricingCommands } from './cli/pricing.ts'
import { railCommands } from './cli/rail.ts'
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
  // Lists commands by name; each command's own help shows its arguments.
  .configureHelp({ subcommandTerm: command => command.name() })
  .addHelpText('after', '\nExit codes: 0 done, 1 failed or refused, 2 wrong call or setting.')
  .exitOverride()
  // Inherited by every command added below.
  .configureOutput(json ? { writeErr: () => {} } : {})
  // Commands that read no settings refuse a mistyped one as well.
  .hook('preAction', () => checkVariables())

startCommands(program)
accountCommands(program)
keyCommands(program)
fundingCommands(program)
ratesCommands(program)
feesCommands(program)
railCommands(program)
routeCommands(program)
fileCommands(program)
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
offerJson(program)

// EPIPE: the reader, such as `head`, has closed the pipe.
process.stdout.on('error', error => {
  process.exit((error as NodeJS.ErrnoException).code === 'EPIPE' ? 0 : report(error, json))
})

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = report(error, json)
}
