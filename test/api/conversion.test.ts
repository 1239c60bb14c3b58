// POST /v3/conversion/quote and POST /v3/conversion, and their GETs: what can be asked, what is
// refused, the two lines that come of it, and what PostgreSQL refuses by itself.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeApiKey } from '../../src/accounts/rules.ts'
import { insertApiKey } from '../../src/accounts/store.ts'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { deleteOldQuotes } from '../../src/quotes/expired-store.ts'
import { newId } from '../../src/values/id.ts'
import { newSecret } from '../../src/values/secret.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { assertProblems, assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { assertBounds, assertFilters, assertListed, getAll } from '../support/assert/listing.ts'
import { idOf } from '../support/assert/shapes.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startReceiver } from '../support/network/receiver.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import {
  basic,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const QUOTE = '/v3/conversion/quote'
const PATH = '/v3/conversion'
const FUND = { USD: 1_000_000n, EUR: 500_000n }

let service: TestService
let account: Client
before(async () => {
  service = await startTestService({ webhook_allow_private: true })
  await service.setRates({ 'EUR/USD': '1.25', 'EUR/JPY': '160' })
  await service.setPricing({ spread_bps: 100 })
  account = await open()
})
after(() => service.close())

const open = (sandbox = true) =>
  service.openAccount({ currencies: ['USD', 'EUR', 'JPY'], fund: FUND, sandbox })

type Line = Readonly<Record<'id' | 'type' | 'source' | 'description', string>>

const asked = (amounts: { total_debit?: number; amount?: number } = { amount: 792 }) => {
  const { total_debit, amount } = amounts
  return {
    holding_info: { currency: 'USD' },
    destination_info: { currency: 'EUR', ...(amount !== undefined && { amount }) },
    ...(total_debit !== undefined && { total_debit }),
  }
}

async function quoted(by: Client = account, body: object = asked()) {
  const answer = await by.post(QUOTE, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function converted(by: Client = account, body: object = asked()) {
  const { id } = await quoted(by, body)
  const answer = await by.post(PATH, { quote: id })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

// 1 USD is 0.8 EUR at mid and 0.792 EUR less one percent: 792 cents of EUR cost 1,000 of USD.
const PRICE = {
  holding_info: { currency: 'USD', amount: 1000 },
  destination_info: { currency: 'EUR', amount: 792 },
  fee_info: { fixed: { in_holding_currency: 0 }, variable: { in_holding_currency: 0 } },
  exchange_rate: 0.792,
  total_debit: { currency: 'USD', amount: 1000 },
}

const FIXED: readonly [what: string, amounts: object][] = [
  ['the amount to add', { amount: 792 }],
  ['the most to take', { total_debit: 1000 }],
]
for (const [what, amounts] of FIXED) {
  test(`POST ${QUOTE}, ${what} given: price less the spread, valid for two minutes, balances unchanged`, async () => {
    const before = await balancesOf(account)
    const quote = await quoted(account, asked(amounts))
    const { id, made_by, created_at, updated_at, valid_until, ...rest } = quote
    assert.deepEqual(rest, { object: 'conversion_quote', ...PRICE, status: 'active' })
    assert.match(id, idOf('coq'))
    assert.equal(made_by, account.key_id)
    assert.equal(updated_at, created_at)
    assert.equal(Date.parse(valid_until) - Date.parse(created_at), 120_000)
    assert.deepEqual((await account.get(`${QUOTE}/${id}`)).json.data, quote)
    assert.deepEqual(await balancesOf(account), before)
  })
}

test(`POST ${QUOTE}, validity of quotes shorter than two minutes: that validity`, async () => {
  const other = await open()
  const { account_id } = other.account
  await service.setPricing({ quote_validity_s: 30 }, { account_id })
  const { created_at, valid_until } = await quoted(other)
  assert.equal(Date.parse(valid_until) - Date.parse(created_at), 30_000)
})

test(`POST ${QUOTE}, the most to take that no amount meets: the largest amount that costs no more`, async () => {
  // 1 USD is 126.72 JPY, so one yen costs 0.79 cents: 127 cents of 10,000 remain with the account.
  const body = { ...asked({ total_debit: 3 }), destination_info: { currency: 'JPY' } }
  const { total_debit, destination_info } = await quoted(account, body)
  assert.deepEqual([total_debit.amount, destination_info.amount], [3, 3])
  const least = { ...asked({ total_debit: 1 }), destination_info: { currency: 'JPY' } }
  assert.deepEqual((await quoted(account, least)).destination_info.amount, 1)
})

test(`POST ${QUOTE}, fees of type conversion: on top, and within total_debit`, async () => {
  const live = await open(false)
  const fee = { fee_currency: 'USD', fixed_amount: 150n, variable_bps: 100 }
  assertRefused(await live.post(QUOTE, asked()), 422, 'fee_unavailable')
  await service.setFees([{ payout_type: 'conversion', ...fee }, { payout_type: 'local' }])
  const { fee_info, total_debit } = await quoted(live)
  assert.deepEqual(fee_info, {
    fixed: { in_holding_currency: 150 },
    variable: { in_holding_currency: 10 },
  })
  assert.equal(total_debit.amount, 1160)
  const within = await quoted(live, asked({ total_debit: 1160 }))
  assert.deepEqual(within.destination_info.amount, 792)
  const { id } = await converted(live)
  const { results } = (await live.get(`/v3/balance_transaction?source=${id}`)).json.data
  assert.deepEqual(results[1].fee_details, [
    { amount: -150, currency: 'USD', type: 'fixed_fee' },
    { amount: -10, currency: 'USD', type: 'variable_fee' },
  ])
  assert.deepEqual(await balancesOf(live), { EUR: '500792', JPY: '0', USD: '998840' })
  await service.setFees([])
})

const WRONG: readonly [what: string, body: object, ...problems: string[]][] = [
  ['nothing', {}, 'invalid_field at holding_info', 'invalid_field at destination_info'],
  ['no amount', asked({}), 'invalid_field at destination_info.amount'],
  ['two amounts', asked({ amount: 1, total_debit: 1 }), 'invalid_field at total_debit'],
  [
    'the same currency twice',
    { ...asked(), holding_info: { currency: 'EUR' } },
    'invalid_field at destination_info.currency',
  ],
  [
    'currencies that the account does not hold',
    { holding_info: { currency: 'GBP' }, destination_info: { currency: 'XXX', amount: 1 } },
    'holding_currency_not_found at holding_info.currency',
    'currency at destination_info.currency',
  ],
  ['an unknown member', { ...asked(), payout_type: 'local' }, 'invalid_field at payout_type'],
  ['an amount of zero', asked({ amount: 0 }), 'amount_out_of_range at destination_info.amount'],
  [
    'an amount beyond the highest',
    asked({ amount: Number.MAX_SAFE_INTEGER }),
    'amount_out_of_range at destination_info.amount',
  ],
]
for (const [what, body, ...problems] of WRONG) {
  test(`POST ${QUOTE}, ${what}: refused (400), naming each member`, async () => {
    const before = await rowVersions(service.database.owner)
    const answer = await account.post(QUOTE, body)
    assert.equal(answer.status, 400, answer.text)
    const errors: { reason: string; remarks: string }[] = answer.json.errors
    assert.deepEqual(
      errors.map(({ reason, remarks }) => `${reason} at ${remarks}`),
      problems,
    )
    assert.deepEqual(await rowVersions(service.database.owner), before)
  })
}

test(`POST ${QUOTE}, no rate of the pair: refused (422)`, async () => {
  const other = await service.openAccount({ currencies: ['USD', 'KWD'] })
  const body = { ...asked({ amount: 5 }), destination_info: { currency: 'KWD', amount: 5 } }
  assertRefused(await other.post(QUOTE, body), 422, 'rate_unavailable')
})

test(`POST ${PATH}: both balances move at once, two lines name each other and the conversion, three events`, async () => {
  const own = await open()
  const quote = await quoted(own)
  const answer = await own.post(PATH, { quote: quote.id })
  assert.equal(answer.status, 200, answer.text)
  const { id, created_at, balance_transactions: lines, ...rest } = answer.json.data
  assert.deepEqual(rest, {
    object: 'conversion',
    status: 'completed',
    quote: quote.id,
    ...PRICE,
    made_by: own.key_id,
  })
  assert.match(id, idOf('cnv'))
  assert.deepEqual(await balancesOf(own), { EUR: '500792', JPY: '0', USD: '999000' })
  assert.deepEqual((await own.get(`${PATH}/${id}`)).json.data, answer.json.data)
  assert.equal((await own.get(`${QUOTE}/${quote.id}`)).json.data.status, 'used')

  const { results } = (await own.get(`/v3/balance_transaction?source=${id}`)).json.data
  const fx_conversions = [
    {
      exchange_rate: 0.792,
      initial: { amount: 1000, currency: 'USD' },
      final: { amount: 792, currency: 'EUR' },
    },
  ]
  const shared = { object: 'balance_transaction', created_at, description: id, source: id }
  assert.deepEqual(results, [
    {
      ...shared,
      id: lines.credit,
      amount: 792,
      currency: 'EUR',
      fee_details: [],
      fx_conversions,
      net: { amount: 792, currency: 'EUR' },
      balance_after: '500792',
      metadata: { counterpart: lines.debit },
      operation_type: 'credit',
      type: 'conversion_in',
    },
    {
      ...shared,
      id: lines.debit,
      amount: -1000,
      currency: 'USD',
      fee_details: [],
      fx_conversions,
      net: { amount: -1000, currency: 'USD' },
      balance_after: '999000',
      metadata: { counterpart: lines.credit },
      operation_type: 'debit',
      type: 'conversion_out',
    },
  ])
  const views = await service.database.owner`
    select id, type, source, description from balance_transactions
    where account_id = ${own.account.account_id} order by journal_number desc limit 2`
  assert.deepEqual(
    [...views],
    results.map((line: Line) => ({
      id: line.id,
      type: line.type,
      source: line.source,
      description: line.description,
    })),
  )
  const events = (await own.get('/v3/event?limit=4')).json.data.results
  assert.deepEqual(
    events.map(({ type, object_id }: Record<string, string>) => [type, object_id]),
    [
      ['balance_transaction.created', lines.credit],
      ['balance_transaction.created', lines.debit],
      ['conversion.completed', id],
      ['conversion_quote.created', quote.id],
    ],
  )
  assert.deepEqual(events[2].data, answer.json.data)
  assert.deepEqual(events[3].data, quote)
  assert.equal(events[2].change.made_by, own.key_id)
})

test(`POST ${PATH}: the position moves at mid, and the spread is income of the house`, async () => {
  const own = await open()
  await converted(own)
  const rows = await service.database.owner`
    select code, currency, amount::integer from postings
    where account_id = ${own.account.account_id} and number > 2 order by number, code, currency`
  assert.deepEqual(
    rows.map(({ code, currency, amount }) => `${code} ${currency} ${amount}`),
    ['available USD -1000', 'fx USD 990', 'fx_income USD 10', 'available EUR 792', 'fx EUR -792'],
  )
})

test(`POST ${PATH}, repeated under its Idempotency-Key: first answer, one conversion`, async () => {
  const own = await open()
  const { id } = await quoted(own)
  const key = { 'idempotency-key': 'convert once' }
  const first = await own.post(PATH, { quote: id }, key)
  const again = await own.post(PATH, { quote: id }, key)
  assert.equal(again.text, first.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assertRefused(await own.post(PATH, { quote: id }), 422, 'quote_used')
  assert.equal((await own.get(PATH)).json.data.results.length, 1)
})

test(`POST ${PATH}, Idempotency-Key of another account: no replay`, async () => {
  const [one, other] = [await open(), await open()]
  const key = { 'idempotency-key': 'of two accounts' }
  const body = { quote: (await quoted(one)).id }
  assert.equal((await one.post(PATH, body, key)).status, 200)
  assertRefused(await other.post(PATH, body, key), 404, 'not_found')
  const own = await other.post(PATH, { quote: (await quoted(other)).id }, key)
  assert.equal(own.status, 200, own.text)
  assert.equal(own.headers['idempotent-replayed'], undefined)
})

test(`POST ${PATH}, quote unknown, of another account, of a payout, or expired: refused at quote, nothing written`, async () => {
  const own = await open()
  const never = `coq_${'0'.repeat(20)}`
  const foreign = (await quoted()).id
  const payout = await own.post('/v3/payout/quote', { payout_info: { currency: 'USD', amount: 5 } })
  const carried = (await own.post('/v3/payout', localPayout)).json.data
  const old = await quoted(own)
  const moved = await own.post('/v3/sandbox/clock/advance', { seconds: 120 })
  assert.equal(moved.status, 200, moved.text)
  const before = await rowVersions(service.database.owner)
  const refused = async (quote: string, status: number, reason: string) => {
    const answer = await own.post(PATH, { quote })
    assertRefused(answer, status, reason)
    assert.equal(answer.json.errors[0].remarks, 'quote')
  }
  await refused(never, 404, 'not_found')
  await refused(foreign, 404, 'not_found')
  await refused(carried.id.replace('pot_', 'coq_'), 404, 'not_found')
  await refused(payout.json.id, 400, 'invalid_field')
  await refused(old.id, 422, 'quote_expired')
  assert.equal((await own.get(`${QUOTE}/${old.id}`)).json.data.status, 'expired')
  for (const id of [foreign, payout.json.id.replace('poq_', 'coq_')]) {
    assert.equal((await own.get(`${QUOTE}/${id}`)).status, 404)
  }
  const asPayout = { ...localPayout, quote: old.id }
  assertProblems(await own.post('/v3/payout', asPayout), 400, [['invalid_field', 'quote']])
  assert.deepEqual(await rowVersions(service.database.owner), before)
})

test(`POST ${PATH}, balance one unit too small: refused with the figures; exactly enough: balance of zero`, async () => {
  const own = await service.openAccount({ currencies: ['USD', 'EUR'], fund: { USD: 1000n } })
  const [first, second] = [await quoted(own), await quoted(own)]
  const little = await quoted(own, asked({ amount: 1 }))
  assert.equal((await own.post(PATH, { quote: little.id })).status, 200)
  const answer = await own.post(PATH, { quote: first.id })
  assertRefused(answer, 422, 'insufficient_balance')
  assert.match(answer.json.message, /needs 1000 USD minor units .* and 998 are available/)
  assert.equal((await own.get(`${QUOTE}/${first.id}`)).json.data.status, 'active')
  const rest = await quoted(own, asked({ total_debit: 998 }))
  assert.equal((await own.post(PATH, { quote: rest.id })).status, 200)
  const { USD } = await balancesOf(own)
  assert.ok(Number(USD) <= 1, String(USD))
  assertRefused(await own.post(PATH, { quote: second.id }), 422, 'insufficient_balance')
})

test(`POST ${PATH}, balance of the other currency full: refused (422), nothing written`, async () => {
  const fund = { USD: 1000n, EUR: 2n ** 62n - 791n }
  const own = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
  const { id } = await quoted(own)
  assertRefused(await own.post(PATH, { quote: id }), 422, 'balance_limit_exceeded')
  assert.equal((await balancesOf(own)).USD, '1000')
})

test(`POST ${PATH} and ${QUOTE}, account frozen: refused (403)`, async () => {
  const own = await open()
  const { id } = await quoted(own)
  const { account_id } = own.account
  const state = (to: string) => service.database.owner`
    update accounts set state = ${to}, state_reason = 'test' where account_id = ${account_id}`
  await state('frozen')
  assertRefused(await own.post(PATH, { quote: id }), 403, 'account_frozen')
  assertRefused(await own.post(QUOTE, asked()), 403, 'account_frozen')
  await state('active')
  assert.equal((await own.post(PATH, { quote: id })).status, 200)
})

test(`POST ${PATH}, account at its limit: converts, and counts for no limit`, async () => {
  const own = await open()
  const { account_id } = own.account
  await service.setLimits([{ account_id, currency: 'USD', cap: 1n }])
  await converted(own)
  const uses = await service.database.owner`
    select from limit_uses where account_id = ${account_id}`
  assert.equal(uses.length, 0)
})

test(`POST ${PATH}, rule that asks for approval of such payouts: refused (403); rule for other payouts: converts`, async () => {
  const own = await open()
  const { account_id } = own.account
  const { id } = await quoted(own)
  const remove = await addApprovalRule(service, { account_id })
  const answer = await own.post(PATH, { quote: id })
  assertRefused(answer, 403, 'approval_needed')
  assert.match(answer.json.message, /rule apr_/)
  await remove()
  const narrow = { account_id, payout_type: 'swift' }
  const removeNarrow = await addApprovalRule(service, narrow)
  assert.equal((await own.post(PATH, { quote: id })).status, 200)
  await removeNarrow()
})

test(`POST ${PATH}, key whose payouts all need an approval: refused (403); another key: converts`, async () => {
  const own = await open()
  const { id } = await quoted(own)
  const key = await makesOnlyKey(own)
  const payload = JSON.stringify({ quote: id })
  const headers = {
    authorization: basic(key.key_id, key.secret),
    'content-type': 'application/json',
  }
  const answer = await service.inject({ method: 'POST', url: PATH, headers, payload })
  assertRefused(answer, 403, 'approval_needed')
  assert.match(answer.json.message, /of this key/)
  assert.equal((await own.post(PATH, { quote: id })).status, 200)
})

async function makesOnlyKey({ account }: Client) {
  const secret = newSecret(account)
  const options = { scope: 'write', name: 'maker', secret, makes_only: true } as const
  const key = makeApiKey(account.account_id, options, newId)
  await insertApiKey(service.deps.sql, key)
  await service.deps.reference.refresh()
  return { key_id: key.key_id, secret }
}

const IN_STATEMENTS: readonly [format: string, ...shown: RegExp[]][] = [
  [
    'csv',
    /,conversion_out,debit,USD,-1000,-10\.00,.*?,EUR,792,7\.92,0\.792,cnv_/,
    /,conversion_in,credit,EUR,792,7\.92,.*?,USD,1000,10\.00,0\.792,cnv_/,
  ],
  [
    'camt053',
    /<Cd>FORX<\/Cd><Fmly><Cd>SPOT<\/Cd>/,
    /<SrcCcy>USD<\/SrcCcy><TrgtCcy>EUR<\/TrgtCcy><UnitCcy>USD<\/UnitCcy><XchgRate>0\.792</,
    /<Prtry><Cd>conversion_in<\/Cd>/,
    /USD 10\.00 = EUR 7\.92 at 0\.792/,
  ],
  [
    'mt940',
    /D10,00NFEXNONREF[\s\S]*\/TRTP\/conversion-out[\s\S]*?\/OCMT\/EUR7,92\/EXCH\/0\.792/,
    /C7,92NFEXNONREF[\s\S]*\/TRTP\/conversion-in[\s\S]*?\/OCMT\/USD10,00\/EXCH\/0\.792/,
  ],
]
for (const [format, ...shown] of IN_STATEMENTS) {
  test(`GET /v3/statement, ${format}, account that has converted: both lines with the rate and the other amount`, async () => {
    const own = await open()
    await converted(own)
    const query = `format=${format}&from=2020-01-01&to=2100-01-01`
    const { status, text } = await own.get(`/v3/statement?${query}`)
    assert.equal(status, 200, text)
    for (const expected of shown) assert.match(text.replace(/\r\n(?=[^:-])/g, ''), expected)
  })
}

test(`POST ${PATH}, webhook endpoint for conversion.completed: told once, with the conversion`, async () => {
  const receiver = await startReceiver()
  try {
    const own = await open()
    const body = { url: receiver.url, event_types: ['conversion.*'] }
    const made = await own.post('/v3/webhook_endpoint', body)
    assert.equal(made.status, 200, made.text)
    const conversion = await converted(own)
    await deliverDue(service.deps, service.deps.sql)
    const told = receiver.received.map(({ body }) => {
      const { type, object_id, data } = JSON.parse(body)
      return [type, object_id, data]
    })
    assert.deepEqual(told, [['conversion.completed', conversion.id, conversion]])
  } finally {
    await receiver.close()
  }
})

test('quotes of conversions, unused for 90 days: deleted, their event says so; used or younger ones stay', async () => {
  // Its books are not those of the other tests: the id of a row is made older by hand.
  const service = await startTestService()
  await service.setRates({ 'EUR/USD': '1.25' })
  const fund = { USD: 1_000_000n }
  const own = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
  const { account_id } = own.account
  const [old, young] = [await quoted(own), await quoted(own)]
  const { quote: used } = await converted(own)
  const owner = service.database.owner
  const early = old.id.replace(/^coq_.{11}/, 'coq_00000000001')
  await owner.begin(async tx => {
    await tx`select set_config('corridor.maintenance', 'on', true)`
    await tx`
      update quotes set id = ${early}, created_at = created_at - interval '100 days',
        valid_until = valid_until - interval '100 days' where id = ${old.id}`
  })
  await deleteOldQuotes({ finder: service.deps.finder, sql: service.deps.sql })
  const left = await owner<{ id: string }[]>`
    select id from quotes where account_id = ${account_id} order by id`
  assert.deepEqual(left.map(({ id }) => id).sort(), [young.id, used].sort())
  const events = await own.get(`/v3/event?object_id=${old.id}`)
  const [event] = events.json.data.results
  assert.deepEqual(event.data, { id: old.id, object: 'conversion_quote', deleted: true })
  await service.close()
})

test(`GET ${PATH}: pages, bounds and filters`, async () => {
  const own = await open()
  const toYen = { ...asked(), destination_info: { currency: 'JPY', amount: 100 } }
  const fromEuro = { ...toYen, holding_info: { currency: 'EUR' } }
  const ids: string[] = []
  for (const body of [asked(), toYen, asked(), fromEuro, toYen]) {
    ids.unshift((await converted(own, body)).id)
  }
  const all = await getAll(own, PATH, ids)
  await assertListed(own, PATH, all)
  await assertBounds(own, PATH, all)
  await assertFilters(own, PATH, all, [
    [{ holding_currency: 'USD' }, ({ holding_info }) => holding_info.currency === 'USD'],
    [{ destination_currency: 'JPY' }, one => one.destination_info.currency === 'JPY'],
    [
      { holding_currency: ['EUR', 'JPY'], destination_currency: 'JPY' },
      ({ holding_info }) => holding_info.currency === 'EUR',
    ],
    [{ holding_currency: 'GBP' }, () => false],
  ])
})

test('GET /v3/payout/quote: no quote of a conversion', async () => {
  const own = await open()
  await quoted(own)
  assert.deepEqual((await own.get('/v3/payout/quote')).json.data.results, [])
})

test('books after all tests of this file: corridor verify clean', async () => {
  await verifyBooks(service.database.owner)
})
