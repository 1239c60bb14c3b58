// GET /v3/balance_transaction with Accept: text/csv: the account's statement, oldest first, between
// its balances.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { currencyExponent } from '../../src/values/money/currency.ts'
import { parseMajor } from '../../src/values/money/decimal.ts'
import { textCell } from '../../src/values/text/csv-line.ts'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { getAll, type Item } from '../support/assert/listing.ts'
import { localPayout, yenBank } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { settleAll } from '../support/service/settling.ts'

const PATH = '/v3/balance_transaction'
const FUND = { USD: 100_000_000n, JPY: 5_000_000n, KWD: 7_654_321n, USDC: 9_000_000_001n }

let service: TestService
let account: Client
/** Lines as JSON has them, oldest first. */
let lines: Item[]

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/EUR': '0.8', 'EUR/JPY': '160', 'USD/KWD': '0.307' })
  await service.setFees([{ fixed_amount: 200n, variable_bps: 100 }])
  account = await service.openAccount({ currencies: Object.keys(FUND), fund: FUND })
  const yen = yenBank
  const toYen = { type: 'bank', bank: yen }
  await pay({ reference_id: '=cmd|calc!A1' })
  await pay({ amount: 200_000, reference_id: 'fails, "as planned"' })
  await pay({ amount: 500_001 })
  await pay({ holding_currency: 'KWD', reference_id: '-1+2' })
  await pay({
    amount: 8_000,
    currency: 'EUR',
    beneficiary_details: { ...localPayout.beneficiary_details, destination_details: toYen },
  })
  await settleAll(service)
  const ids = await service.database.owner<{ id: string }[]>`
    select id from balance_transactions where account_id = ${account.account.account_id}
    order by journal_number desc`
  const all = await getAll(
    account,
    PATH,
    ids.map(({ id }) => id),
  )
  lines = all.toReversed()
})
after(() => service.close())

async function pay(body: object): Promise<void> {
  const answer = await account.post('/v3/payout', { ...localPayout, ...body })
  assert.equal(answer.status, 200, answer.text)
}

type Row = Readonly<Record<string, string>>

async function csv(
  query: Readonly<Record<string, string | undefined>> = {},
  accept = 'text/csv',
  client = account,
) {
  const sent = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  const answer = await client.get(`${PATH}?${new URLSearchParams(sent)}`, { accept })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(answer.headers['content-type'], 'text/csv; charset=utf-8; header=present')
  const rows: Row[] = parse(answer.text, { columns: true })
  const of = (...kinds: string[]) => rows.filter(({ kind = '' }) => kinds.includes(kind))
  const closing = of('closing', 'interim')
  return { ...answer, rows, opening: of('opening'), lines: of('line'), closing }
}

const idsOf = (rows: readonly { id?: string }[]) => rows.map(({ id }) => id)

/** Opening + lines = closing in each currency, whatever else is there. */
function assertAddsUp({ opening, lines, closing }: Awaited<ReturnType<typeof csv>>): void {
  assert.deepEqual(
    opening.map(row => row.currency),
    closing.map(row => row.currency),
  )
  for (const { currency, balance_after = '' } of opening) {
    const own = lines.filter(row => row.currency === currency)
    const sum = own.reduce((total, row) => total + BigInt(row.net ?? ''), 0n)
    const end = closing.find(row => row.currency === currency)
    assert.equal(BigInt(balance_after) + sum, BigInt(end?.balance_after ?? ''), `${currency}`)
    assert.equal(BigInt(end?.net ?? ''), sum, `${currency}`)
  }
}

