// Accounts as an operator runs them by the command line: money booked, taken back, and refused;
// states, settings, keys. One row a command: its exit code, what it says, and which rows change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { foldedReference } from '../../src/statements/funding/rules.ts'
import { verify } from '../../src/verify/run.ts'
import { rechain } from '../ledger/forgery.ts'
import { balancesOf } from '../support/assert/check.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const { service, cli, rows } = await openWithCli({}, { CORRIDOR_USER: 'alice' })
await service.setRoutes([{}])
const currencies = ['USD', 'EUR']
/** A live account with 100.00 USD, booked by its source. */
const live = await service.openAccount({ sandbox: false, currencies, fund: { USD: 10_000n } })

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

const WHY = ['--reason', 'Returned on request']
const FUND = ['fund', 'ACC', 'USD', '5'] as const
const WITHDRAW = ['withdraw', 'ACC', 'USD'] as const
const R = ['--reference', 'R'] as const

/** Commands that refuse, the exit code, what they say; no row changes. */
const REFUSED: readonly (readonly [
  what: string,
  args: readonly string[],
  code: number,
  words: RegExp,
])[] = [
  ['a live account without reference', FUND, 2, /--reference/],
  [
    'a live account, with an escrow id only',
    [...FUND, '--source', 'esc_alone'],
    2,
    /--reference: a live account is funded with a reference/,
  ],
  ['a blank reference', [...FUND, '--reference', ' '], 2, /must not be blank/],
  [
    'split without a reference',
    [...FUND, '--split', '--source', 'esc_split'],
    2,
    /--split: split requires reference, which names the split payment/,
  ],
  ['a currency not held', ['fund', 'ACC', 'GBP', '5', ...R], 2, /holds no GBP/],
  ['without a reason', [...WITHDRAW, '5', ...R], 2, /--reason/],
  ['of a negative amount', [...WITHDRAW, '-5', ...R, ...WHY], 2, /"-5" is not an amount/],
  [
    'above the balance',
    [...WITHDRAW, '100.01', ...R, ...WHY],
    1,
    /100\.01 USD from the balance, and 100\.00 are available/,
  ],
  ['of zero', ['adjust', 'ACC', 'USD', '-0', ...R, ...WHY], 2, /An adjustment is not 0/],
]

for (const [what, args, code, words] of REFUSED) {
  test(`corridor ${args[0]}, ${what}: exit code ${code}, no row changes`, async () => {
    const before = await rows()
    const ran = await run(...args)
    assert.deepEqual([ran.code, ran.stdout], [code, ''], ran.stderr)
    assert.match(ran.stderr, words)
    assert.doesNotMatch(ran.stderr, /^ {4}at /m)
    assert.deepEqual(await rows(), before)
  })
}

test('corridor fund, same reference twice, in any spelling: booked once, prints the balance before and after', async () => {
  const fund = ['fund', 'ACC', 'USD', '20.00', '--reference', 'BANK-1']
  const first = await run(...fund)
  assert.equal(first.code, 0, first.stderr)
  assert.match(
    first.stdout,
    /^btr_\w+ {2}escrow USD 20\.00, reference BANK-1 \(esc_\w+\); balance was 100\.00, is 120\.00\n$/,
  )
  const before = await rows()
  for (const reference of ['BANK-1', 'bank - 1']) {
    const second = await run(...FUND, '--reference', reference)
    assert.deepEqual([second.code, second.stdout], [1, ''])
    const said = new RegExp(`^corridor: Reference "${reference}" is booked already, as escrow btr_`)
    assert.match(second.stderr, said)
  }
  assert.deepEqual([await rows(), await usd()], [before, '12000'])
})

test('corridor fund, one reference for two accounts: refused naming the first, allowed with --split or after a reversal', async () => {
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
  assert.match(
    refused.stderr,
    new RegExp(`"bank-8" has funded account ${ONE} already, .*say split`),
  )
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

test('corridor fund, one reference for three live accounts in parallel: one funded; sandboxes exempt', async () => {
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
  const { account } = await service.openAccount({ currencies: ['USD'] })
  const sandbox = await run('fund', account.account_id, 'USD', '3.00', '--reference', 'BANK-10')
  assert.equal(sandbox.code, 0, sandbox.stderr)
})

test('fold_reference in SQL and foldedReference: equal results, only white space and ASCII case folded', async () => {
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

test('corridor withdraw: balance falls; line and event have the reason, not the person', async () => {
  const withdraw = [...WITHDRAW, '30.00', '--reference', 'BANK-2', ...WHY]
  const ran = await run(...withdraw, '--json')
  assert.equal(ran.code, 0, ran.stderr)
  const { by, balance_before, account, ...line } = ran.json
  assert.deepEqual([by, balance_before, account], ['alice', '12000', id()])
  assert.equal(line.balance_after, '9000')
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
  const again = await run(...withdraw)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /"BANK-2" is booked already, as withdrawal btr_/)
})

test('corridor adjust, up and down, a reference that another kind of booking has used: both booked', async () => {
  const up = await run('adjust', 'ACC', 'USD', '5.00', '--reference', 'BANK-1', ...WHY)
  assert.match(up.stdout, /adjustment USD 5\.00.*balance was 90\.00, is 95\.00\n$/, up.stderr)
  const down = await run('adjust', 'ACC', 'USD', '-7.50', '--reference', 'CASE-2', ...WHY)
  assert.match(down.stdout, /adjustment USD -7\.50.*balance was 95\.00, is 87\.50\n$/, down.stderr)
})

test('corridor reverse, each kind of booking: previous balance restored, once only', async () => {
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

test('corridor reverse, a reversal, or a credit already spent: refused, no row changes', async () => {
  const { id: reversal } = await newestLine()
  const up = await run('adjust', 'ACC', 'USD', '1', '--reference', 'CASE-3', ...WHY, '--json')
  await run(...WITHDRAW, '100.50', '--reference', 'BANK-3', ...WHY)
  const before = await rows()
  for (const [line, words] of [
    [reversal, /is of type escrow_reversal; reversed are escrow, withdrawal, adjustment/],
    [up.json.id, /1\.00 USD from the balance, and 0\.50 are available/],
  ] as const) {
    const ran = await run('reverse', line, '--reason', 'A mistake')
    assert.deepEqual([ran.code, ran.stdout], [1, ''])
    assert.match(ran.stderr, words)
  }
  assert.deepEqual(await rows(), before)
})

const STATEMENT = ['statement', 'ACC', '--currency', 'USD', '--from', '2000-01-01', '--format']

test('statements in CSV, camt.053 and MT940: each booking with reference and reason', async () => {
  const csv = await run(...STATEMENT, 'csv')
  assert.equal(csv.code, 0, csv.stderr)
  const line = csv.stdout.split('\r\n').find(text => text.includes(',withdrawal,'))
  assert.match(
    line ?? '',
    /,debit,USD,-3000,-30\.00,.*,wdr_\w+,wdr_\w+,BANK-2,,,,,,Returned on request,$/,
  )
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

test('corridor verify, bookings: clean; the first changed booking named', async () => {
  const { owner, url } = service.database
  const audit = connect(url, { max: 1, as: 'auditor' })
  const verdict = () => verify(audit, { account_id: null })
  const whole = await verdict()
  assert.ok(whole.ok, JSON.stringify(whole.problem))
  await owner`alter table journals disable trigger user`
  await owner`alter table journals drop constraint sound_journal`
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
