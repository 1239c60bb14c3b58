// What events show: each object as it was right after the change, whatever becomes of it later.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { endHolds } from '../../src/app/worker/end-holds.ts'
import { findLaterEvents } from '../../src/history/event-object/operations.ts'
import type { RailStatus } from '../../src/rails/rail.ts'
import { nameEvent } from '../../src/statements/event/event.ts'
import { readDocument } from '../support/assert/document.ts'
import { assertPageCost, idAt } from '../support/assert/page-cost.ts'
import { bankBeneficiary, internalPayout, localPayout } from '../support/given/bodies.ts'
import { addEndpoint, type Receiver, startReceiver } from '../support/network/receiver.ts'
import { addApprovalRule, approve } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import {
  type Answer,
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { report, scriptedRail, settleAll } from '../support/service/settling.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
console.log(`SEED=${seed}`)

const api = readDocument(JSON.parse(await readFile('openapi.json', 'utf8')))

let service: TestService
let receiver: Receiver
let cli: Cli

before(async () => {
  service = await startTestService({
    simulator_delay_ms: 0,
    bic: 'CORRFRPPXXX',
    webhook_allow_private: true,
  })
  await service.setRates({ 'EUR/USD': '1.1' })
  receiver = await startReceiver()
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'first' })
})
after(async () => {
  await cli.close()
  await receiver.close()
  await service.close()
})

const PATHS: Readonly<Record<string, string>> = {
  pot: '/v3/payout',
  poq: '/v3/payout/quote',
  bnf: '/v3/beneficiary',
  ent: '/v3/entity',
  btr: '/v3/balance_transaction',
  whe: '/v3/webhook_endpoint',
}

// biome-ignore lint/suspicious/noExplicitAny: any object
type Shown = Record<string, any>

/** The text of an object as its GET answers it, without the envelope. */
async function textOf(client: Client, id: string): Promise<string> {
  const { status, text } = await client.get(`${PATHS[id.slice(0, 3)]}/${id}`)
  assert.equal(status, 200, text)
  const enveloped = '{"status":"success","message":"","data":'
  return text.startsWith(enveloped) ? text.slice(enveloped.length, -1) : text
}

/** One account, what it has, and what was seen of it after each command. */
class History {
  readonly client: Client
  readonly approver: PersonClient
  readonly other: string
  readonly ids: Record<string, string[]> = { pot: [], poq: [], bnf: [], ent: [], whe: [] }
  /** The text of the object right after the command, by the id of the last event about it. */
  readonly seen = new Map<string, string>()
  /** Events that were alone about their object in their command. */
  readonly alone = new Set<string>()
  #last = 0n
  #removeRule: (() => Promise<void>) | undefined

  constructor(client: Client, approver: PersonClient, other: string) {
    this.client = client
    this.approver = approver
    this.other = other
  }

  nth(kind: string, n: number): string {
    const ids = this.ids[kind] ?? []
    return ids[n % Math.max(1, ids.length)] ?? `${kind}_00000000000000000000`
  }

