// Documents typed into bash: each `npx corridor` in them is run by a process that has the product loaded
// (cli.ts), where one of its own would cost half a second of the processor.
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { listenOn } from '../network/port.ts'
import { openCli } from './cli.ts'

export interface Typed {
  /** Defines `npx`, for the beginning of a script. */
  readonly npx: string
  /** Where the commands are run, and where the script is to be. */
  readonly folder: string
  /** What the commands have said on standard error. */
  said(): string
}

/** Commands on this database, in the name of `anna`. */
export async function startTyping(t: TestContext, database_url: string): Promise<Typed> {
  const place = await openCli(database_url, { CORRIDOR_USER: 'anna' })
  t.after(place.close)
  const folder = dirname(await place.file('commands', ''))
  let said = ''
  // Each is asked for by its words, and answered by its code and what it prints.
  const server = createServer(async (asked, answer) => {
    const args = (await text(asked)).trimEnd().split('\n')
    const { code, stdout, stderr } = await place.run(...args)
    said += stderr
    answer.end(`${code}\n${stdout}`)
  })
  const port = await listenOn(server)
  t.after(() => server.close())
  const npx = `npx() {
    shift
    local answer
    answer=$(printf '%s\\n' "$@" | curl -sS --data-binary @- http://127.0.0.1:${port})
    printf '%s\\n' "\${answer#*$'\\n'}"
    return "\${answer%%$'\\n'*}"
  }`
  return { npx, folder, said: () => said }
}
