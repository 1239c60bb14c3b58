// What comes back of a payout that converts: the stored integers, or, at the wish of the account or
// the payee after the end of its price, the lower of what was taken and what it is worth now.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { expireApprovals } from '../../src/app/worker/end-holds.ts'
import { transitionWrite } from '../../src/operator/payouts-by-hand.ts'
import type { RailReport, RailStatus, RailStep } from '../../src/rails/rail.ts'
import { closeVerified } from '../support/assert/books.ts'
import { balancesOf } from '../support/assert/check.ts'
import { addApprovalRule, approve } from '../support/service/approvals.ts'
import { entityOf, findPayout, pay } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { report, scriptedRail, settleAll } from '../support/service/settling.ts'

const FUNDED = 10_000_000n
/** 8,000.00 HKD cost 1,000.00 USD at 8, and the fee is 1.00 USD. */
const HKD = { amount: 800_000, currency: 'HKD', holding_currency: 'USD' }
const TAKEN = 100_000n
const FEE = 100n
const HOUR_S = 3_600
const DAY_S = 86_400

let service: TestService
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setFees([{ fixed_amount: FEE }])
})
after(() => closeVerified(service))

const rateIs = (mid: string) => service.setRates({ 'USD/HKD': mid })

async function opened(): Promise<Client> {
  await rateIs('8')
  return service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED } })
}

async function lost(account: Client): Promise<bigint> {
  return FUNDED - BigInt((await balancesOf(account)).USD ?? '0')
}

const advance = (account: Client, seconds: number) =>
  account.post('/v3/sandbox/clock/advance', { seconds })

/** The report of these steps, with the mark of a wish where the money comes back. */
function marked(at_wish: boolean, ...statuses: readonly RailStatus[]): RailReport {
  const { steps, ...rest } = report(...statuses)
  const isBack = ({ failure }: RailStep) => failure !== null && at_wish
  return { ...rest, steps: steps.map(one => ({ ...one, ...(isBack(one) && { at_wish }) })) }
}

const byRail = (at_wish: boolean, ...statuses: readonly RailStatus[]) =>
  settleAll(
    service,
    scriptedRail(async () => marked(at_wish, ...statuses)),
  )

/** As the operator API does it. */
async function byOperator(payout_id: string, at_wish: boolean) {
  const { operators } = service.deps
  const ann = { name: 'ann', is_login: false }
  const asked = { status: 'failed', reason: 'As asked.', at_wish } as const
  const write = await transitionWrite(operators.audit, ann, payout_id, asked)
  return operators.run({ operator: 'ann', act: 'payout transition', via: 'api', origin: {} }, write)
}

interface Way {
  readonly what: string
  readonly wish: boolean
  /** `failed` when absent. */
  readonly reversed?: true
  /** Makes the payout; `end` then gives it back. */
  start(account: Client): Promise<string>
  end(account: Client, id: string): Promise<unknown>
}

async function scheduled(account: Client): Promise<string> {
  const execute_at = new Date(Date.now() + 6 * DAY_S * 1000).toISOString()
  return (await pay(account, { ...HKD, execute_at })).id
}

async function ordinary(account: Client): Promise<string> {
  return (await pay(account, HKD)).id
}

async function held(account: Client): Promise<string> {
  return (await pay(account, { ...HKD, on_behalf_of: await entityOf(account) })).id
}

async function heldInApproval(account: Client): Promise<string> {
  return inApproval(account, { on_behalf_of: await entityOf(account) })
}

async function inApproval(account: Client, fields: object = {}): Promise<string> {
  const { account_id } = account.account
  await addPerson(service, { user: `ann-${account_id}`, roles: [[account_id, 'approver']] })
  const remove = await addApprovalRule(service, { account_id })
  await service.deps.reference.refresh()
  const { id, status } = await pay(account, { ...HKD, ...fields })
  assert.equal(status, 'pending_approval')
  await remove()
  await service.deps.reference.refresh()
  return id
}

async function entityOfPayout(account: Client, id: string): Promise<string> {
  return (await findPayout(account, id)).on_behalf_of
}

