// The command line: runs one command of cli/, once Node keeps what it compiles for the next.
import { keepCompiled } from './cli/compiled.ts'

keepCompiled()
const { runCommand } = await import('./cli/commands.ts')
await runCommand(process.argv.slice(2))