test(`GET ${PATH}, text/csv: every line of the JSON, oldest first, between the balances`, async () => {
  const got = await csv()
  assert.deepEqual(idsOf(got.lines), idsOf(lines))
  assertAddsUp(got)
  for (const [i, row] of got.lines.entries()) {
    const line = lines[i] as Item
    for (const name of ['created_at', 'type', 'operation_type', 'currency', 'source'] as const) {
      assert.equal(row[name], line[name], name)
    }
    assert.equal(row.amount, String(line.amount))
    assert.equal(row.net, String(line.net.amount))
    for (const fee of ['fixed_fee', 'variable_fee']) {
      const shown = line.fee_details.find((one: { type: string }) => one.type === fee)
      assert.equal(row[fee], String(shown?.amount ?? 0))
    }
    const last = line.fx_conversions.at(-1)?.final
    assert.equal(row.converted_currency, last?.currency ?? '')
    assert.equal(row.converted_amount, String(last?.amount ?? ''))
    const rates = line.fx_conversions.map((one: { exchange_rate: number }) => one.exchange_rate)
    assert.equal(row.exchange_rates, rates.join(' '))
  }
  const closing = Object.fromEntries(got.closing.map(row => [row.currency, row.balance_after]))
  assert.deepEqual(closing, await balancesOf(account))
  assert.deepEqual(new Set(got.opening.map(row => row.balance_after)), new Set(['0']))
})

