// GET /v3/balance: every balance currency as text, now and as of any instant (§balance.list,
// §balance.as_of).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, assertShape, balancesOf } from '../support/assert/check.ts'
import { IN_UTC } from '../support/assert/shapes.ts'
import { localPayout } from '../support/given/bodies.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { linesOf, report, scriptedRail, settleAll } from '../support/service/settling.ts'

const PATH = '/v3/balance'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

test(`GET ${PATH}, one currency funded of three: all three listed, amounts as text, more than a double can hold too`, async () => {
  const fund = { USD: 9_007_199_254_740_993n }
  const account = await service.openAccount({ currencies: ['USD', 'EUR', 'HKD'], fund })
  const answer = await account.get(PATH)
  assert.equal(answer.status, 200)
  const { data } = answer.json
  assertShape(data, { object: 'string', available: 'array', updated_at: 'string' })
  assert.equal(data.object, 'balance')
  assert.match(data.updated_at, IN_UTC)
  for (const one of data.available) assert.deepEqual(Object.keys(one), ['currency', 'amount'])
  assert.deepEqual(await balancesOf(account), { USD: '9007199254740993', EUR: '0', HKD: '0' })
})

async function asOf(account: Client, as_of: string): Promise<string | undefined> {
  const answer = await account.get(`${PATH}?as_of=${encodeURIComponent(as_of)}`)
  assert.equal(answer.status, 200, answer.text)
  const available: { currency: string; amount: string }[] = answer.json.data.available
  assert.deepEqual(available.map(b => b.currency).sort(), ['EUR', 'USD'])
  assert.equal(available.find(b => b.currency === 'EUR')?.amount, '0')
  return available.find(b => b.currency === 'USD')?.amount
}

/** The microsecond before: all times here have six digits, the last of which is rarely zero. */
function justBefore(instant: string): string {
  const micros = BigInt(instant.slice(-7, -1))
  if (micros > 0n) return `${instant.slice(0, -7)}${String(micros - 1n).padStart(6, '0')}Z`
  const second = new Date(Date.parse(instant) - 1).toISOString()
  return second.replace('Z', '999Z')
}

test(`GET ${PATH}?as_of, funding, payout and failure: before and at each step`, async () => {
  const account = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 50_000n } })
  const made = (await account.post('/v3/payout', localPayout)).json.data
  await settleAll(
    service,
    scriptedRail(() => Promise.resolve(report('failed'))),
  )
  const funding = await service.database.owner<{ created_at: string }[]>`
    select created_at from balance_transactions
    where account_id = ${account.account.account_id} and type = 'escrow'`
  const [debit, credit] = await linesOf(service, account, [made.id, made.balance_transaction])
  const funded_at = funding[0]?.created_at ?? ''
  const table: readonly [as_of: string, amount: string][] = [
    ['2000-01-01T00:00:00Z', '0'],
    [justBefore(funded_at), '0'],
    [funded_at, '50000'],
    [justBefore(debit.created_at), '50000'],
    [debit.created_at, '40000'],
    [justBefore(credit.created_at), '40000'],
    [credit.created_at, '50000'],
    [credit.created_at.replace('Z', '+00:00'), '50000'],
    ['2999-12-31T23:59:59+14:00', '50000'],
  ]
  for (const [as_of, amount] of table) assert.equal(await asOf(account, as_of), amount, as_of)
})

const BAD = [
  '',
  'yesterday',
  '2026-01-31',
  '2026-01-31T09:30:00',
  '2026-02-30T09:30:00Z',
  '2026-13-01T09:30:00Z',
  '2026-01-31T25:00:00Z',
  '2026-01-31T09:30:60Z',
  '2026-01-31T09:30:00+25:00',
  '2026-01-31 09:30:00Z',
  '1769851800',
  '0000-01-01T00:00:00Z',
  '0000-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-01:00',
  'infinity',
  "2026-01-31T09:30:00Z'--",
  '2026-01-31T09:30:00.Z',
  '2026-01-31T09:30:00Z\u0000',
]

test(`GET ${PATH}?as_of, what is no instant with its offset: 400 invalid_query_parameter`, async () => {
  const account = await service.openAccount()
  for (const as_of of BAD) {
    const answer = await account.get(`${PATH}?as_of=${encodeURIComponent(as_of)}`)
    assertRefused(answer, 400, 'invalid_query_parameter', 'as_of')
  }
})
