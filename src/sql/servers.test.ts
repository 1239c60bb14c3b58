// The way to the server that takes writes: past silent ones, with the TLS that the URL asks for, and
// away from a server that takes no writes any more. test/crash/failover has real standbys.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { createDatabase } from '../../test/support/database/database.ts'
import { promised } from '../../test/support/share.ts'
import { connect } from './connect.ts'
import { classify, NOT_PRIMARY } from './failure.ts'
import { openPool } from './pool.ts'
import { addressesOf, urlAt } from './url.ts'

const database = await createDatabase()
const [{ host, port }] = addressesOf(database.url)
/** By TCP, although tests use the socket. */
const own = `${host.startsWith('/') ? '127.0.0.1' : host}:${port}`
after(() => database.drop())

/** The same database through these servers, with further parameters. */
const through = (servers: string, query = '') =>
  `${urlAt(database.url.replace(/\?.*/, ''), servers)}${query}`

async function answerOf(url: string): Promise<number | undefined> {
  const sql = connect(url, { max: 1, as: 'service' })
  try {
    const [row] = await sql<{ one: number }[]>`select 1 as one`
    return row?.one
  } finally {
    await sql.end({ timeout: 0 })
  }
}

const failureOf = (url: string) =>
  answerOf(url).then(
    () => new Error('answered'),
    (error: Error) => error,
  )

/** A program that listens, and is then stopped: its machine answers for it until the queue is full. */
async function startStopped(t: TestContext, fill: number): Promise<number> {
  const program =
    "net.createServer().listen({ host: '127.0.0.1', port: 0, backlog: 1 }, function () {" +
    ' console.log(this.address().port) })'
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const port = Number(String(line))
  child.kill('SIGSTOP')
  const sockets = Array.from({ length: fill }, () =>
    createConnection(port, '127.0.0.1').on('error', () => {}),
  )
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    child.kill('SIGKILL')
  })
  if (sockets[0] !== undefined) await once(sockets[0], 'connect')
  return port
}

for (const [what, fill, most_ms] of [
  // With a full queue, it takes no connection and refuses none.
  ['whose machine does not answer', 8, 1_500],
  ['whose machine takes the connection, and which is silent', 0, 3_500],
] as const) {
  test(`server ${what}, beside the primary: the primary answers, late by a bounded time`, async t => {
    const silent = `127.0.0.1:${await startStopped(t, fill)}`
    const began_at = performance.now()
    assert.equal(await answerOf(through(`${silent},${own}`)), 1)
    promised(t, 'the first answer', performance.now() - began_at, most_ms)
  })
}

test('servers of which none answers: rejects as unavailable, naming each', async () => {
  const error = await answerOf(through('127.0.0.1:1,127.0.0.1:2')).catch(error => error)
  assert.equal(classify(error), 'unavailable')
  assert.match(
    error.message,
    /^no server of DATABASE_URL answers; .*127\.0\.0\.1:1: .*127\.0\.0\.1:2: /,
  )
})

for (const [mode, expected] of [
  ['disable', 1],
  ['allow', 1],
  ['prefer', 1],
  ['require', /does not support SSL/],
  ['verify-full', /does not support SSL/],
] as const) {
  test(`sslmode=${mode}, server without TLS: ${expected}`, async () => {
    const answer = answerOf(through(own, `?sslmode=${mode}`))
    if (typeof expected === 'number') assert.equal(await answer, expected)
    else await assert.rejects(answer, expected)
  })
}

test('channel_binding=require, server without TLS: refused before a password is sent', async () => {
  const answer = answerOf(through(own, '?channel_binding=require'))
  await assert.rejects(answer, /channel_binding=require, and the server does not bind the log-in/)
})

test('session that is refused every write: closed, the statement rejects as unavailable, the next one writes', async () => {
  const sql = connect(database.url, { max: 1, as: 'owner' })
  await sql`create table notes (note text)`
  await sql`set default_transaction_read_only = on`
  await assert.rejects(sql`insert into notes values ('lost')`, error => {
    assert.equal((error as { code?: string }).code, NOT_PRIMARY)
    return classify(error) === 'unavailable'
  })
  await sql`insert into notes values ('kept')`
  assert.deepEqual([...(await sql`select note from notes`)], [{ note: 'kept' }])
  await sql.end()
})

test('server that refuses every write: no connection, and the reason', async () => {
  const admin = openPool(database.url, { max: 1 })
  const [row] = await admin<{ name: string }[]>`select current_database() as name`
  await admin.unsafe(`alter database ${row?.name} set default_transaction_read_only = on`)
  try {
    const error = await failureOf(through(own, '?application_name=reader'))
    assert.equal(classify(error), 'unavailable')
    assert.match(error.message, /takes no writes: its default_transaction_read_only is on$/)
  } finally {
    await admin.unsafe(`alter database ${row?.name} reset default_transaction_read_only`)
    await admin.end()
  }
  assert.equal(await answerOf(through(own, '?application_name=writer')), 1)
})
