// corridor statement: in every format the lines are those of the API, and lead from the opening to the
// closing balance; what does not add up leaves no file.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { currencyExponent } from '../../src/values/money/currency.ts'
import { formatMajor, parseMajor } from '../../src/values/money/decimal.ts'
import { type Node, readXml, select, textOf } from '../ledger/camt053-schema.ts'
import { getAll, type Item } from '../support/assert/listing.ts'
import { localPayout, yenBank } from '../support/given/bodies.ts'
import { type Cli, type CommandResult, openCli } from '../support/service/cli.ts'
import { pay } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

const LONG_AGO = '2000-01-01'
const FUND = { USD: 100_000_000n, JPY: 5_000_000n, KWD: 7_654_321n, CLF: 123_456_789n }
const CURRENCIES = Object.keys(FUND).sort()
/** Markup, quotes, a character XML cannot hold, letters SWIFT does not know, and too many of them. */
const HOSTILE = `<b>&"'\u0001 Überweisung №7 💶 //x// ${'long '.repeat(20)}`.slice(0, 128)

let service: TestService
let cli: Cli
let account: Client
let id: string
/** As the API lists them, oldest first. */
let lines: Item[]
let uetr: string

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  cli = await openCli(service.database.url)
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/JPY': '160.123456789', 'USD/KWD': '0.307' })
  await service.setFees([{ fixed_amount: 200n, variable_bps: 100 }])
  account = await service.openAccount({ currencies: CURRENCIES, primary: 'USD', fund: FUND })
  id = account.account.account_id
  await pay(account, { reference_id: 'INV/2041' })
  await pay(account, { amount: 200_000, reference_id: HOSTILE })
  await pay(account, { amount: 500_001, transaction_description: 'Schöne Grüße <&>' })
  await pay(account, { holding_currency: 'KWD' })
  const bank = yenBank
  const beneficiary_details = {
    ...localPayout.beneficiary_details,
    destination_details: { type: 'bank', bank },
  }
  await pay(account, { amount: 8_000, currency: 'EUR', beneficiary_details })
  uetr = (await pay(account, bySwift)).tracking_details.tracking_number
  for (let i = 0; i < 20; i++) await pay(account, { amount: 1_000 + i, reference_id: `-${i}:` })
  await settleAll(service)
  lines = await linesOf(account)
})
after(async () => {
  await cli.close()
  await service.close()
})

async function linesOf(client: Client): Promise<Item[]> {
  const rows = await service.database.owner<{ id: string }[]>`
    select id from balance_transactions where account_id = ${client.account.account_id}
    order by journal_number desc`
  const ids = rows.map(row => row.id)
  return (await getAll(client, '/v3/balance_transaction', ids)).toReversed()
}

async function statement(...args: string[]): Promise<CommandResult> {
  const ran = await cli.run('statement', ...args)
  assert.equal(ran.code, 0, ran.stderr)
  return ran
}

/** By SWIFT, which gives the payment a number of its own. */
const bySwift = {
  ...{ type: 'swift', amount: 250_000, currency: 'EUR', reference_id: 'INV-2042' },
  beneficiary_details: {
    ...{ name: 'Anna Schmidt', type: 'business' },
    destination_details: {
      type: 'bank',
      bank: {
        ...{ iban: 'DE89370400440532013000', country: 'DE' },
        bank_codes: { swift_code: 'DEUTDEFF500' },
      },
    },
    address: { line1: 'Hauptstraße 1', city: 'Berlin', country: 'DE' },
  },
}

/** From the beginning until now. */
const whole = (format: string, ...more: string[]) =>
  statement(id, '--from', LONG_AGO, '--format', format, ...more)

const inCurrency = (currency: string) => lines.filter(line => line.currency === currency)
const major = (amount: number | bigint, currency: string) =>
  formatMajor(BigInt(amount), currencyExponent(currency))
/** Minor units of a major amount that may be negative. */
function minor(text: string, currency: string): bigint {
  const size = parseMajor(text.replace('-', ''), currencyExponent(currency))
  assert.ok(size !== undefined, text)
  return text.startsWith('-') ? -size : size
}

test("corridor statement, csv: equal to the API's text/csv", async () => {
  const { stdout } = await whole('csv')
  const { text } = await account.get('/v3/balance_transaction', { accept: 'text/csv' })
  const rows: Record<string, string>[] = parse(stdout, { columns: true })
  const asked: Record<string, string>[] = parse(text, { columns: true })
  const timeless = ({ created_at: _, ...row }: Record<string, string>) => row
  assert.deepEqual(rows.map(timeless), asked.map(timeless))
  assert.equal(rows.length, lines.length + 2 * CURRENCIES.length)
  const numbers = rows.map(row => row.uetr)
  assert.deepEqual(new Set(numbers), new Set(['', uetr]))
})

/** Signed minor units of an element with Amt and CdtDbtInd. */
function signed(node: Node, currency: string): bigint {
  assert.equal(select(node, 'Amt')[0]?.attributes.Ccy, currency)
  const amount = minor(textOf(node, 'Amt'), currency)
  return textOf(node, 'CdtDbtInd') === 'DBIT' ? -amount : amount
}

