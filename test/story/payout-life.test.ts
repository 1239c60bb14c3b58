// The life of a payout, told for the paths through the table of states: who moves it, and what
// then holds of its status, the money, the book, its events and its timeline, after every step.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, before, test } from 'node:test'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { isFinal, PAYOUT_TRANSITIONS, type PayoutStatus } from '../../src/payouts/states.ts'
import type { RailStep } from '../../src/rails/rail.ts'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { balancesOf } from '../support/assert/check.ts'
import { internalPayout, localPayout } from '../support/given/bodies.ts'
import { listenOn } from '../support/network/port.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { askingRail, railOf } from '../support/service/settling.ts'
import { share } from '../support/share.ts'

/** What a payout goes through, from what its creation gives. */
type Path = readonly PayoutStatus[]

/** Processing is entered this often at most: so each way back to it is gone once, and twice. */
const MAX_PROCESSING = 3
/** Paths of up to so many states have every step in them. */
const SHORT = 4
/** Of the longer paths `npm test` walks so many, drawn by the seed. */
const LONGER = share(2, Infinity)

function pathsFrom(path: Path): Path[] {
  const status = path.at(-1) as PayoutStatus
  if (isFinal(status)) return [path]
  const often = path.filter(passed => passed === 'processing').length >= MAX_PROCESSING
  return PAYOUT_TRANSITIONS[status]
    .filter(next => next !== 'processing' || !often)
    .flatMap(next => pathsFrom([...path, next]))
}

/** A payout to a bank is processing at once, or held until the entity it is made for is reviewed. */
const PATHS = [...pathsFrom(['processing']), ...pathsFrom(['compliance_hold'])]

const seed = pickSeed()

/** All that are short, and of the longer ones what the run's share is. */
function walkedPaths(): Path[] {
  const chance = seeded(seed)
  const isLonger = (path: Path) => path.length > SHORT
  const drawn = PATHS.filter(isLonger).map(path => [chance(), path] as const)
  const some = drawn.sort(([a], [b]) => a - b).slice(0, LONGER)
  return [...PATHS.filter(path => !isLonger(path)), ...some.map(([, path]) => path)]
}

const WALKED = walkedPaths()

const FUNDED = 1_000_000
const AMOUNT = 10_000
const FEE = 100

let service: TestService
/** Has an endpoint that is told of every step. */
let account: Client
/** Has none. */
let quiet: Client
/** The connections of the worker that tells the account's endpoint. */
let queues: Sql
/** Everything that the rail has ever said, by payout. */
const said = new Map<string, RailStep[]>()

before(async () => {
  service = await startTestService({ webhook_allow_private: true })
  await service.setFees([{ fixed_amount: BigInt(FEE) }])
  account = await funded()
  quiet = await funded()
  queues = connect(service.database.url, { max: 4, as: 'service', look_ups: true })
  const url = `http://127.0.0.1:${await listenOn(endpoint)}/`
  await send('/v3/webhook_endpoint', { url, event_types: ['payout.*'] })
})
after(async () => {
  endpoint.close()
  await queues.end()
  await service.close()
})

/** The account's own, which takes whatever it is told. */
const endpoint = createServer((request, response) => {
  request.resume().on('end', () => response.end())
})

function funded(): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: BigInt(FUNDED) } })
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

