// The command line: runs one command of cli/, after Node is told to keep its compiled code for the
// next run.
import { keepCompiled } from './cli/compiled.ts'

keepCompiled()
const { runCommand } = await import('./cli/commands.ts')
await runCommand(process.argv.slice(2))