test(`GET ${PATH}, text/csv, currencies of 0, 2, 3 and 6 decimals: major amounts equal the minor ones exactly`, async () => {
  const { rows } = await csv()
  let compared = 0
  for (const row of rows) {
    for (const name of [
      'amount',
      'fixed_fee',
      'variable_fee',
      'net',
      'balance_after',
      'converted_amount',
    ]) {
      const [minor = '', major = ''] = [row[name], row[`${name}_major`]]
      if (minor === '') {
        assert.equal(major, '')
        continue
      }
      const code = (name === 'converted_amount' ? row.converted_currency : row.currency) ?? ''
      const exponent = currencyExponent(code)
      assert.match(major, exponent === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${exponent}}$`))
      const size = parseMajor(major.replace('-', ''), exponent)
      assert.equal(major.startsWith('-') ? -(size ?? 0n) : size, BigInt(minor))
      compared += 1
    }
  }
  assert.ok(compared > 40)
  assert.deepEqual(
    rows.filter(({ kind }) => kind === 'interim').map(({ currency }) => currency),
    ['JPY', 'KWD', 'USD', 'USDC'],
  )
})

test(`GET ${PATH}, text/csv: valid by RFC 4180, spreadsheet formulas escaped`, async () => {
  const { text, lines: got } = await csv()
  assert.ok(text.endsWith('\r\n'))
  assert.doesNotMatch(text.replaceAll('\r\n', ''), /[\r\n]/)
  const references = got.map(row => row.reference_id).filter(one => one !== '')
  assert.deepEqual(new Set(references), new Set(["'=cmd|calc!A1", 'fails, "as planned"', "'-1+2"]))
  assert.ok(text.includes('"fails, ""as planned"""'))
  assert.ok(
    got.some(row => row.net?.startsWith('-')),
    'numbers keep their sign',
  )
  const cells = ['=1', '+1', '-1', '@a', '\tx', '\rx', '\nx', 'a=1', 'plain', 'a\nb', "'x"]
  assert.deepEqual(cells.map(textCell), [
    ...["'=1", "'+1", "'-1", "'@a", "'\tx", '"\'\rx"', '"\'\nx"'],
    ...['a=1', 'plain', '"a\nb"', "'x"],
  ])
})

test(`GET ${PATH}, text/csv, time bounds at, before and after each line: same lines as the list, sums agree`, async () => {
  for (const { created_at } of lines) {
    for (const bound of ['gt', 'gte', 'lt', 'lte']) {
      const query = { [`created.${bound}`]: created_at }
      const got = await csv(query)
      const wanted = lines.filter(line => {
        if (line.created_at === created_at) return bound.endsWith('e')
        return line.created_at > created_at === bound.startsWith('g')
      })
      assert.deepEqual(idsOf(got.lines), idsOf(wanted), bound)
      assertAddsUp(got)
    }
  }
  const [first, last] = [lines[0] as Item, lines.at(-1) as Item]
  const backwards = await csv({ 'created.gt': last.created_at, 'created.lt': first.created_at })
  assert.deepEqual(backwards.lines, [])
  assertAddsUp(backwards)
  const { opening, closing } = await csv({
    'created.gte': '2000-01-01T00:00:00Z',
    'created.lt': '2001-01-01T00:00:00Z',
  })
  assert.deepEqual(
    [...opening, ...closing].map(row => row.balance_after),
    Array(8).fill('0'),
  )
})

test(`GET ${PATH}, text/csv, database clock set back: newest line included, sums agree`, async () => {
  const client = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000_000n } })
  await service.database.owner`
    update books set last_written_at = statement_timestamp() + interval '9 minutes'
    where account_id = ${client.account.account_id}`
  assert.equal((await client.post('/v3/payout', localPayout)).status, 200)
  const got = await csv({}, 'text/csv', client)
  assert.equal(got.lines.length, 2)
  assertAddsUp(got)
  const closing = Object.fromEntries(got.closing.map(row => [row.currency, row.balance_after]))
  assert.deepEqual(closing, await balancesOf(client))
})

test(`GET ${PATH}, text/csv, filters: same lines as the list; balances only if no filter excludes lines`, async () => {
  const one = await csv({ currency: 'KWD' })
  assert.deepEqual(idsOf(one.lines), idsOf(lines.filter(({ currency }) => currency === 'KWD')))
  assert.equal(one.closing.length, 1)
  assertAddsUp(one)
  const failed = lines.find(({ type }) => type === 'payout_failure') as Item
  for (const query of [
    { type: 'payout' },
    { operation_type: 'credit', currency: 'USD' },
    { source: failed.source },
    { currency: 'EUR', type: 'payout' },
  ]) {
    const got = await csv(query)
    const wanted = lines.filter(line =>
      Object.entries(query).every(([name, value]) => line[name] === value),
    )
    assert.deepEqual(idsOf(got.lines), idsOf(wanted), JSON.stringify(query))
    assert.deepEqual([got.opening, got.closing], [[], []])
  }
  const none = await csv({ currency: 'EUR' })
  assert.deepEqual(none.rows, [])
})

const ACCEPTED: readonly (readonly [accept: string, csv: boolean])[] = [
  ['*/*', false],
  ['application/json', false],
  ['application/json, text/csv', false],
  ['text/html, application/xml', false],
  ['text/csv;q=0', false],
  ['text/csv;q=0.5, application/json', false],
  ['text/csv;q=0.5, */*;q=0.8', false],
  ['text/csv;q=nonsense', false],
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/*', true],
  ['text/csv, */*', true],
  ['text/csv, */*;q=0.1', true],
  ['text/csv;q=0.9, application/json;q=0.3', true],
  ['application/json;q=0, text/csv;q=0.001', true],
]
test(`GET ${PATH}, Accept: CSV if preferred, else JSON`, async () => {
  for (const [accept, isCsv] of ACCEPTED) {
    const { status, headers } = await account.get(`${PATH}?currency=KWD`, { accept })
    const type = String(headers['content-type']).split(';')[0]
    const wanted = isCsv ? 'text/csv' : 'application/json'
    assert.deepEqual([accept, status, type], [accept, 200, wanted])
    assert.equal(headers.vary, isCsv ? 'accept' : 'accept, accept-encoding')
  }
})

test(`GET ${PATH}, text/csv, paging parameters: 400 invalid_query_parameter for each`, async () => {
  const { id } = lines[0] as Item
  for (const [name, value] of [
    ['limit', '5'],
    ['starting_after', id],
    ['ending_before', id],
  ] as const) {
    const answer = await account.get(`${PATH}?${name}=${value}`, { accept: 'text/csv' })
    assertRefused(answer, 400, 'invalid_query_parameter', name)
    assert.match(String(answer.headers['content-type']), /^application\/json/)
  }
})

test(`GET ${PATH}, text/csv, balances that do not add up: aborted before the closing balance`, async () => {
  const victim = await service.openAccount({ currencies: ['USD'], fund: { USD: 1_000n } })
  const { owner } = service.database
  const { account_id } = victim.account
  await owner.begin(async tx => {
    await tx`alter table journals disable trigger append_only`
    await tx`update journals set balance_after = 1001 where account_id = ${account_id}`
    await tx`alter table journals enable trigger append_only`
  })
  const answer = await victim.get(PATH, { accept: 'text/csv' })
  // Found on the first page, ahead of the answer.
  assertRefused(answer, 500, 'internal')
})
