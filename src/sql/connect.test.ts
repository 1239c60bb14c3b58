// Queries on connections that end: no query waits for ever, and none gets another query's answer.
// The servers here speak just enough of PostgreSQL's protocol to pass for a PostgreSQL.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { TLSSocket } from 'node:tls'
import { selfSigned } from '../../test/support/network/self-signed.ts'
import { connect, type Sql } from './connect.ts'
import { explainServer } from './explain.ts'
import { classify } from './failure.ts'
import { openPool } from './pool.ts'
import { watchedSocket } from './socket.ts'

async function serve(
  t: TestContext,
  welcome: (socket: Socket) => void,
  open: (url: string) => Sql = url => connect(url, { max: 1, as: 'service', look_ups: true }),
): Promise<Sql> {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket.on('error', () => {}))
    welcome(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const url = `postgres://user:password@127.0.0.1:${port}/database`
  const sql = open(url)
  t.after(async () => {
    await sql.end({ timeout: 0 })
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return sql
}

const message = (type: string, content: string) => {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(4 + content.length)
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content, 'latin1')])
}
const AUTHENTICATION_OK = message('R', '\0\0\0\0')
const READY_FOR_QUERY = message('Z', 'I')
const SYNC = message('S', '')

/**
 * Logs the client in. Answers `select 7` with 7 rows, and answers settings, BEGIN, COMMIT and
 * ROLLBACK. Ignores the text `ignored`.
 */
function welcome(socket: Socket, ignored = ' nothing '): void {
  let state = 'I'
  socket.once('data', () => {
    socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
    socket.on('data', data => {
      for (const [, command, rows = 1] of data
        .toString('latin1')
        .replace(ignored, '')
        .matchAll(STATEMENTS)) {
        if (command !== undefined) state = command === 'begin' ? 'T' : 'I'
        const asks = rows === 'pg_is_in_recovery'
        const row = asks ? TAKES_WRITES : Buffer.alloc(0)
        const tag = command?.toUpperCase() ?? `SELECT ${asks ? 1 : rows}`
        socket.write(Buffer.concat([row, message('C', `${tag}\0`), message('Z', state)]))
      }
    })
  })
}
const STATEMENTS = /(begin|commit|rollback) ?\0|select (\d+|pg_is_in_recovery)[^\0]*\0/g
/** The row in which a server says that it is no standby. */
const TAKES_WRITES = Buffer.concat([
  message('T', `\0\x01is_standby\0${'\0'.repeat(8)}\x10\0\x01${'\xff'.repeat(4)}\0\0`),
  message('D', '\0\x01\0\0\0\x01f'),
])

/** How a query ends: `rejects`, `answered`, or a fault. */
function endOf(sql: Pick<Sql, 'unsafe'>, rows: number): Promise<string> {
  const asked = sql.unsafe(`select ${rows}`).then(
    ({ count }) => (count === rows ? 'answered' : `${count} rows instead of ${rows}`),
    () => 'rejects',
  )
  return Promise.race([asked, setTimeout(120_000, 'waits', { ref: false })])
}

test('database queries, connection reset: each query gets its own answer or rejects', async t => {
  for (let round = 0; round < 10; round++) {
    const opened = Promise.withResolvers<Socket>()
    const sql = await serve(t, socket => {
      welcome(socket)
      opened.resolve(socket)
    })
    assert.equal(await endOf(sql, 1), 'answered')
    const first = await opened.promise
    first.resetAndDestroy()
    // Each round begins one turn of the event loop later, and sends one query a turn, so that some
    // queries come between the connection's error and its close.
    for (let turn = 0; turn < round; turn++) await setImmediate()
    const ends: Promise<string>[] = []
    for (let rows = 2; rows < 10; rows++) {
      ends.push(endOf(sql, rows))
      await setImmediate()
    }
    const found = new Set(await Promise.all(ends))
    assert.deepEqual([...found.difference(new Set(['answered', 'rejects']))], [], `round ${round}`)
  }
})

