// News of attempts that are over: a rail takes back its word after another rail has the payout, or
// the account its money. Nothing is handed over again and no step follows; a person looks. The
// rails are scripts; the worker, the lanes and the rows are the product's.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { transactConfined } from '../../src/db/confine.ts'
import { Lane } from '../../src/engine/lane.ts'
import { handlePayout } from '../../src/payout/by-hand-operation.ts'
import { wakePayouts } from '../../src/payout/wake-store.ts'
import type { Rail, RailPayout, RailReport } from '../../src/rail/rail.ts'
import { verify } from '../../src/verify/run.ts'
import { startSettling } from '../../src/worker/settle-payouts.ts'
import { balancesOf } from '../support/assert/check.ts'
import {
  addRails,
  closeExceptionOf,
  pay as payFrom,
  exceptionsOf as readExceptions,
  statusOf as readStatus,
} from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { makeDue, railOf, report, settleRound } from '../support/service/settling.ts'

let service: TestService
let live: Client
before(async () => {
  service = await startTestService({ rail_timeout_ms: 20_000, settle_poll_ms: 20 })
  await service.setFees([{}])
  await service.setRates({ 'USD/HKD': '7.8' })
  await addRails(service, 'bank', 'second')
  live = await service.openAccount({ sandbox: false, fund: { USD: 10_000_000n } })
  await toBoth()
})
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  await service.close()
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})

const toBoth = () =>
  service.setRoutes([
    { rail: 'bank', priority: 2 },
    { rail: 'second', priority: 1 },
  ])

const pay = async (): Promise<string> => (await payFrom(live, { amount: 1000 })).id

const statusOf = (id: string) => readStatus(live, id)

const exceptionsOf = (id: string) => readExceptions(service, id)

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

