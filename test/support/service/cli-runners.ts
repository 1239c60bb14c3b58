// Starts the processes that run commands one after the other (cli-runner.ts). Loading the product
// takes most of a command's time, so the commands of a whole run share a few processes: `npm test`
// starts them and listens at a socket, to which test processes send their commands. Without that
// socket, a test process starts its own.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Ended, Fault, Order } from './cli-runner.ts'

const RUNNER = fileURLToPath(new URL('./cli-runner.ts', import.meta.url))

type Environment = Readonly<Record<string, string>>

export class Runners {
  /** The idle processes, by the NODE_OPTIONS of their start. */
  readonly #idle = new Map<string, ChildProcess[]>()
  readonly #env: Environment

  /** @param env the environment of each process, in addition to a command's */
  constructor(env: Environment) {
    this.#env = env
  }

  /**
   * Runs a command in an idle process, or in a new one. When `gone` aborts, nobody waits for the
   * result, and the process is killed.
   */
  async run(order: Order, gone?: AbortSignal): Promise<Ended | Fault> {
    const { NODE_OPTIONS = '' } = order.env
    const idle = this.#idle.get(NODE_OPTIONS) ?? []
    this.#idle.set(NODE_OPTIONS, idle)
    const runner = idle.pop() ?? startRunner({ ...this.#env, NODE_OPTIONS })
    const kill = () => runner.kill('SIGKILL')
    gone?.addEventListener('abort', kill)
    const ended = await runIn(runner, order)
    gone?.removeEventListener('abort', kill)
    if ('fault' in ended) kill()
    else idle.push(runner)
    return ended
  }
}

async function runIn(runner: ChildProcess, order: Order): Promise<Ended | Fault> {
  runner.ref()
  runner.channel?.ref()
  const ended = await new Promise<Ended | Fault>(resolve => {
    const gone = (code: number | null) => resolve({ fault: `its process has ended by ${code}` })
    runner.once('exit', gone)
    runner.once('message', message => {
      runner.off('exit', gone)
      resolve(message as Ended | Fault)
    })
    runner.send(order)
  })
  // An idle runner does not keep this process alive, and ends with it.
  runner.unref()
  runner.channel?.unref()
  return ended
}

function startRunner(env: Environment): ChildProcess {
  return fork(RUNNER, { env, execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
}

/** Listens at this path. A client sends an order as a line of JSON and gets its result. */
export async function listenForOrders(path: string, env: Environment): Promise<void> {
  const runners = new Runners(env)
  const server = createServer(socket => {
    const left = new AbortController()
    let line = ''
    socket.on('error', () => {}).once('close', () => left.abort())
    socket.setEncoding('utf8').on('data', async (part: string) => {
      line += part
      if (!line.endsWith('\n')) return
      socket.end(JSON.stringify(await runners.run(JSON.parse(line), left.signal)))
    })
  })
  server.listen(path).unref()
  await once(server, 'listening')
}

/** Sends an order to the listener at this path; returns its result. */
export async function sendOrder(path: string, order: Order): Promise<Ended | Fault> {
  const socket = createConnection(path)
  socket.setEncoding('utf8').write(`${JSON.stringify(order)}\n`)
  let answer = ''
  for await (const part of socket) answer += part
  return JSON.parse(answer)
}