test('database queries, server closes each connection at once: reject, the next attempt is delayed', async t => {
  let taken = 0
  const sql = await serve(t, socket => {
    taken += 1
    socket.end()
  })
  const began = performance.now()
  while (performance.now() < began + 1_000) assert.equal(await endOf(sql, 1), 'rejects')
  // The first attempt comes at once, and each further one after 0.1 s at the earliest.
  const took_ms = performance.now() - began
  assert.ok(taken <= 1 + took_ms / 100, `${taken} connections in ${took_ms} ms`)
})

const SILENCE_MS = 400
const watched =
  (max: number, silence_ms = SILENCE_MS) =>
  (url: string) =>
    openPool(url, { max, silence_ms })

test('database queries, server stops answering: all reject within the time limit, later queries succeed', async t => {
  let vanished = false
  const sockets: Socket[] = []
  const sql = await serve(
    t,
    socket => {
      if (vanished) return welcome(socket)
      sockets.push(socket)
      return welcome(socket)
    },
    watched(5),
  )
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(rows => endOf(sql, rows))), ANSWERED)
  assert.equal(sockets.length, 5)
  vanished = true
  for (const socket of sockets) socket.removeAllListeners('data').pause()
  // Further queries must not postpone the end.
  const asked: Promise<string>[] = []
  const asking = setInterval(() => asked.push(endOf(sql, 1)), 50)
  try {
    assert.equal(await endOf(sql, 1), 'rejects')
  } finally {
    clearInterval(asking)
  }
  // All five connections are given up at once. A close event comes last in a turn of the loop.
  await setImmediate()
  await setImmediate()
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(rows => endOf(sql, rows))), ANSWERED)
  await Promise.all(asked)
})
const ANSWERED = Array<string>(5).fill('answered')

test('database transaction, server stops answering midway: connection discarded', async t => {
  const sql = await serve(
    t,
    socket =>
      void socket.once('data', () => {
        socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
        socket.on('data', () => {
          // The server answers BEGIN, and nothing after it.
          socket.write(Buffer.concat([message('C', 'BEGIN\0'), message('Z', 'T')]))
          socket.removeAllListeners('data')
        })
      }),
    watched(1),
  )
  const work = sql.begin(() => new Promise(() => {}))
  const end = work.catch(error => error.code)
  assert.equal(await Promise.race([end, setTimeout(120_000, 'waits', { ref: false })]), 'ETIMEDOUT')
})

test('two queries sent together, only the first answered: the second rejects', async t => {
  const sql = await serve(t, socket => welcome(socket, 'select 3\0'), watched(1))
  assert.equal(await endOf(sql, 1), 'answered')
  assert.deepEqual(await Promise.all([endOf(sql, 2), endOf(sql, 3)]), ['answered', 'rejects'])
})

/** Serves a client over TLS with a self-signed certificate. */
function encrypt(raw: Socket, speak: (socket: Socket) => void): void {
  const DAY = 86_400_000
  const own = selfSigned('localhost', Date.now() - DAY, Date.now() + DAY)
  raw.once('data', () => {
    raw.write('S')
    speak(new TLSSocket(raw, { isServer: true, ...own }).on('error', () => {}))
  })
}

test('TLS connection, server answers: kept; server silent: discarded', async t => {
  let silent = false
  const speak = (socket: Socket) =>
    void socket.once('data', () => {
      socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
      socket.on('data', () => {
        if (silent) return
        const answer = Buffer.concat([message('C', 'SELECT 1\0'), READY_FOR_QUERY])
        void setTimeout(20).then(() => socket.write(answer))
      })
    })
  const sql = await serve(
    t,
    socket => encrypt(socket, speak),
    url => watched(1)(`${url}?sslmode=require`),
  )
  // Queries go on for longer than a server may be silent.
  const until = performance.now() + 3 * SILENCE_MS
  while (performance.now() < until) assert.equal(await endOf(sql, 1), 'answered')
  silent = true
  assert.equal(await endOf(sql, 1), 'rejects')
})