  async rule(subject: 'payout' | 'beneficiary') {
    const { account_id } = this.client.account
    if (this.#removeRule !== undefined) await this.#removeRule()
    const add = () => addApprovalRule(service, { account_id, subject, approvers: 2 })
    this.#removeRule = this.#removeRule === undefined ? await add() : undefined
  }

  async look(): Promise<void> {
    const { account_id } = this.client.account
    const events = await service.database.owner<
      { id: string; sequence: bigint; object_id: string }[]
    >`
      select id, sequence, object_id from each_event
      where account_id = ${account_id} and sequence > ${this.#last} order by sequence`
    for (const [id, told] of Map.groupBy(events, event => event.object_id)) {
      const newest = told.at(-1)
      if (newest === undefined) continue
      this.seen.set(newest.id, await textOf(this.client, id))
      if (told.length === 1) this.alone.add(newest.id)
      const known = this.ids[id.slice(0, 3)]
      if (known?.includes(id) === false) known.push(id)
    }
    this.#last = events.at(-1)?.sequence ?? this.#last
  }
}

type Step = (history: History, n: number, text: string) => Promise<unknown>

const post = ({ client }: History, path: string, body: object) => client.post(path, body)

type Body = (n: number, text: string, history: History) => object
const makes =
  (path: string, body: Body): Step =>
  (h, n, text) =>
    post(h, path, body(n, text, h))
const changes =
  (kind: string, body: Body): Step =>
  (h, n, text) =>
    h.client.put(`${PATHS[kind]}/${h.nth(kind, n)}`, body(n, text, h))
const acts =
  (kind: string, act: string, body: Body): Step =>
  (h, n, text) =>
    post(h, `${PATHS[kind]}/${h.nth(kind, n)}/${act}`, body(n, text, h))
const pays = (change: Body) =>
  makes('/v3/payout', (n, text, h) => ({ ...localPayout, ...change(n, text, h) }))
const simulates =
  (kind: string, act: string, body: Body): Step =>
  (h, n, text) => {
    const id = h.nth(kind === 'payout' ? 'pot' : 'ent', n)
    return post(h, `/v3/sandbox/${kind}/${id}/${act}`, body(n, text, h))
  }
const moves = (status: string, more: Body = () => ({})) =>
  simulates('payout', 'transition', (n, text, h) => ({ status, ...more(n, text, h) }))
const settles =
  (...statuses: readonly RailStatus[]) =>
  () =>
    settleAll(
      service,
      scriptedRail(async () => report(...statuses)),
    )

const QUOTE = {
  payout_info: { currency: 'USD', amount: 10_000 },
  holding_info: { currency: 'EUR' },
}
const ANSWER = { documents: [{ type: 'invoice', url: 'https://b.example/a' }] }
const toKnown = { beneficiary_details: undefined }

/** What may happen, with how often. */
const STEPS: readonly (readonly [weight: number, step: Step])[] = [
  [2, makes('/v3/beneficiary', (n, name) => ({ ...bankBeneficiary, name, tax_id: `T${n}` }))],
  [3, changes('bnf', (_, name) => ({ name }))],
  [1, changes('bnf', n => ({ tax_id: null, email: `a${n}@b.example` }))],
  [2, makes('/v3/entity', (n, name) => ({ type: 'individual', name, email: `e${n}@b.example` }))],
  [3, changes('ent', (n, name) => ({ name, metadata: { n: `${n}` } }))],
  [1, changes('ent', n => ({ description: `Number ${n}` }))],
  [2, acts('ent', 'submit', (_, vertical) => ({ vertical }))],
  ...['approved', 'rejected', 'requires_action'].map((status): readonly [number, Step] => [
    2,
    simulates('entity', 'review', (_, description) => ({ status, description })),
  ]),
  [1, makes('/v3/payout/quote', () => QUOTE)],
  [3, pays((n, transaction_description) => ({ amount: 1_000 + n, transaction_description }))],
  [2, pays((n, _, h) => ({ ...toKnown, beneficiary: h.nth('bnf', n), reference_id: `r${n}` }))],
  [2, pays((n, _, h) => ({ on_behalf_of: h.nth('ent', n), metadata: { n: `${n}` } }))],
  [2, pays((n, _, h) => ({ quote: h.nth('poq', n), amount: undefined, currency: undefined }))],
  [1, pays(() => ({ type: 'swift', charge_type: 'ours' }))],
  [1, makes('/v3/payout', (n, _, h) => internalPayout(h.other, 100 + n))],
  [1, makes('/v3/payout_batch', () => ({ payouts: [localPayout, localPayout] }))],
  [2, moves('requires_action', (_, description) => ({ description }))],
  [1, moves('compliance_hold')],
  [1, moves('processing')],
  [2, moves('succeeded')],
  [2, moves('failed')],
  [2, moves('reversed', () => ({ failure: { message: 'Sent back' } }))],
  [2, acts('pot', 'action', (n, note) => ({ ...ANSWER, note, purpose: `purpose ${n}` }))],
  [1, acts('pot', 'cancel', () => ({}))],
  [2, settles('succeeded')],
  [1, settles('failed')],
  [1, settles('requires_action', 'processing', 'succeeded', 'reversed')],
  [1, makes('/v3/sandbox/fund', () => ({ amount: 500_000, currency: 'USD' }))],
  [1, acts('whe', 'test', () => ({}))],
  [1, changes('whe', (_, description) => ({ description }))],
  [1, (h, n) => h.rule(n % 2 === 0 ? 'payout' : 'beneficiary')],
  [4, decidePayout],
  [4, decideBeneficiary],
  [1, () => endHolds(service.deps)],
]

async function decidePayout(history: History, n: number): Promise<unknown> {
  const [newest] = history.ids.pot?.slice(-1 - (n % 2)) ?? []
  const { account_id } = history.client.account
  const decision = n % 5 === 0 ? 'reject' : 'approve'
  const who = { account_id, payout_id: newest ?? '', user: USERS[n % 2] ?? '' }
  return approve(service, who, { decision, reason: 'As agreed' }).catch(() => undefined)
}

async function decideBeneficiary(history: History, n: number): Promise<unknown> {
  const url = `/v3/beneficiary/${history.ids.bnf?.at(-1)}`
  const asked: Answer = await history.client.get(`${url}/approval`)
  const payload = { digest: asked.json?.data?.digest }
  const headers = (PEOPLE[n % 2] as PersonClient).headers(history.client.account.account_id)
  const said = n % 4 === 0 ? 'reject' : 'approve'
  return service.inject({ method: 'POST', url: `${url}/${said}`, headers, payload })
}

const USERS = ['ann', 'bob']
let PEOPLE: PersonClient[]

async function openHistory(): Promise<History> {
  const fund = { USD: 100_000_000n, EUR: 100_000_000n }
  const client = await service.openAccount({ currencies: ['USD', 'EUR'], fund, sandbox: true })
  const other = await service.openAccount({ currencies: ['USD'], sandbox: true })
  const { account_id } = client.account
  const roles = [[account_id, 'approver']] as const
  PEOPLE = await Promise.all(USERS.map(user => addPerson(service, { user, roles })))
  await addEndpoint(service.database, account_id, receiver.url)
  const history = new History(client, PEOPLE[0] as PersonClient, other.account.deposit_address)
  const endpoints = (await client.get('/v3/webhook_endpoint')).json.data.results as Shown[]
  history.ids.whe?.push(...endpoints.map(({ id }) => id as string))
  return history
}

/** All events of the account, oldest first. */
async function readEvents({ client }: History): Promise<Shown[]> {
  const events: Shown[] = []
  for (let after = ''; ; ) {
    const { json, text } = await client.get(`/v3/event?limit=100${after}`)
    assert.ok(json?.data, text)
    events.push(...json.data.results)
    if (!json.data.has_more) break
    after = `&starting_after=${events.at(-1)?.id}`
  }
  return events.reverse()
}

/** The text of an event as its GET answers it: what the list has of it. */
async function readText({ client }: History, event: Shown): Promise<string> {
  const { status, text } = await client.get(`/v3/event/${event.id}`)
  assert.equal(status, 200, text)
  assert.deepEqual(JSON.parse(text).data, event)
  return text
}

/** At least so many steps, and more until enough objects were seen after a change. */
const STEPS_AT_LEAST = 100
const SEEN_AT_LEAST = 41

test('GET /v3/event, a random history: each object equals the GET after its change, byte for byte', async () => {
  const history = await openHistory()
  await history.look()
  const weighed = fc.oneof(
    ...STEPS.map(([weight, step]) => ({ weight, arbitrary: fc.constant(step) })),
  )
  const drawn = fc.sample(
    fc.tuple(weighed, fc.nat(999), fc.string({ minLength: 1, maxLength: 9 })),
    {
      seed,
      numRuns: 3 * STEPS_AT_LEAST,
    },
  )
  for (const [i, [step, n, text]] of drawn.entries()) {
    if (i >= STEPS_AT_LEAST && history.seen.size >= SEEN_AT_LEAST) break
    await step(history, n, `x${text}`)
    await history.look()
  }
  await deliverDue(service.deps, service.deps.sql)

  const events = await readEvents(history)
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, i) => i + 1),
  )
  const sent = new Map(receiver.received.map(({ event, body }) => [event.id, body]))
  const before = new Map<string, Shown>()
  for (const event of events) {
    const text = await readText(history, event)
    const data = history.seen.get(event.id)
    if (data !== undefined)
      assert.ok(text.includes(`,"data":${data},"previous`), `${text}\n${data}`)
    assert.equal(api.mismatch(api.json.components.schemas.AccountEvent, event), '', text)
    assert.equal(event.account, history.client.account.account_id)
    assert.equal(event.erased, false)
    if (sent.has(event.id)) assert.ok(text.endsWith(`"data":${sent.get(event.id)}}`), text)
    const known = before.get(event.object_id)
    if (event.type.endsWith('.created') || known === undefined) {
      assert.deepEqual(event.previous_attributes, {}, text)
    } else if (history.alone.has(event.id) && !event.type.startsWith('webhook_')) {
      assert.deepEqual({ ...event.data, ...event.previous_attributes }, known, text)
      for (const [name, value] of Object.entries(event.previous_attributes)) {
        assert.notDeepEqual(value, event.data[name], text)
      }
    }
    before.set(event.object_id, event.data)
  }
  assert.ok(history.seen.size >= SEEN_AT_LEAST && sent.size >= SEEN_AT_LEAST)
  await eraseAll(history, events)
})

