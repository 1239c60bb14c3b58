// kill -9 of PostgreSQL in the middle of an import, a match, a derivation and a credit: a lock makes
// each wait behind its first rows. Nothing is there twice, and nothing is missing.
import assert from 'node:assert/strict'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openEmbedded } from '../../src/postgres/embedded.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { importStatements } from '../../src/treasury/statement/import.ts'
import { EMPTY_STATEMENT_LINE } from '../../src/treasury/statement/statement.ts'
import { plusDays } from '../../src/values/calendar/day.ts'
import { verify } from '../../src/verify/run.ts'
import { untilBlocked } from '../support/database/blocked.ts'
import { requireNoLists } from '../support/database/without-lists.ts'
import { openCli, succeed } from '../support/service/cli.ts'
import { startListening } from '../support/service/listening.ts'
import { openAccountOn, until } from '../support/service/process.ts'
import { share } from '../support/share.ts'
import { closingOf, DIALECTS } from '../support/treasury/dialects.ts'
import { sourceOf } from '../support/treasury/importing.ts'
import { identityOf } from '../support/treasury/open-rows.ts'

/** The tables at whose rows the work of a day waits, and is then killed. */
const PLACES = [
  'bank_lines',
  'matches',
  'journals',
  'account_days',
  'nostro_items',
  'bank_statements',
  'audit_log',
] as const
const KILLS = share(3, 3 * PLACES.length)
const ACCOUNT = 'DE87100500001234567890'
/** What a day brings: payments that a person has booked, payments with a key, and unknown ones. */
const [BOOKED, KEYED, UNKNOWN] = [2, 2, 60]
const FIRST = plusDays(new Date().toISOString().slice(0, 10), -KILLS)

const folder = await mkdtemp(join(tmpdir(), 'corridor-crash-'))
await chmod(folder, 0o711)
const service = await startListening({ CORRIDOR_DATA: folder })
after(async () => {
  await cli.close()
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

/** The address stays the same when the service starts its server again. */
const url = await openEmbedded({ data_dir: folder }).then(async server => {
  await server.release()
  return server.url
})

const cli = await openCli(url, { CORRIDOR_USER: 'olga' })

/** Works with a session of this role, which a kill may end. */
async function onServer<T>(as: 'owner' | 'service', work: (sql: Sql) => Promise<T>): Promise<T> {
  const sql = connect(url, { max: 1, as })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 }).catch(() => undefined)
  }
}

async function postmaster(): Promise<number> {
  const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8')
  return Number(text.split('\n', 1)[0])
}

/** Kills the server at the moment at which its work waits for this table. */
async function killAt(place: string, work: () => Promise<void>): Promise<void> {
  const killed = await postmaster()
  let working: Promise<void> | undefined
  await onServer('owner', sql =>
    sql.begin(async tx => {
      await tx`lock table ${tx(place)} in share row exclusive mode`
      working = work()
      await onServer('owner', other => untilBlocked(other))
      process.kill(killed, 'SIGKILL')
    }),
  ).catch(error => {
    // Its own connection ends with the server.
    if (error instanceof Error && error.message.includes('waits for a lock')) throw error
  })
  await working
  await until('answers again', async () => {
    if ((await postmaster().catch(() => killed)) === killed) return false
    const answer = onServer('owner', sql => sql`select`)
    return answer.then(
      () => true,
      () => false,
    )
  })
}

/** Takes a file again and again, as a person does who got no answer. */
async function take(text: string): Promise<void> {
  await until('the file is taken', () =>
    onServer('service', sql => importStatements(sql, sourceOf(text))).then(
      () => true,
      () => false,
    ),
  )
}

const run = (...words: string[]) => succeed(cli, ...words)

const CAMT = DIALECTS[1] ?? assert.fail()

/** The statement of a day, which begins with the closing balance of the one before. */
function statementOf(nth: number, opening: bigint, reference: string) {
  const day = plusDays(FIRST, nth)
  const line = (kind: string, i: number, amount: bigint) => ({
    ...EMPTY_STATEMENT_LINE,
    ...{ amount, currency: 'EUR', booked_on: day, value_on: day },
    bank_reference: `${kind}-${nth}-${i}`,
    text: kind === 'KEYED' ? `Invoice ${i}, ${reference}` : kind,
  })
  const lines = [
    ...Array.from({ length: BOOKED }, (_, i) => line('BOOKED', i, 100n + BigInt(i))),
    ...Array.from({ length: KEYED }, (_, i) => line('KEYED', i, 10_000n + BigInt(i))),
    ...Array.from({ length: UNKNOWN }, (_, i) => line('UNKNOWN', i, -1n - BigInt(i))),
  ]
  const days = { opened_on: day, closed_on: day, id: `S${nth}`, sequence: String(nth + 1) }
  return { account: ACCOUNT, currency: 'EUR', opening, lines, ...days }
}

test(`PostgreSQL killed ${KILLS} times in the work of the treasury: nothing twice, nothing missing`, async () => {
  await onServer('owner', requireNoLists)
  const { account } = await openAccountOn(url, {}, ['EUR'], false)
  const { account_id } = account
  await run('nostro', 'add', 'eur_main', 'EUR', '0', '--account', ACCOUNT, '--opening-on', FIRST)
  const { value: reference } = JSON.parse(
    await run('funding-key', 'add', account_id, 'reference', '--nostro', 'eur_main', '--json'),
  )
  let opening = 0n
  for (let nth = 0; nth < KILLS; nth += 1) {
    for (let i = 0; i < BOOKED; i += 1) {
      await run('fund', account_id, 'EUR', `1.0${i}`, '--reference', `BOOKED-${nth}-${i}`)
    }
    const statement = statementOf(nth, opening, reference)
    opening = closingOf(statement)
    await killAt(PLACES[nth % PLACES.length] ?? '', () => take(CAMT.write(statement)))
  }
  await onServer('owner', async sql => {
    const open = async () => {
      const [row] = await sql<{ lines: number; items: number }[]>`
        select (select count(*) from bank_lines where match is null)::integer as lines,
          (select count(*) from nostro_items where match is null)::integer as items`
      return `${row?.lines} lines, ${row?.items} items`
    }
    const expected = `${KILLS * UNKNOWN} lines, 0 items`
    let seen = ''
    await until(
      'all is matched',
      async () => {
        seen = await open()
        return seen === expected
      },
      () => seen,
    )
    const [counts] = await sql<Record<string, number>[]>`
      select (select count(*) from bank_lines)::integer as lines,
        (select count(*) from bank_statements where state = 'proved')::integer as proved,
        (select count(*) from journals where account_id = ${account_id})::integer as journals,
        (select count(*) from nostro_items)::integer as items`
    const credited = KILLS * (BOOKED + KEYED)
    const lines = credited + KILLS * UNKNOWN
    assert.deepEqual({ ...counts }, { lines, proved: KILLS, journals: credited, items: credited })
    const { difference, open: left } = await identityOf(sql, { name: 'eur_main', currency: 'EUR' })
    assert.equal(difference, left)
    const verdict = await verify(sql, { account_id: null, all: true })
    assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
  })
})
