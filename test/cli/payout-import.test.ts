// corridor payout import: rows are judged as the API judges them, in its words; every row is paid
// once however often its file is run, killed, corrected, turned around or added to; and a dry run
// tells what a real one does.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findImportedPayouts } from '../../src/imports/store.ts'
import { confineTo } from '../../src/sql/confine.ts'
import { rowVersions } from '../support/assert/check.ts'
import { slowDown } from '../support/database/slow-down.ts'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { runImport as importing, jsonLines, startAndCatch } from '../support/service/importing.ts'
import { type Client, startTestService } from '../support/service/service.ts'

const service = await startTestService({ read_connections: 1 })
const cli = await openCli(service.database.url)
after(async () => {
  await cli.close()
  await service.close()
})

const idOf = ({ account }: Client) => account.account_id

function openFunded(duplicate_window_s = 600, USD = 100_000_000n): Promise<Client> {
  return service.openAccount({ fund: { USD }, duplicate_window_s })
}

async function runImport(path: string, of: Client, ...more: readonly string[]) {
  const ran = await importing(cli, 'payout', path, of, more)
  assert.equal(ran.stderr, '')
  return ran
}

function countsOf({ json }: { json: Record<string, unknown> }) {
  const { made, held, imported_before, refused } = json
  return { made, held, imported_before, refused }
}

async function countPayouts(of: Client): Promise<number> {
  const [row] = await service.database.owner<{ count: bigint }[]>`
    select count(*) as count from payouts where account_id = ${idOf(of)}`
  return Number(row?.count)
}

async function balanceOf(of: Client): Promise<bigint> {
  const [row] = await service.database.owner<{ available: bigint }[]>`
    select available from balances where account_id = ${idOf(of)} and currency = 'USD'`
  return row?.available ?? 0n
}

/** A payout of its own by the number of its invoice. */
const invoice = (number: number, members: object = {}) => ({
  ...localPayout,
  transaction_description: `Invoice ${number}`,
  reference_id: `INV-${number}`,
  ...members,
})

test('payout import, look-up of rows already paid, statement planned for an empty table: reads no other row', async () => {
  const client = await openFunded()
  const { deps, database } = service
  const look = () =>
    deps.reads.begin(async tx => {
      confineTo(tx, [idOf(client)])
      const wanted = Array.from({ length: 20 }, (_, i) => {
        return { account_id: idOf(client), import_key: String(i).padStart(64, '0') }
      })
      const found = await findImportedPayouts(tx, wanted)
      const [read] = await tx<{ rows: bigint }[]>`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows
        from pg_stat_xact_user_tables
        where relname in ('payout_imports', 'payouts', 'open_payouts', 'payout_outcomes')`
      return [found.length, Number(read?.rows)]
    })
  await database.owner`analyze payout_imports, payouts, open_payouts, payout_outcomes`
  for (let i = 0; i < 7; i++) assert.deepEqual(await look(), [0, 0])
  await Promise.all(Array.from({ length: 50 }, (_, i) => client.post('/v3/payout', invoice(i))))
  assert.deepEqual(await look(), [0, 0])
})

const CSV = [
  'amount_major,amount,currency,purpose,transaction_description,reference_id,beneficiary.name,' +
    'beneficiary.type,beneficiary.account_number,beneficiary.bank_name,beneficiary.country,' +
    'beneficiary.bank_codes.swift_code,metadata.Team,fund_transfer_network,allow_duplicate,' +
    'beneficiary.address.line1,beneficiary.address.city,beneficiary.address.country',
  '100.00,,USD,supplier_payment,Invoice 1,INV-1,Harbour Trading Ltd,business,123456789012,Harbour Bank,HK,HSBCHKHH,,,,1 Queen’s Road,Hong Kong,HK',
  ',10000,USD,supplier_payment,Invoice 2,INV-2,Harbour Trading Ltd,business,123456789012,Harbour Bank,HK,HSBCHKHH,blue,,,1 Queen’s Road,Hong Kong,HK',
  ',10000,USD,supplier_payment,Invoice 1,INV-1,Harbour Trading Ltd,business,123456789012,Harbour Bank,HK,HSBCHKHH,,,true,1 Queen’s Road,Hong Kong,HK',
].join('\n')