/** Of an erased object these are as they were. */
const KEPT = [
  ...['id', 'object', 'type', 'amount', 'currency', 'fee_info', 'total_debit', 'rail', 'quote'],
  ...['created_at', 'updated_at', 'reference_id', 'approval_status', 'on_behalf_of'],
]

async function eraseAll(history: History, before: readonly Shown[]) {
  for (const id of [...(history.ids.bnf ?? []), ...(history.ids.ent ?? [])]) {
    await cli.run('privacy', 'erase', id, '--reason', 'Request 118')
  }
  const events = await readEvents(history)
  const erased = events.filter(event => event.erased)
  assert.ok(erased.length > 0 && erased.length < events.length)
  for (const [i, event] of events.entries()) {
    const text = JSON.stringify(event)
    if (!event.erased) assert.deepEqual(event, before[i] ?? event)
    else if (event.type.endsWith('.erased')) assert.deepEqual(event.previous_attributes, {})
    else {
      const was = before[i]?.data
      // Of an entity the reference is its own word for somebody.
      const names = KEPT.filter(name => name !== 'reference_id' || was.amount)
      for (const name of names) assert.deepEqual(event.data[name], was[name], `${name} ${text}`)
      const { name, beneficiary_details = { name } } = event.data
      assert.equal(beneficiary_details.name, '', text)
    }
  }
}

test('events with rows of their objects, statement planned for an empty table: only index look-ups', async () => {
  const account_id = 'acc_a'
  const created_at = '2026-01-01T00:00:00.000000Z'
  // Each of a thousand objects has five events, of which these are the last.
  const events = [1, 2, 3, 4, 5].map(i => {
    const sequence = BigInt(4_000 + i)
    const event = { account_id, sequence, created_at, type: 'entity.updated', data: {} }
    return nameEvent({ ...event, object_id: idAt('ent', i) })
  })
  await assertPageCost({
    table: 'events',
    queries: [{}],
    async page(tx) {
      return { rows: [...(await findLaterEvents(tx, events)).values()].flat() }
    },
    fill: owner => owner`
      insert into events (account_id, sequence, created_at, told, type, object_id, hash)
      select a, i, ${created_at}::timestamptz, '-', 'entity.updated',
        'ent_' || lpad((i % 1000)::text, 20, '0'), sha256('')
      from generate_series(1, 5000) i, unnest(array['acc_a', 'acc_b']) a`,
    // The row of the event itself is found twice, as the next one and as the next update.
    besides: () => 5,
  })
})
