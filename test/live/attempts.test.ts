// Attempts of payouts on rails of live accounts: who had a payout, how that ended, who gets it next,
// and what a person must look at. What follows an end: over-attempts.test.ts.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import type { Rail, RailPayout, RailReport } from '../../src/rails/rail.ts'
import { balancesOf } from '../support/assert/check.ts'
import { openCli } from '../support/service/cli.ts'
import { makeDue, railOf, report } from '../support/service/settling.ts'
import { NOT_TAKEN, openTwoRails } from './two-rails.ts'

const rails = await openTwoRails()
const { service, live, pay, statusOf, attemptsOf, exceptionsOf, settle, wake } = rails
const cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
after(async () => {
  await cli.close()
  await rails.close()
})

interface Told extends Rail {
  readonly asked: RailPayout[]
}

/** A rail that is told by a test what to say, and keeps what it was asked. */
function saying(answer: (payout: RailPayout) => RailReport | undefined): Told {
  const asked: RailPayout[] = []
  const submit = async (payout: RailPayout) => {
    asked.push(payout)
    const said = answer(payout)
    assert.ok(said)
    return said
  }
  const inquire = async (payout: RailPayout) => {
    asked.push(payout)
    return answer(payout)
  }
  return { ...railOf({ submit, inquire }), name: 'bank', asked }
}

/** In a round in which the rail would say that it has paid, and more. */
async function assertNotAsked(id: string): Promise<void> {
  const bank = saying(() => report('succeeded', 'reversed'))
  await settle({ bank })
  assert.ok(bank.asked.every(payout => payout.id !== id))
}

