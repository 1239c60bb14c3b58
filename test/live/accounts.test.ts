// Accounts as an operator runs them by the command line: money booked, taken back, and refused;
// states, settings, keys. One row a command: its exit code, what it says, and which rows change.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { transactConfined } from '../../src/db/confine.ts'
import { connect, type Sql, type TransactionSql } from '../../src/db/connect.ts'
import { foldedReference } from '../../src/funding/rules.ts'
import { verify } from '../../src/verify/run.ts'
import { rechain } from '../ledger/forgery.ts'
import { balancesOf, rowVersions } from '../support/assert/check.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let cli: Cli
/** A live account with 100.00 USD, booked by its source. */
let live: Client
let rows: () => Promise<Record<string, string>>

before(async () => {
  service = await startTestService()
  await service.setRoutes([{}])
  const currencies = ['USD', 'EUR']
  live = await service.openAccount({ sandbox: false, currencies, fund: { USD: 10_000n } })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'alice' })
  rows = () => rowVersions(service.database.owner)
})
after(async () => {
  await cli.close()
  await service.close()
})

const id = () => live.account.account_id

/** `ACC` stands for the account's id. */
function run(...args: readonly string[]) {
  return cli.run(...args.map(arg => (arg === 'ACC' ? id() : arg)))
}

async function usd(): Promise<string | undefined> {
  return (await balancesOf(live)).USD
}

type Line = { id: string; amount: number; type: string; source: string; metadata: object }
async function newestLine(): Promise<Line> {
  return (await live.get('/v3/balance_transaction?limit=1')).json.data.results[0]
}

/** Commands that refuse, the exit code, what they say; no row changes. */
function refuses(what: string, args: readonly string[], code: number, words: RegExp): void {
  test(`corridor ${args[0]}, ${what}: exit code ${code}, no row changes`, async () => {
    const before = await rows()
    const ran = await run(...args)
    assert.deepEqual([ran.code, ran.stdout], [code, ''], ran.stderr)
    assert.match(ran.stderr, words)
    assert.doesNotMatch(ran.stderr, /^ {4}at /m)
    assert.deepEqual(await rows(), before)
  })
}

const WHY = ['--reason', 'Returned on request']

refuses('a live account without reference', ['fund', 'ACC', 'USD', '5'], 2, /--reference/)
refuses(
  'a live account by the id of an escrow alone',
  ['fund', 'ACC', 'USD', '5', '--source', 'esc_alone'],
  2,
  /a live account is funded with --reference/,
)
refuses(
  'no such account',
  ['fund', 'acc_x', 'USD', '5', '--reference', 'R'],
  1,
  /there is no account acc_x/,
)
refuses(
  'a blank reference',
  ['fund', 'ACC', 'USD', '5', '--reference', ' '],
  2,
  /must not be blank/,
)
refuses('another currency', ['fund', 'ACC', 'GBP', '5', '--reference', 'R'], 1, /holds no GBP/)
refuses('without a reference', ['withdraw', 'ACC', 'USD', '5', ...WHY], 2, /--reference/)
refuses('without a reason', ['withdraw', 'ACC', 'USD', '5', '--reference', 'R'], 2, /--reason/)
refuses(
  'of a negative amount',
  ['withdraw', 'ACC', 'USD', '-5', '--reference', 'R', ...WHY],
  2,
  /"-5" is not an amount/,
)
refuses(
  'of more than there is',
  ['withdraw', 'ACC', 'USD', '100.01', '--reference', 'R', ...WHY],
  1,
  /100\.01 USD from the balance, and 100\.00 are available/,
)
refuses(
  'down by more than there is',
  ['adjust', 'ACC', 'USD', '-100.01', '--reference', 'R', ...WHY],
  1,
  /100\.00 are available/,
)
refuses(
  'of zero',
  ['adjust', 'ACC', 'USD', '-0', '--reference', 'R', ...WHY],
  2,
  /"-0" is not an amount|"0" is not an amount/,
)
refuses('of nothing', ['reverse', 'btr_x', ...WHY], 1, /there is no balance transaction btr_x/)

