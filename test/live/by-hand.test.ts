// Payouts of live accounts that people pay: found, shown, taken, paid and told of, a row a point. A
// payout is cancelled by its account or taken by one person, never both; a refusal writes nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countWaiting } from '../../src/app/worker/counts.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { Lane } from '../../src/engine/lane.ts'
import { advancePayout } from '../../src/payouts/advance/advance-operation.ts'
import { handlePayout } from '../../src/payouts/by-hand/by-hand-operation.ts'
import type { RailStep } from '../../src/rails/rail.ts'
import { idBound } from '../../src/values/id.ts'
import { assertRefused, balancesOf } from '../support/assert/check.ts'
import { bankBeneficiary, localPayout, overChats } from '../support/given/bodies.ts'
import type { CommandResult } from '../support/service/cli.ts'
import { pay as payFrom, statusOf as readStatus } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import { settleAll } from '../support/service/settling.ts'
import { openWithCli } from '../support/service/with-cli.ts'

const FUNDED = 100_000_000n

const { service, rows, cliOf, ...operators } = await openWithCli(
  { simulator_delay_ms: 0 },
  { CORRIDOR_USER: 'anna' },
)
const anna = operators.cli
const ben = await cliOf('ben')
await service.setRates({ 'USD/HKD': '8' })
await service.setFees([{ payout_type: 'local', fixed_amount: 100n }])
await service.setRoutes([{}])
const open = (sandbox = false) =>
  service.openAccount({ currencies: ['USD'], fund: { USD: FUNDED }, sandbox })
const live = await open()

const paid = async (body: object = {}): Promise<string> => (await payFrom(live, body)).id

const statusOf = (id: string) => readStatus(live, id)

const person = (name: string, words: object = {}) => ({ name, ...words })

function handle(payout_id: string, act: 'take' | 'release', name: string) {
  const { account_id } = live.account
  const lane = new Lane(service.deps.sql, handlePayout, { max_batch: 1 })
  return lane.run({ account_id, payout_id, act, person: person(name, { reason: 'As it is' }) })
}

function move(payout_id: string, step: RailStep, words: object) {
  const { account_id } = live.account
  const by = { by: 'operator', steps: [step], person: person('anna', words) } as const
  return service.deps.lanes.advancePayout.run({ account_id, payout_id, ...by })
}

/** An untaken payout, or one that anna has taken, asked about, or paid. */
type State = 'made' | 'taken' | 'asks' | 'succeeded'

async function payoutThatIs(state: State): Promise<string> {
  const id = await paid()
  if (state !== 'made') await handle(id, 'take', 'anna')
  if (state === 'asks') await move(id, { status: 'requires_action', failure: null }, {})
  if (state === 'succeeded') {
    await move(id, { status: 'succeeded', failure: null }, { reference: `B-${id}` })
  }
  return id
}

function refused(ran: CommandResult, words: RegExp): void {
  assert.ok(ran.code === 1 || ran.code === 2, ran.stdout)
  assert.match(ran.stderr, words)
  assert.doesNotMatch(ran.stderr, /\n\s+at /)
}