const bank = bankBeneficiary.destination_details.bank
const SAME = [
  invoice(1),
  invoice(2, {
    metadata: { Team: 'blue' },
    beneficiary_details: {
      ...bankBeneficiary,
      destination_details: {
        type: 'bank',
        bank: { ...bank, bank_codes: { swift_code: 'HSBCHKHH' } },
      },
    },
  }),
  invoice(1, { allow_duplicate: true }),
].map(({ type: _, ...row }) => row)

test('payout import, same rows as CSV and as JSON lines: same payouts, recognised when imported again', async () => {
  const [a, b] = [await openFunded(), await openFunded()]
  const csv = await cli.file('same.csv', CSV)
  const lines = await cli.file('same.jsonl', jsonLines(SAME))
  const fromCsv = await runImport(csv, a)
  const fromLines = await runImport(lines, b)
  assert.deepEqual(countsOf(fromCsv), { made: 3, held: 0, imported_before: 0, refused: 0 })
  assert.deepEqual(countsOf(fromLines), countsOf(fromCsv))
  for (const [i, { payout, line, status, total_debit }] of fromCsv.report.entries()) {
    assert.deepEqual([line, status, total_debit], [i + 2, 'processing', 10_000])
    const one = await a.get(`/v3/payout/${payout}`)
    const other = await b.get(`/v3/payout/${fromLines.report[i].payout}`)
    const told = ({ json: { data } }: typeof one) => [
      data.amount,
      data.reference_id,
      data.metadata,
      data.beneficiary_details.destination_details,
    ]
    assert.deepEqual(told(one), told(other))
  }
  const again = await runImport(lines, a, '--name', 'same.csv')
  assert.deepEqual(countsOf(again), { made: 0, held: 0, imported_before: 3, refused: 0 })
  assert.deepEqual(
    again.report.map(row => row.payout),
    fromCsv.report.map(row => row.payout),
  )
  assert.equal(await balanceOf(a), 100_000_000n - 30_000n)
})

const REFUSED: readonly (string | object)[] = [
  '{"amount":1,}',
  invoice(1, { amount: 0, currency: 'usd', holding_currency: 'GBP' }),
  invoice(1, { beneficiary: 'bnf_00000000000000000000' }),
  invoice(1, { type: 'wallet' }),
  invoice(1, { quote: 'poq_00000000000000000000' }),
  invoice(1, { amount: 900_000_000 }),
  invoice(1, { max_total_debit: 1 }),
]

test('payout import, rows that the API refuses: the same messages, word for word', async () => {
  const client = await openFunded()
  const path = await cli.file('refused.jsonl', jsonLines(REFUSED))
  const { report, json, code } = await runImport(path, client)
  assert.deepEqual([code, json.rows, json.refused], [1, REFUSED.length, REFUSED.length])
  for (const [i, body] of REFUSED.entries()) {
    const answer = await client.post('/v3/payout', body)
    assert.notEqual(answer.status, 200, `line ${i + 1}`)
    for (const error of answer.json.errors) {
      error.message = error.message.replace(' at line 1, column ', ' at column ')
    }
    assert.deepEqual(report[i].problems, answer.json.errors, `line ${i + 1}`)
  }
  assert.equal(await countPayouts(client), 0)
  assert.deepEqual(json.refused_by.insufficient_balance, 1)
})

test('payout import, amounts in major units: exact by currency, invalid amounts explained', async () => {
  const client = await service.openAccount({
    currencies: ['JPY', 'BHD', 'USD'],
    fund: { JPY: 1_000_000n, BHD: 1_000_000n, USD: 1_000_000n },
  })
  const rest = 'supplier_payment,Invoice,Harbour Trading Ltd,business'
  const banks: Readonly<Record<string, string>> = {
    JPY: '1234567,,JP,0005,001',
    BHD: ',BH67BMAG00001299123456,,,',
  }
  const no_cents = 'amount_major is not an amount in USD: digits, and at most 2 after a point.'
  const no_literal = 'amount must be an integer literal from 1 to 9007199254740991.'
  const rows = [
    ['1250', '', 'JPY', 1250],
    ['1.234', '', 'BHD', 1234],
    ['0.1', '', 'USD', 10],
    ['1.5', '', 'JPY', 'amount_major is not an amount in JPY: digits alone.'],
    ['1.001', '', 'USD', no_cents],
    ['1e2', '', 'USD', no_cents],
    ['-5', '', 'USD', no_cents],
    ['0', '', 'USD', 'amount must be at least 1.'],
    ['90071992547409.92', '', 'USD', no_literal],
    ['1', '', 'XXQ', 'currency is not a known currency code.'],
    ['1', '100', 'USD', 'Send exactly one of amount and amount_major.'],
    ['', '', 'USD', 'amount is required.'],
    ['', '1.0', 'USD', no_literal],
    ['', '9007199254740993', 'USD', no_literal],
  ] as const
  const header =
    'amount_major,amount,currency,purpose,transaction_description,beneficiary.name,' +
    'beneficiary.type,beneficiary.account_number,beneficiary.iban,beneficiary.country,' +
    'beneficiary.bank_codes.bank_code,beneficiary.bank_codes.branch_code'
  const lines = rows.map(([major, minor, currency]) => {
    const bank = banks[currency] ?? '123456789012,,HK,004,'
    return `${major},${minor},${currency},${rest},${bank}`
  })
  const path = await cli.file('amounts.csv', [header, ...lines].join('\n'))
  const { report } = await runImport(path, client)
  for (const [i, [, , , expected]] of rows.entries()) {
    const { amount, problems } = report[i]
    assert.deepEqual(
      amount === null ? problems.map((p: { message: string }) => p.message) : amount,
      amount === null ? [expected] : expected,
      `line ${i + 2}`,
    )
  }
})

