// What clients can make the service hold in memory: bodies that never end, and answers that nobody
// reads. Both are bounded for all clients together; small requests go on meanwhile. Figures are printed.
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { MAX_LONG_BODIES } from '../../src/http/body.ts'
import { MAX_UNANSWERED } from '../../src/http/connections.ts'
import type { OpenedAccount } from '../../src/operator/account-operations.ts'
import { createDatabase } from '../support/database/database.ts'
import { localPayout } from '../support/given/bodies.ts'
import { httpClient, openAccountOn, startProcess, until } from '../support/service/process.ts'
import { basic } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const MiB = 1024 * 1024
const CLIENTS = share(32, 60)
const LONG = 16 * MiB - 1024

const sockets: Socket[] = []

const database = await createDatabase()
const accounts: OpenedAccount[] = []
for (let i = 0; i < 4; i += 1) accounts.push(await openAccountOn(database.url, { USD: 1_000_000n }))
const client = httpClient(accounts[3] as OpenedAccount)
const env = { DATABASE_URL: database.url, CORRIDOR_SETTLE: 'off', CORRIDOR_WEBHOOKS: 'off' }
const service = await startProcess(env)
after(async () => {
  for (const socket of sockets) socket.destroy()
  client.close()
  await service.kill()
  await database.drop()
})

/** On a busy machine a scrape may be answered late, and then says nothing. */
async function residentBytes(): Promise<number> {
  let bytes = Number.NaN
  await until('the memory is read', async () => {
    const { text } = await client.get(service.address, '/metrics')
    bytes = Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1])
    return Number.isFinite(bytes)
  })
  return bytes
}

/** A small request of somebody else; on a busy machine the service may be late for a moment. */
async function assertServed(): Promise<void> {
  await until('somebody else is served', async () => {
    const { status } = await client.post(service.address, '/v3/payout', localPayout)
    return status === 200
  })
}

interface Talking {
  readonly socket: Socket
  /** What the service has said, if it is read. */
  said: string
  closed: boolean
}

function open(reads: boolean): Talking {
  const { hostname, port } = new URL(service.address)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  const talking: Talking = { socket, said: '', closed: false }
  socket.setEncoding('latin1').on('error', () => {})
  if (reads) {
    socket.on('data', text => {
      talking.said += text
    })
  } else socket.pause()
  socket.on('close', () => {
    talking.closed = true
  })
  return talking
}

/** A whole body but for its last byte. */
function unfinished({ key_id, secret }: OpenedAccount): Talking {
  const talking = open(true)
  talking.socket.write(
    `POST /v3/payout_batch HTTP/1.1\r\nHost: x\r\nAuthorization: ${basic(key_id, secret)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${LONG}\r\n\r\n`,
  )
  talking.socket.write(Buffer.alloc(LONG - 1, ' '))
  return talking
}

test(`POST, ${CLIENTS} unfinished bodies of 16 MiB: at most ${MAX_LONG_BODIES.all / MiB} MiB held, the rest refused with Retry-After, small requests succeed`, async t => {
  await client.post(service.address, '/v3/payout', localPayout)
  const before_bytes = await residentBytes()
  let most_bytes = before_bytes
  const talking = Array.from({ length: CLIENTS }, (_, i) =>
    unfinished(accounts[i % 3] as OpenedAccount),
  )
  const refused = () => talking.filter(({ said }) => said.startsWith('HTTP/1.1 503'))
  const lasting = () => talking.filter(({ closed, said }) => !closed && said === '')
  const most = MAX_LONG_BODIES.all / (16 * MiB)
  await until('the others are refused', async () => {
    most_bytes = Math.max(most_bytes, await residentBytes())
    await assertServed()
    return lasting().length <= most
  })
  const [first] = refused()
  assert.match(first?.said ?? '', /\r\nretry-after: 1\r\n/)
  assert.match(first?.said ?? '', /"reason":"service_unavailable"/)
  for (const { socket } of talking) socket.destroy()
  const grown = (most_bytes - before_bytes) / MiB
  t.diagnostic(
    `${refused().length} refused in words, ${Math.round(grown)} MiB more at most, of ${CLIENTS * 16} sent`,
  )
  assert.ok(grown < 300, `${grown} MiB more`)
  // What was held is free again.
  await until('a long one is taken again', async () => {
    const body = JSON.stringify({ dry_run: true, payouts: Array(50).fill(localPayout) })
    return (await client.post(service.address, '/v3/payout_batch', body)).status === 200
  })
})

test('GET the OpenAPI document, clients that send 500 requests each and never read: disconnected, little memory held', async t => {
  const before_bytes = await residentBytes()
  let most_bytes = before_bytes
  const one = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'
  const talking = Array.from({ length: CLIENTS }, () => open(false))
  for (const { socket } of talking) socket.write(one.repeat(500))
  for (let i = 0; i < 10; i += 1) {
    most_bytes = Math.max(most_bytes, await residentBytes())
    await assertServed()
  }
  const grown = (most_bytes - before_bytes) / MiB
  t.diagnostic(`${Math.round(grown)} MiB more at most`)
  assert.ok(grown < 200, `${grown} MiB more`)
  for (const { socket } of talking) socket.destroy()
})

test(`HTTP connection, more than ${MAX_UNANSWERED} requests unanswered: answered in order, the next one 429, later ones not executed`, async () => {
  const talking = open(true)
  const { key_id, secret } = accounts[0] as OpenedAccount
  const authorization = `Authorization: ${basic(key_id, secret)}`
  const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
  const body = JSON.stringify(localPayout)
  const post =
    `POST /v3/payout HTTP/1.1\r\nHost: x\r\n${authorization}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const count = async () => {
    const [row] = await database.owner<{ count: string }[]>`
      select count(*)::text as count from payouts`
    return row?.count
  }
  const before_them = await count()
  talking.socket.write(get.repeat(MAX_UNANSWERED + 1) + post)
  await until('the connection is closed', () => talking.closed)
  const statuses = [...talking.said.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  assert.deepEqual(statuses, [...Array(MAX_UNANSWERED).fill('200'), '429'])
  assert.equal(await count(), before_them)
})