test('commands on manual payouts, wrong usage: one sentence each, nothing written', async () => {
  const [made, taken] = [await payoutThatIs('made'), await payoutThatIs('taken')]
  const before = await rows()
  for (const [cli, id, [command = '', ...more], words] of [
    [
      anna,
      made,
      ['transition', 'succeeded', '--reference', 'B-1'],
      /Nobody has taken payout \w+; take it/,
    ],
    [anna, taken, ['transition', 'succeeded'], /Send the reference that the bank has given/],
    [
      anna,
      taken,
      ['transition', 'succeeded', '--reference', 'x'.repeat(141)],
      /--reference has 1 to 140 characters/,
    ],
    [anna, taken, ['release'], /required option '--reason/],
    [ben, taken, ['take', '--from', 'carl'], /was taken by anna at 20/],
    [ben, taken, ['transition', 'failed', '--reason', 'No'], /was taken by anna at 20/],
  ] as const) {
    refused(await cli.run('payout', command, id, ...more), words)
  }
  assert.deepEqual(await rows(), before)
})

test('corridor payout take, account frozen meanwhile: refused until unfrozen', async () => {
  const other = await open()
  const { account_id } = other.account
  const { id } = (await other.post('/v3/payout', localPayout)).json.data
  const frozen = await ben.run('account', 'freeze', account_id, '--reason', 'A stolen key')
  assert.equal(frozen.code, 0, frozen.stderr)
  const before = await rows()
  refused(await anna.run('payout', 'take', id), /frozen/)
  assert.deepEqual(await rows(), before)
  await ben.run('account', 'unfreeze', account_id, '--reason', 'A new key')
  assert.equal((await anna.run('payout', 'take', id)).code, 0)
})

test('POST /v3/payout/{id}/cancel, manual payout: accepted until a person takes it, again after its release', async () => {
  const free = await payoutThatIs('made')
  assert.equal((await live.post(`/v3/payout/${free}/cancel`, {})).json.data.status, 'failed')
  for (const state of ['taken', 'asks', 'succeeded'] as const) {
    const id = await payoutThatIs(state)
    const before = await rows()
    assertRefused(await live.post(`/v3/payout/${id}/cancel`, {}), 409, 'payout_not_cancellable')
    assert.deepEqual(await rows(), before, state)
  }
  const given_back = await payoutThatIs('taken')
  await handle(given_back, 'release', 'anna')
  assert.equal((await live.post(`/v3/payout/${given_back}/cancel`, {})).status, 200)
  refused(await anna.run('payout', 'take', given_back), /is failed; no person needs to pay it/)
})

test('manual payout taken and cancelled in parallel, 20 times: one succeeds, money counted once', async () => {
  const before = BigInt((await balancesOf(live)).USD ?? '')
  let kept = 0n
  for (let i = 0; i < 20; i++) {
    const payout_id = await paid()
    const [cancelled, taken] = await Promise.all([
      live.post(`/v3/payout/${payout_id}/cancel`, {}),
      handle(payout_id, 'take', 'anna').then(
        () => true,
        () => false,
      ),
    ])
    assert.equal(cancelled.status, taken ? 409 : 200, cancelled.text)
    assert.equal(await statusOf(payout_id), taken ? 'processing' : 'failed')
    if (taken) kept += 10_100n
  }
  assert.equal(BigInt((await balancesOf(live)).USD ?? ''), before - kept)
})

test('corridor payout take by several people in parallel: one succeeds', async () => {
  const payout_id = await paid()
  const takes = ['anna', 'ben', 'carl', 'dora'].map(name => handle(payout_id, 'take', name))
  const ends = await Promise.allSettled(takes)
  assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
})

test('manual rail, account answers an action: rail not asked, no time-out', async () => {
  await settleAll(service)
  const id = await payoutThatIs('asks')
  const answer = await live.post(`/v3/payout/${id}/action`, { note: 'It is attached.' })
  assert.equal(answer.json.data.status, 'processing', answer.text)
  assert.equal(await settleOnce(service.deps), 0)
  const [row] = await service.database.owner`
    select ask_rail_at, rail_attempts, taken_by from open_payouts where id = ${id}`
  assert.deepEqual({ ...row }, { ask_rail_at: null, rail_attempts: 0, taken_by: 'anna' })
  await move(id, { status: 'succeeded', failure: null }, { reference: 'B-2' })
  assert.equal(await statusOf(id), 'succeeded')
})

test('manual payout held for the review of its entity, entity approved: waits for a person', async () => {
  const entity = (await live.post('/v3/entity', { type: 'individual', name: 'Lee' })).json.data
  const id = await paid({ on_behalf_of: entity.id })
  await live.post(`/v3/entity/${entity.id}/submit`, {})
  await review(service, live, entity.id, 'approved', '')
  await settleOnce(service.deps)
  assert.equal(await statusOf(id), 'processing')
  assert.equal(await settleOnce(service.deps), 0)
  await handle(id, 'take', 'anna')
})

test("corridor payout list, manual payouts: longest waiting first, with the operator's details", async () => {
  const other = await open()
  const [first, second, third] = [
    await other.post('/v3/payout', localPayout),
    await other.post('/v3/payout', { ...localPayout, reference_id: 'INV-7' }),
    await other.post('/v3/payout', { ...localPayout, currency: 'HKD', holding_currency: 'USD' }),
  ].map(({ json }) => json.data.id as string)
  const of = ['--account', other.account.account_id, '--rail', 'manual']
  assert.equal((await ben.run('payout', 'take', second ?? '')).code, 0)
  const waiting = await anna.run('payout', 'list', ...of, '--status', 'processing', '--json')
  const ids = (ran: CommandResult) =>
    ran.json.results.map((row: { payout: { id: string } }) => row.payout.id)
  assert.deepEqual(ids(waiting), [first, second, third])
  const [, taken, abroad] = waiting.json.results
  assert.deepEqual([taken.taken_by, taken.rail, taken.rail_reference], ['ben', 'manual', ''])
  assert.deepEqual(abroad.send, { amount: 10_000, currency: 'HKD' })
  const newest = await anna.run('payout', 'list', ...of, '--limit', '2', '--json')
  assert.deepEqual([ids(newest), newest.json.has_more], [[third, second], true])
  const words = (await anna.run('payout', 'list', ...of, '--status', 'processing')).stdout
  assert.match(words, /^payout .* account .* age .* to send .* status .* rail .* taken by/)
  assert.match(words, /HKD 100\.00 .* local +Harbour Trading Ltd/)
  assert.match(words, /USD 100\.00 .* ben .* INV-7$/m)
  const simulated = await anna.run('payout', 'list', ...of, '--rail', 'simulator', '--json')
  assert.deepEqual(simulated.json.results, [])
  const where = ['payout', 'list', '--status', 'procesing']
  refused(await anna.run(...where), /'procesing' is invalid\. Allowed choices are/)
  // Transfers between accounts go to no rail: a list of them by rail would be empty for ever.
  const transfers = ['payout', 'list', '--rail', 'service_account']
  refused(
    await anna.run(...transfers),
    /--rail: There is no rail service_account; it is one of simulator, manual\./,
  )
})

test('corridor payout show, manual payout: every detail that a bank needs, and the next command', async () => {
  const id = await paid({
    ...overChats,
    reference_id: 'INV-9',
    statement_descriptor: 'HARBOUR',
    documents: [{ type: 'invoice', url: 'https://files.example/9.pdf' }],
    beneficiary_details: {
      ...bankBeneficiary,
      address: { line1: '1 Pier Road', city: 'Hong Kong', country: 'HK' },
      tax_id: 'T\u001b[2J-5',
    },
  })
  const shown = await anna.run('payout', 'show', id)
  assert.equal(shown.code, 0, shown.stderr)
  for (const words of [
    `${id}  processing, rail manual`,
    'taken by nobody: its account can cancel it',
    `corridor payout take ${id}`,
    'HKD 100.00',
    'Harbour Trading Ltd',
    'local chats',
    '1 Pier Road',
    '123456789012',
    'Harbour Bank',
    'INV-9',
    'HARBOUR',
    'supplier_payment',
    'Invoice 2041',
    'https://files.example/9.pdf',
    'T\\u001b[2J-5',
    'USD 13.50 (USD 1.00 of it fees)',
    'Of the routes that fit, the one for any payout decided.',
    'to rail manual',
  ]) {
    assert.ok(shown.stdout.includes(words), `${words} is not in:\n${shown.stdout}`)
  }
  assert.equal((await anna.run('payout', 'take', id)).code, 0)
  const taken = await ben.run('payout', 'show', id)
  assert.match(taken.stdout, /taken by anna at 20.*; when it is paid:\n.* succeeded --reference/)
})

test("database log-in without a person's name: commands take, release and transition refused", async () => {
  const nobody = await cliOf()
  const [made, taken] = [await payoutThatIs('made'), await payoutThatIs('taken')]
  const before = await rows()
  for (const command of [
    ['take', made],
    ['release', taken, '--reason', 'Closed'],
    ['transition', taken, 'succeeded', '--reference', 'B-9'],
    ['transition', taken, 'failed', '--reason', 'No'],
  ]) {
    refused(
      await nobody.run('payout', ...command),
      /Set CORRIDOR_USER to your name: others may share the log-in "\w+"/,
    )
  }
  assert.deepEqual(await rows(), before)
})

test('one bank reference for two manual payouts: refused naming the first, allowed with --force or after its reversal', async () => {
  const [first, second, third] = [
    await payoutThatIs('taken'),
    await payoutThatIs('taken'),
    await payoutThatIs('taken'),
  ]
  const pay = (id: string, reference: string, ...more: string[]) =>
    anna.run('payout', 'transition', id, 'succeeded', '--reference', reference, ...more)
  assert.equal((await pay(first, 'HSBC 0500')).code, 0)
  const before = await rows()
  const words = new RegExp(
    `"hsbc0500" has already paid payout ${first} of account ${live.account.account_id}; confirm`,
  )
  refused(await pay(second, 'hsbc0500'), words)
  assert.deepEqual(await rows(), before)
  assert.equal((await pay(second, 'hsbc0500', '--force')).code, 0)
  for (const id of [first, second]) {
    const back = await anna.run('payout', 'transition', id, 'reversed', '--reason', 'By mistake')
    assert.equal(back.code, 0, back.stderr)
  }
  const mended = await pay(third, 'HSBC 0500')
  assert.equal(mended.code, 0, mended.stderr)
})

test('one bank reference for two manual payouts in parallel: one paid', async () => {
  const two = [await payoutThatIs('taken'), await payoutThatIs('taken')]
  const { account_id } = live.account
  // As two commands do, each in a lane of its own.
  const pay = (payout_id: string) =>
    new Lane(service.deps.sql, advancePayout, { max_batch: 1 }).run({
      ...{ account_id, payout_id, by: 'operator' },
      steps: [{ status: 'succeeded', failure: null }],
      person: person('anna', { reference: 'HSBC 0600' }),
    })
  const moved = await Promise.allSettled(two.map(pay))
  assert.deepEqual(moved.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('manual payout paid: reference, reason and person in payout, event and timeline; returned later: reversed', async () => {
  const id = await payoutThatIs('made')
  const before = await balancesOf(live)
  await anna.run('payout', 'take', id, '--reason', 'Monday run')
  const over = await ben.run('payout', 'take', id, '--from', 'anna', '--json')
  assert.deepEqual([over.code, over.json.taken_by], [0, 'ben'], over.stderr)
  const succeed = ['payout', 'transition', id, 'succeeded', '--reference', 'HSBC 0417']
  const done = await ben.run(...succeed, '--json')
  assert.deepEqual([done.code, done.json.reference], [0, 'HSBC 0417'], done.stderr)
  const payout = (await live.get(`/v3/payout/${id}`)).json.data
  const tracking_details = { tracking_number: 'HSBC 0417', tracking_type: 'bank_reference' }
  assert.deepEqual([payout.status, payout.tracking_details], ['succeeded', tracking_details])
  const reason = 'Beneficiary account closed'
  const returned = ['--reason', reason, '--reference', 'RET 7']
  const back = await anna.run('payout', 'transition', id, 'reversed', ...returned)
  assert.equal(back.code, 0, back.stderr)
  const kept = (await live.get(`/v3/payout/${id}`)).json.data.tracking_details
  assert.deepEqual(kept, tracking_details)
  assert.equal(BigInt((await balancesOf(live)).USD ?? ''), BigInt(before.USD ?? '') + 10_100n)
  assert.equal((await live.get(`/v3/payout/${id}`)).json.data.failure.message, reason)
  const { items } = (await live.get(`/v3/payout/${id}/timeline`)).json.data
  const told = items.flatMap(
    (item: { kind: string; status?: string; action?: string; by_hand?: object }) =>
      item.by_hand ? [[item.status ?? item.action, item.by_hand]] : [],
  )
  // The account sees no names of the people who run the installation.
  const said = (words: object = {}) => ({
    operator: 'operator',
    reference: '',
    reason: '',
    ...words,
  })
  assert.deepEqual(told, [
    ['taken', said({ reason: 'Monday run' })],
    ['taken', said()],
    ['succeeded', said({ reference: 'HSBC 0417' })],
    ['reversed', said({ reason, reference: 'RET 7' })],
  ])
  const events = (await live.get(`/v3/event?object_id=${id}`)).json.data.results
  const types = events.map(({ type }: { type: string }) => type)
  assert.deepEqual(types, [
    'payout.reversed',
    'payout.succeeded',
    'payout.taken',
    'payout.taken',
    'payout.created',
  ])
  assert.equal(events[1].change.reference, 'HSBC 0417')
  assert.equal(events[1].data.tracking_details.tracking_number, 'HSBC 0417')
  const shown = (await anna.run('payout', 'show', id)).stdout
  for (const words of ['HSBC 0417', 'taken', 'Monday run', 'ben', reason]) {
    assert.ok(shown.includes(words), `${words} is not in:\n${shown}`)
  }
})

test('PostgreSQL, manual payout succeeded without reference or person: refused', async () => {
  const id = await payoutThatIs('taken')
  const { owner } = service.database
  const asOwner = (change: string, ...values: readonly string[]) =>
    owner.begin(async tx => {
      await tx`set local corridor.maintenance = 'on'`
      await tx.unsafe(change, [id, ...values])
    })
  const paid = (reference: string, person: string) =>
    asOwner(
      `insert into payout_outcomes (account_id, id, updated_at, taken_at, rail_steps, rail_attempts,
          status, rail, status_description, rail_reference, taken_by, answers)
        select account_id, id, updated_at, case $3 when '' then null else taken_at end, 0, 0,
          'succeeded', rail, '', $2, $3, '[]' from open_payouts where id = $1`,
      reference,
      person,
    )
  const constraint_name = 'paid_by_hand_with_reference'
  await assert.rejects(paid('', 'anna'), { constraint_name })
  await assert.rejects(paid('B', ''), { constraint_name })
  const change = (assignment: string) =>
    asOwner(`update open_payouts set ${assignment} where id = $1`)
  await assert.rejects(change(`taken_by = ''`), { constraint_name: 'taken_by_hand' })
  await assert.rejects(change(`rail = 'bank'`), /cannot go from rail "manual" to rail "bank"/)
})

test('GET /metrics, manual payouts of live accounts: number and longest wait by status', async () => {
  const sandbox = await open(true)
  const told = async () => {
    await countWaiting(service.deps)
    const text = await service.deps.metrics.registry.metrics()
    const value = (name: string) =>
      Number(new RegExp(`^${name}\\{status="processing"\\} (.+)$`, 'm').exec(text)?.[1] ?? 0)
    return [
      value('corridor_payouts_by_hand'),
      value('corridor_payouts_by_hand_oldest_seconds'),
    ] as const
  }
  const [before] = await told()
  const id = await paid()
  assert.equal((await sandbox.post('/v3/payout', localPayout)).status, 200)
  assert.equal((await told())[0], before + 1)
  // Its time is in its id.
  const [{ at } = { at: '' }] = await service.database.owner<{ at: string }[]>`
    select clock_timestamp() - interval '2 days' as at`
  const older = idBound('pot', at, 'before')
  await service.database.owner`update open_payouts set id = ${older} where id = ${id}`
  const [, oldest_s] = await told()
  await service.database.owner`update open_payouts set id = ${id} where id = ${older}`
  assert.ok(oldest_s >= 172_800 && oldest_s < 180_000, `${oldest_s}`)
  assert.equal((await anna.run('payout', 'take', id)).code, 0)
  const transition = ['payout', 'transition', id, 'succeeded', '--reference', 'BANK-WAITED']
  assert.equal((await anna.run(...transition)).code, 0)
  assert.equal((await told())[0], before)
})
