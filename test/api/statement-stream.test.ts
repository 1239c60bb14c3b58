// GET /v3/balance_transaction with Accept: text/csv on a real socket: slow clients, clients that go
// away, too many of them, and lines that are booked meanwhile. The socket is one of the file system,
// which buffers far less than TCP, so that a short statement fills it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { MAX_WAIT_MS } from '../../src/engine/late.ts'
import { readList } from '../../src/http/list.ts'
import { connect, type TransactionSql } from '../../src/sql/connect.ts'
import { type Moment, NEWEST, OLDEST } from '../../src/sql/order.ts'
import { csvWriter } from '../../src/statements/balance-transaction/statement/csv.ts'
import { sendPieces } from '../../src/statements/balance-transaction/statement/http.ts'
import type { Statement } from '../../src/statements/balance-transaction/statement/statement.ts'
import {
  findStatement,
  statementPages,
} from '../../src/statements/balance-transaction/statement/store.ts'
import { writeStatement } from '../../src/statements/balance-transaction/statement/write.ts'
import { type BusyAccount, makeBusyAccount } from '../ledger/busy-account.ts'
import type { Query } from '../support/assert/listing.ts'
import { createDatabase } from '../support/database/database.ts'
import { insertManyLines } from '../support/database/line-rows.ts'
import { asPool } from '../support/database/one-transaction.ts'
import { localPayout } from '../support/given/bodies.ts'
import { until } from '../support/service/process.ts'
import { basic, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/balance_transaction'
/** Some 500 bytes each: together several times what lies in the buffers of two sockets. */
const LINES = 4_000
/** As long as a reference may be, in letters of four bytes. */
const reference_id = '🧾'.repeat(128)

let service: TestService
let busy: BusyAccount
let socketPath: string

before(async () => {
  service = await startTestService()
  busy = await makeBusyAccount(service, LINES, { reference_id })
  socketPath = newSocket()
  await service.app.listen({ path: socketPath })
})
after(() => service.close())

let sockets = 0
function newSocket(): string {
  sockets += 1
  return join(tmpdir(), `statements-${process.pid}-${sockets}`)
}

async function ask(headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const authorization = basic(busy.client.key_id, busy.client.secret)
  const sent = request({
    ...{ socketPath, path: PATH },
    headers: { authorization, accept: 'text/csv', ...headers },
  }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}

async function textOf(answer: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of answer.setEncoding('utf8')) text += chunk
  return text
}

const linesIn = (text: string) => text.match(/^line,/gm)?.length ?? 0

test(`GET ${PATH}, text/csv, client pauses past the handler's time-out, a line booked meanwhile: complete without that line, balances agree`, async () => {
  const answer = await ask()
  assert.equal(answer.statusCode, 200)
  answer.pause()
  const paid = await busy.client.post('/v3/payout', { ...localPayout, reference_id: 'meanwhile' })
  assert.equal(paid.status, 200, paid.text)
  await delay(MAX_WAIT_MS + 700)
  const first = await textOf(answer)
  assert.equal(linesIn(first), LINES)
  assert.ok(Buffer.byteLength(first) > 2_000_000, 'more than lies in buffers')
  assert.match(first, /\r\ninterim,.*,USD,.*\r\n$/)
  const second = await textOf(await ask())
  assert.equal(linesIn(second), LINES + 1)
  assert.ok(second.includes(',meanwhile,,'))
})

test(`GET ${PATH}, text/csv, clients that stop reading: hold no database connection; a fifth one is refused`, async t => {
  const answers = await Promise.all([ask(), ask(), ask(), ask()])
  // Else the service waits for them at its end.
  t.after(() => answers.map(answer => answer.destroy()))
  for (const answer of answers) assert.equal(answer.statusCode, 200)
  await until('connections are idle', async () => (await inTransaction()) === 0)
  const refused = await ask()
  assert.equal(refused.statusCode, 429)
  assert.equal(refused.headers['retry-after'], '5')
  assert.equal(JSON.parse(await textOf(refused)).errors[0].reason, 'rate_limited')
  const stranger = await service.openAccount({ currencies: ['USD'] })
  const authorization = basic(stranger.key_id, stranger.secret)
  assert.equal((await ask({ authorization })).resume().statusCode, 200)
  for (const answer of answers) answer.destroy()
  // Those who have gone leave their places.
  await until('a place is free', async () => {
    const answer = await ask()
    answer.destroy()
    return answer.statusCode === 200
  })
})

async function inTransaction(): Promise<number> {
  const [row] = await service.database.owner<{ count: bigint }[]>`
    select count(*) as count from pg_stat_activity where datname = current_database()
      and pid <> pg_backend_pid() and state <> 'idle' and backend_type = 'client backend'`
  return Number(row?.count)
}

/** Serves pieces without end to one client; what has become of them. */
async function serve(stall_ms: number, length = 65_536, most = Infinity) {
  const state = { pieces: 0, ended: false }
  async function* pieces(): AsyncGenerator<string, void> {
    try {
      while (state.pieces < most) {
        state.pieces += 1
        yield 'x'.repeat(length)
      }
    } finally {
      state.ended = true
    }
  }
  const server = createServer((_request, response: ServerResponse) => {
    void sendPieces(response, 'begun', pieces(), { stall_ms })
  })
  const path = newSocket()
  server.listen(path)
  await once(server, 'listening')
  const sent = request({ socketPath: path }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { state, answer, close: () => server.close() }
}

test(`GET ${PATH}, client disconnects: no further rows read`, async () => {
  const { state, answer, close } = await serve(60_000)
  await until('pieces are sent', () => state.pieces > 3)
  answer.destroy()
  await until('the pieces end', () => state.ended)
  close()
})

test(`GET ${PATH}, client reads nothing: rows read ahead bounded, then the connection is closed`, async () => {
  const { state, answer, close } = await serve(500)
  answer.on('error', () => {})
  answer.pause()
  await until('the pieces end', () => state.ended)
  assert.ok(state.pieces < 1_000, `${state.pieces} pieces of 64 KiB`)
  close()
})

test(`GET ${PATH}, client takes longer per piece than the stall limit, but reads: complete`, async () => {
  const [stall_ms, length] = [3_000, 4 * 1024 * 1024]
  const { state, answer, close } = await serve(stall_ms, length, 2)
  const began = performance.now()
  let taken = 0
  for await (const chunk of answer) {
    const before = taken
    taken += chunk.length
    // A quarter of a megabyte, and a pause that is no standing still.
    if (Math.floor(before / 2 ** 18) < Math.floor(taken / 2 ** 18)) await delay(stall_ms / 15)
  }
  assert.equal(taken, 'begun'.length + 2 * length)
  assert.ok(performance.now() - began > 2 * stall_ms)
  assert.ok(state.ended)
  close()
})

test(`GET ${PATH}, consecutive periods while payouts are created: every line in exactly one period, balances add up`, async () => {
  const writer = await service.openAccount({ currencies: ['USD'], fund: { USD: 900_000_000n } })
  const { account_id } = writer.account
  let writing = true
  const writers = Array.from({ length: 8 }, async (_, i) => {
    for (let n = 0; writing; n++) {
      const paid = await writer.post('/v3/payout', { ...localPayout, reference_id: `${i}-${n}` })
      assert.equal(paid.status, 200, paid.text)
    }
  })
  const seen: string[] = []
  let above = OLDEST
  let balance = 0n
  const take = async () => {
    const { sql } = service.deps
    const statement = await findStatement(sql, {
      account_id,
      zone: 'UTC',
      above,
      below: NEWEST,
      filters: {},
    })
    const pages = async function* (currency?: string) {
      for await (const page of statementPages(sql, statement, currency)) {
        seen.push(...page.map(({ id }) => id))
        yield page
      }
    }
    await Array.fromAsync(writeStatement(statement, csvWriter, pages))
    assert.equal(statement.balances[0]?.opening, balance)
    balance = statement.balances[0]?.closing ?? 0n
    above = { created_at: statement.to, side: 'before' }
  }
  try {
    for (let round = 0; round < share(12, 100); round++) {
      await take()
      await delay(round % 7)
    }
  } finally {
    writing = false
    await Promise.all(writers)
  }
  await take()
  const rows = await service.database.owner<{ id: string }[]>`
    select id from balance_transactions where account_id = ${account_id} order by journal_number`
  assert.deepEqual(
    seen,
    rows.map(({ id }) => id),
  )
  assert.ok(seen.length > 60, `${seen.length} lines`)
})

const FILTERS: readonly Query[] = [
  {},
  { currency: 'EUR' },
  { type: 'payout_failure' },
  { operation_type: 'credit' },
  { currency: 'USD', type: 'payout' },
]
/** One line has it, which no walk along the account's others may look for. */
const source = 'pot_00000000000000005000'
const OF_A_SOURCE: readonly Query[] = [
  { source },
  { source, currency: 'USD' },
  { source, type: 'payout' },
  { source, currency: 'USD', operation_type: 'debit' },
]
test('statementPages, statement planned for an empty table: each page by index, only its lines read', async () => {
  const { owner, url, drop } = await createDatabase()
  const sql = connect(url, { max: 1, as: 'service', look_ups: true })
  const firstPage = async (tx: TransactionSql, filters: Query, above: Moment) => {
    // A second a journal.
    const first = above === OLDEST ? '1' : '1201'
    const wanted = readList(filters)
    const statement = {
      ...wanted,
      account_id: 'acc_a',
      first,
      end: '8001',
    } as unknown as Statement
    for await (const page of statementPages(asPool(tx), statement)) return page
    return []
  }
  try {
    // Autovacuum may count the rows before it analyses them, and so change the plan.
    await owner`alter table journals set (autovacuum_enabled = false)`
    // The many lines give back payouts that are not there.
    await owner`alter table journals disable trigger gives_back_what_was_taken`
    await owner`analyze journals`
    for (const filters of [...FILTERS, ...OF_A_SOURCE]) {
      await sql.begin(tx => firstPage(tx, filters, OLDEST))
    }
    await insertManyLines(owner, 8_000)
    const late: Moment = { created_at: '2026-01-01T00:20:00.000000Z', side: 'after' }
    const costOf = (filters: Query, above: Moment) =>
      sql.begin(async tx => {
        const began = await readRows(tx)
        const { length } = await firstPage(tx, filters, above)
        const ended = await readRows(tx)
        return { length, fetched: ended.fetched - began.fetched, scans: ended.scans - began.scans }
      })
    for (const filters of FILTERS) {
      for (const above of [OLDEST, late]) {
        const cost = await costOf(filters, above)
        const what = JSON.stringify({ filters, above, ...cost })
        assert.ok(cost.length > 300 && cost.scans === 0, what)
        // The page in hand and the one that is asked for ahead.
        assert.ok(cost.fetched <= 2 * cost.length, what)
      }
    }
    for (const filters of OF_A_SOURCE) {
      const cost = await costOf(filters, OLDEST)
      assert.deepEqual(cost, { length: 1, fetched: 1, scans: 0 }, JSON.stringify(filters))
    }
  } finally {
    await sql.end()
    await drop()
  }
})

async function readRows(tx: TransactionSql) {
  const [row] = await tx<{ fetched: string; scans: string }[]>`
    select idx_tup_fetch::text as fetched, seq_scan::text as scans
    from pg_stat_xact_user_tables where relname = 'journals'`
  return { fetched: Number(row?.fetched), scans: Number(row?.scans) }
}

test('statementPages, reader stops early: no query left running', async () => {
  const { account_id } = busy.client.account
  const { sql } = service.deps
  const wanted = { account_id, zone: 'UTC', above: OLDEST, below: NEWEST, filters: {} }
  const statement = await findStatement(sql, wanted)
  let queries = 0
  const pages = statementPages(sql, statement, undefined, query => {
    queries += 1
    return query()
  })
  for await (const page of pages) {
    assert.equal(page.length, 1_000)
    break
  }
  await delay(50)
  assert.equal(queries, 2)
})