test('corridor fund, twice with a reference: booked once, before and after told', async () => {
  const fund = ['fund', 'ACC', 'USD', '20.00', '--reference', 'BANK-1']
  const first = await run(...fund)
  assert.equal(first.code, 0, first.stderr)
  assert.match(
    first.stdout,
    /^btr_\w+ {2}escrow USD 20\.00, reference BANK-1 \(esc_\w+\); balance was 100\.00, is 120\.00\n$/,
  )
  const before = await rows()
  const second = await run(...fund)
  assert.deepEqual([second.code, second.stdout], [1, ''])
  assert.match(
    second.stderr,
    /^corridor: Reference "BANK-1" is booked already, as escrow btr_\w+\./,
  )
  assert.deepEqual([await rows(), await usd()], [before, '12000'])
})

refuses(
  'a reference in small letters and with spaces',
  ['fund', 'ACC', 'USD', '5', '--reference', 'bank - 1'],
  1,
  /"bank - 1" is booked already, as escrow btr_/,
)

test('corridor fund, one reference for two accounts: refused naming the first, until --split or reversed', async () => {
  const one = await service.openAccount({ sandbox: false, currencies: ['USD'] })
  const ONE = one.account.account_id
  const booked = await run('fund', ONE, 'USD', '9.00', '--reference', 'BANK-8')
  assert.equal(booked.code, 0, booked.stderr)
  const other = await service.openAccount({ sandbox: false, currencies: ['USD'] })
  const { account_id } = other.account
  const fund = ['fund', account_id, 'USD', '7.00', '--reference', 'bank-8']
  const untouched = await rows()
  const refused = await run(...fund)
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, new RegExp(`"bank-8" has funded account ${ONE} already, .*--split`))
  assert.deepEqual(await rows(), untouched)
  const split = await run(...fund, '--split', '--json')
  assert.equal(split.code, 0, split.stderr)
  assert.equal((await run(...fund, '--split')).code, 1)
  assert.equal((await balancesOf(other)).USD, '700')
  const first = ['fund', account_id, 'USD', '1.00', '--reference', 'BANK-9', '--json']
  const wrong = (await run(...first)).json
  const right = ['fund', ONE, 'USD', '1.00', '--reference', 'BANK-9', '--json']
  assert.equal((await run(...right)).code, 1)
  assert.equal((await run('reverse', wrong.id, '--reason', 'Wrong account')).code, 0)
  const mended = await run(...right)
  assert.equal(mended.code, 0, mended.stderr)
  const { json } = await other.get(`/v3/balance_transaction/${split.json.id}`)
  assert.deepEqual(json.data.metadata, { reference: 'bank-8' })
})

refuses(
  'split without a reference',
  ['fund', 'ACC', 'USD', '5', '--split', '--source', 'esc_split'],
  2,
  /--split requires --reference, which names the split payment/,
)

test('corridor fund, one reference for three accounts at the same moment: one is funded', async () => {
  const open = () => service.openAccount({ sandbox: false, currencies: ['USD'] })
  const three = await Promise.all([open(), open(), open()])
  const ran = await Promise.all(
    three.map(({ account }) =>
      run('fund', account.account_id, 'USD', '3.00', '--reference', 'BANK-10'),
    ),
  )
  const codes = ran.map(({ code }) => code).sort()
  assert.deepEqual(codes, [0, 1, 1], ran.map(({ stderr }) => stderr).join(''))
  for (const { stderr } of ran) assert.match(stderr, /^$|has funded account acc_\w+ already/)
})

test('corridor fund, a sandbox with the reference of a live account: booked, as its money is none', async () => {
  const sandbox = await service.openAccount({ currencies: ['USD'] })
  const { account_id } = sandbox.account
  const ran = await run('fund', account_id, 'USD', '3.00', '--reference', 'BANK-10')
  assert.equal(ran.code, 0, ran.stderr)
})

test('fold_reference, as foldedReference: white space and ASCII letters, and nothing else', async () => {
  const spaces = '\t\n\v\f\r \u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'
  const texts = [
    `a${spaces}Z`,
    'ß\u0131\u00e9\u00c9',
    'fx-1/2.3',
    '\u200b\u0085',
    ' ',
    'x'.repeat(140),
  ]
  const rows = await service.database.owner<{ folded: string }[]>`
    select fold_reference(t) as folded from unnest(${texts}::text[]) with ordinality as r (t, n)
    order by n`
  assert.deepEqual(
    rows.map(({ folded }) => folded),
    texts.map(foldedReference),
  )
  assert.deepEqual(texts.slice(0, 2).map(foldedReference), ['AZ', 'ß\u0131\u00e9\u00c9'])
})