function wake(id: string, attempt?: number) {
  const { account_id } = live.account
  const news = { account_id, id, ...(attempt !== undefined && { attempt }) }
  return transactConfined(service.deps.sql, [account_id], tx => wakePayouts(tx, [news]))
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

const settle = (rails: Readonly<Record<string, Rail>>) => settleRound(service, rails)

const DAY_MS = 86_400_000
const NOT_TAKEN: RailReport = {
  steps: [],
  ask_again_in_ms: DAY_MS,
  not_taken: { code: 'closed', message: 'No HKD today.' },
}
const PAID = { ...report('succeeded'), ask_again_in_ms: DAY_MS }
const UNDER_WAY = { ...report(), ask_again_in_ms: 1_000 }

/** A payout that the first rail has not taken and the second one is to get. */
async function failedOver() {
  const id = await pay()
  const bank = scripted(() => NOT_TAKEN)
  const second = scripted(() => UNDER_WAY)
  await settle({ bank })
  assert.deepEqual(await asksOf(id), ['24', ''])
  return { id, bank, second }
}

test('not taken, then paid by the first rail: found by polling alone, the second is not handed it', async () => {
  const { id, bank, second } = await failedOver()
  bank.says(() => PAID)
  await overDue(id)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all'])
  await settle({ bank, second })
  assert.deepEqual(second.calls, [])
  assert.deepEqual(bank.calls, [`submit ${id}-1`, `inquire ${id}-1`])
  assert.equal(await statusOf(id), 'processing')
})

test('closed: the second rail is handed the payout, the same words open nothing, others do', async () => {
  const { id, bank, second } = await failedOver()
  bank.says(() => UNDER_WAY)
  await wake(id, 1)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 taken_after_all'])
  assert.equal(await close(id, 1), true)
  await settle({ bank, second })
  assert.deepEqual(second.calls, [`submit ${id}-2`])
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

test('still not taken, or never known: nothing, and asked again in a day', async () => {
  const { id, bank, second } = await failedOver()
  for (const said of [NOT_TAKEN, undefined]) {
    bank.says(() => said)
    await overDue(id)
    await settle({ bank })
    assert.deepEqual(await asksOf(id), ['24', ''])
  }
  await settle({ second })
  assert.deepEqual(await exceptionsOf(id), [])
  assert.deepEqual(second.calls, [`submit ${id}-2`])
  assert.ok(!bank.calls.slice(1).some(call => call.startsWith('submit')))
})

test('a first rail that is silent, or paused: the second pays, and the question stays', async () => {
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

test('a silent first rail in the running worker: the second is asked meanwhile', async () => {
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

test('failed, the money is back, and the rail pays: an exception, once; nothing moves', async () => {
  const before = await balancesOf(live)
  const id = await pay()
  const bank = scripted(() => ({ ...report('failed'), ask_again_in_ms: DAY_MS }))
  await settle({ bank })
  assert.deepEqual(await balancesOf(live), before)
  assert.deepEqual(await asksOf(id), ['24'])
  bank.says(() => PAID)
  assert.deepEqual(
    (await wake(id)).map(({ result }) => result),
    ['woken'],
  )
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 paid_after_end'])
  assert.equal(await statusOf(id), 'failed')
  assert.deepEqual(await balancesOf(live), before)
  assert.equal(await close(id, 1), true)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 paid_after_end closed'])
  assert.ok(!bank.calls.slice(1).some(call => call.startsWith('submit')))
})

test('returned, and returned once more in the same words: nothing; a second return: an exception', async () => {
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

test('failed by a person: asked a day later; that it is under way was known, that it is paid was not', async () => {
  const { account_id } = live.account
  const id = await pay()
  const bank = scripted(() => UNDER_WAY)
  await settle({ bank })
  const moved = { account_id, payout_id: id, by: 'operator', ask_again_in_ms: null } as const
  const { steps } = report('failed')
  await service.deps.lanes.advancePayout.run({ ...moved, steps, person: { name: 'anna' } })
  assert.deepEqual(await asksOf(id), ['24'])
  await overDue(id)
  await settle({ bank })
  assert.deepEqual([await exceptionsOf(id), await asksOf(id)], [[], ['1']])
  bank.says(() => PAID)
  await overDue(id)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 paid_after_end'])
})

test('cancelled before any rail had it: nobody is asked', async () => {
  const id = await pay()
  await live.post(`/v3/payout/${id}/cancel`, {})
  assert.deepEqual(
    (await wake(id)).map(({ result }) => result),
    ['not_asked'],
  )
})

test('news while the rail is asked: the older answer does not put the next question off', async () => {
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

test('a report older than the end: the rail is asked anew, and no exception rests on it', async () => {
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

test('claimed for the second rail when the first one pays: what is handed over is told to a person', async () => {
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

test('two exceptions: nothing goes on until both are closed', async () => {
  const { id, bank, second } = await failedOver()
  const exception = { kind: 'amount_differs', message: '9.00 HKD.' }
  second.says(() => ({ ...report(), exception }))
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

test('no other route, a route is added, the exception closed: the payout goes on', async () => {
  await service.setRoutes([{ rail: 'bank', priority: 2 }])
  const id = await pay()
  const [bank, second] = [scripted(() => NOT_TAKEN), scripted(() => PAID)]
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 no_other_route'])
  // Without a route it cannot go on: a person is told again.
  assert.equal(await close(id, 1), true)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 no_other_route closed', '1 no_other_route'])
  await toBoth()
  assert.equal(await close(id, 2), true)
  await settle({ bank, second })
  await settle({ bank, second })
  assert.deepEqual(second.calls, [`submit ${id}-2`])
  assert.equal(await statusOf(id), 'succeeded')
  assert.ok(!bank.calls.slice(1).some(call => call.startsWith('submit')))
})

test('no other route, held and released by a person: a person is told again, not nobody', async () => {
  const { account_id } = live.account
  await service.setRoutes([{ rail: 'bank', priority: 2 }])
  const id = await pay()
  const bank = scripted(() => NOT_TAKEN)
  await settle({ bank })
  assert.equal(await close(id, 1), true)
  const moved = { account_id, payout_id: id, by: 'operator', ask_again_in_ms: null } as const
  for (const status of ['compliance_hold', 'processing'] as const) {
    const { steps } = report(status)
    await service.deps.lanes.advancePayout.run({ ...moved, steps, person: { name: 'anna' } })
  }
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 no_other_route closed', '1 no_other_route'])
  await toBoth()
})

for (const [name, said, kind] of [
  ['a step that cannot follow', report('reversed'), 'impossible_step'],
  [
    'not taken after steps',
    { ...NOT_TAKEN, ...report('compliance_hold') },
    'not_taken_after_steps',
  ],
] as const) {
  test(`${name}, closed and said again: a new exception each time, as money is held`, async () => {
    const id = await pay()
    const bank = scripted(() => ({ ...NOT_TAKEN, ...said, ask_again_in_ms: 1 }))
    if (kind === 'impossible_step') bank.says(() => ({ ...said, ask_again_in_ms: 1 }))
    await settle({ bank })
    await close(id, 1)
    await settle({ bank })
    assert.deepEqual(await exceptionsOf(id), [`1 ${kind} closed`, `1 ${kind}`])
  })
}

test('a success taken back, closed and said again: no second exception, and asked on', async () => {
  const id = await pay()
  const bank = scripted(() => PAID)
  await settle({ bank })
  bank.says(() => ({ ...report('failed'), ask_again_in_ms: DAY_MS }))
  await makeDue(service, id)
  await settle({ bank })
  await close(id, 1)
  await settle({ bank })
  assert.deepEqual(await exceptionsOf(id), ['1 history_changed closed'])
  bank.says(() => ({ ...report('succeeded', 'reversed'), ask_again_in_ms: null }))
  await makeDue(service, id)
  await settle({ bank })
  assert.equal(await statusOf(id), 'reversed')
})

test('a rail that says nothing, and that nothing follows: an exception, not silence', async () => {
  for (const said of [report(), report('compliance_hold')]) {
    const id = await pay()
    await settle({ bank: scripted(() => said) })
    assert.deepEqual(await exceptionsOf(id), ['1 nothing_more'])
  }
})

test('people have it next: they take it once the exception is closed', async () => {
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

test('the database: only an attempt that is over and was asked about is asked again', async () => {
  const id = await pay()
  await settle({ bank: scripted(() => UNDER_WAY) })
  await assert.rejects(
    service.database.owner`update payout_attempts set ask_again_at = now() where payout_id = ${id}`,
    { constraint_name: 'asked_again_once_over' },
  )
})