test('settling, rail asked: attempt committed before the call, ended with the payout', async () => {
  const id = await pay()
  let seen: readonly string[] = []
  const bank = railOf({
    async submit() {
      seen = await attemptsOf(id)
      return { ...report('succeeded'), references: { file: 'F-1' }, ask_again_in_ms: null }
    },
  })
  await settle({ bank })
  assert.deepEqual(seen, ['1 bank open'])
  assert.deepEqual(await attemptsOf(id), ['1 bank paid'])
  const [paid] = await service.database.owner`
    select rail_references, uetr, asked_at is not null as asked
    from payout_attempts where payout_id = ${id}`
  const { uetr, ...rest } = paid as { uetr: string }
  assert.deepEqual(rest, { rail_references: { file: 'F-1' }, asked: true })
  assert.match(uetr, /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  assert.equal(await statusOf(id), 'succeeded')
})

test('settling, late answer not_taken while another worker holds the payout: left to that worker', async () => {
  const id = await pay()
  const late = Promise.withResolvers<RailReport>()
  const slow = railOf({ submit: () => late.promise })
  const first = settleOnce({ ...service.deps, rails: new Map([['bank', slow]]) })
  await waitForClaim(id)
  // The lease ends, and another worker asks, by which the rail pays.
  await service.database.owner`
    update open_payouts set claimed_until = statement_timestamp() where id = ${id}`
  const held = Promise.withResolvers<RailReport>()
  const other = railOf({ submit: () => held.promise })
  const second = settleOnce({ ...service.deps, rails: new Map([['bank', other]]) })
  await waitForClaim(id, 2)
  late.resolve(NOT_TAKEN)
  await first
  assert.deepEqual(await attemptsOf(id), ['1 bank open'])
  held.resolve(report('succeeded'))
  await second
  assert.equal(await statusOf(id), 'succeeded')
  assert.deepEqual(await attemptsOf(id), ['1 bank paid'])
})

async function waitForClaim(id: string, times = 1): Promise<void> {
  for (;;) {
    const [row] = await service.database.owner`
      select from open_payouts where id = ${id} and rail_attempts = ${times}`
    if (row !== undefined) return
  }
}

test("settling, payout unknown to its rail: submitted again within the key's lifetime; later, or after a reported step: an exception", async () => {
  const [early, lost, told] = [await pay(), await pay(), await pay()]
  const rail = { ...saying(() => undefined), key_lifetime_ms: 3_600_000 }
  const steps = { ...report('requires_action'), ask_again_in_ms: 1 }
  const breaking = (payouts: readonly RailPayout[]) =>
    payouts.map(({ id }) =>
      id === told ? Promise.resolve(steps) : Promise.reject(new Error('reset')),
    )
  await settle({ bank: { ...rail, submit: breaking } })
  await service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = 'on'`
    await tx`alter table payout_attempts disable trigger user`
    await tx`update payout_attempts set opened_at = opened_at - interval '1 hour',
      asked_at = asked_at - interval '1 hour' where payout_id = ${lost}`
    await tx`alter table payout_attempts enable trigger user`
  })
  const handed: string[] = []
  const submit = (payouts: readonly RailPayout[]) => {
    handed.push(...payouts.map(({ id }) => id))
    return payouts.map(async () => report('succeeded'))
  }
  for (const id of [early, lost, told]) await makeDue(service, id)
  await settle({ bank: { ...rail, submit } })
  assert.deepEqual(handed, [early])
  for (const id of [lost, told]) assert.deepEqual(await exceptionsOf(id), ['1 attempt_forgotten'])
  assert.equal(await statusOf(lost), 'processing')
})

test("wake (question asked at once) after success: the rail's return is credited back, attempt returned", async () => {
  const before = await balancesOf(live)
  const id = await pay()
  await settle({ bank: saying(() => report('succeeded')) })
  await assertNotAsked(id)
  assert.deepEqual(await wake(id), ['woken'])
  await settle({ bank: saying(() => report('succeeded', 'reversed')) })
  assert.equal(await statusOf(id), 'reversed')
  assert.deepEqual(await balancesOf(live), before)
  assert.deepEqual(await attemptsOf(id), ['1 bank returned'])
})

test('wake while the rail is asked: asked again as soon as it has answered', async () => {
  const id = await pay()
  const held = Promise.withResolvers<RailReport>()
  let asked = 0
  const submit = () => {
    asked += 1
    return held.promise
  }
  const round = settle({ bank: railOf({ submit }) })
  await waitForClaim(id)
  assert.deepEqual(await wake(id), ['woken'])
  held.resolve(report('succeeded'))
  await round
  assert.equal(await statusOf(id), 'succeeded')
  assert.equal(asked, 2)
})

test('wake before submission or after cancellation: rail not asked', async () => {
  const id = await pay()
  assert.deepEqual(await wake(id), ['not_asked'])
  const cancelled = await live.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(cancelled.status, 200, cancelled.text)
  assert.deepEqual(await wake(id), ['not_asked'])
  assert.deepEqual(await attemptsOf(id), [])
})

test('payout ended by a person, later report of the rail: an exception, status kept; exception closed: rail not asked', async () => {
  const late = await pay()
  const held = Promise.withResolvers<RailReport>()
  const round = settle({ bank: railOf({ submit: () => held.promise }) })
  await waitForClaim(late)
  await rails.moveByHand(late, 'succeeded')
  held.resolve(report('failed'))
  await round
  assert.deepEqual(await exceptionsOf(late), ['1 said_after_person'])
  assert.equal(await statusOf(late), 'succeeded')
  const id = await pay()
  await settle({ bank: saying(() => ({ ...report(), ask_again_in_ms: 1 })) })
  await rails.moveByHand(id, 'succeeded')
  assert.deepEqual(await wake(id), ['person'])
  assert.deepEqual(await wake(id), ['waits'])
  assert.deepEqual(await exceptionsOf(id), ['1 said_after_person'])
  await assertNotAsked(id)
  assert.equal(await statusOf(id), 'succeeded')
  const closed = await cli.run('rail', 'close-exception', id, '1', '--note', 'Known', '--json')
  assert.equal(closed.json.asked, false, closed.stderr)
  assert.deepEqual(await exceptionsOf(id), ['1 said_after_person closed'])
})

test('PostgreSQL, attempts: at most one open or paid per payout, ends final, evidence append-only', async () => {
  const id = await pay()
  await settle({ bank: saying(() => ({ ...report(), ask_again_in_ms: 60_000 })) })
  const { owner } = service.database
  const change = (text: string) =>
    owner.begin(async tx => {
      await tx`set local corridor.maintenance = 'on'`
      await tx.unsafe(text)
    })
  const copy = (ended: string) => `insert into payout_attempts (account_id, payout_id, number, rail,
    opened_at, uetr, ended_as, ended_at) select account_id, payout_id, 2, 'second', opened_at,
    '00000000-0000-4000-8000-000000000000', ${ended} from payout_attempts where payout_id = '${id}'`
  for (const ended of [`'', null`, `'paid', now()`]) {
    await assert.rejects(change(copy(ended)), { constraint_name: 'one_open_attempt' })
  }
  for (const set of [
    "rail = 'second'",
    'number = 2',
    `uetr = '${crypto.randomUUID()}'`,
    'asked_at = now()',
  ]) {
    const text = `update payout_attempts set ${set} where payout_id = '${id}'`
    await assert.rejects(change(text), { code: '23514' }, set)
  }
  // Asked again is only what is over.
  await assert.rejects(
    owner`update payout_attempts set ask_again_at = now() where payout_id = ${id}`,
    { constraint_name: 'asked_again_once_over' },
  )
  await assert.rejects(change('delete from payout_attempts'), /append-only/)
  const evidence = `insert into rail_evidence select account_id, payout_id, 9, 1, now(), null, 'x'
    from payouts`
  await assert.rejects(change(evidence))
})

const UNCLEAR: RailReport = {
  ...report(),
  exception: { kind: 'amount_differs', message: 'The bank has booked 9.00 USD.' },
}

test('corridor rail exceptions, exception open: no step applied, rail not asked; closed: rail asked', async () => {
  const id = await pay()
  await settle({ bank: saying(() => ({ ...UNCLEAR, ...report('succeeded') })) })
  assert.equal(await statusOf(id), 'processing')
  const listed = await cli.run('rail', 'exceptions', '--limit', '1000', '--json')
  const mine = (listed.json as { payout: string }[]).filter(({ payout }) => payout === id)
  const { opened_at, ...exception } = mine[0] as unknown as Record<string, unknown>
  assert.deepEqual(exception, {
    account: live.account.account_id,
    payout: id,
    number: 1,
    attempt: 1,
    rail: 'bank',
    kind: 'amount_differs',
    message: 'The bank has booked 9.00 USD.',
    next: `corridor rail close-exception ${id} 1 --note …`,
  })
  assert.match(String(opened_at), /^2/)
  const words = await cli.run('rail', 'exceptions')
  assert.match(words.stdout, /amount_differs/)
  await assertNotAsked(id)
  assert.deepEqual(await wake(id), ['waits'])
  const closed = await cli.run('rail', 'close-exception', id, '1', '--note', 'Booked today')
  assert.deepEqual([closed.code, closed.stdout], [0, `${id}  closed; its rail is asked again\n`])
  const again = await cli.run('rail', 'close-exception', id, '1', '--note', 'Booked today')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /has no open exception 1/)
  // The same words open no second one; what follows from them is applied.
  await settle({ bank: saying(() => ({ ...UNCLEAR, ...report('succeeded') })) })
  assert.deepEqual(await exceptionsOf(id), ['1 amount_differs closed'])
  assert.equal(await statusOf(id), 'succeeded')
})

test('corridor rail close-exception without name, note or number: refused', async () => {
  const id = await pay()
  await settle({ bank: saying(() => UNCLEAR) })
  const nobody = await openCli(service.database.url)
  const close = ['rail', 'close-exception', id]
  for (const [run, message] of [
    [() => nobody.run(...close, '1', '--note', 'x'), /CORRIDOR_USER/],
    [() => cli.run(...close, '1'), /--note/],
    [() => cli.run(...close, '1', '--note', ''), /note/],
    [() => cli.run(...close, 'one', '--note', 'x'), /"one" is not a whole number/],
    [() => cli.run('rail', 'close-exception', 'pot_x', '1', '--note', 'x'), /no payout pot_x/],
  ] as const) {
    const { code, stderr } = await run()
    assert.notEqual(code, 0)
    assert.match(stderr, message)
  }
  await nobody.close()
  const [row] = await service.database.owner`
    select closed_at, closed_by from rail_exceptions where payout_id = ${id}`
  assert.deepEqual({ ...row }, { closed_at: null, closed_by: '' })
})
