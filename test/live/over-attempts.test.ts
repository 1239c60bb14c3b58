// News of attempts that are over: a rail takes back its word after another rail has the payout, or
// the account its money. Nothing is handed over again and no step follows; a person looks.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { startConnector } from '../../examples/connector/start.ts'
import { Client as ConnectorClient } from '../../src/adapters/connector/client.ts'
import { evidenceStore } from '../../src/adapters/connector/evidence-store.ts'
import { ConnectorRail } from '../../src/adapters/connector/rail.ts'
import { startSettling } from '../../src/app/worker/settle-payouts.ts'
import { Lane } from '../../src/engine/lane.ts'
import { handlePayout } from '../../src/payouts/by-hand/by-hand-operation.ts'
import type { Rail, RailPayout, RailReport } from '../../src/rails/rail.ts'
import { newSecret } from '../../src/webhooks/sign.ts'
import { balancesOf } from '../support/assert/check.ts'
import { closeExceptionOf } from '../support/service/payouts.ts'
import { makeDue, railOf, report } from '../support/service/settling.ts'
import { openTwoRails, NOT_TAKEN as TODAY } from './two-rails.ts'

const rails = await openTwoRails({ settle_poll_ms: 20 })
const { service, live, toBoth, pay, statusOf, attemptsOf, exceptionsOf, settle, wake } = rails
after(() => rails.close())

/** When each attempt is asked about again, in hours from now; '' when not. */
async function asksOf(id: string): Promise<string[]> {
  const rows = await service.database.owner<{ hours: string }[]>`
    select coalesce(round(extract(epoch from ask_again_at - clock_timestamp()) / 3600)::text, '')
      as hours from payout_attempts where payout_id = ${id} order by number`
  return rows.map(({ hours }) => hours)
}

async function overDue(id: string): Promise<void> {
  await service.database.owner`
    update payout_attempts set ask_again_at = statement_timestamp()
    where payout_id = ${id} and ask_again_at is not null`
}

const close = (id: string, number: number) => closeExceptionOf(service, live, id, number)

interface Scripted extends Rail {
  /** `submit pot_…-1` and `inquire pot_…-1`. */
  readonly calls: string[]
  says(next: (payout: RailPayout) => RailReport | undefined | Promise<RailReport | undefined>): void
}

/** A rail that says what it is told to, of whatever it is asked. */
function scripted(first: Parameters<Scripted['says']>[0]): Scripted {
  const calls: string[] = []
  let answer = first
  return {
    ...railOf({
      async submit(payout) {
        calls.push(`submit ${payout.attempt.id}`)
        return (await answer(payout)) ?? report()
      },
      async inquire(payout) {
        calls.push(`inquire ${payout.attempt.id}`)
        return answer(payout)
      },
    }),
    calls,
    says(next) {
      answer = next
    },
  }
}

/** What was asked about this payout; other tests' payouts may be due as well. */
const callsOf = ({ calls }: Scripted, id: string) => calls.filter(call => call.includes(id))

const DAY_MS = 86_400_000
const NOT_TAKEN: RailReport = { ...TODAY, ask_again_in_ms: DAY_MS }
const PAID = { ...report('succeeded'), ask_again_in_ms: DAY_MS }
const UNDER_WAY = { ...report(), ask_again_in_ms: 1 }

/** A payout that the first rail has not taken and the second one is to get. */
async function failedOver() {
  const id = await pay()
  const bank = scripted(() => NOT_TAKEN)
  const second = scripted(() => UNDER_WAY)
  await settle({ bank })
  assert.deepEqual(await asksOf(id), ['24', ''])
  return { id, bank, second }
}

test('failover after not_taken, first rail then reports paid: found when asked again, second rail not asked', async () => {
  const { id, bank, second } = await failedOver()
  bank.says(() => PAID)
  await overDue(id)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all'])
  await settle({ bank, second })
  assert.deepEqual(callsOf(second, id), [])
  assert.deepEqual(callsOf(bank, id), [`submit ${id}-1`, `inquire ${id}-1`])
  assert.equal(await statusOf(id), 'processing')
})

test('failover, exception closed: second rail asked; same report again: no exception; another report: an exception', async () => {
  const { id, bank, second } = await failedOver()
  bank.says(() => UNDER_WAY)
  await wake(id, 1)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all'])
  assert.equal(await close(id, 1), true)
  await settle({ bank, second })
  assert.deepEqual(callsOf(second, id), [`submit ${id}-2`])
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all closed'])
  bank.says(() => PAID)
  await wake(id, 1)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all closed', '1 taken_after_all'])
  // What the second rail says waits until a person has looked.
  await makeDue(service, id)
  second.says(() => PAID)
  await settle({ second })
  assert.equal(await statusOf(id), 'processing')
  assert.equal(await close(id, 2), true)
  await settle({ bank, second })
  assert.equal(await statusOf(id), 'succeeded')
})

