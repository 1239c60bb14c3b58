// Conversions of live accounts in the house's books: they move positions and earn income, and no
// account at a bank expects anything of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { deriveSome } from '../../src/treasury/derive.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

let service: TestService
let cli: Cli
let account: Client
before(async () => {
  service = await startTestService()
  await service.setRates({ 'EUR/USD': '1.25' })
  await service.setPricing({ spread_bps: 100 })
  await service.setFees([{ payout_type: 'conversion', fee_currency: 'USD', fixed_amount: 150n }])
  const fund = { USD: 1_000_000n }
  account = await service.openAccount({ currencies: ['USD', 'EUR'], fund, sandbox: false })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
})
after(async () => {
  await cli.close()
  await service.close()
})

async function reportOf(name: string): Promise<Record<string, string>[]> {
  const { code, stdout, stderr } = await cli.run('report', name, '--json')
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout).rows
}

test('conversion of a live account: its postings in the sums of the day, in income and in the position; no item, verify clean', async () => {
  const asked = {
    holding_info: { currency: 'USD' },
    destination_info: { currency: 'EUR', amount: 79_200 },
  }
  const quote = await account.post('/v3/conversion/quote', asked)
  const made = await account.post('/v3/conversion', { quote: quote.json.data.id })
  assert.equal(made.status, 200, made.text)
  while ((await deriveSome(service.deps)).journals > 0n);
  const { owner } = service.database
  const { account_id } = account.account
  const days = await owner<{ code: string; currency: string; amount: bigint }[]>`
    select code, currency, amount::bigint from account_days
    where account_id = ${account_id} and code <> 'funding' order by code, currency`
  assert.deepEqual(
    days.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`),
    [
      'available EUR 79200',
      'available USD 899850',
      'fees USD 150',
      'fx EUR -79200',
      'fx USD 99000',
      'fx_income USD 1000',
    ],
  )
  const items = await owner`
    select kind from nostro_items where account_id = ${account_id} and kind <> 'funding'`
  assert.deepEqual([...items], [])
  const income = await reportOf('income')
  assert.deepEqual(
    income.map(({ currency, fees, fx }) => [currency, fees, fx]),
    [['USD', '1.50', '10.00']],
  )
  const fx = await reportOf('fx')
  assert.deepEqual(
    fx.map(({ currency, clients }) => [currency, clients]),
    [
      ['EUR', '-792.00'],
      ['USD', '990.00'],
    ],
  )
  await verifyBooks(owner)
})
