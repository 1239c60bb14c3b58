// Where a payout is: its attempts, reroutes and reviews as its account sees them by HTTP and as the
// operator sees them by `corridor payout show`.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { endHolds } from '../../src/app/worker/end-holds.ts'
import type { RailReport } from '../../src/rails/rail.ts'
import { insertRail } from '../../src/rails/row-store.ts'
import { releaseOf } from '../../src/values/calendar/rules.ts'
import { localPayout } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { pay as payFrom } from '../support/service/payouts.ts'
import { review } from '../support/service/review.ts'
import { addPerson } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'
import { makeDue, railOf, report, settleAll } from '../support/service/settling.ts'
import { NOT_TAKEN, openTwoRails } from './two-rails.ts'

const rails = await openTwoRails({ simulator_delay_ms: 0 })
const { service, live, toBoth } = rails
const cli = await openCli(service.database.url, { CORRIDOR_USER: 'anna' })
after(async () => {
  await cli.close()
  await rails.close()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

const pay = (account = live): Promise<Json> => payFrom(account, { amount: 1000 })

async function timelineOf(id: string, account = live): Promise<Json> {
  const answer = await account.get(`/v3/payout/${id}/timeline`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

const ofKind = (items: readonly Json[], kind: string) => items.filter(item => item.kind === kind)

async function attemptsOf(id: string, account = live): Promise<Json[]> {
  return ofKind((await timelineOf(id, account)).items, 'attempt')
}

/** One round of a worker that asks these rails; each is a script. */
function settle(reports: Readonly<Record<string, RailReport>>) {
  const scripts = Object.entries(reports).map(([name, said]) => [
    name,
    railOf({ submit: async () => said }),
  ])
  return rails.settle(Object.fromEntries(scripts))
}

const RELEASED_AT = '2026-11-23T14:30:00.000000Z'
const EXPECTED_AT = '2026-11-24T17:00:00.000000Z'
const SENT: RailReport = {
  ...report(),
  ask_again_in_ms: 60_000,
  references: { end_to_end_id: 'E2E1', file: 'M1.xml', message_id: 'M1', bank_status: 'PDNG AM04' },
  released_at: RELEASED_AT,
  expected_at: EXPECTED_AT,
}

test('corridor payout status, payout waiting for a cut-off: attempt waiting, with its release time', async () => {
  const timetable = {
    calendar: 'hk',
    cut_off: '15:00',
    zone: 'Asia/Hong_Kong',
    lead_minutes: 30,
    arrival_days: 2,
  } as const
  await toBoth({ timetable })
  const { id, created_at, expected_at, rail } = await pay()
  await toBoth()
  assert.equal(rail, 'bank')
  const [attempt, ...more] = await attemptsOf(id)
  assert.deepEqual(more, [])
  const { number, state, release_at, handed_over_at } = attempt
  assert.deepEqual([number, attempt.rail, state, handed_over_at], [1, 'bank', 'waiting', null])
  assert.equal(release_at, releaseOf(timetable, created_at)?.release_at)
  assert.equal(attempt.expected_at, expected_at)
  const cancelled = await live.post(`/v3/payout/${id}/cancel`, {})
  assert.equal(cancelled.status, 200, cancelled.text)
  assert.deepEqual(await attemptsOf(id), [], 'no rail ever had it')
})

test("payout submitted and sent: its references, release and expected arrival, in the rail's words", async () => {
  const { id } = await pay()
  await settle({ bank: SENT })
  const [attempt] = await attemptsOf(id)
  const { uetr, handed_over_at, ...rest } = attempt
  assert.match(uetr, /^[0-9a-f-]{36}$/)
  assert.ok(handed_over_at >= attempt.at)
  assert.deepEqual(
    { ...rest, at: '', route: null, reason: '' },
    {
      at: '',
      kind: 'attempt',
      number: 1,
      rail: 'bank',
      route: null,
      reason: '',
      state: 'handed_over',
      // What the bank says of it now may be about the operator's own account.
      references: { end_to_end_id: 'E2E1', file: 'M1.xml', message_id: 'M1' },
      release_at: null,
      released_at: RELEASED_AT,
      expected_at: EXPECTED_AT,
      ended_at: null,
      failure: null,
      why_not_taken: '',
    },
  )
  assert.equal((await live.get(`/v3/payout/${id}`)).json.data.expected_at, EXPECTED_AT)
  const shown = await cli.run('payout', 'show', id)
  assert.equal(shown.code, 0, shown.stderr)
  for (const words of [
    /attempt 1, rail bank/,
    /handed over/,
    /M1\.xml/,
    /PDNG AM04/,
    new RegExp(uetr),
  ]) {
    assert.match(shown.stdout, words)
  }
  await makeDue(service, id)
  await settle({ bank: { ...report('failed'), references: { bank_reference: 'B-7' } } })
  const [failed] = await attemptsOf(id)
  assert.deepEqual([failed.state, failed.failure.code], ['failed', 'T1'])
  assert.equal(failed.references.bank_reference, 'B-7')
})

test('payout events: have references, time sent and expected arrival; one payout.sent per attempt', async () => {
  const { id } = await pay()
  await settle({ bank: { ...report(), ask_again_in_ms: 60_000 } })
  for (let round = 0; round < 2; round++) {
    await makeDue(service, id)
    await settle({ bank: SENT })
  }
  await makeDue(service, id)
  await settle({ bank: { ...report('succeeded'), references: { bank_reference: 'B-8' } } })
  const events: Json[] = (await live.get(`/v3/event?object_id=${id}`)).json.data.results
  assert.deepEqual(
    events.map(({ type }) => type),
    ['payout.succeeded', 'payout.sent', 'payout.created'],
  )
  const [{ uetr }] = await attemptsOf(id)
  const references = { end_to_end_id: 'E2E1', file: 'M1.xml', message_id: 'M1' }
  const told = { number: 1, rail: 'bank', uetr, released_at: RELEASED_AT, expected_at: EXPECTED_AT }
  assert.deepEqual(events[1].change.rail_attempt, { ...told, references })
  assert.equal(events[1].data.status, 'processing')
  const later = { ...references, bank_reference: 'B-8' }
  assert.deepEqual(events[0].change.rail_attempt, { ...told, references: later })
  const states = ofKind((await timelineOf(id)).items, 'state')
  assert.deepEqual(
    states.map(({ status }) => status),
    ['processing', 'succeeded'],
  )
})

test('payout not taken by its first rail: both attempts and the reroute shown; the reason only to the operator', async () => {
  const { id } = await pay()
  await settle({ bank: NOT_TAKEN, second: report() })
  await settle({ bank: NOT_TAKEN, second: report('succeeded') })
  const timeline = await timelineOf(id)
  assert.deepEqual(
    timeline.items.map((item: Json) => item.kind),
    ['state', 'route', 'journal', 'attempt', 'reroute', 'attempt', 'state', 'journal'],
  )
  const [first, second] = ofKind(timeline.items, 'attempt')
  assert.deepEqual(
    [first, second].map(({ number, rail, state }) => `${number} ${rail} ${state}`),
    ['1 bank not_taken', '2 second paid'],
  )
  assert.notEqual(first.uetr, second.uetr)
  assert.ok(first.ended_at !== null && second.ended_at !== null)
  assert.deepEqual([first.why_not_taken, second.why_not_taken], ['Rail bank has not taken it.', ''])
  assert.match(second.reason, /had not been taken; then the route/)
  const [reroute] = ofKind(timeline.items, 'reroute')
  const { rail, previous_rail, attempt, by } = reroute
  assert.deepEqual(
    { rail, previous_rail, attempt, by },
    {
      rail: 'second',
      previous_rail: 'bank',
      attempt: 2,
      by: 'rail',
    },
  )
  const states = ofKind(timeline.items, 'state')
  assert.deepEqual(
    states.map(({ status, previous_status }) => [status, previous_status]),
    [
      ['processing', null],
      ['succeeded', 'processing'],
    ],
  )
  const seen = await Promise.all(
    [`/v3/payout/${id}`, `/v3/payout/${id}/timeline`, `/v3/event?object_id=${id}`].map(path =>
      live.get(path),
    ),
  )
  assert.equal(seen[0]?.json.data.rail, 'second')
  const message = 'The bank takes no HKD today.'
  for (const { text } of seen) assert.ok(!text.includes(message), text)
  const { json, stdout } = await cli.run('payout', 'show', id, '--json')
  const [told] = ofKind((json as Json).timeline, 'attempt')
  assert.deepEqual(told.not_taken, { code: 'closed', message }, stdout)
  const words = await cli.run('payout', 'show', id)
  assert.match(words.stdout, /closed: The bank takes no HKD today\./)
  assert.match(words.stdout, /Rail bank has not taken it: The bank takes no HKD today\./)
  assert.match(words.stdout, /to rail second/)
})

test('payout with an exception: the account reads that it is under review, the operator reads the details', async () => {
  const { id } = await pay()
  const message = 'The bank has booked 9.00 USD.'
  await settle({ bank: { ...report(), exception: { kind: 'amount_differs', message } } })
  const open = await timelineOf(id)
  assert.equal(open.under_review, true)
  const [review] = ofKind(open.items, 'review')
  const { at, ...rest } = review
  assert.ok(at >= open.items[0].at)
  assert.deepEqual(rest, {
    kind: 'review',
    attempt: 1,
    ended_at: null,
    reason: 'Under review by the operator.',
  })
  assert.ok(!JSON.stringify(open).includes('amount_differs'))
  const shown = await cli.run('payout', 'show', id)
  assert.match(shown.stdout, /under review, exception 1 of rail bank, amount_differs: The bank has/)
  assert.match(shown.stdout, new RegExp(`rail close-exception ${id} 1 --note`))
  const closed = await cli.run('rail', 'close-exception', id, '1', '--note', 'Booked in two parts.')
  assert.equal(closed.code, 0, closed.stderr)
  const over = await timelineOf(id)
  assert.equal(over.under_review, false)
  assert.ok(ofKind(over.items, 'review')[0].ended_at >= at)
  assert.ok(!JSON.stringify(over).includes('two parts'))
  const { json } = await cli.run('payout', 'show', id, '--json')
  const { exception } = ofKind((json as Json).timeline, 'review')[0]
  assert.deepEqual(exception, {
    number: 1,
    rail: 'bank',
    kind: 'amount_differs',
    message,
    closed_by: 'anna',
    note: 'Booked in two parts.',
  })
  await settle({ bank: report('succeeded') })
})

test('sandbox payout: one attempt of the simulator, computed from the payout, not stored', async () => {
  const sandbox = await service.openAccount({ fund: { USD: 10_000n } })
  const { id } = await pay(sandbox)
  const state = async () => (await attemptsOf(id, sandbox)).map(a => `${a.rail} ${a.state}`)
  assert.deepEqual(await state(), ['simulator waiting'])
  await settleAll(service)
  assert.deepEqual(await state(), ['simulator paid'])
  const moved = await sandbox.post(`/v3/sandbox/payout/${id}/transition`, { status: 'reversed' })
  assert.equal(moved.status, 200, moved.text)
  assert.deepEqual(await state(), ['simulator returned'])
  assert.deepEqual(await rails.attemptsOf(id), [])
})

test("manual payout: status submitted when taken, with the bank's reference when paid", async () => {
  await service.setRoutes([{ rail: 'manual' }])
  const { id } = await pay()
  await toBoth()
  const seen = async () =>
    (await attemptsOf(id)).map(({ rail, state, references, uetr }) => {
      assert.equal(uetr, '')
      return [rail, state, references]
    })
  assert.deepEqual(await seen(), [['manual', 'waiting', {}]])
  await cli.run('payout', 'take', id)
  assert.deepEqual(await seen(), [['manual', 'handed_over', {}]])
  const paid = await cli.run('payout', 'transition', id, 'succeeded', '--reference', 'B-9')
  assert.equal(paid.code, 0, paid.stderr)
  assert.deepEqual(await seen(), [['manual', 'paid', { bank_reference: 'B-9' }]])
})

test("corridor route explain: each past choice by the routes of its time, and the choice that today's routes give", async () => {
  const { id } = await pay()
  await settle({ bank: NOT_TAKEN, second: report() })
  await settle({ bank: NOT_TAKEN, second: report('succeeded') })
  // Later routes say nothing of earlier choices.
  await service.setRoutes([
    { rail: 'second', currency: 'HKD' },
    { rail: 'bank', currency: 'EUR' },
  ])
  const verdicts = ({ routes }: Json) => routes.map(({ rail, verdict }: Json) => [rail, verdict])
  const { json, stderr } = await cli.run('route', 'explain', id, '--json')
  const { object, payout, decisions } = json as Json
  assert.deepEqual([object, payout], ['route_explanation', id], stderr)
  assert.deepEqual(
    decisions.map((decision: Json) => [decision.attempt, decision.rail, verdicts(decision)]),
    [
      [
        1,
        'bank',
        [
          ['bank', 'taken'],
          ['second', 'next'],
        ],
      ],
      [
        2,
        'second',
        [
          ['bank', 'tried'],
          ['second', 'taken'],
        ],
      ],
    ],
  )
  const words = await cli.run('route', 'explain', id)
  assert.match(words.stdout, /attempt 1, .*: to rail bank/)
  assert.match(words.stdout, /to rail second; rail bank had not taken it \(closed: The bank takes/)

  const wish = ['route', 'explain', '--type', 'local', '--currency', 'HKD', '--network', 'chats']
  await cli.run('rail', 'pause', 'second', '--reason', 'On holiday.')
  const now = await cli.run(...wish, '--amount', '100.00', '--json')
  const [decision] = (now.json as Json).decisions
  assert.deepEqual(verdicts(decision), [
    ['second', 'taken'],
    ['bank', 'does_not_fit'],
  ])
  assert.deepEqual(decision.routes[1].unmet, ['currency'])
  assert.equal((now.json as Json).wanted.amount, 10_000)
  const shown = await cli.run(...wish)
  assert.match(shown.stdout, /takes only currency EUR/)
  assert.match(shown.stdout, /rail paused now \(On holiday\.\): payouts wait/)
  await cli.run('rail', 'resume', 'second')
  await toBoth()

  const sandbox = await service.openAccount({ fund: { USD: 10_000n } })
  const played = await pay(sandbox)
  for (const [args, code, why] of [
    [[], 2, /name a payout, or say at least --type and --currency/],
    [[id, '--currency', 'HKD'], 2, /not both/],
    [['--type', 'lokal', '--currency', 'HKD'], 2, /'lokal' is invalid/],
    [['--type', 'local', '--currency', 'HKD', '--amount', '1.005'], 2, /--amount "1\.005" is not/],
    [['pot_00000000000000000000'], 1, /there is no payout/],
    [[played.id], 1, /goes to simulator: no route decided that/],
  ] as const) {
    const wrong = await cli.run('route', 'explain', ...args)
    assert.equal(wrong.code, code, wrong.stdout)
    assert.match(wrong.stderr, why)
  }
})

test('corridor rail remove, payout that the rail did not take is open at another rail: refused', async () => {
  const row = { kind: 'connector', config: {}, secret: '', paused_reason: '' } as const
  await insertRail(service.deps.sql, { ...row, name: 'third' })
  await service.setRoutes([
    { rail: 'third', priority: 2 },
    { rail: 'second', priority: 1 },
  ])
  const { id } = await pay()
  await settle({ third: NOT_TAKEN, second: report() })
  await settle({ third: NOT_TAKEN, second: report('succeeded') })
  await toBoth()
  assert.equal((await live.get(`/v3/payout/${id}`)).json.data.rail, 'second')
  const removed = await cli.run('rail', 'remove', 'third')
  assert.equal(removed.code, 1, removed.stdout)
  assert.match(removed.stderr, /rail third has had payouts and stays/)
})

test('payout events, rail changes its forecast: each event shows the payout right after its change', async () => {
  const timetable = { calendar: 'hk', cut_off: '15:00', zone: 'Asia/Hong_Kong' } as const
  await toBoth({ timetable: { ...timetable, lead_minutes: 30, arrival_days: 2 } })
  const { id: on_behalf_of } = (await live.post('/v3/entity', { type: 'individual', name: 'Anna' }))
    .json.data
  const held = await live.post('/v3/payout', { ...localPayout, amount: 1000, on_behalf_of })
  const ids: string[] = [(await pay()).id, (await pay()).id, held.json.data.id]
  await toBoth()
  const [first = '', second = '', third = ''] = ids
  const seen = new Map<string, Json>()
  const look = async () => {
    for (const id of ids) {
      const { json } = await live.get(`/v3/event?object_id=${id}&limit=1`)
      const event = json.data.results[0].id
      if (!seen.has(event)) seen.set(event, (await live.get(`/v3/payout/${id}`)).json.data)
    }
  }
  const says = async (id: string, said: RailReport, rail = 'bank') => {
    await makeDue(service, id)
    await settle({ [rail]: said })
    await look()
  }
  await look()
  await says(first, SENT)
  // Nothing tells of this forecast but the payout, and what it answers next.
  const later = '2026-11-26T17:00:00.000000Z'
  await says(first, { ...report(), ask_again_in_ms: 60_000, expected_at: later })
  await says(first, { ...report('requires_action'), ask_again_in_ms: 60_000 })
  const answered = await live.post(`/v3/payout/${first}/action`, { note: 'Here it is' })
  assert.deepEqual([answered.status, answered.json.data.expected_at], [200, later], answered.text)
  await look()
  await says(first, report('requires_action', 'processing', 'succeeded'))
  await says(second, NOT_TAKEN)
  await says(second, { ...report('succeeded'), expected_at: EXPECTED_AT }, 'second')
  await review(service, live, on_behalf_of, 'approved')
  await endHolds(service.deps)
  await look()
  await says(third, report('succeeded'))

  for (const [id, payout] of seen) {
    const { json } = await live.get(`/v3/event/${id}`)
    assert.deepEqual(json.data.data, payout, json.data.type)
  }
  const shown = [...seen.values()].map(({ status, expected_at }) => `${status} ${expected_at}`)
  assert.ok(shown.includes(`processing ${later}`) && shown.includes(`succeeded ${EXPECTED_AT}`))
  assert.ok(seen.size >= 10, `${seen.size}`)
})

test('payout that its rail cannot carry: page, timeline and payout show say so; what would fit, only to the operator', async () => {
  const { id } = await pay()
  const message = 'SEPA carries EUR and no HKD. What helps: route its currency to another rail'
  const refused = { ...report(), not_taken: { code: 'file_cannot_carry', message } }
  await settle({ bank: refused, second: report() })
  const [first] = await attemptsOf(id)
  assert.equal(first.why_not_taken, 'Rail bank could not carry it.')
  const said = `Rail bank could not carry it: ${message}.`
  const { json } = await cli.run('payout', 'show', id, '--json')
  assert.deepEqual((json as Json).why_not_taken, [said])
  assert.ok((await cli.run('payout', 'show', id)).stdout.includes(said))
  const look = async (user: string, url: string) =>
    (await service.inject({ url, headers: await logIn(service, user) })).text
  const { account_id } = live.account
  await addPerson(service, { user: 'olga', role: 'operator' })
  await addPerson(service, { user: 'vera', roles: [[account_id, 'viewer']] })
  const page = await look('olga', `/console/installation/payouts/${id}`)
  assert.ok(page.includes(said), page)
  const own = await look('vera', `/console/${account_id}/payouts/${id}`)
  assert.match(own, /not taken\. Rail bank could not carry it\./)
  assert.ok(!own.includes('SEPA carries'))
})
