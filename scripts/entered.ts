// Counts the files and rooms of src that POST /v3/payout enters: `node scripts/entered.ts`. It starts
// a service on an empty folder, asks V8 which functions have run, and keeps the files that each of
// several requests enters, so that workers beside them do not count.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { localPayout } from '../test/support/given/bodies.ts'

const ROOT = new URL('..', import.meta.url)
/** How many requests are compared. */
const REQUESTS = 20

/** Speaks to the inspector of a process. */
class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: unknown) => void>()
  #sent = 0

  constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data))
      this.#waiting.get(id)?.(result)
    })
  }

  async call<T>(method: string, params: object = {}): Promise<T> {
    this.#sent += 1
    const { promise, resolve } = Promise.withResolvers<unknown>()
    this.#waiting.set(this.#sent, resolve)
    this.#socket.send(JSON.stringify({ id: this.#sent, method, params }))
    return (await promise) as T
  }

  /** A process that ends waits until its inspector is closed. */
  close(): void {
    this.#socket.close()
  }
}

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly {
      readonly functionName: string
      readonly ranges: readonly { readonly count: number }[]
    }[]
  }[]
}

/** The files of src with a function that has run since the last call. */
async function enteredFiles(inspector: Inspector): Promise<Set<string>> {
  const { result } = await inspector.call<Coverage>('Profiler.takePreciseCoverage')
  const src = new URL('src/', ROOT).href
  const entered = result.filter(
    ({ url, functions }) =>
      url.startsWith(src) && functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0),
  )
  return new Set(entered.map(({ url }) => url.slice(src.length)))
}

/** A service on an empty database, with the address and the key that it prints. */
async function startService(data: string) {
  const env = { ...process.env, CORRIDOR_DATA: join(data, 'db'), PORT: '0' }
  const args = ['--inspect=127.0.0.1:0', 'src/main.ts', 'start']
  const service = spawn(process.execPath, args, { cwd: ROOT, env, stdio: 'pipe' })
  const inspected = Promise.withResolvers<string>()
  const address = Promise.withResolvers<string>()
  const key = Promise.withResolvers<string>()
  for (const stream of [service.stdout, service.stderr]) {
    createInterface({ input: stream }).on('line', line => {
      const find = (pattern: RegExp) => pattern.exec(line)?.[1]
      const inspector = find(/^Debugger listening on (\S+)/)
      const url = find(/^Corridor is ready at (\S+)\.$/)
      const pair = find(/^ {2}export api_key='(\S+)'$/)
      if (inspector !== undefined) inspected.resolve(inspector)
      if (url !== undefined) address.resolve(url)
      if (pair !== undefined) key.resolve(pair)
    })
  }
  const socket = new WebSocket(await inspected.promise)
  await once(socket, 'open')
  return {
    service,
    inspector: new Inspector(socket),
    address: await address.promise,
    authorization: `Basic ${Buffer.from(await key.promise).toString('base64')}`,
  }
}

const data = await mkdtemp(join(tmpdir(), 'corridor-entered-'))
// Root starts PostgreSQL as another user.
await chmod(data, 0o777)
const { service, inspector, address, authorization } = await startService(data)
try {
  const pay = async (amount: number) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const body = JSON.stringify({ ...localPayout, amount })
    const answer = await fetch(`${address}/v3/payout`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(await answer.text())
    await answer.text()
  }
  await pay(100)
  await inspector.call('Profiler.enable')
  await inspector.call('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  let files: Set<string> | undefined
  for (let i = 1; i <= REQUESTS; i++) {
    await enteredFiles(inspector)
    await pay(100 + i)
    const entered = await enteredFiles(inspector)
    files = files?.intersection(entered) ?? entered
  }
  const rooms = Map.groupBy([...(files ?? [])].sort(), file => file.split('/')[0])
  for (const [room, entered] of rooms) {
    console.log(
      `${room} (${entered.length}): ${entered.map(file => file.slice(file.indexOf('/') + 1)).join(' ')}`,
    )
  }
  console.log(`POST /v3/payout enters ${files?.size} files in ${rooms.size} rooms`)
} finally {
  inspector.close()
  service.kill()
  await once(service, 'exit')
  await rm(data, { recursive: true, force: true })
}