for (const how of ['plain', 'encrypted']) {
  test(`malformed database answer, ${how}: its query rejects, the process lives`, async t => {
    let taken = 0
    const speak = (socket: Socket) =>
      void socket.once('data', () => {
        taken += 1
        // The first connection asks for an unknown method of authentication.
        const says = taken === 1 ? message('R', '\0\0\0\x07') : AUTHENTICATION_OK
        socket.write(Buffer.concat([says, READY_FOR_QUERY]))
        const answer = Buffer.concat([message('C', 'SELECT 1\0'), READY_FOR_QUERY])
        socket.on('data', () => socket.write(answer))
      })
    const sql = await serve(
      t,
      socket => (how === 'plain' ? speak(socket) : encrypt(socket, speak)),
      url => openPool(how === 'plain' ? url : `${url}?sslmode=require`, { max: 1 }),
    )
    assert.deepEqual([await endOf(sql, 1), await endOf(sql, 1)], ['rejects', 'answered'])
  })
}

test('connection closed by the server in its first answer: the statement rejects, the next one gets a new connection', async t => {
  let taken = 0
  const sql = await serve(
    t,
    socket => {
      taken += 1
      if (taken > 1) return welcome(socket)
      socket.once('data', () => {
        const says = 'SFATAL\0VFATAL\0C57P01\0Mtold to end\0\0'
        socket.end(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY, message('E', says)]))
      })
    },
    url => openPool(url, { max: 1 }),
  )
  assert.deepEqual([await endOf(sql, 1), await endOf(sql, 2)], ['rejects', 'answered'])
  await sql.end()
})

test('pool end, silent server: ends within its time-out, no connection left', async t => {
  const sockets: Socket[] = []
  const sql = await serve(
    t,
    socket => {
      sockets.push(socket)
      welcome(socket)
    },
    url => openPool(url, { max: 2 }),
  )
  assert.deepEqual(await Promise.all([endOf(sql, 1), endOf(sql, 2)]), ['answered', 'answered'])
  for (const socket of sockets) socket.removeAllListeners('data').pause()
  const asked = endOf(sql, 1)
  const ended = sql.end({ timeout: 0.1 }).then(() => 'ended')
  const late = setTimeout(60_000, 'waits', { ref: false })
  assert.deepEqual([await Promise.race([ended, late]), await asked], ['ended', 'rejects'])
})

test('connection, idle or only receiving notifications: kept', async t => {
  let taken = 0
  const sql = await serve(
    t,
    socket => {
      taken += 1
      welcome(socket)
      const telling = setInterval(() => socket.write(message('A', '\0\0\0\x01channel\0\0')), 50)
      socket.on('close', () => clearInterval(telling))
    },
    watched(1),
  )
  assert.equal(await endOf(sql, 1), 'answered')
  await setTimeout(3 * SILENCE_MS)
  assert.equal(await endOf(sql, 2), 'answered')
  assert.equal(taken, 1)
})

test('large statements of one transaction: pipelined, without waiting for answers', async t => {
  const SIZE = 4 * 1024 * 1024
  const statements = [1, 2, 3, 4].map(() => `select '${'x'.repeat(SIZE)}'`)
  const done = (command: string, state: string) =>
    Buffer.concat([message('C', `${command}\0`), message('Z', state)])
  const sql = await serve(
    t,
    socket =>
      void socket.once('data', () => {
        socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
        let bytes = 0
        socket.on('data', data => {
          bytes += data.length
          if (data.includes('commit')) socket.write(done('COMMIT', 'I'))
          else if (bytes > statements.length * SIZE && (data as Buffer).subarray(-5).equals(SYNC)) {
            const selected = statements.map(() => message('C', 'SELECT 1\0'))
            socket.write(Buffer.concat([message('C', 'BEGIN\0'), ...selected, message('Z', 'T')]))
          }
        })
      }),
    watched(1, 120_000),
  )
  const counts = await sql.begin(tx => Promise.all(statements.map(text => tx.unsafe(text))))
  assert.deepEqual(
    counts.map(({ count }) => count),
    [1, 1, 1, 1],
  )
})