test('payout import, unusable header: file refused, nothing written', async () => {
  const client = await openFunded()
  const start = 'amount,currency,purpose,transaction_description'
  const cases: [string, RegExp][] = [
    [`${start},shoe_size\n1,USD,a,b,3`, /line 1: unknown column "shoe_size"/],
    [`${start},beneficiary.bank.iban\n`, /unknown column "beneficiary\.bank\.iban"/],
    [`${start},beneficiary.iban,beneficiary_details.destination_details.bank.iban`, /iban twice\n/],
    ['currency,purpose,transaction_description\n', /line 1: no column amount or amount_major\n/],
    [`${start},documents\n`, /documents and logistics_tracking_details are read from \.jsonl\n/],
    [`${start}\n\n`, /has no rows; nothing was written/],
  ]
  for (const [text, message] of cases) {
    const path = await cli.file('header.csv', text)
    const args = ['payout', 'import', path, '--account', idOf(client)]
    const { code, stdout, stderr } = await cli.run(...args)
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, message)
  }
  assert.equal(await countPayouts(client), 0)
})

test('payout import, CSV with destinations of every kind: type inferred from the filled columns', async () => {
  const fund = { USD: 1_000n, USDC: 1_000n, BRL: 1_000n }
  const client = await service.openAccount({ currencies: Object.keys(fund), fund })
  const other = await service.openAccount()
  const header =
    'amount,currency,purpose,transaction_description,type,beneficiary.name,beneficiary.type,' +
    'beneficiary.destination_type,beneficiary.account_number,beneficiary.country,' +
    'beneficiary.bank_codes.bank_code,beneficiary.wallet.deposit_address,' +
    'beneficiary.wallet.type,beneficiary.local_payment_network.type,' +
    'beneficiary.local_payment_network.deposit_key_type,' +
    'beneficiary.local_payment_network.deposit_key,beneficiary.service_account.deposit_address'
  const row = (type: string, cells: string, currency = 'USD') =>
    `100,${currency},p,d,${type},A,business,${cells}`
  const path = await cli.file(
    'destinations.csv',
    [
      header,
      row('local', ',1234567890,HK,004,,,,,,'),
      row('wallet', ',,,,0x52908400098527886E0F7030069857D2E4169EE7,ethereum,,,,', 'USDC'),
      row('local_payment_network', ',,,,,,pix,email,a@example.com,', 'BRL'),
      row('service_account', `,,,,,,,,,${other.account.deposit_address}`),
      row('local', 'bank,1234567890,HK,004,,,,,,'),
      row('local', ',1,,,0x52908400098527886E0F7030069857D2E4169EE7,,,,,'),
      row('local', ',,,,,,,,,'),
    ].join('\n'),
  )
  const { report } = await runImport(path, client)
  assert.deepEqual(
    report.map(({ result, status, problems }) => [result, status, problems[0]?.message]),
    [
      ['made', 'processing', undefined],
      ['made', 'processing', undefined],
      ['made', 'processing', undefined],
      ['made', 'succeeded', undefined],
      ['made', 'processing', undefined],
      ['refused', null, 'beneficiary_details.destination_details.type is required.'],
      ['refused', null, 'beneficiary_details.destination_details is required.'],
    ],
  )
})