/** A line as the service's role could write it, whatever its own rules say. */
const LINE = `
  insert into journals
  select (jsonb_populate_record(j, jsonb_build_object('number', 99, 'source', $2::text,
    'metadata', $3::text::json))).* from journals j
  where account_id = $1 and kind = 'funding' limit 1`

test('the database refuses a reference that has funded another live account, whoever writes it', async () => {
  const other = await service.openAccount({
    sandbox: false,
    currencies: ['USD'],
    fund: { USD: 1n },
  })
  const { account_id } = other.account
  const written = (reference: string) => [account_id, 'btr_by_hand', JSON.stringify({ reference })]
  const before = await rows()
  for (const reference of ['BANK-8', ' b ank-8']) {
    const refused = { constraint_name: 'one_live_account_a_reference' }
    const line = (tx: TransactionSql) => tx.unsafe(LINE, written(reference))
    await assert.rejects(transactConfined(service.deps.sql, [account_id], line), refused)
    await assert.rejects(service.database.owner.begin(line), refused)
  }
  await assert.rejects(service.deps.sql`delete from funding_references`, /permission denied/)
  await assert.rejects(service.deps.sql`select from funding_references`, /permission denied/)
  assert.deepEqual(await rows(), before)
})

test('corridor withdraw: the balance falls, line and event say why, and not who', async () => {
  const ran = await run(
    'withdraw',
    'ACC',
    'USD',
    '30.00',
    '--reference',
    'BANK-2',
    ...WHY,
    '--json',
  )
  assert.equal(ran.code, 0, ran.stderr)
  const { by, balance_before, balance_after, account, ...line } = ran.json
  assert.deepEqual([by, balance_before, balance_after, account], ['alice', '12000', '9000', id()])
  assert.deepEqual([line.type, line.operation_type, line.amount], ['withdrawal', 'debit', -3_000])
  assert.match(line.source, /^wdr_/)
  assert.deepEqual(line.metadata, { reference: 'BANK-2', reason: 'Returned on request' })
  const { json } = await live.get(`/v3/balance_transaction/${line.id}`)
  assert.deepEqual(json.data, line)
  const events = await live.get(`/v3/event?object_id=${line.id}`)
  assert.equal(events.json.data.results[0].type, 'balance_transaction.created')
  const listed = await live.get('/v3/balance_transaction?type=withdrawal')
  assert.deepEqual(listed.json.data.results, [line])
  const bySource = await live.get(`/v3/balance_transaction?source=${line.source}`)
  assert.deepEqual(bySource.json.data.results, [line])
})

refuses(
  'a reference for the second time',
  ['withdraw', 'ACC', 'USD', '1', '--reference', ' BANK-2 ', ...WHY],
  1,
  /"BANK-2" is booked already, as withdrawal btr_/,
)

test('corridor adjust, up and down with a reference of another kind: both booked', async () => {
  const up = await run('adjust', 'ACC', 'USD', '5.00', '--reference', 'BANK-1', ...WHY)
  assert.match(up.stdout, /adjustment USD 5\.00.*balance was 90\.00, is 95\.00\n$/, up.stderr)
  const down = await run('adjust', 'ACC', 'USD', '-7.50', '--reference', 'CASE-2', ...WHY)
  assert.match(down.stdout, /adjustment USD -7\.50.*balance was 95\.00, is 87\.50\n$/, down.stderr)
})

test('corridor reverse, of each kind: back to where it was, once', async () => {
  const { results } = (await live.get('/v3/balance_transaction?limit=4')).json.data
  let left = BigInt((await usd()) ?? '')
  for (const line of results as Line[]) {
    const ran = await run('reverse', line.id, '--reason', 'A mistake', '--json')
    assert.equal(ran.code, 0, ran.stderr)
    const type = `${line.type}_reversal`
    assert.deepEqual(
      [ran.json.type, ran.json.source, ran.json.amount],
      [type, line.id, -line.amount],
    )
    assert.equal(ran.json.description, line.source)
    assert.equal(ran.json.metadata.reason, 'A mistake')
    left -= BigInt(line.amount)
    assert.equal(await usd(), left.toString())
    const rowsThen = await rows()
    const again = await run('reverse', line.id, '--reason', 'A mistake')
    assert.deepEqual([again.code, again.stdout], [1, ''])
    assert.match(again.stderr, new RegExp(`${line.id} is reversed already, by ${ran.json.id}`))
    assert.deepEqual(await rows(), rowsThen)
  }
})

