// Runs CLI commands one after the other in one process, with the product loaded once, as
// src/main.ts would in a process for each. cli-runners.ts starts this file and sends it the
// commands.
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

const MAIN = new URL('../../../src/main.ts', import.meta.url)

/** How long an ended command may keep a resource open, such as a closing socket. */
const OPEN_MS = 10_000

/** One command with its folder, environment and input. */
export interface Order {
  readonly args: readonly string[]
  readonly folder: string
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>
  /** Its whole standard input. */
  readonly input: string
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** The command did not end; `fault` is the reason. */
export interface Fault {
  readonly fault: string
}

/** The resources that keep the process alive. */
const open = () => process.getActiveResourcesInfo().filter(name => name !== 'Immediate')

let runs = 0

/** Captures everything written to a stream from now on, and stops its output. */
function capture(stream: NodeJS.WriteStream): () => string {
  const parts: Buffer[] = []
  stream.write = ((chunk: string | Uint8Array, ...more: unknown[]) => {
    parts.push(Buffer.from(chunk as string))
    const written = more.find(one => typeof one === 'function')
    if (written !== undefined) queueMicrotask(() => written(null))
    return true
  }) as typeof stream.write
  return () => Buffer.concat(parts).toString()
}

async function run({ args, folder, env, input }: Order): Promise<Ended> {
  process.chdir(folder)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)]
  const before = open()
  Object.defineProperty(process, 'stdin', { value: Readable.from([input]), configurable: true })
  process.argv = [process.execPath, MAIN.pathname, ...args]
  process.exitCode = undefined
  runs += 1
  // A new query makes a new module of main.ts; its imports stay loaded.
  await import(`${MAIN.href}?run=${runs}`)
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  process.stdout.removeAllListeners('error')
  // A process of its own would end only once these resources are closed.
  for (const until = performance.now() + OPEN_MS; open().length > before.length; ) {
    if (performance.now() > until) {
      throw new Error(`the command left open ${open()}; before it, ${before} was open`)
    }
    await delay(2, undefined, { ref: false })
  }
  return { code, stdout: stdout(), stderr: stderr() }
}

// Each command leaves listeners behind; without this, Node would warn of too many.
for (const one of [process, process.stdout, process.stderr]) one.setMaxListeners(0)
process.on('message', (order: Order) => {
  run(order).then(
    ended => process.send?.(ended),
    error => process.send?.({ fault: String(error) } satisfies Fault),
  )
})
process.on('disconnect', () => process.exit())