test('payout import, file reordered, corrected and extended, imported again: each row paid once', async () => {
  const client = await openFunded()
  const rows = [1, 2, 3, 4].map(number => invoice(number))
  const wrong = invoice(5, { currency: 'ZZZ' })
  const first = await runImport(await cli.file('a.jsonl', jsonLines([...rows, wrong])), client)
  assert.deepEqual(countsOf(first), { made: 4, held: 0, imported_before: 0, refused: 1 })
  const right = [invoice(6), invoice(5), ...rows.reverse()]
  const again = await runImport(await cli.file('a.jsonl', jsonLines(right)), client)
  assert.deepEqual(
    [again.code, countsOf(again)],
    [0, { made: 2, held: 0, imported_before: 4, refused: 0 }],
  )
  assert.equal(await countPayouts(client), 6)
  // Without an idempotency key that could be forgotten.
  await service.database.owner`delete from idempotency_keys`
  const third = await runImport(await cli.file('a.jsonl', jsonLines(right)), client)
  assert.deepEqual(countsOf(third), { made: 0, held: 0, imported_before: 6, refused: 0 })
})

test('payout import, equal rows in one file: all paid and counted, not paid again by another run', async () => {
  const client = await openFunded()
  const path = (rows: number) =>
    cli.file('equal.jsonl', jsonLines(Array.from({ length: rows }, () => invoice(1))))
  const first = await runImport(await path(3), client)
  assert.deepEqual([first.json.made, first.json.alike], [3, 2])
  const again = await runImport(await path(3), client)
  assert.deepEqual(countsOf(again), { made: 0, held: 0, imported_before: 3, refused: 0 })
  const more = await runImport(await path(5), client)
  assert.deepEqual([more.json.made, more.json.imported_before], [2, 3])
  assert.equal(await countPayouts(client), 5)
})

test('payout import, text of a paid row changed: refused in every run, paid with --allow-duplicates', async () => {
  // The account's own guard is off: this one is the import's.
  const client = await openFunded(0)
  const first = await runImport(
    await cli.file('e.jsonl', jsonLines([invoice(1), invoice(2)])),
    client,
  )
  const changed = [invoice(1, { transaction_description: 'Invoice No. 1' }), invoice(2)]
  const path = await cli.file('e.jsonl', jsonLines(changed))
  for (const more of [[], ['--dry-run']]) {
    const again = await runImport(path, client, ...more)
    assert.deepEqual(countsOf(again), { made: 0, held: 0, imported_before: 1, refused: 1 })
    const [problem] = again.report[0].problems
    assert.equal(problem.reason, 'possible_duplicate_payout')
    assert.match(
      problem.message,
      new RegExp(`^Payout ${first.report[0].payout}, which this import made`),
    )
  }
  const allowed = await runImport(path, client, '--allow-duplicates')
  assert.deepEqual(countsOf(allowed), { made: 1, held: 0, imported_before: 1, refused: 0 })
  const after = await runImport(path, client, '--allow-duplicates')
  assert.deepEqual(countsOf(after), { made: 0, held: 0, imported_before: 2, refused: 0 })
  const other = await runImport(path, client, '--name', 'December')
  assert.equal(other.json.made, 2)
})

test('payout import, duplicate of a payout made by the API: refused, however many rows repeat it', async () => {
  const client = await openFunded()
  await client.post('/v3/payout', invoice(1))
  const path = await cli.file('api.jsonl', jsonLines([invoice(1), invoice(1), invoice(2)]))
  const dry = await runImport(path, client, '--dry-run')
  const { report, json } = await runImport(path, client)
  assert.deepEqual(countsOf(dry), countsOf({ json }))
  assert.deepEqual(json.refused_by, { possible_duplicate_payout: 2 })
  assert.equal(report[2].result, 'made')
  const allowed = await runImport(path, client, '--allow-duplicates')
  assert.deepEqual([allowed.json.made, allowed.json.imported_before], [2, 1])
})

