// Attempts of payouts on rails of live accounts: who had a payout, how that ended, who gets it next,
// and what a person must look at. The rails are scripts; the worker, the lanes and the rows are the
// product's.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { transactConfined } from '../../src/db/confine.ts'
import { wakePayouts } from '../../src/payout/wake-store.ts'
import type { Rail, RailPayout, RailReport } from '../../src/rail/rail.ts'
import { updateRail } from '../../src/rail/row-store.ts'
import { verify } from '../../src/verify/run.ts'
import { settleOnce } from '../../src/worker/settle-payouts.ts'
import { balancesOf } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { addRails, pay as payFrom, statusOf as readStatus } from '../support/service/payouts.ts'
import { startTestService } from '../support/service/service.ts'
import { makeDue, railOf, report, settleRound } from '../support/service/settling.ts'

const service = await startTestService({ rail_timeout_ms: 20_000 })
const cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
await service.setFees([{}])
await service.setRates({ 'USD/HKD': '7.8' })
await addRails(service, 'bank', 'second')
const live = await service.openAccount({ sandbox: false, fund: { USD: 10_000_000n } })
await service.setRoutes([
  { rail: 'bank', priority: 2 },
  { rail: 'second', priority: 1 },
])
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  await cli.close()
  await service.close()
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
})

interface Row {
  readonly number: number
  readonly rail: string
  readonly ended_as: string
}

async function attemptsOf(id: string) {
  return service.database.owner<Row[]>`
    select number, rail, ended_as from payout_attempts where payout_id = ${id} order by number`
}

async function exceptionsOf(id: string) {
  const rows = await service.database.owner<{ kind: string }[]>`
    select kind from rail_exceptions where payout_id = ${id} order by number`
  return rows.map(({ kind }) => kind)
}

const pay = async (): Promise<string> => (await payFrom(live, { amount: 1000 })).id

const statusOf = (id: string) => readStatus(live, id)

const settle = (rails: Readonly<Record<string, Rail>>) => settleRound(service, rails)

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

const NOT_TAKEN: RailReport = {
  ...report(),
  not_taken: { code: 'closed', message: 'The bank takes no HKD today.' },
}

test('a payout is asked about: its attempt is committed first, and ends as the payout does', async () => {
  const id = await pay()
  let seen: readonly Row[] = []
  const bank = railOf({
    async submit() {
      seen = await attemptsOf(id)
      return { ...report('succeeded'), references: { file: 'F-1' }, ask_again_in_ms: null }
    },
  })
  await settle({ bank })
  assert.deepEqual(
    [...seen].map(row => ({ ...row })),
    [{ number: 1, rail: 'bank', ended_as: '' }],
  )
  const [paid] = await service.database.owner`
    select number, ended_as, rail_references, uetr, asked_at is not null as asked
    from payout_attempts where payout_id = ${id}`
  const { uetr, ...rest } = paid as { uetr: string }
  assert.deepEqual(rest, {
    number: 1,
    ended_as: 'paid',
    rail_references: { file: 'F-1' },
    asked: true,
  })
  assert.match(uetr, /^[0-9a-f]{8}-[0-9a-f]{4}-4/)
  assert.equal(await statusOf(id), 'succeeded')
})

test('a sandbox payout has no row of an attempt', async () => {
  const sandbox = await service.openAccount({ fund: { USD: 10_000n } })
  const { json } = await sandbox.post('/v3/payout', { ...localPayout, amount: 1000 })
  await settleOnce(service.deps)
  assert.equal((await attemptsOf(json.data.id)).length, 0)
})

test('not taken: the attempt ends and the next route’s rail gets the payout, with another reference', async () => {
  const id = await pay()
  const first = saying(() => NOT_TAKEN)
  const second = saying(() => report('succeeded'))
  await settle({ bank: first, second })
  assert.equal(await statusOf(id), 'processing')
  await settle({ bank: first, second })
  assert.equal(await statusOf(id), 'succeeded')
  assert.deepEqual(
    (await attemptsOf(id)).map(row => ({ ...row })),
    [
      { number: 1, rail: 'bank', ended_as: 'not_taken' },
      { number: 2, rail: 'second', ended_as: 'paid' },
    ],
  )
  const [one, two] = [first.asked, second.asked].map(asked => asked.find(p => p.id === id))
  assert.deepEqual([one?.attempt.id, two?.attempt.id], [`${id}-1`, `${id}-2`])
  assert.notEqual(one?.attempt.uetr, two?.attempt.uetr)
  const events = await live.get(`/v3/event?object_id=${id}`)
  assert.ok(JSON.stringify(events.json).includes('payout.rerouted'), events.text)
})

