// What becomes of queries when connections end: none waits for ever, and none gets the answer to
// another. The servers here speak as much of PostgreSQL's protocol as is needed to be taken for one.
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

/** Lets the client in; `select 7` has 7 rows, settings are made, and transactions begin and end. */
function welcome(socket: Socket, unheard = ' nothing '): void {
  let state = 'I'
  socket.once('data', () => {
    socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
    socket.on('data', data => {
      for (const [, of, rows = 1] of data
        .toString('latin1')
        .replace(unheard, '')
        .matchAll(STATEMENTS)) {
        if (of !== undefined) state = of === 'begin' ? 'T' : 'I'
        const done = of === undefined ? `SELECT ${rows}` : of.toUpperCase()
        socket.write(Buffer.concat([message('C', `${done}\0`), message('Z', state)]))
      }
    })
  })
}
const STATEMENTS = /(begin|commit|rollback) ?\0|select (?:(\d+)|set_config.*)\0/g

/** `rejects`, `answered`, or what should not be. */
function endOf(sql: Pick<Sql, 'unsafe'>, rows: number): Promise<string> {
  const asked = sql.unsafe(`select ${rows}`).then(
    ({ count }) => (count === rows ? 'answered' : `${count} rows instead of ${rows}`),
    () => 'rejects',
  )
  return Promise.race([asked, setTimeout(120_000, 'waits', { ref: false })])
}