test('payout import, payout of a row failed since: not paid again, reported; row changed: paid', async () => {
  const client = await openFunded()
  const path = await cli.file('failed.jsonl', jsonLines([invoice(1), invoice(2)]))
  const first = await runImport(path, client)
  const failed = await cli.run('payout', 'transition', first.report[0].payout, 'failed')
  assert.equal(failed.code, 0)
  const again = await runImport(path, client)
  assert.deepEqual([again.json.imported_before, again.json.failed_since], [2, 1])
  assert.equal(again.report[0].status, 'failed')
  const words = await cli.run('payout', 'import', path, '--account', idOf(client))
  assert.match(words.stdout, /\n {2}of which failed or reversed since +1\n/)
  assert.match(words.stdout.replaceAll('\n', ' '), / import it alone, under another --name\. $/)
  const changed = [invoice(1, { transaction_description: 'Once more' }), invoice(2)]
  const third = await runImport(await cli.file('failed.jsonl', jsonLines(changed)), client)
  assert.deepEqual(countsOf(third), { made: 1, held: 0, imported_before: 1, refused: 0 })
})

test('payout import --dry-run: nothing written; counts equal those of the real run, except the ones it names', async () => {
  const client = await openFunded(600, 1_600_000n)
  const entity = await client.post('/v3/entity', { type: 'individual', name: 'Anna' })
  await service.setRates({ 'EUR/USD': '1.1' })
  const quoted = await client.post('/v3/payout/quote', {
    payout_type: 'local',
    payout_info: { currency: 'USD', amount: 10_000 },
  })
  const beneficiary = await client.post('/v3/beneficiary', bankBeneficiary)
  const rows = [
    ...Array.from({ length: 250 }, (_, i) => invoice(i, { amount: 5_000 })),
    invoice(5, { amount: 5_000 }),
    invoice(1001, { on_behalf_of: entity.json.data.id }),
    invoice(1002, { quote: quoted.json.id }),
    invoice(1003, { quote: quoted.json.id }),
    invoice(1004, { beneficiary: beneficiary.json.data.id, beneficiary_details: undefined }),
    invoice(1005, { currency: 'EUR', holding_currency: 'USD', amount: 10_000 }),
    invoice(1006, { currency: 'ZZZ' }),
    ...Array.from({ length: 260 }, (_, i) => invoice(2000 + i, { amount: 3_000 })),
  ]
  const path = await cli.file('dry.jsonl', jsonLines(rows))
  const before = await rowVersions(service.database.owner)
  const dry = await runImport(path, client, '--dry-run')
  assert.deepEqual(await rowVersions(service.database.owner), before)
  const real = await runImport(path, client)
  assert.deepEqual([dry.code, dry.json.dry_run, real.json.dry_run], [1, true, false])
  assert.deepEqual(countsOf(dry), countsOf(real))
  assert.ok(real.json.held === 1 && real.json.refused_by.insufficient_balance > 100)
  assert.deepEqual(
    dry.report.map(({ line, result, problems }) => [line, result, problems]),
    real.report.map(({ line, result, problems }) => [line, result, problems]),
  )
  assert.deepEqual(dry.json.paid, real.json.paid)
  const [[would], [did]] = [dry.json.debited, real.json.debited]
  assert.deepEqual([would.total_debit, would.rows], [did.total_debit, did.rows])
  assert.equal(would.available, '1600000')
  assert.equal(await balanceOf(client), 1_600_000n - BigInt(did.total_debit))
  // Funded with what was said to be lacking, the rest is paid to the last cent.
  const lacking = BigInt(would.lacking) - (1_600_000n - BigInt(would.total_debit))
  const cents = String(lacking).padStart(3, '0')
  const fund = await cli.run(
    'fund',
    idOf(client),
    'USD',
    `${cents.slice(0, -2)}.${cents.slice(-2)}`,
  )
  assert.equal(fund.code, 0)
  const rest = await runImport(path, client)
  assert.deepEqual(rest.json.refused_by, { quote_used: 1, currency: 1 })
  assert.equal(await balanceOf(client), 0n)
})