test('not taken and no other route: a person decides, the money stays held, nobody is asked', async () => {
  const id = await pay()
  const rails = { bank: saying(() => NOT_TAKEN), second: saying(() => NOT_TAKEN) }
  for (let round = 0; round < 4; round++) await settle(rails)
  assert.deepEqual(await exceptionsOf(id), ['no_other_route'])
  assert.equal(await statusOf(id), 'processing')
  const asked = [...rails.bank.asked, ...rails.second.asked].filter(p => p.id === id)
  assert.equal(asked.length, 2)
  const cancelled = await live.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(cancelled.status, 409, cancelled.text)
})

test('a late "not taken" while another worker has the payout: left to that worker', async () => {
  const id = await pay()
  const late = Promise.withResolvers<RailReport>()
  const slow = railOf({ submit: () => late.promise })
  const { deps } = service
  const patient = { ...deps, config: { ...deps.config, rail_timeout_ms: 20_000 } }
  const first = settleOnce({ ...patient, rails: new Map([['bank', slow]]) })
  await waitForClaim(id)
  // The lease ends, and another worker asks, by which the rail pays.
  await service.database.owner`
    update open_payouts set claimed_until = statement_timestamp() where id = ${id}`
  const held = Promise.withResolvers<RailReport>()
  const other = railOf({ submit: () => held.promise })
  const second = settleOnce({ ...patient, rails: new Map([['bank', other]]) })
  await waitForClaim(id, 2)
  late.resolve(NOT_TAKEN)
  await first
  assert.deepEqual(
    (await attemptsOf(id)).map(({ ended_as }) => ended_as),
    [''],
  )
  held.resolve(report('succeeded'))
  await second
  assert.equal(await statusOf(id), 'succeeded')
  assert.deepEqual(
    (await attemptsOf(id)).map(({ ended_as }) => ended_as),
    ['paid'],
  )
})

async function waitForClaim(id: string, times = 1): Promise<void> {
  for (;;) {
    const [row] = await service.database.owner`
      select from open_payouts where id = ${id} and rail_attempts = ${times}`
    if (row !== undefined) return
  }
}

test('unknown to its rail within the key’s lifetime: handed over again; after it: never, a person looks', async () => {
  const [early, lost] = [await pay(), await pay()]
  const rail = { ...saying(() => undefined), key_lifetime_ms: 3_600_000 }
  await settle({ bank: { ...rail, submit: p => p.map(() => Promise.reject(new Error('reset'))) } })
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
  await makeDue(service, early)
  await makeDue(service, lost)
  await settle({ bank: { ...rail, submit } })
  assert.deepEqual(handed, [early])
  assert.deepEqual(await exceptionsOf(lost), ['attempt_forgotten'])
  assert.equal(await statusOf(lost), 'processing')
})

test('a rail that does not know what it has reported steps of: never handed over again', async () => {
  const id = await pay()
  await settle({ bank: saying(() => ({ ...report('requires_action'), ask_again_in_ms: 1 })) })
  await makeDue(service, id)
  const handed: string[] = []
  const forgetting = railOf({
    async submit(payout) {
      handed.push(payout.id)
      return report('succeeded')
    },
    inquire: async () => undefined,
  })
  await settle({ bank: forgetting })
  assert.deepEqual(handed, [])
  assert.deepEqual(await exceptionsOf(id), ['attempt_forgotten'])
})

function wake(id: string) {
  const { account_id } = live.account
  return transactConfined(service.deps.sql, [account_id], tx =>
    wakePayouts(tx, [{ account_id, id }]),
  )
}