test('a connection reset while it is asked again and again: queries are answered, each by its own answer, or reject', async t => {
  for (let round = 0; round < 10; round++) {
    const opened = Promise.withResolvers<Socket>()
    const sql = await serve(t, socket => {
      welcome(socket)
      opened.resolve(socket)
    })
    assert.equal(await endOf(sql, 1), 'answered')
    const first = await opened.promise
    first.resetAndDestroy()
    // Later in each round, and then one in each turn of the event loop, so that some come between the
    // connection's error and its close.
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

test('a server that ends connections before it says anything: queries reject, and it is tried again after a pause', async t => {
  let taken = 0
  const sql = await serve(t, socket => {
    taken += 1
    socket.end()
  })
  const began = performance.now()
  while (performance.now() < began + 1_000) assert.equal(await endOf(sql, 1), 'rejects')
  // After 0.1 s at the soonest, and the first at once.
  const took_ms = performance.now() - began
  assert.ok(taken <= 1 + took_ms / 100, `${taken} connections in ${took_ms} ms`)
})

const SILENCE_MS = 400
const watched =
  (max: number, silence_ms = SILENCE_MS) =>
  (url: string) =>
    openPool(url, { max, silence_ms })

test('a server that vanishes: whoever asks at last is refused in time, and so is nobody after', async t => {
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
  // Asked again and again, which must not put the end off.
  const asked: Promise<string>[] = []
  const asking = setInterval(() => asked.push(endOf(sql, 1)), 50)
  try {
    assert.equal(await endOf(sql, 1), 'rejects')
  } finally {
    clearInterval(asking)
  }
  // All five are given up at once, not one after the other. Closing is the last thing in a turn.
  await setImmediate()
  await setImmediate()
  assert.deepEqual(await Promise.all([1, 2, 3, 4, 5].map(rows => endOf(sql, rows))), ANSWERED)
  await Promise.all(asked)
})
const ANSWERED = Array<string>(5).fill('answered')

test('a server that vanishes in the middle of a transaction: given up as well', async t => {
  const sql = await serve(
    t,
    socket =>
      void socket.once('data', () => {
        socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
        socket.on('data', () => {
          // It begins, and then says nothing any more.
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

test('of two queries sent together one is answered, and nothing comes after it: the other rejects', async t => {
  const sql = await serve(t, socket => welcome(socket, 'select 3\0'), watched(1))
  assert.equal(await endOf(sql, 1), 'answered')
  assert.deepEqual(await Promise.all([endOf(sql, 2), endOf(sql, 3)]), ['answered', 'rejects'])
})

/** Speaks with a client by TLS, under a certificate that nobody has signed. */
function encrypt(raw: Socket, speak: (socket: Socket) => void): void {
  const DAY = 86_400_000
  const own = selfSigned('localhost', Date.now() - DAY, Date.now() + DAY)
  raw.once('data', () => {
    raw.write('S')
    speak(new TLSSocket(raw, { isServer: true, ...own }).on('error', () => {}))
  })
}

test('an encrypted connection: kept while answers come, given up when none does', async t => {
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
  // Asked all the time, for longer than a server may be silent.
  const until = performance.now() + 3 * SILENCE_MS
  while (performance.now() < until) assert.equal(await endOf(sql, 1), 'answered')
  silent = true
  assert.equal(await endOf(sql, 1), 'rejects')
})

for (const how of ['plain', 'encrypted']) {
  test(`an answer that is none, ${how}: its query rejects, and the process lives`, async t => {
    let taken = 0
    const speak = (socket: Socket) =>
      void socket.once('data', () => {
        taken += 1
        // The first asks for a way to log in that nobody here has.
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

test('a connection that the server ends with its first answer: refused, and the next one is opened', async t => {
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

test('the end of a pool whose server is silent: within its time, and nothing is connected after', async t => {
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

test('a connection that is idle, or is only notified: kept', async t => {
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

test('large statements of one transaction: sent one behind the other, whatever is answered', async t => {
  const SIZE = 4 * 1024 * 1024
  const statements = [1, 2, 3, 4].map(() => `select '${'x'.repeat(SIZE)}'`)
  const done = (command: string, state: string) =>
    Buffer.concat([message('C', `${command}\0`), message('Z', state)])
  const sql = await serve(
    t,
    socket =>
      void socket.once('data', () => {
        socket.write(Buffer.concat([AUTHENTICATION_OK, READY_FOR_QUERY]))
        socket.once('data', () => {
          socket.write(done('BEGIN', 'T'))
          let bytes = 0
          socket.on('data', data => {
            bytes += data.length
            if (data.includes('commit')) socket.write(done('COMMIT', 'I'))
            else if (bytes > statements.length * SIZE) {
              for (const _ of statements) socket.write(done('SELECT 1', 'T'))
            }
          })
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

test('what is written before anything else happens: sent as one', async t => {
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

test('a transaction whose connection is lost while it waits for something else: rejects, and what it asks later reaches nobody', async t => {
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

test('a query that cannot be sent, behind one that is: rejects alone, and each gets its own answer', async t => {
  const sql = await serve(t, socket => welcome(socket))
  assert.equal(await endOf(sql, 1), 'answered')
  const unsent = () => sql`select ${undefined as never}`.catch(error => error.code)
  const ends = await Promise.all([endOf(sql, 2), unsent(), endOf(sql, 3), endOf(sql, 4)])
  assert.deepEqual(ends, ['answered', 'UNDEFINED_VALUE', 'answered', 'answered'])
})

test('a network that is not there: whoever asks is refused, and the process lives', async t => {
  // Refused by the system at once, before anybody can listen for it.
  const sql = await serve(
    t,
    socket => welcome(socket),
    () => watched(1)('postgres://user:password@255.255.255.255:5432/database'),
  )
  assert.deepEqual([await endOf(sql, 1), await endOf(sql, 2)], ['rejects', 'rejects'])
})

test('a server that asks for a password, and none is given: it is said to be the log-in', async t => {
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

test('a Unix socket whose server is down: whoever asks gets an error that passes with the server', async t => {
  const sql = connect('postgres://user@localhost/database?host=/nowhere', { max: 1, as: 'service' })
  t.after(() => sql.end({ timeout: 0 }))
  await assert.rejects(sql`select 1`, error => {
    assert.match((error as Error).message, /ENOENT .*\/nowhere\/\.s\.PGSQL\.5432/)
    return classify(error) === 'unavailable'
  })
})
