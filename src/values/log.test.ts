// The log's lines about errors, of a real database or of any other kind: the place of an error, and
// none of its data. Each event is one line, whatever its text.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { createDatabase, type TestDatabase } from '../../test/support/database/database.ts'
import { describeError, makeLog } from './log.ts'

const CANARY = 'Zqunheard'

let database: TestDatabase
before(async () => {
  database = await createDatabase()
  await database.owner`
    create table people (name text primary key, age integer check (age > 0), born date)`
})
after(() => database.drop())

/** The line that this call writes to the log. */
function written(log: (log: ReturnType<typeof makeLog>) => void): string {
  let text = ''
  log(
    makeLog('trace', {
      write(line) {
        text += line
      },
    }),
  )
  return text
}

async function errorOf(statement: string): Promise<Error> {
  const error = await database.owner.unsafe(statement).catch(error => error)
  assert.ok(error instanceof Error, statement)
  return error
}

const STATEMENTS = [
  ['23514', `insert into people values ('${CANARY}', -1)`],
  ['23502', `insert into people values (null, 1, '2026-01-01') returning '${CANARY}'`],
  ['23505', `insert into people values ('${CANARY}'), ('${CANARY}')`],
  ['22P02', `select '${CANARY}'::integer`],
  ['22007', `select '${CANARY}'::date`],
  ['22003', `select ('1' || repeat('0', 20))::integer, '${CANARY}'`],
  ['P0001', `do $$ begin raise exception 'no ${CANARY}' using detail = '${CANARY}'; end $$`],
] as const

for (const [code, statement] of STATEMENTS) {
  test(`log, database error ${code}: code and place logged, no value of a row`, async () => {
    const error = await errorOf(statement)
    const text = written(log => log.error({ err: error, payout_id: 'pot_1' }, 'request failed'))
    const { err, msg, payout_id } = JSON.parse(text)
    assert.deepEqual([err.type, err.code, err.severity], ['PostgresError', code, 'ERROR'])
    assert.deepEqual([msg, payout_id], ['request failed', 'pot_1'])
    assert.match(err.stack, /^\s+at /)
    assert.ok(!text.includes(CANARY), text)
    if (code.startsWith('23')) {
      assert.equal(err.table_name, 'people')
      assert.match(err.message, /violates|null value/)
    }
  })
}

test("log, database error by pino's own serializer: shows the value, so that the tests above can fail", async () => {
  const lines: string[] = []
  const naive = pino({}, { write: line => void lines.push(line) })
  // Only the message of a data exception quotes sent data: PostgresError has no `detail`.
  naive.error({ err: await errorOf(STATEMENTS[3][1]) }, 'request failed')
  assert.ok(lines.join('').includes(CANARY))
})

test('log, error logged without a message: the substitute message contains no value of a row', async () => {
  const error = await errorOf(STATEMENTS[3][1])
  for (const text of [written(log => log.warn(error)), written(log => log.warn({ err: error }))]) {
    const { err, msg } = JSON.parse(text)
    assert.equal(err.code, '22P02')
    assert.equal(typeof msg, 'string')
    assert.ok(!text.includes(CANARY), text)
  }
})

test('log, causes and members of an AggregateError: logged alike, to a bounded depth', async () => {
  const inner = await errorOf(STATEMENTS[0][1])
  const chain = new Error('outer', { cause: new Error('middle', { cause: inner }) })
  const gathered = new AggregateError([inner, chain], 'several')
  const text = written(log => log.error({ err: gathered }, 'failed'))
  const { err } = JSON.parse(text)
  assert.equal(err.errors[0].code, '23514')
  assert.equal(err.errors[1].cause.cause.code, '23514')
  const circle: Error & { cause?: unknown } = new Error('circle')
  circle.cause = circle
  assert.ok(JSON.stringify(describeError(circle)).length < 20_000)
  assert.ok(!text.includes(CANARY), text)
})

test('log, other members of errors: not logged', () => {
  const request = { name: CANARY, headers: { authorization: CANARY } }
  const error = Object.assign(new TypeError('failed'), { request, input: CANARY, code: 'ERR_X' })
  const unparsed = (() => {
    try {
      return JSON.parse(`{"name": ${CANARY}`)
    } catch (error) {
      return error
    }
  })()
  assert.match(unparsed.message, /Zqunh/)
  const fake = new Error(`first\n    at ${CANARY}`)
  fake.message = 'first'
  for (const thrown of [error, unparsed, CANARY, { message: CANARY }, null, undefined]) {
    const text = written(log => log.error({ err: thrown }, 'failed'))
    assert.ok(!/Zqunh/.test(text), text)
    assert.equal(JSON.parse(text).msg, 'failed')
  }
})

test('log, message with line breaks, terminal commands and line separators: one line of JSON, read back unchanged', () => {
  const hostile =
    'a\r\n{"level":60,"msg":"forged"}\n\u001b[31m\u009b31m\u0085\u2028\u2029\u007f\u0000'
  for (const text of [
    written(log => log.info(hostile)),
    written(log => log.info({ field: hostile, [hostile]: 1 }, 'words')),
    written(log => log.child({ bound: hostile }).warn(hostile)),
    written(log => log.error({ err: new Error(hostile) }, hostile)),
  ]) {
    assert.ok(text.endsWith('\n'))
    assert.doesNotMatch(text.slice(0, -1), /[\p{Cc}\p{Zl}\p{Zp}]/u)
    const { level, msg, field, bound } = JSON.parse(text)
    assert.notEqual(level, 60)
    for (const said of [field, bound, msg === 'words' ? undefined : msg]) {
      if (said !== undefined) assert.equal(said, hostile)
    }
  }
})