test('woken after success: asked again, the return gives the money back, the attempt is returned', async () => {
  const before = await balancesOf(live)
  const id = await pay()
  await settle({ bank: saying(() => report('succeeded')) })
  const quiet = saying(() => report('succeeded', 'reversed'))
  await settle({ bank: quiet })
  assert.deepEqual(
    quiet.asked.filter(p => p.id === id),
    [],
  )
  assert.deepEqual(
    (await wake(id)).map(({ result }) => result),
    ['woken'],
  )
  await settle({ bank: quiet })
  assert.equal(await statusOf(id), 'reversed')
  assert.deepEqual(await balancesOf(live), before)
  assert.deepEqual(
    (await attemptsOf(id)).map(({ ended_as }) => ended_as),
    ['returned'],
  )
})

test('woken after success, a history without that success: an exception, and no money moves', async () => {
  const id = await pay()
  await settle({ bank: saying(() => report('succeeded')) })
  const after = await balancesOf(live)
  await wake(id)
  await settle({ bank: saying(() => report('failed')) })
  assert.deepEqual(await exceptionsOf(id), ['history_changed'])
  assert.equal(await statusOf(id), 'succeeded')
  assert.deepEqual(await balancesOf(live), after)
})

test('woken while its rail is asked: the older answer does not put the next question off', async () => {
  const id = await pay()
  const held = Promise.withResolvers<RailReport>()
  const round = settle({ bank: railOf({ submit: () => held.promise }) })
  await waitForClaim(id)
  assert.deepEqual(
    (await wake(id)).map(({ result }) => result),
    ['woken'],
  )
  held.resolve(report('succeeded'))
  await round
  assert.equal(await statusOf(id), 'succeeded')
  const [row] = await service.database.owner`
    select ask_rail_at <= statement_timestamp() as due from open_payouts where id = ${id}`
  assert.deepEqual({ ...row }, { due: true })
  await service.database.owner`update open_payouts set claimed_until = null where id = ${id}`
  await settle({ bank: saying(() => report('succeeded')) })
})

test('woken before any rail has it: not asked early', async () => {
  const id = await pay()
  assert.deepEqual(
    (await wake(id)).map(({ result }) => result),
    ['not_asked'],
  )
  const cancelled = await live.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(cancelled.status, 200, cancelled.text)
  assert.equal((await attemptsOf(id)).length, 0)
})

test('what a person has moved stays as it is: new evidence is an exception, and so is a late report', async () => {
  const { account_id } = live.account
  const id = await pay()
  await settle({ bank: saying(() => ({ ...report(), ask_again_in_ms: 1 })) })
  const moved = { account_id, payout_id: id, by: 'operator', ask_again_in_ms: null } as const
  const { steps } = report('succeeded')
  await service.deps.lanes.advancePayout.run({ ...moved, steps, person: { name: 'anna' } })
  assert.deepEqual(
    (await wake(id)).map(({ result }) => result),
    ['person'],
  )
  assert.deepEqual(
    (await wake(id)).map(({ result }) => result),
    ['waits'],
  )
  assert.deepEqual(await exceptionsOf(id), ['said_after_person'])
  const bank = saying(() => report('succeeded', 'reversed'))
  await settle({ bank })
  assert.deepEqual(
    bank.asked.filter(p => p.id === id),
    [],
  )
  assert.equal(await statusOf(id), 'succeeded')
})

test('an exception of the rail, or a step that cannot follow: nothing is applied, nobody is asked', async () => {
  const said = { kind: 'amount_differs', message: 'The bank booked another amount.' }
  for (const [told, kind] of [
    [{ ...report('succeeded'), exception: said }, 'amount_differs'],
    [report('reversed'), 'impossible_step'],
  ] as const) {
    const id = await pay()
    await settle({ bank: saying(() => ({ ...told, ask_again_in_ms: 1 })) })
    const again = saying(() => report('succeeded'))
    await settle({ bank: again })
    assert.deepEqual(await exceptionsOf(id), [kind])
    assert.equal(await statusOf(id), 'processing')
    assert.deepEqual(
      again.asked.filter(p => p.id === id),
      [],
    )
    assert.deepEqual(
      (await wake(id)).map(({ result }) => result),
      ['waits'],
    )
  }
})

test('the database: one open or paid attempt a payout, an end is an end, evidence stays', async () => {
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
  await assert.rejects(change('delete from payout_attempts'), /append-only/)
  const evidence = `insert into rail_evidence select account_id, payout_id, 9, 1, now(), null, 'x'
    from payouts`
  await assert.rejects(change(evidence))
})

