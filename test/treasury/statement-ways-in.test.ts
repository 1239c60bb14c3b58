// The ways of a statement into the treasury: a command, the API, and the inbox of a rail, whose own reading
// stays as it was.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { listInbox } from '../../src/adapters/bank-file/inbox-store.ts'
import { iso20022 } from '../../src/adapters/iso20022/format.ts'
import { takeNewStatements } from '../../src/app/worker/take-statements.ts'
import type { Sql } from '../../src/sql/connect.ts'
import { listStatementTroubles } from '../../src/treasury/statement/continuity-store.ts'
import { type FileRailWorld, openFileWorld } from '../support/bank/file-rail.ts'
import { HAS_GPG, openCorrespondents } from '../support/bank/pgp.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { seeded } from '../support/service/process.ts'
import { startTestService, type TestService } from '../support/service/service.ts'
import { CSV_MAPPING, closingOf, DIALECTS, type Dialect } from '../support/treasury/dialects.ts'
import { addNostro } from '../support/treasury/importing.ts'
import { anyStatement } from '../support/treasury/statements.ts'

const [, CAMT, GERMAN] = DIALECTS as [Dialect, Dialect, Dialect]
const CSV = DIALECTS.at(-1) as Dialect

let service: TestService
let owner: Sql
let cli: Cli
let bank: FileRailWorld
before(async () => {
  service = await startTestService()
  owner = service.database.owner
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  const profile = { name: 'test', like: 'generic' }
  bank = await openFileWorld(service, { format: iso20022, profile })
})
after(async () => {
  await cli?.close()
  await bank?.close()
  await service?.close()
})

let made = 0
function newAccount(): string {
  made += 1
  return `DE${String(made).padStart(20, '7')}`
}

/** A statement in euros of a new account, which is a nostro unless `is_known` is false. */
async function given(name: string, is_known = true) {
  const account = newAccount()
  if (is_known) await addNostro(owner, { name, account })
  return anyStatement(seeded(made), { account, day: '2026-11-30', opening: 0n, count: 6 })
}

async function countLines(nostro: string): Promise<number> {
  const [row] = await owner<{ count: number }[]>`
    select count(*)::integer as count from bank_lines where nostro = ${nostro}`
  return row?.count ?? 0
}

test('nostro import: told what was taken; again: that it is known; listed', async () => {
  const statement = await given('by_hand')
  const path = await cli.file('by-hand.sta', GERMAN.write(statement))
  const first = await cli.run('nostro', 'import', path)
  assert.equal(first.code, 0, first.stderr)
  assert.match(first.stdout, /^by_hand {2}2026-11-30: 6 lines; proved\n$/)
  const again = await cli.run('nostro', 'import', path)
  assert.match(again.stdout, /the same file was taken before; nothing is added/)
  const listed = await cli.run('nostro', 'statements', 'by_hand', '--json')
  const [found] = listed.json.results ?? listed.json
  const { lines, held, state, closing } = found
  assert.deepEqual([lines, held, state], [6, 0, 'proved'])
  assert.equal(closing, String(closingOf(statement)))
  assert.equal(await countLines('by_hand'), 6)
})

test('nostro import, gzip: unpacked', async () => {
  const statement = await given('gzipped')
  const path = await cli.file('gzipped', '')
  await writeFile(path, gzipSync(CAMT.write(statement)))
  const { code, stderr } = await cli.run('nostro', 'import', path)
  assert.equal(code, 0, stderr)
  assert.equal(await countLines('gzipped'), 6)
})

test('nostro import, unknown account: exit 1 with the account; kept as refused; taken once it is a nostro', async () => {
  const statement = await given('unknown', false)
  const path = await cli.file('unknown.xml', CAMT.write(statement))
  const refused = await cli.run('nostro', 'import', path)
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr.replaceAll(/\s+/g, ' '),
    new RegExp(`unknown.xml: a statement is of ${statement.account} in EUR, and no nostro has`),
  )
  const [file] =
    await owner`select state, reason, by from statement_files where name = 'unknown.xml'`
  assert.equal(file?.state, 'refused')
  assert.equal(file?.by, 'olga')
  await addNostro(owner, { name: 'unknown', account: statement.account })
  assert.equal((await cli.run('nostro', 'import', path)).code, 0)
  assert.equal(await countLines('unknown'), 6)
})

test('nostro mapping, then a CSV file with --dry-run: the first ten lines, nothing written; then taken', async () => {
  await addNostro(owner, { name: 'wallet', account: '', settings: {} })
  const wrong = await cli.file('wrong.json', JSON.stringify({ amount: 'Amount', colour: 'x' }))
  const refused = await cli.run('nostro', 'mapping', 'wallet', wrong)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /mapping\.colour is not known/)
  assert.match(refused.stderr, /mapping\.booked_on must name the column of the day/)
  const right = await cli.file('right.json', JSON.stringify(CSV_MAPPING))
  assert.equal((await cli.run('nostro', 'mapping', 'wallet', right)).code, 0)
  const statement = anyStatement(seeded(9), {
    account: '',
    day: '2026-11-30',
    opening: 5n,
    count: 12,
  })
  const path = await cli.file('export.csv', CSV.write(statement))
  const dry = await cli.run('nostro', 'import', path, '--nostro', 'wallet', '--dry-run')
  assert.equal(dry.code, 0, dry.stderr)
  assert.equal(dry.stdout.match(/^2026-11-30 {2}EUR /gm)?.length, 10)
  assert.match(dry.stdout, /a dry run: nothing is written/)
  assert.equal(await countLines('wallet'), 0)
  const taken = await cli.run('nostro', 'import', path, '--nostro', 'wallet')
  assert.match(taken.stdout, /^wallet {2}2026-11-30: 12 lines; gap\n$/)
  assert.equal(await countLines('wallet'), 12)
})