test('failover, first rail repeats not_taken or never knew the payout: no change, asked again in a day', async () => {
  const { id, bank, second } = await failedOver()
  for (const said of [NOT_TAKEN, undefined]) {
    bank.says(() => said)
    await overDue(id)
    await settle({ bank })
    assert.deepEqual(await asksOf(id), ['24', ''])
  }
  await settle({ second })
  assert.deepEqual(await exceptionsOf(id), [])
  assert.deepEqual(callsOf(second, id), [`submit ${id}-2`])
  assert.ok(!bank.calls.slice(1).some(call => call.startsWith('submit')))
})

test('failover, first rail silent or paused: second rail pays, first rail is asked again later', async () => {
  const { id, bank, second } = await failedOver()
  bank.says(() => Promise.reject(new Error('reset')))
  second.says(() => PAID)
  await overDue(id)
  await settle({ bank, second })
  assert.equal(await statusOf(id), 'succeeded')
  assert.deepEqual(await exceptionsOf(id), [])
  await overDue(id)
  const asked = bank.calls.length
  // Paused: this process has no adapter of it.
  await settle({ second })
  assert.equal(bank.calls.length, asked)
  bank.says(() => PAID)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all'])
  assert.equal(await statusOf(id), 'succeeded')
})

test('failover, first rail does not answer, worker running: second rail asked meanwhile', async () => {
  const { id, bank, second } = await failedOver()
  const silence = Promise.withResolvers<RailReport>()
  bank.says(() => silence.promise)
  const paid = Promise.withResolvers<void>()
  second.says(() => {
    paid.resolve()
    return PAID
  })
  await overDue(id)
  const worker = startSettling({
    ...service.deps,
    rails: new Map(Object.entries({ bank, second })),
  })
  await paid.promise
  while ((await statusOf(id)) !== 'succeeded');
  silence.resolve(NOT_TAKEN)
  await worker.stop()
  assert.deepEqual(await exceptionsOf(id), [])
})

test('payout failed and credited back, then paid by the rail: one exception, balance unchanged', async () => {
  const before = await balancesOf(live)
  const id = await pay()
  const bank = scripted(() => ({ ...report('failed'), ask_again_in_ms: DAY_MS }))
  await settle({ bank })
  assert.deepEqual(await balancesOf(live), before)
  assert.deepEqual(await asksOf(id), ['24'])
  bank.says(() => PAID)
  assert.deepEqual(await wake(id), ['woken'])
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 paid_after_end'])
  assert.equal(await statusOf(id), 'failed')
  assert.deepEqual(await balancesOf(live), before)
  assert.equal(await close(id, 1), true)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 paid_after_end closed'])
  assert.ok(!bank.calls.slice(1).some(call => call.startsWith('submit')))
})

test('payout reversed, same return reported again: no change; a second return: an exception', async () => {
  const id = await pay()
  const bank = scripted(() => report('succeeded', 'reversed'))
  await settle({ bank })
  await wake(id)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), [])
  assert.deepEqual(await asksOf(id), [''])
  const exception = { kind: 'second_return', message: 'The bank has returned the payment twice.' }
  bank.says(() => ({ ...report('succeeded', 'reversed'), exception }))
  await wake(id)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 second_return'])
  assert.equal(await statusOf(id), 'reversed')
})

test('payout failed by a person, rail asked a day later: report "processing": no exception; report "paid": an exception', async () => {
  const id = await pay()
  const bank = scripted(() => UNDER_WAY)
  await settle({ bank })
  await rails.moveByHand(id, 'failed')
  assert.deepEqual(await asksOf(id), ['24'])
  await overDue(id)
  await settle({ bank })
  assert.deepEqual([await exceptionsOf(id), await asksOf(id)], [[], ['1']])
  bank.says(() => PAID)
  await overDue(id)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 paid_after_end'])
})

test('wake of an ended attempt while its rail is asked: the older answer does not delay the next question', async () => {
  const { id, bank } = await failedOver()
  const held = Promise.withResolvers<RailReport>()
  const asked = Promise.withResolvers<void>()
  bank.says(() => {
    asked.resolve()
    return held.promise
  })
  await overDue(id)
  const round = settle({ bank })
  await asked.promise
  await wake(id, 1)
  held.resolve(NOT_TAKEN)
  await round
  assert.deepEqual(await asksOf(id), ['0', ''])
  bank.says(() => PAID)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all'])
})