const UNCLEAR: RailReport = {
  ...report(),
  exception: { kind: 'amount_differs', message: 'The bank has booked 9.00 USD.' },
}

test('corridor rail exceptions: listed until a person closes one, then its rail is asked again', async () => {
  const id = await pay()
  await settle({ bank: saying(() => UNCLEAR) })
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
  const silent = saying(() => report('succeeded'))
  await settle({ bank: silent })
  assert.deepEqual(
    silent.asked.filter(p => p.id === id),
    [],
  )
  const closed = await cli.run('rail', 'close-exception', id, '1', '--note', 'Booked today')
  assert.deepEqual([closed.code, closed.stdout], [0, `${id}  closed; its rail is asked again\n`])
  const again = await cli.run('rail', 'close-exception', id, '1', '--note', 'Booked today')
  assert.equal(again.code, 1)
  assert.match(again.stderr, /has no open exception 1/)
  // The same words open no second one; what follows from them is applied.
  await settle({ bank: saying(() => ({ ...UNCLEAR, ...report('succeeded') })) })
  assert.deepEqual(await exceptionsOf(id), ['amount_differs'])
  assert.equal(await statusOf(id), 'succeeded')
})

test('corridor rail close-exception, the rail says the same and no more: a new exception', async () => {
  const id = await pay()
  const same = saying(() => UNCLEAR)
  await settle({ bank: same })
  for (const number of ['1', '2']) {
    const closed = await cli.run('rail', 'close-exception', id, number, '--note', 'Asked them')
    assert.equal(closed.code, 0, closed.stderr)
    await settle({ bank: same })
  }
  const { length } = await exceptionsOf(id)
  assert.equal(length, 3)
  assert.equal(await statusOf(id), 'processing')
})

test('corridor rail add --replace, another url while the rail may have payouts: refused', async () => {
  const config = { url: 'https://bank.example', key_lifetime_s: null }
  const row = { name: 'bank', kind: 'connector', config, secret: '', paused_reason: '' } as const
  // The rail of these tests has no address, and gets one here although it has payouts.
  const { owner } = service.database
  await owner`alter table rails disable trigger keeps_its_identity`
  await updateRail(service.deps.sql, row)
  await owner`alter table rails enable trigger keeps_its_identity`
  const replace = async (given: unknown) => {
    const path = await cli.file('bank.json', JSON.stringify(given))
    return cli.run('rail', 'add', 'bank', '--kind', 'connector', '--config', path, '--replace')
  }
  await pay()
  await settle({ bank: saying(() => ({ ...report(), ask_again_in_ms: 60_000 })) })
  const refused = await replace({ ...config, url: 'https://other.example' })
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    /keeps its url: it is asked about [1-9]\d* payouts?; add another rail/,
  )
  const same = await replace({ ...config, at_once: 8 })
  assert.equal(same.code, 0, same.stderr)
  const shown = await cli.run('rail', 'show', 'bank', '--json')
  assert.match(shown.stdout, /bank\.example/)
})

test('corridor rail close-exception: nothing without a name, a note or a number', async () => {
  const id = await pay()
  await settle({ bank: saying(() => UNCLEAR) })
  const nobody = await openCli(service.database.url)
  const close = ['rail', 'close-exception', id]
  for (const [run, message] of [
    [() => nobody.run(...close, '1', '--note', 'x'), /CORRIDOR_USER/],
    [() => cli.run(...close, '1'), /--note/],
    [() => cli.run(...close, '1', '--note', ''), /note/],
    [() => cli.run(...close, 'one', '--note', 'x'), /"one" is not a number/],
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

test('corridor rail close-exception, a payout that a person has moved: closed, and nobody is asked', async () => {
  const { account_id } = live.account
  const id = await pay()
  await settle({ bank: saying(() => ({ ...report(), ask_again_in_ms: 1 })) })
  const moved = { account_id, payout_id: id, by: 'operator', ask_again_in_ms: null } as const
  const { steps } = report('succeeded')
  await service.deps.lanes.advancePayout.run({ ...moved, steps, person: { name: 'anna' } })
  await wake(id)
  const closed = await cli.run('rail', 'close-exception', id, '1', '--note', 'Known', '--json')
  assert.equal(closed.json.asked, false, closed.stderr)
  assert.deepEqual(await exceptionsOf(id), ['said_after_person'])
})
