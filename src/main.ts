// The command line: runs one command of cli/. Before that, it makes Node keep the compiled code for
// the next run.
import { keepCompiled } from './cli/compiled.ts'

keepCompiled()
const { runCommand } = await import('./cli/commands.ts')
await runCommand(process.argv.slice(2))