test('payout import, text output: counts, reasons and money in 80 columns; report as CSV', async () => {
  const client = await service.openAccount({ fund: { EUR: 200_000n, HKD: 9_900_000n } })
  const path = fileURLToPath(new URL('../fixtures/payouts.csv', import.meta.url))
  const report = await cli.file('results.csv', '')
  const to = ['--account', idOf(client), '--report', report]
  const dry = await cli.run('payout', 'import', path, ...to, '--dry-run')
  assert.match(dry.stdout, /a dry\s+run,\s+nothing\s+was\s+written\n/)
  assert.match(dry.stdout, /\nwould be debited, with fees +amount +rows +balance +left\nEUR /)
  assert.match(dry.stdout, /\nEUR +1871\.00 +3 +2000\.00 +129\.00\nHKD +98000\.00 +1 /)
  const { code, stdout } = await cli.run('payout', 'import', path, ...to)
  assert.equal(code, 1)
  assert.match(
    stdout,
    /\nmade +4\n.*\nimported before +0\nrefused +1\n {2}invalid_field +1\nin all +5\n/,
  )
  assert.match(stdout, /\n\d+ rows\/s, \d+ s\n/)
  assert.match(stdout, /\npaid +amount +rows\nEUR +1871\.00 +3\nHKD +98000\.00 +1\n/)
  assert.match(stdout, /\n {2}line 6: amount_major is not an amount in EUR: /)
  for (const text of [dry.stdout, stdout]) {
    assert.deepEqual(
      text.split('\n').filter(line => line.length > 80),
      [],
    )
  }
  const lines = (await readFile(report, 'utf8')).split('\r\n')
  assert.equal(
    lines[0],
    'line,result,payout,status,currency,amount,holding_currency,total_debit,problems',
  )
  assert.match(lines[1] ?? '', /^2,made,pot_\w{20},processing,EUR,125000,EUR,125000,$/)
  assert.match(lines[5] ?? '', /^6,refused,,,,,,,"invalid_field: amount_major is not .*"$/)
})

const rowsOf = (count: number) =>
  jsonLines(Array.from({ length: count }, (_, i) => invoice(i % 500, { amount: 100 + (i % 7) })))

/** Stops an import when the first of its batches is written: each takes a second. */
async function stopImport(t: TestContext, path: string, of: Client, signal: NodeJS.Signals) {
  const speedUp = await slowDown(t, service.database.owner, 'payouts', 1)
  const args = ['payout', 'import', path, '--account', idOf(of)]
  const begun = async () => (await countPayouts(of)) > 0
  const child = await startAndCatch(args, service.database.url, begun)
  child.kill(signal)
  const [code] = await once(child, 'close')
  await speedUp()
  return { code, said: child.output() }
}

test('payout import, killed midway and run again: every row paid once', async t => {
  const client = await openFunded()
  const rows = 600
  const path = await cli.file('killed.jsonl', rowsOf(rows))
  await stopImport(t, path, client, 'SIGKILL')
  const { code, json } = await runImport(path, client)
  assert.equal(code, 0)
  assert.ok(json.imported_before > 0 && json.made > 0, 'killed too early or too late')
  assert.equal(json.made + json.imported_before, rows)
  assert.equal(await countPayouts(client), rows)
  const debited = Array.from({ length: rows }, (_, i) => 100 + (i % 7)).reduce((a, b) => a + b)
  assert.equal(await balanceOf(client), 100_000_000n - BigInt(debited))
})

test('payout import, Ctrl-C: finishes the rows in progress, prints the command that continues, exit code 1', async t => {
  const client = await openFunded()
  // More than the first batch and the three that are in hand.
  const rows = 2_100
  const path = await cli.file('stopped.jsonl', rowsOf(rows))
  const { code, said } = await stopImport(t, path, client, 'SIGINT')
  assert.equal(code, 1)
  assert.match(said, /\nStopped after line (\d+)\. Run the same command again to go on: /)
  assert.match(said.replaceAll('\n', ' '), / "stopped\.jsonl" and are not paid twice\. /)
  const line = Number(/Stopped after line (\d+)/.exec(said)?.[1])
  assert.ok(line < rows, 'stopped too late')
  assert.equal(await countPayouts(client), line)
  const { json } = await runImport(path, client)
  assert.deepEqual([json.imported_before, json.made], [line, rows - line])
})

test('payout import, two runs in parallel: every row paid once', async () => {
  const client = await openFunded()
  const path = await cli.file('both.jsonl', rowsOf(600))
  const args = ['payout', 'import', path, '--account', idOf(client), '--json']
  const runs = await Promise.all([cli.run(...args), cli.run(...args)])
  const [one, other] = runs.map(run => run.json)
  assert.deepEqual([one.refused, other.refused], [0, 0])
  for (const { made, imported_before } of [one, other]) assert.equal(made + imported_before, 600)
  // Of a row that the database did not answer for in time either may say that it made it.
  assert.ok(one.made + other.made >= 600)
  assert.equal(await countPayouts(client), 600)
})

test('books after all tests of this file: corridor verify clean', async () => {
  const { code, stdout } = await cli.run('verify')
  assert.equal(code, 0, stdout)
})
