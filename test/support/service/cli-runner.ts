// Runs one command of the command line after the other, each as src/main.ts would in a process of its
// own, with the modules of the product loaded once: see cli-runners.ts, which starts and asks it.
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

const MAIN = new URL('../../../src/main.ts', import.meta.url)

/** What a command that has ended may still have open, as a socket that is closing, for so long. */
const OPEN_MS = 10_000

/** One command, and where it is run. */
export interface Order {
  readonly args: readonly string[]
  readonly folder: string
  /** All that it is told. */
  readonly env: Readonly<Record<string, string>>
  /** All that it can read of standard input. */
  readonly input: string
}

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** No end of a command. */
export interface Fault {
  readonly fault: string
}

/** What keeps the process alive besides this file. */
const open = () => process.getActiveResourcesInfo().filter(name => name !== 'Immediate')

let runs = 0

/** Everything written to a stream from now on, by whoever. */
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
  // Another name is another module, and all that it imports is there already.
  await import(`${MAIN.href}?run=${runs}`)
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  process.stdout.removeAllListeners('error')
  // A process of its own would end only then.
  for (const until = performance.now() + OPEN_MS; open().length > before.length; ) {
    if (performance.now() > until) throw new Error(`it leaves open ${open()}, and had ${before}`)
    await delay(2, undefined, { ref: false })
  }
  return { code, stdout: stdout(), stderr: stderr() }
}

// Commands leave listeners behind, which end with a process of their own: Node would warn of many.
for (const one of [process, process.stdout, process.stderr]) one.setMaxListeners(0)
process.on('message', (order: Order) => {
  run(order).then(
    ended => process.send?.(ended),
    error => process.send?.({ fault: String(error) } satisfies Fault),
  )
})
process.on('disconnect', () => process.exit())
