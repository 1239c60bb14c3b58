// Runs the shell commands of documents in bash. A loaded process (cli.ts) runs each `corridor`,
// because a new one would cost half a second of processor time.
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { listenOn } from '../network/port.ts'
import { openCli } from './cli.ts'

export interface TypedCommands {
  /** Shell code that defines `corridor`, for the beginning of a script. */
  readonly corridor: string
  /** The folder of the commands, and so of the script. */
  readonly folder: string
  /** The standard error of the commands so far. */
  errorOutput(): string
}

/**
 * Prepares commands on this database in the name of `anna`, or of who is named, with these further
 * variables.
 */
export async function startTyping(
  t: TestContext,
  database_url: string,
  CORRIDOR_USER = 'anna',
  variables: Readonly<Record<string, string>> = {},
): Promise<TypedCommands> {
  const place = await openCli(database_url, { CORRIDOR_USER, ...variables })
  t.after(place.close)
  const folder = dirname(await place.file('commands', ''))
  let errorOutput = ''
  // A request has the words of a command, one a line; the answer has its exit code and output.
  const server = createServer(async (request, answer) => {
    const args = (await text(request)).trimEnd().split('\n')
    const { code, stdout, stderr } = await place.run(...args)
    errorOutput += stderr
    answer.end(`${code}\n${stdout}`)
  })
  const port = await listenOn(server)
  t.after(() => server.close())
  const corridor = `corridor() {
    local answer
    answer=$(printf '%s\\n' "$@" | curl -sS --data-binary @- http://127.0.0.1:${port})
    printf '%s\\n' "\${answer#*$'\\n'}"
    return "\${answer%%$'\\n'*}"
  }`
  return { corridor, folder, errorOutput: () => errorOutput }
}