const WAYS: readonly Way[] = [
  {
    what: 'cancelled while scheduled',
    wish: true,
    start: scheduled,
    end: (account, id) => account.post(`/v3/payout/${id}/cancel`, {}),
  },
  {
    what: 'cancelled while held',
    wish: true,
    start: held,
    end: (account, id) => account.post(`/v3/payout/${id}/cancel`, {}),
  },
  {
    what: 'rejected by an approver',
    wish: true,
    start: inApproval,
    end: (account, payout_id) => {
      const { account_id } = account.account
      const user = `ann-${account_id}`
      return approve(service, { account_id, payout_id, user }, { decision: 'reject' })
    },
  },
  {
    what: "failed by the rail at the payee's request",
    wish: true,
    start: ordinary,
    end: () => byRail(true, 'failed'),
  },
  {
    what: 'returned by the payee after success',
    wish: true,
    reversed: true,
    start: ordinary,
    end: () => byRail(true, 'succeeded', 'reversed'),
  },
  {
    what: 'returned by the bank after success',
    wish: false,
    reversed: true,
    start: ordinary,
    end: () => byRail(false, 'succeeded', 'reversed'),
  },
  {
    what: "failed by the operator at the payee's request",
    wish: true,
    start: scheduled,
    end: (_, id) => byOperator(id, true),
  },
  {
    what: 'failed by the rail',
    wish: false,
    start: ordinary,
    end: () => byRail(false, 'failed'),
  },
  {
    what: 'failed by the operator',
    wish: false,
    start: scheduled,
    end: (_, id) => byOperator(id, false),
  },
  {
    what: 'failed by the review of its entity',
    wish: false,
    start: held,
    end: async (account, id) => {
      await review(service, account, await entityOfPayout(account, id), 'rejected')
      await settleAll(service)
    },
  },
]

/** A payout for an entity that is submitted before or after the end of the price. */
const rejectedWhen = (
  what: string,
  late: boolean,
  start: Way['start'],
  approved: boolean,
): Way => ({
  what,
  wish: late,
  async start(account) {
    const id = await start(account)
    if (!late) await submit(account, id)
    return id
  },
  async end(account, id) {
    if (late) await submit(account, id)
    await review(service, account, await entityOfPayout(account, id), 'rejected')
    await settleAll(service)
    if (!approved) return
    const { account_id } = account.account
    const user = `ann-${account_id}`
    await approve(service, { account_id, payout_id: id, user }, { decision: 'approve' })
  },
})

async function submit(account: Client, id: string) {
  const entity = await entityOfPayout(account, id)
  const answer = await account.post(`/v3/entity/${entity}/submit`, {})
  assert.equal(answer.status, 200, answer.text)
}

const REJECTED: readonly Way[] = [
  rejectedWhen('rejected with its entity, submitted in time', false, held, false),
  rejectedWhen('rejected with its entity, submitted late', true, held, false),
  rejectedWhen(
    'approved after its entity was submitted late and rejected',
    true,
    heldInApproval,
    true,
  ),
]

const RATES: readonly (readonly [words: string, mid: string, later_s: number, kept: bigint])[] = [
  ['before its price end, now worth less', '10', 0, 0n],
  ['after its price end, now worth less', '10', HOUR_S, 20_000n],
  [
    'after its price end, now worth a third less, rounded against the account',
    '12',
    HOUR_S,
    33_334n,
  ],
  ['after its price end, now worth more', '7', HOUR_S, 0n],
  ['after its price end, now worth the same', '8', HOUR_S, 0n],
]

for (const { what, wish, reversed, start, end } of [...WAYS, ...REJECTED]) {
  for (const [words, mid, later_s, kept] of RATES) {
    const keeps = wish ? kept : 0n
    test(`payout with conversion, ${what}, ${words}: credited back, except ${keeps}`, async () => {
      const account = await opened()
      const id = await start(account)
      assert.equal(await lost(account), TAKEN + FEE)
      if (later_s > 0) await advance(account, later_s)
      await rateIs(mid)
      await end(account, id)
      const status = reversed ? 'reversed' : 'failed'
      assert.equal((await findPayout(account, id)).status, status)
      assert.equal(await lost(account), keeps)
      const [line] = (await account.get('/v3/balance_transaction?limit=1')).json.data.results
      assert.deepEqual(
        [line.type, line.amount, line.net.amount, line.fee_details[0].amount],
        [
          reversed ? 'payout_reversal' : 'payout_failure',
          Number(TAKEN - keeps),
          Number(TAKEN - keeps + FEE),
          Number(FEE),
        ],
      )
      assert.deepEqual(line.metadata, keeps === 0n ? {} : { rate_difference: String(keeps) })
      const [conversion] = line.fx_conversions
      if (keeps > 0n) {
        assert.deepEqual(conversion.initial, { amount: HKD.amount, currency: 'HKD' })
        assert.deepEqual(conversion.final, { amount: Number(TAKEN - keeps), currency: 'USD' })
      }
      const rows = await service.database.owner<{ sum: string }[]>`
        select coalesce(sum(amount), 0)::text as sum from postings
        where code = 'fx_income' and account_id = ${account.account.account_id}`
      assert.equal(rows[0]?.sum, String(keeps))
    })
  }
}