test('database socket, several writes in one tick: one write to the socket', async t => {
  const server = createServer(socket => socket.resume()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = watchedSocket(SILENCE_MS, () => false)
  socket.connect(port, '127.0.0.1')
  t.after(() => {
    socket.destroy()
    server.close()
  })
  await once(socket, 'connect')
  socket.write(Buffer.from('one'))
  socket.write(Buffer.from('two'))
  assert.equal(socket.bytesWritten, 0)
  await setImmediate()
  assert.equal(socket.bytesWritten, 6)
})

test('transaction that awaits something else, connection lost: rejects, sends no later statement', async t => {
  const sockets: Socket[] = []
  let heard = ''
  const sql = await serve(t, socket => {
    sockets.push(socket.on('data', data => (heard += data.toString('latin1'))))
    welcome(socket)
  })
  const begun = Promise.withResolvers<void>()
  const waits = Promise.withResolvers<void>()
  const later = Promise.withResolvers<string>()
  const work = sql.begin(async tx => {
    begun.resolve()
    await waits.promise
    later.resolve(endOf(tx, 77))
  })
  await begun.promise
  sockets[0]?.destroy()
  await assert.rejects(work, { code: 'CONNECTION_CLOSED' })
  assert.equal(await endOf(sql, 1), 'answered')
  waits.resolve()
  assert.equal(await later.promise, 'rejects')
  assert.doesNotMatch(heard, /select 77/)
  assert.equal(await endOf(sql, 2), 'answered')
})

test('query with an invalid parameter, sent among others: only this query rejects, others get their own answers', async t => {
  const sql = await serve(t, socket => welcome(socket))
  assert.equal(await endOf(sql, 1), 'answered')
  const unsent = () => sql`select ${undefined as never}`.catch(error => error.code)
  const ends = await Promise.all([endOf(sql, 2), unsent(), endOf(sql, 3), endOf(sql, 4)])
  assert.deepEqual(ends, ['answered', 'UNDEFINED_VALUE', 'answered', 'answered'])
})

test('database query, network unreachable: rejects, the process lives', async t => {
  // The system refuses at once, before any listener is added.
  const sql = await serve(
    t,
    socket => welcome(socket),
    () => watched(1)('postgres://user:password@255.255.255.255:5432/database'),
  )
  assert.deepEqual([await endOf(sql, 1), await endOf(sql, 2)], ['rejects', 'rejects'])
})

test('server asks for a password, URL has none: the error names the log-in', async t => {
  const ask = (socket: Socket) =>
    socket.once('data', () => {
      socket.write(message('R', '\0\0\0\x0aSCRAM-SHA-256\0\0'))
      socket.once('data', () => socket.write(message('R', '\0\0\0\x0br=nonce,s=salt,i=4096')))
    })
  const sql = await serve(t, ask, url => openPool(url.replace(':password', ''), { max: 1 }))
  const error: unknown = await sql`select 1`.catch(error => error)
  const url = 'postgres://user@127.0.0.1/database'
  assert.match(
    String(explainServer(url, error)),
    /refuses the user user \(it asks for a password\)/,
  )
})

test('database query, Unix socket of a stopped server: rejects as unavailable', async t => {
  const sql = connect('postgres://user@localhost/database?host=/nowhere', { max: 1, as: 'service' })
  t.after(() => sql.end({ timeout: 0 }))
  await assert.rejects(sql`select 1`, error => {
    assert.match((error as Error).message, /ENOENT .*\/nowhere\/\.s\.PGSQL\.5432/)
    return classify(error) === 'unavailable'
  })
})