test('corridor reverse, of a reversal or a payout: refused, no row changes', async () => {
  const before = await rows()
  const ran = await run('reverse', (await newestLine()).id, '--reason', 'Twice')
  assert.deepEqual([ran.code, ran.stdout], [1, ''])
  assert.match(
    ran.stderr,
    /is of type escrow_reversal; reversed are escrow, withdrawal, adjustment/,
  )
  assert.deepEqual(await rows(), before)
})

test('corridor reverse, of a credit that is spent: refused, no row changes', async () => {
  const up = await run('adjust', 'ACC', 'USD', '1', '--reference', 'CASE-3', ...WHY, '--json')
  await run('withdraw', 'ACC', 'USD', '100.50', '--reference', 'BANK-3', ...WHY)
  const before = await rows()
  const ran = await run('reverse', up.json.id, '--reason', 'A mistake')
  assert.deepEqual([ran.code, ran.stdout], [1, ''])
  assert.match(ran.stderr, /1\.00 USD from the balance, and 0\.50 are available/)
  assert.deepEqual(await rows(), before)
})

const STATEMENT = ['statement', 'ACC', '--currency', 'USD', '--from', '2000-01-01', '--format']

test('statements: each booking with reference and reason, as CSV, camt.053 and MT940', async () => {
  const csv = await run(...STATEMENT, 'csv')
  assert.equal(csv.code, 0, csv.stderr)
  const line = csv.stdout.split('\r\n').find(text => text.includes(',withdrawal,'))
  assert.match(line ?? '', /,debit,USD,-3000,-30\.00,.*,wdr_\w+,wdr_\w+,BANK-2,$/)
  const camt = await run(...STATEMENT, 'camt053')
  assert.match(
    camt.stdout,
    /<Cd>withdrawal<\/Cd>.*<EndToEndId>BANK-2<.*<Ustrd>Returned on request</,
  )
  assert.match(camt.stdout, /<RvslInd>true<\/RvslInd>.*<Cd>escrow_reversal<\/Cd>/)
  const mt940 = await run(...STATEMENT, 'mt940')
  assert.match(mt940.stdout, /D30,00NTRFBANK-2\/\//)
  assert.match(mt940.stdout, /RC20,00NRTIBANK-1\/\//)
  assert.match(mt940.stdout, /RD30,00NRTIBANK-2\/\//)
})

test('corridor verify: in order, and the first bad booking is named', async () => {
  const { owner, url } = service.database
  const audit = connect(url, { max: 1, as: 'auditor' })
  const verdict = () => verify(audit, { account_id: null })
  const whole = await verdict()
  assert.ok(whole.ok, JSON.stringify(whole.problem))
  await owner`alter table journals disable trigger user`
  await owner`alter table journals drop constraint booked_with_reason`
  await owner`drop index journals_by_reference`
  await owner`
    create table kept_journals as
    select account_id, number, metadata::text as metadata, undoes, hash from journals`
  const edits: readonly (readonly [edit: string, words: RegExp])[] = [
    [
      `metadata = '{"by":"x"}'::json where kind = 'withdrawal_reversal'`,
      /a reason, and who gave it/,
    ],
    [`undoes = 'btr_x' where kind = 'withdrawal_reversal'`, /that it undoes/],
    [
      `metadata = '{"by":"a","reason":"b","reference":"CASE-3"}'::json
        where metadata ->> 'reference' = 'CASE-2' and kind = 'adjustment'`,
      /reference "CASE-3" once/,
    ],
  ]
  const back = `metadata = k.metadata::json, undoes = k.undoes, hash = k.hash
    from kept_journals k where k.account_id = j.account_id and k.number = j.number`
  const accounts = await owner<{ account_id: string }[]>`select account_id from books`
  for (const [edit, words] of edits) {
    // The chain is covered, which would show each of them.
    const change = async (set: string) => {
      await owner.begin(async tx => {
        await tx`set local corridor.maintenance = on`
        await tx.unsafe(`update journals j set ${set}`)
        for (const { account_id } of accounts) await rechain(tx as unknown as Sql, account_id)
      })
    }
    await change(edit)
    const bad = await verdict()
    await change(back)
    assert.ok(!bad.ok, edit)
    assert.equal(bad.problem.table, 'journals')
    assert.match(bad.problem.expected, words)
  }
  const again = await verdict()
  assert.ok(again.ok, JSON.stringify(again.problem))
  await audit.end({ timeout: 5 })
})