test('corridor statement, camt053: entries with references, fees, conversions and credits back', async () => {
  const root = readXml((await whole('camt053', '--currency', 'USD')).stdout)
  const entries = select(root, 'BkToCstmrStmt/Stmt/Ntry')
  const details = 'NtryDtls/TxDtls'
  for (const [i, entry] of entries.entries()) {
    const line = inCurrency('USD')[i] as Item
    const back = ['payout_failure', 'payout_reversal'].includes(line.type)
    assert.equal(textOf(entry, 'RvslInd'), back ? 'true' : '')
    assert.equal(textOf(entry, 'BkTxCd/Prtry/Cd'), line.type)
    assert.equal(textOf(entry, 'BookgDt/DtTm'), line.created_at)
    assert.equal(textOf(entry, `${details}/Refs/TxId`), line.description)
    const charges = select(entry, `${details}/Chrgs/Rcrd`)
    assert.deepEqual(
      charges.map(one => [textOf(one, 'Tp/Prtry/Id'), signed(one, 'USD')]),
      line.fee_details.map((fee: Item) => [fee.type, BigInt(fee.amount)]),
    )
    if (line.fee_details.length > 0) {
      const principal = line.amount < 0 ? -line.amount : line.amount
      assert.equal(textOf(entry, `${details}/AmtDtls/TxAmt/Amt`), major(principal, 'USD'))
    }
  }
  const references = entries.map(entry => textOf(entry, `${details}/Refs/EndToEndId`))
  assert.ok(references.includes('INV/2041'))
  assert.ok(references.includes('NOTPROVIDED'))
  assert.ok(references.some(text => text.startsWith('<b>&"\'\ufffd Überweisung №7 💶 //x//')))
  const converted = entries.find(entry => select(entry, `${details}/AmtDtls/CntrValAmt`).length > 0)
  assert.ok(converted)
  const exchange = `${details}/AmtDtls/InstdAmt`
  assert.equal(textOf(converted, `${exchange}/Amt`), '12809')
  assert.equal(textOf(converted, `${exchange}/CcyXchg/XchgRate`), '160.12345679')
  assert.equal(textOf(converted, `${details}/AmtDtls/CntrValAmt/Amt`), '80.00')
  assert.equal(textOf(converted, `${details}/AmtDtls/CntrValAmt/CcyXchg/SrcCcy`), 'USD')
  assert.match(textOf(converted, `${details}/AddtlTxInf`), /= JPY 12809 at 160\.123456789$/)
  const numbers = entries.map(entry => textOf(entry, `${details}/Refs/UETR`))
  assert.match(uetr, /^[0-9a-f-]{36}$/)
  assert.deepEqual(new Set(numbers), new Set(['', uetr]))
  const greeting = entries.map(entry => textOf(entry, `${details}/RmtInf/Ustrd`))
  assert.ok(greeting.includes('Schöne Grüße <&>'))
})

test('corridor statement, currency with six decimals: only csv, other formats refused', async () => {
  const client = await service.openAccount({
    currencies: ['USD', 'USDC'],
    fund: { USD: 1n, USDC: 1_000_001n },
  })
  const { account_id } = client.account
  const { stdout } = await statement(account_id, '--from', LONG_AGO, '--currency', 'USDC')
  assert.match(stdout, /^interim,.*,1000001,1\.000001,,/m)
  for (const format of ['camt053', 'mt940']) {
    const args = ['statement', account_id, '--from', LONG_AGO, '--format', format]
    const { code, stdout: none, stderr } = await cli.run(...args)
    assert.deepEqual([code, none], [2, ''])
    assert.match(stderr, new RegExp(`^corridor: ${format} cannot hold USDC: .* take it as csv`))
    assert.equal((await cli.run(...args, '--currency', 'USD')).code, 0)
  }
})

test('corridor statement, --to in the future: ends now, with a notice', async () => {
  const { stderr, stdout } = await statement(id, '--from', LONG_AGO, '--to', '9000-01-01')
  assert.match(stderr, /^corridor: --to is in the future; the statement ends at 20\d\d-.*Z\n$/)
  assert.match(stdout, /^interim,,20\d\d-/m)
})

test('corridor statement, wrong usage: exit code 2, message on standard error, standard output empty', async () => {
  const from = ['--from', LONG_AGO]
  const wrong: readonly (readonly string[])[] = [
    [],
    [id],
    [id, '--from', 'yesterday'],
    [id, '--from', '2026-02-30'],
    [id, '--from', '2026-01-31 09:30'],
    [id, '--from', '9000-01-01'],
    [id, ...from, '--to', LONG_AGO],
    [id, ...from, '--currency', 'EUR'],
    [id, ...from, '--currency', 'ABC'],
    [id, ...from, '--format', 'doc'],
    [id, ...from, '--zone', 'Mars/Olympus'],
  ]
  const runs = await Promise.all(wrong.map(args => cli.run('statement', ...args)))
  for (const [i, { code, stdout, stderr }] of runs.entries()) {
    const args = wrong[i]
    assert.deepEqual([args, code, stdout], [args, 2, ''])
    assert.match(stderr, /^(corridor: |error: ).+\n/)
    assert.doesNotMatch(stderr, /^ {4}at /m)
  }
  const asJson = await cli.run('statement', id, ...from, '--json')
  assert.deepEqual([asJson.code, asJson.stdout], [2, ''])
  assert.match(JSON.parse(asJson.stderr).error.message, /no JSON/)
})
