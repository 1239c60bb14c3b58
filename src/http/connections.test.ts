import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Connections, MAX_UNANSWERED } from './connections.ts'

type Answer = (request: IncomingMessage, answer: ServerResponse) => void

async function serve(t: TestContext, connections: Connections, answer: Answer) {
  const server = createServer(answer)
  connections.watch(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    return socket
  }
}

async function until(done: () => boolean): Promise<void> {
  const deadline = performance.now() + 120_000
  while (!done() && performance.now() < deadline) await delay(5)
  assert.ok(done())
}

const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`

test('Connections, pipelined requests: each begins after the previous answer is sent', async t => {
  const connections = new Connections()
  let running = 0
  let most = 0
  const open = await serve(t, connections, async (request, answer) => {
    if (!(await connections.turnOf(request, answer))) return
    running += 1
    most = Math.max(most, running)
    await delay(2)
    running -= 1
    answer.end(request.url)
  })
  const socket = open()
  socket.write(Array.from({ length: 10 }, (_, i) => ask(`/n${i}`)).join(''))
  let said = ''
  for await (const text of socket.setEncoding('latin1')) {
    said += text
    if (said.includes('/n9')) break
  }
  assert.deepEqual(said.match(/\/n\d/g)?.join(''), '/n0/n1/n2/n3/n4/n5/n6/n7/n8/n9')
  assert.equal(most, 1)
  assert.equal(connections.isBusy, false)
})

test('Connections, one pipelined request above the maximum: refused, later requests not begun', async t => {
  const connections = new Connections()
  const refused: boolean[] = []
  const open = await serve(t, connections, (request, answer) => {
    refused.push(connections.isOverfull(request))
    if (refused.length > MAX_UNANSWERED) answer.end()
  })
  const socket = open()
  socket.write(ask('/').repeat(MAX_UNANSWERED + 20))
  await until(() => refused.length > MAX_UNANSWERED)
  await delay(50)
  assert.equal(refused.length, MAX_UNANSWERED + 1)
  assert.deepEqual(refused.indexOf(true), MAX_UNANSWERED)
})

test('Connections, client disconnects before its request begins: request not begun', async t => {
  const connections = new Connections()
  const turns: boolean[] = []
  const open = await serve(t, connections, async (request, answer) => {
    if (request.url === '/first') return
    turns.push(await connections.turnOf(request, answer))
  })
  const socket: Socket = open()
  socket.write(ask('/first') + ask('/second'))
  await until(() => connections.isBusy)
  await delay(50)
  socket.destroy()
  await until(() => turns.length > 0)
  assert.deepEqual(turns, [false])
  assert.equal(connections.isBusy, false)
})

test('Connections, too many bytes of answers unread: the oldest connections closed', async t => {
  const MiB = 1024 * 1024
  // More than the system buffers for a connection.
  const bytes = 16 * MiB
  let begun = 0
  const connections = new Connections(3.5 * bytes)
  const open = await serve(t, connections, (request, answer) => {
    connections.countUnsent(request, answer, bytes)
    answer.end(Buffer.alloc(bytes))
    begun += 1
  })
  const taken = [0, 0, 0, 0, 0, 0]
  const sockets: Socket[] = []
  for (const i of taken.keys()) {
    const socket = open().pause()
    socket.on('data', part => {
      taken[i] = (taken[i] ?? 0) + part.length
    })
    socket.write(ask('/'))
    sockets.push(socket)
    await until(() => begun === i + 1)
    assert.ok(connections.unsentBytes <= 3.5 * bytes, `${connections.unsentBytes}`)
  }
  for (const socket of sockets) socket.resume()
  await until(() => connections.unsentBytes === 0)
  await until(() => taken.slice(3).every(count => count > bytes))
  for (const count of taken.slice(0, 3)) assert.ok(count < bytes, `${count}`)
})