test('payout awaiting approval, approval expires after its price end, amount worth less by then: the lower amount credited back', async () => {
  const account = await opened()
  await inApproval(account)
  await rateIs('10')
  await advance(account, 60 * DAY_S)
  assert.ok((await expireApprovals(service.deps)) >= 1)
  assert.equal(await lost(account), 20_000n)
})

test('payout with a quote, cancelled after valid_until, amount worth less by then: the lower amount credited back', async () => {
  const account = await opened()
  const { amount, currency, holding_currency } = HKD
  const destination_info = { currency, country: 'HK' }
  const sides = { payout_info: { amount, currency }, holding_info: { currency: holding_currency } }
  const quote = await account.post('/v3/payout/quote', { ...sides, destination_info })
  assert.equal(quote.status, 200, quote.text)
  const execute_at = new Date(Date.now() + DAY_S * 1000).toISOString()
  const { id } = await pay(account, { ...HKD, execute_at, quote: quote.json.id })
  await advance(account, HOUR_S)
  await rateIs('10')
  await account.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(await lost(account), 20_000n)
})

test('payout with conversion, entity approved after its price end, amount worth less by then: the lower amount credited back', async () => {
  const account = await opened()
  const id = await held(account)
  await advance(account, 8 * DAY_S)
  await rateIs('10')
  await review(service, account, await entityOfPayout(account, id), 'approved')
  await settleAll(service)
  assert.equal((await findPayout(account, id)).failure.code, 'PF000330')
  assert.equal(await lost(account), 20_000n)
})

test('payout without conversion, cancelled after an hour: everything credited back', async () => {
  const account = await opened()
  const on_behalf_of = await entityOf(account)
  const { id } = await pay(account, { amount: 5_000, currency: 'USD', on_behalf_of })
  await advance(account, HOUR_S)
  await rateIs('10')
  await account.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(await lost(account), 0n)
})

test('POST /v3/payout/{id}/cancel, payout with conversion, no current rate: refused for seven days, then everything credited back', async () => {
  const account = await opened()
  const id = await held(account)
  await advance(account, HOUR_S)
  await service.database.owner`delete from rates`
  const refused = await account.post(`/v3/payout/${id}/cancel`, {})
  assert.deepEqual([refused.status, refused.json.errors[0].reason], [422, 'rate_unavailable'])
  assert.equal(await lost(account), TAKEN + FEE)
  await advance(account, 8 * DAY_S)
  assert.equal((await account.post(`/v3/payout/${id}/cancel`, {})).status, 200)
  assert.equal(await lost(account), 0n)
})

test('PostgreSQL, journal that credits back another amount than was debited: refused', async () => {
  const account = await opened()
  const id = await held(account)
  await account.post(`/v3/payout/${id}/cancel`, {})
  const { account_id } = account.account
  const [row] = await service.database.owner`
    select * from journals where account_id = ${account_id} and kind = 'failure'`
  assert.ok(row)
  for (const [change, why] of [
    [`amount - 1, metadata`, 'less, unnamed'],
    [`amount - 5, '{"rate_difference":"4"}'::json`, 'less than named'],
    [`amount + 5, '{"rate_difference":"-5"}'::json`, 'more than was taken'],
  ]) {
    const copy = service.database.owner.unsafe(
      `insert into journals (number, created_at, fixed_fee, variable_fee, balance_after, account_id,
         kind, source, currency, codes, currencies, hash, undoes, fx_conversions, amount, metadata,
         amounts)
       select number + 1, created_at, fixed_fee, variable_fee, balance_after, account_id, kind,
         source, currency, 'available funding', currency || ' ' || currency, hash, 'btr_other',
         fx_conversions, a, m, array[a + fixed_fee + variable_fee, -a - fixed_fee - variable_fee]
       from journals j, lateral (select ${change}) as given (a, m)
       where account_id = '${account_id}' and kind = 'failure'`,
    )
    await assert.rejects(copy, /gives back other than was taken/, why)
  }
})