test("report made before the payout's end: no exception, rail asked again", async () => {
  const id = await pay()
  const late = Promise.withResolvers<RailReport>()
  const asked = Promise.withResolvers<void>()
  const slow = scripted(() => {
    asked.resolve()
    return late.promise
  })
  const first = settle({ bank: slow })
  await asked.promise
  await service.database.owner`
    update open_payouts set claimed_until = statement_timestamp() where id = ${id}`
  const bank = scripted(() => NOT_TAKEN)
  await settle({ bank })
  late.resolve(UNDER_WAY)
  await first
  assert.deepEqual([await exceptionsOf(id), await asksOf(id)], [[], ['0', '']])
  await settle({ bank })
  assert.deepEqual([await exceptionsOf(id), await asksOf(id)], [[], ['24', '']])
})

test('failover, payout claimed for the second rail, first rail then pays: exception that names the second submission', async () => {
  const { id, bank, second } = await failedOver()
  const held = Promise.withResolvers<RailReport>()
  const handed = Promise.withResolvers<void>()
  second.says(() => {
    handed.resolve()
    return held.promise
  })
  const round = settle({ second })
  await handed.promise
  bank.says(() => PAID)
  await wake(id, 1)
  await settle({ bank })
  held.resolve(PAID)
  await round
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all'])
  assert.equal(await statusOf(id), 'processing')
  assert.equal(await close(id, 1), true)
  await settle({ bank, second })
  assert.equal(await statusOf(id), 'succeeded')
})

test('payout with two exceptions: waits until both are closed', async () => {
  const { id, bank, second } = await failedOver()
  second.says(() => ({ ...report(), exception: DIFFERS }))
  await settle({ second })
  bank.says(() => PAID)
  await overDue(id)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['2 amount_differs', '1 taken_after_all'])
  second.says(() => PAID)
  assert.equal(await close(id, 2), true)
  await settle({ bank, second })
  assert.equal(await statusOf(id), 'processing')
  assert.equal(await close(id, 1), true)
  await settle({ bank, second })
  assert.equal(await statusOf(id), 'succeeded')
})

test('not_taken, no other route: an exception, money held, no rail asked; route added and exception closed: payout proceeds', async () => {
  await service.setRoutes([{ rail: 'bank', priority: 2 }])
  const id = await pay()
  const [bank, second] = [scripted(() => NOT_TAKEN), scripted(() => PAID)]
  for (let round = 0; round < 2; round++) await settle({ bank, second })
  assert.deepEqual(await exceptionsOf(id), ['1 no_other_route'])
  assert.deepEqual([callsOf(bank, id), callsOf(second, id)], [[`submit ${id}-1`], []])
  assert.equal(await statusOf(id), 'processing')
  const cancelled = await live.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(cancelled.status, 409, cancelled.text)
  // Without a route it cannot go on: a person is told again.
  assert.equal(await close(id, 1), true)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 no_other_route closed', '1 no_other_route'])
  await toBoth()
  assert.equal(await close(id, 2), true)
  await settle({ bank, second })
  await settle({ bank, second })
  assert.deepEqual(callsOf(second, id), [`submit ${id}-2`])
  assert.equal(await statusOf(id), 'succeeded')
  assert.ok(!bank.calls.slice(1).some(call => call.startsWith('submit')))
})

test('not_taken, no other route, payout held and released by a person: an exception again', async () => {
  await service.setRoutes([{ rail: 'bank', priority: 2 }])
  const id = await pay()
  const bank = scripted(() => NOT_TAKEN)
  await settle({ bank })
  assert.equal(await close(id, 1), true)
  await rails.moveByHand(id, 'compliance_hold', 'processing')
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 no_other_route closed', '1 no_other_route'])
  await toBoth()
})

const DIFFERS = { kind: 'amount_differs', message: '9.00 HKD.' }

for (const [name, said, kind] of [
  ['a step that cannot follow', { ...report('reversed'), ask_again_in_ms: 1 }, 'impossible_step'],
  ['another amount', { ...report(), exception: DIFFERS }, 'amount_differs'],
  [
    '"not taken" after steps',
    { ...NOT_TAKEN, ...report('compliance_hold'), ask_again_in_ms: 1 },
    'not_taken_after_steps',
  ],
] as const) {
  test(`${name}: not applied, no rail asked; closed and reported again: a new exception each time, money held`, async () => {
    const id = await pay()
    const bank = scripted(() => said)
    for (let round = 0; round < 2; round++) await settle({ bank })
    assert.deepEqual([await exceptionsOf(id), callsOf(bank, id).length], [[`1 ${kind}`], 1])
    assert.equal(await statusOf(id), 'processing')
    await close(id, 1)
    await settle({ bank })
    assert.deepEqual(await exceptionsOf(id), [`1 ${kind} closed`, `1 ${kind}`])
  })
}