test('the inbox of a rail: its statements of nostros are taken, once, and its own reading is as before', async () => {
  const statement = await given('from_inbox')
  const later = await given('later', false)
  const status =
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.03"><CstmrPmtStsRpt>' +
    '<GrpHdr><MsgId>1</MsgId></GrpHdr></CstmrPmtStsRpt></Document>'
  await bank.report(CAMT.write(statement), 'own.xml')
  await bank.report(CAMT.write(later), 'later.xml')
  await bank.report(GERMAN.write({ ...statement, id: 'MT' }), 'own.sta')
  await bank.report(status, 'status.xml')
  await bank.work()
  const states = async () =>
    (await listInbox(service.deps.sql, { rail: bank.name, limit: 10 }))
      .map(({ name, state, lines }) => `${name} ${state} ${lines}`)
      .sort()
  const before = await states()
  assert.equal(before.length, 4)
  assert.equal(await takeNewStatements(service.deps), 4)
  assert.equal(await takeNewStatements(service.deps), 0)
  assert.deepEqual(await states(), before)
  assert.equal(await countLines('from_inbox'), 6)
  const files = await owner<{ name: string; state: string; rail: string }[]>`
    select name, state, rail from statement_files where rail <> '' order by name`
  assert.deepEqual(
    files.map(file => ({ ...file })),
    [
      { name: 'later.xml', state: 'other', rail: bank.name },
      { name: 'own.sta', state: 'read', rail: bank.name },
      { name: 'own.xml', state: 'read', rail: bank.name },
      { name: 'status.xml', state: 'other', rail: bank.name },
    ],
  )
  await addNostro(owner, { name: 'later', account: later.account })
  assert.equal(await takeNewStatements(service.deps), 1)
  assert.equal(await countLines('later'), 6)
})

test('sealed statement in the inbox of a rail: opened and taken; one that the bank has not signed is refused', {
  skip: HAS_GPG ? false : 'NOT RUN: this machine has no gpg (gnupg)',
}, async () => {
  const parties = await openCorrespondents()
  const { bank: signer, us, ours, theirs } = parties
  const config = { pgp: { home: us.home, signed_by: theirs } }
  const format = { format: iso20022, profile: { name: 'sealed', like: 'generic' } }
  const rail = await openFileWorld(service, { ...format, config, name: 'sealed' })
  const sealed = async (text: string, ...how: string[]) => {
    const path = await cli.file('plain.xml', text)
    return signer.gpg(
      '--trust-model',
      'always',
      '--armor',
      '--recipient',
      ours,
      ...how,
      '-o-',
      path,
    )
  }
  try {
    const statement = await given('from_sealed')
    const next = { ...statement, id: 'NEXT', opening: closingOf(statement) }
    await rail.report(await sealed(CAMT.write(statement), '--sign', '--encrypt'), 'a.xml.asc')
    await rail.report(await sealed(CAMT.write(next), '--encrypt'), 'b.xml.asc')
    await rail.work()
    assert.equal(await takeNewStatements(service.deps), 2)
    assert.equal(await takeNewStatements(service.deps), 0)
    assert.equal(await countLines('from_sealed'), 6)
    const files = await owner<{ name: string; state: string; reason: string }[]>`
      select name, state, reason from statement_files where rail = 'sealed' order by name`
    const told = files.map(({ name, state, reason }) => `${name} ${state} ${reason}`)
    assert.equal(told[0], 'a.xml.asc read ')
    assert.match(told[1] ?? '', /^b\.xml\.asc refused .*not signed/)
  } finally {
    await rail.close()
    await parties.close()
  }
})

test('troubles of statements: a gap with its balances, and a statement that is late', async () => {
  const statement = await given('troubled')
  const path = await cli.file('troubled.xml', CAMT.write({ ...statement, opening: 700n }))
  await cli.run('nostro', 'import', path)
  await addNostro(owner, {
    ...{ name: 'silent', account: newAccount(), opening_on: '2026-11-02' },
    settings: { statement: { due_by: '07:30', calendar: 't2' } },
  })
  const [gap] = await listStatementTroubles(service.deps.sql, 'troubled')
  assert.equal(gap?.kind, 'gap')
  assert.equal(
    gap?.words,
    'it opens with EUR 7.00 behind EUR 0.00: a statement before it is missing',
  )
  const [late] = await listStatementTroubles(service.deps.sql, 'silent')
  assert.deepEqual(
    [late?.kind, late?.statement, late?.day, late?.since.slice(0, 16)],
    ['statement_late', null, '2026-11-02', '2026-11-03T07:30'],
  )
})