async function read(of: Client, path: string): Promise<Json> {
  const answer = await of.get(path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

async function send(path: string, body: object, to = account): Promise<Json> {
  const answer = await to.post(path, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data
}

// ------------------------------------------------------------------------- who moves a payout

type Mover = 'account' | 'rail' | 'operator' | 'review'

/** A payout under way, with what its path has been so far. */
interface Life {
  readonly payer: Client
  readonly id: string
  /** Of the debit. */
  readonly line: string
  /** The entity it waits for; '' for none. */
  readonly entity: string
  readonly passed: { readonly status: PayoutStatus; readonly by: Mover }[]
}

const MESSAGE = { code: 'T1', category: 'test', message: 'As the story wants.' }

const ASKED = 'Send the invoice.'

function step(wanted: PayoutStatus): RailStep {
  const status = wanted as RailStep['status']
  if (status === 'requires_action') return { status, failure: null, description: ASKED }
  return { status, failure: status === 'failed' || status === 'reversed' ? MESSAGE : null }
}

/** Reports its whole history, and wants to be asked again. */
const rail = railOf({
  submit: async ({ id }) => ({ steps: said.get(id) ?? [], ask_again_in_ms: 0 }),
})

const MOVES: Readonly<Record<Mover, (life: Life, status: PayoutStatus) => Promise<unknown>>> = {
  async rail({ id }, status) {
    said.set(id, [...(said.get(id) ?? []), step(status)])
    assert.ok((await settleOnce(askingRail(service.deps, rail))) > 0, 'the rail is due to be asked')
  },

  operator({ payer, id }, status) {
    const { account_id } = payer.account
    const advance = { account_id, payout_id: id, steps: [step(status)], by: 'operator' } as const
    return service.deps.lanes.advancePayout.run(advance)
  },

  async review({ payer, entity }, status) {
    const result = status === 'failed' ? 'rejected' : 'approved'
    const reviewed = await review(service, payer, entity, result)
    assert.equal(reviewed.status, 200, reviewed.text)
    assert.ok((await settleOnce(askingRail(service.deps, rail))) > 0, 'a hold is over')
  },

  account({ payer, id }, status) {
    if (status === 'failed') return send(`/v3/payout/${id}/cancel`, {}, payer)
    return send(`/v3/payout/${id}/action`, { note: 'As it was asked for.' }, payer)
  },
}

/** Chooses who takes the next step. */
type Cast = (life: Life, status: PayoutStatus) => Mover

/**
 * As it happens: the review ends what it holds, the account answers what is required, the rail tells
 * of everything else, once it has the payout; until then there is the operator.
 */
const naturally: Cast = ({ id, entity, passed }, status) => {
  const from = passed.at(-1)?.status
  if (entity !== '' && passed.length === 1) return status === 'succeeded' ? 'operator' : 'review'
  if (from === 'requires_action' && status === 'processing') return 'account'
  return from === 'processing' || said.has(id) ? 'rail' : 'operator'
}
const byTheOperator: Cast = () => 'operator'
const byItsAccount: Cast = () => 'account'

// -------------------------------------------------------------------- what holds at every step

/** What a step writes into the book of the payer. */
const JOURNALS: Partial<Record<PayoutStatus, string>> = {
  succeeded: 'settlement',
  failed: 'failure',
  reversed: 'reversal',
}

const GIVEN_BACK: Partial<Record<PayoutStatus, string>> = {
  failed: 'payout_failure',
  reversed: 'payout_reversal',
}

/** Where amount and fee are, by position of the book; what is not named is zero. */
function positions(status: PayoutStatus): Readonly<Record<string, number>> {
  if (GIVEN_BACK[status] !== undefined) return {}
  const with_whom = status === 'succeeded' ? 'settled' : 'in_transit'
  return { available: -AMOUNT - FEE, fees: FEE, [with_whom]: AMOUNT }
}

const CODES: Partial<Record<Mover, string>> = { account: 'PF000100', review: 'PF000300' }

/** What was looked at: paths that begin alike do so once. */
const looked = new Set<string>()

async function checkStep(life: Life): Promise<void> {
  const { status, by } = life.passed.at(-1) ?? assert.fail('a life begins')
  if (life.payer === account) {
    const events = life.passed.length === 1 ? eventsOfCreation(status).length : 1
    assert.equal(await deliverDue(service.deps, queues), events, 'the endpoint is told at once')
  }
  const so_far = JSON.stringify([life.payer.account.account_id, life.passed])
  if (looked.has(so_far)) return
  looked.add(so_far)
  const payout = await read(life.payer, `/v3/payout/${life.id}`)
  assert.equal(payout.status, status)
  const code = GIVEN_BACK[status] && (CODES[by] ?? MESSAGE.code)
  assert.equal(payout.failure?.code, code)
  if (status === 'requires_action') assert.equal(payout.status_description, ASKED)
  await Promise.all([checkMoney(life, status), checkEvents(life), checkTimeline(life, payout)])
}

/** The status that creation itself gives is told of too, unless it is the usual one. */
function eventsOfCreation(status: PayoutStatus | undefined): string[] {
  return ['payout.created', ...(status === 'processing' ? [] : [`payout.${status}`])]
}

async function checkMoney({ payer, id, line }: Life, status: PayoutStatus): Promise<void> {
  const at = positions(status)
  assert.deepEqual(await balancesOf(payer), { USD: String(FUNDED + (at.available ?? 0)) })
  const lines = [
    ...(await read(payer, `/v3/balance_transaction?source=${id}`)).results,
    ...(await read(payer, `/v3/balance_transaction?source=${line}`)).results,
  ]
  const back = GIVEN_BACK[status]
  assert.deepEqual(
    lines.map(({ type, net }) => [type, net.amount]),
    [['payout', -AMOUNT - FEE], ...(back === undefined ? [] : [[back, AMOUNT + FEE]])],
  )
  const sums: Record<string, number> = {}
  for (const { postings } of await journalsOf(payer, id)) {
    assert.equal(
      postings.reduce((sum, posting) => sum + posting.amount, 0),
      0,
    )
    for (const { code, amount } of postings) sums[code] = (sums[code] ?? 0) + amount
  }
  const left = Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0))
  assert.deepEqual(left, at)
}

interface Stored {
  readonly number: number
  readonly kind: string
  readonly postings: readonly { readonly code: string; readonly amount: number }[]
}

/** The journals of a payout as the book has them, all in one currency. */
async function journalsOf({ account }: Client, id: string): Promise<Stored[]> {
  const rows = await service.database.owner<
    { number: bigint; kind: string; codes: string[]; amounts: string[] }[]
  >`
    select number, kind, string_to_array(codes, ' ') as codes, amounts::text[] as amounts
    from journals
    where account_id = ${account.account_id} and source = ${id} order by number`
  return rows.map(({ number, kind, codes, amounts }) => ({
    number: Number(number),
    kind,
    postings: codes.map((code, i) => ({ code, amount: Number(amounts[i]) })),
  }))
}

/** Each step has told of itself, once, in order: what was before, and who has done it. */
async function checkEvents({ payer, id, passed }: Life): Promise<void> {
  const { results } = await read(payer, `/v3/event?object_id=${id}&limit=100`)
  const [first, ...steps] = passed
  const given = first?.status === 'processing' ? [] : [{ ...first, previous_status: undefined }]
  const told = steps.map((moved, i) => ({ ...moved, previous_status: passed[i]?.status }))
  assert.deepEqual(
    results.toReversed().map(({ type, data, previous_attributes: before, change }: Json) => ({
      ...{ type, status: data.status, by: change.by, previous_status: before.status },
    })),
    [
      { type: 'payout.created', ...first, previous_status: undefined },
      ...[...given, ...told].map(moved => ({ type: `payout.${moved.status}`, ...moved })),
    ],
  )
}

/** Every state by its cause, each followed by what it wrote and who was told, and nothing else. */
async function checkTimeline({ payer, id, passed, line }: Life, payout: Json): Promise<void> {
  const timeline = await read(payer, `/v3/payout/${id}/timeline`)
  const { object, payout: of, status, truncated } = timeline
  assert.deepEqual(
    { object, of, status, truncated },
    { object: 'payout_timeline', of: id, status: payout.status, truncated: false },
  )
  const everything: Json[] = timeline.items
  const routes = everything.filter(item => item.kind === 'route')
  assert.deepEqual(
    routes.map(item => item.rail),
    payout.type === 'service_account' ? [] : ['simulator'],
  )
  const items = everything.filter(item => item.kind !== 'route' && item.kind !== 'attempt')
  assert.deepEqual(
    items.map(item =>
      item.kind === 'state'
        ? { status: item.status, by: item.by, previous_status: item.previous_status }
        : item.kind === 'journal'
          ? { journal: item.journal_kind }
          : { told: item.event_type, outcome: item.outcome, attempt: item.attempt },
    ),
    passed.flatMap((moved, i) => {
      const journal = i === 0 ? 'payout' : JOURNALS[moved.status]
      const state = { ...moved, previous_status: passed[i - 1]?.status ?? null }
      const types = i === 0 ? eventsOfCreation(moved.status) : [`payout.${moved.status}`]
      const told = types.map(type => ({ told: type, outcome: 'delivered', attempt: 1 }))
      return [
        state,
        ...(journal === undefined ? [] : [{ journal }]),
        ...(payer === account ? told : []),
      ]
    }),
  )
  assert.deepEqual(
    items.map(item => item.at),
    items.map(item => item.at).sort(),
  )
  assert.equal(items[0].at, payout.created_at)
  const last = items.findLast(item => item.kind === 'state')
  assert.deepEqual(last.failure, payout.failure)
  assert.equal(last.status_description, payout.status_description)
  const journals = items.filter(item => item.kind === 'journal')
  assert.deepEqual(
    journals.map(({ journal_number: number, journal_kind: kind, postings }) => {
      const figures = postings.map(({ code, amount }: Json) => ({ code, amount }))
      return { number, kind, postings: figures }
    }),
    await journalsOf(payer, id),
  )
  assert.equal(journals[0].balance_transaction, line)
  const moving = journals.filter(journal => journal.balance_transaction !== null)
  assert.equal(moving.at(-1).balance_after, (await balancesOf(payer)).USD)
}

/** Statuses in which every step that the table does not have was tried. */
const tried = new Set<PayoutStatus>()

/** What does not follow is refused, and leaves no trace. */
async function checkRefusals(life: Life): Promise<void> {
  const from = life.passed.at(-1)?.status as PayoutStatus
  if (tried.has(from)) return
  tried.add(from)
  const path = `/v3/payout/${life.id}/timeline`
  const untouched = (await life.payer.get(path)).text
  const statuses = Object.keys(PAYOUT_TRANSITIONS) as PayoutStatus[]
  for (const status of statuses.filter(to => !PAYOUT_TRANSITIONS[from].some(next => next === to))) {
    await assert.rejects(MOVES.operator(life, status), /cannot go from/, `${from} → ${status}`)
  }
  assert.equal((await life.payer.get(path)).text, untouched)
}

// --------------------------------------------------------------------------------- the story

let entities = 0

/** A payout is made, and held when its path begins so. */
async function begin(payer: Client, request: object, status: PayoutStatus): Promise<Life> {
  let entity = ''
  if (status === 'compliance_hold') {
    entities += 1
    const name = `Anna ${entities}`
    entity = (await send('/v3/entity', { type: 'individual', name }, payer)).id
  }
  const named = entity === '' ? {} : { on_behalf_of: entity }
  const payout = await send('/v3/payout', { ...request, amount: AMOUNT, ...named }, payer)
  const { id, balance_transaction: line } = payout
  return { payer, id, line, entity, passed: [{ status, by: 'account' }] }
}

/** Walks the path, and looks at everything after each step. */
async function live(path: Path, cast: Cast): Promise<Life> {
  const [first, ...steps] = path
  const payer = cast === byTheOperator ? quiet : account
  const life = await begin(payer, localPayout, first as PayoutStatus)
  await checkStep(life)
  for (const status of steps) {
    await checkRefusals(life)
    const by = cast(life, status)
    await MOVES[by](life, status)
    life.passed.push({ status, by })
    await checkStep(life)
  }
  return life
}

const walked = new Map<string, number>()

function remember({ passed }: Life): void {
  for (const [i, { status, by }] of passed.entries()) {
    const from = passed[i - 1]?.status ?? 'created'
    const edge = `${from} → ${status} by ${by}`
    walked.set(edge, (walked.get(edge) ?? 0) + 1)
  }
}

test(`life of a payout, table of states, ${PATHS.length} paths, ${WALKED.length} walked, seed ${seed}`, t => {
  // From processing: six ends a visit of it, and two ways back to it, up to twice. The same after
  // what held it, and its two other ends.
  assert.equal(PATHS.length, 6 * (1 + 2 + 4) + 6 * (1 + 2 + 4) + 2)
  assert.equal(new Set(PATHS.map(path => path.join())).size, PATHS.length)
  t.diagnostic(`${WALKED.length} paths, ${WALKED.flat().length} steps`)
})

const CASTS = [
  ['as it happens', naturally],
  ['all by the operator', byTheOperator],
] as const

/** The usual run walks what is longer as it happens alone. */
const LIVES = WALKED.flatMap(path =>
  CASTS.slice(0, path.length > SHORT ? share(1, 2) : 2).map(by => [path, ...by] as const),
)

for (const [path, words, cast] of LIVES) {
  test(`life of a payout, ${path.join(' → ')}, ${words}`, async () =>
    remember(await live(path, cast)))
}

for (const first of ['processing', 'compliance_hold'] as const) {
  test(`life of a payout, ${first} → failed, cancelled by its account`, async () => {
    remember(await live([first, 'failed'], byItsAccount))
  })
}

test('life of a payout, all paths of this file: every step of the table taken, by everyone allowed to', () => {
  // Approvals have a story of their own (test/approval).
  const walkable = (Object.keys(PAYOUT_TRANSITIONS) as PayoutStatus[]).filter(
    from => from !== 'pending_approval',
  )
  const steps = walkable.flatMap(from => PAYOUT_TRANSITIONS[from].map(to => `${from} → ${to}`))
  for (const edge of steps) {
    assert.ok(walked.has(`${edge} by operator`), `${edge} by operator`)
    const other = edge === 'requires_action → processing' ? 'account' : 'rail'
    assert.ok(walked.has(`${edge} by ${other}`), `${edge} by ${other}`)
  }
  const special = [
    'created → processing by account',
    'created → compliance_hold by account',
    'processing → failed by account',
    'compliance_hold → failed by account',
    'compliance_hold → processing by review',
    'compliance_hold → failed by review',
  ]
  for (const edge of special) assert.ok(walked.has(edge), edge)
  assert.deepEqual([...tried].sort(), [
    'compliance_hold',
    'processing',
    'requires_action',
    'succeeded',
  ])
})

// -------------------------------------------- to another account, which no rail takes part in

const INTERNAL: readonly (readonly [path: Path, by: Mover])[] = [
  [['succeeded'], 'account'],
  [['compliance_hold', 'succeeded'], 'review'],
  [['compliance_hold', 'succeeded'], 'operator'],
  [['compliance_hold', 'failed'], 'review'],
  [['compliance_hold', 'failed'], 'operator'],
  [['compliance_hold', 'failed'], 'account'],
]

for (const [path, by] of INTERNAL) {
  test(`payout to another account, ${path.join(' → ')} by ${by}: final; receiver credited, or nobody`, async () => {
    const [payer, receiver] = [await funded(), await funded()]
    const request = internalPayout(receiver.account.deposit_address)
    const [first, second] = path as [PayoutStatus, PayoutStatus?]
    const life = await begin(payer, request, first)
    const [debit] = await journalsOf(payer, life.id)
    // Credited at once, or in transit until it is let go.
    const place = first === 'succeeded' ? 'inter_account' : 'in_transit'
    assert.ok(debit?.postings.some(({ code }) => code === place))
    if (second !== undefined) {
      await MOVES[by](life, second)
      life.passed.push({ status: second, by })
    }
    const end = path.at(-1) as PayoutStatus
    const arrived = end === 'succeeded'
    assert.equal((await read(payer, `/v3/payout/${life.id}`)).status, end)
    // Such payouts have no fee here.
    const left = arrived ? FUNDED - AMOUNT : FUNDED
    assert.deepEqual(await balancesOf(payer), { USD: String(left) })
    assert.deepEqual(await balancesOf(receiver), { USD: String(FUNDED + (arrived ? AMOUNT : 0)) })
    await checkEvents(life)
    await checkTimeline(life, await read(payer, `/v3/payout/${life.id}`))
    for (const hidden of [`/v3/payout/${life.id}`, `/v3/payout/${life.id}/timeline`]) {
      assert.equal((await receiver.get(hidden)).status, 404)
    }
    for (const status of Object.keys(PAYOUT_TRANSITIONS) as PayoutStatus[]) {
      await assert.rejects(MOVES.operator(life, status), /cannot go|is final/, status)
    }
  })
}

test('life of a payout, after all paths: corridor verify clean', async () => {
  const checked = await verifyBooks(service.database.owner)
  const payouts = LIVES.length + 2 + INTERNAL.length
  assert.equal(checked.payouts, payouts)
  // Every payout to a bank ended with its money given back, and so did those that nobody received.
  for (const payer of [account, quiet]) {
    assert.deepEqual(await balancesOf(payer), { USD: String(FUNDED) })
  }
  assert.deepEqual(checked.in_transit.USD ?? 0n, 0n)
})