test('success withdrawn by the rail: an exception, balance unchanged; closed, then repeated: no second exception, rail asked again', async () => {
  const id = await pay()
  const bank = scripted(() => PAID)
  await settle({ bank })
  const paid = await balancesOf(live)
  bank.says(() => ({ ...report('failed'), ask_again_in_ms: DAY_MS }))
  await makeDue(service, id)
  await settle({ bank })
  assert.deepEqual([await statusOf(id), await balancesOf(live)], ['succeeded', paid])
  await close(id, 1)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 history_changed closed'])
  bank.says(() => ({ ...report('succeeded', 'reversed'), ask_again_in_ms: null }))
  await makeDue(service, id)
  await settle({ bank })
  assert.equal(await statusOf(id), 'reversed')
})

test('rail report without a final step and without a next question: an exception', async () => {
  for (const said of [report(), report('compliance_hold')]) {
    const id = await pay()
    await settle({ bank: scripted(() => said) })
    assert.deepEqual(await exceptionsOf(id), ['1 nothing_more'])
  }
})

test('failover to the manual rail: people can take the payout once the exception is closed', async () => {
  await service.setRoutes([
    { rail: 'bank', priority: 2 },
    { rail: 'manual', priority: 1 },
  ])
  const { account_id } = live.account
  const id = await pay()
  const bank = scripted(() => NOT_TAKEN)
  await settle({ bank })
  bank.says(() => PAID)
  await wake(id, 1)
  await settle({ bank })
  const act = { account_id, payout_id: id, act: 'take', person: { name: 'anna' } } as const
  const take = () => new Lane(service.deps.sql, handlePayout, { max_batch: 1 }).run(act)
  await assert.rejects(take(), /open exception 1 \(taken_after_all\) of rail bank/)
  await close(id, 1)
  assert.equal((await take()).payout.taken_by, 'anna')
  await toBoth()
})

/** More than the reference connector takes at once: it says `not_taken`. */
const TOO_MUCH = 10_000_000_001

/** By its last digits, the reference connector refuses it. */
const REFUSED = 1_001

/** The reference connector, and a client of it. */
async function openReference(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-connector-'))
  const secret = newSecret(new Uint8Array(32).fill(7))
  const connector = await startConnector({ file: join(folder, 'book.jsonl'), secret, delay_ms: 1 })
  t.after(async () => {
    await connector.close()
    await rm(folder, { recursive: true, force: true })
  })
  const settings = { url: connector.url, key_lifetime_s: null, at_once: 8, allow_private: true }
  return { connector, settings, client: new ConnectorClient(settings, [secret]) }
}

test('submission past its time-out and its repeat stored together: no exception', async t => {
  const { settings, client } = await openReference(t)
  const store = evidenceStore(service.deps.sql)
  const together = Promise.withResolvers<void>()
  let kept = 0
  const partner = new ConnectorRail('bank', settings, client, {
    async keep(payout, evidence) {
      kept += 1
      if (kept === 2) together.resolve()
      await together.promise
      return store.keep(payout, evidence)
    },
  })
  const id = await pay()
  const asked = Promise.withResolvers<RailPayout>()
  const bank = scripted(payout => {
    asked.resolve(payout)
    return PAID
  })
  await settle({ bank })
  const payout = await asked.promise
  const reports = [...partner.submit([payout]), ...partner.submit([payout])]
  for (const { exception } of await Promise.all(reports)) assert.equal(exception, undefined)
  assert.equal(await statusOf(id), 'succeeded')
})

test('reference connector pays a payout that it had reported not_taken or rejected: found without a webhook', async t => {
  const { connector, settings, client } = await openReference(t)
  const bank = new ConnectorRail('bank', settings, client, evidenceStore(service.deps.sql))
  const second = scripted(() => PAID)
  const [id, refused] = [await pay(TOO_MUCH), await pay(REFUSED)]
  while ((await statusOf(refused)) !== 'failed') {
    await makeDue(service, refused)
    await settle({ bank })
  }
  assert.deepEqual(await attemptsOf(id), ['1 bank not_taken', '2 second open'])
  for (const payout of [id, refused]) {
    // A day later, in which no webhook has come.
    assert.equal((await asksOf(payout))[0], '24')
    await overDue(payout)
    await settle({ bank })
    assert.deepEqual(await exceptionsOf(payout), [])
    const entry = connector.book.entries.get(`${payout}-1`) ?? assert.fail('not in the book')
    const { amount, currency } = entry.order
    const said = { status: 'paid', code: '', message: '', amount, currency }
    connector.book.addStep(entry, { ...said, at: new Date().toISOString() })
    await overDue(payout)
    await settle({ bank })
    assert.deepEqual(await exceptionsOf(payout), ['1 contradiction'])
  }
  await settle({ bank, second })
  assert.deepEqual(callsOf(second, id), [])
  assert.deepEqual([await statusOf(id), await statusOf(refused)], ['processing', 'failed'])
})
