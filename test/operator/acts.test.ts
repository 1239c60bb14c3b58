// What people do by the operator API: each act happens once, is in the audit log once under the name
// of whoever did it, and what is refused leaves nothing.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import document from '../../docs/operator.openapi.json' with { type: 'json' }
import { connect, type TransactionSql } from '../../src/sql/connect.ts'
import { complaintOf } from '../input/judge.ts'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { readDocument } from '../support/assert/document.ts'
import { undone, verdictIn } from '../support/database/undone.ts'
import { watchWrittenTables } from '../support/database/written.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { type Answer, addPerson, type PersonClient } from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'
import { settleAll } from '../support/service/settling.ts'
import { share } from '../support/share.ts'
import {
  CALLS,
  type Call,
  heldPayout,
  makeOperatorWorld,
  makePayout,
  newEndpoint,
  newReference,
  type OperatorWorld,
  standingPayout,
} from './world.ts'

const api = readDocument(document)
let world: OperatorWorld
let mary: PersonClient
before(async () => {
  world = await makeOperatorWorld()
  mary = await addPerson(world.service, { user: 'mary', role: 'operator' })
})
after(() => world.close())

const usd = (amount: number) => ({
  account_id: world.live.account.account_id,
  currency: 'USD',
  amount,
})

async function balance(): Promise<number> {
  const { json } = await world.live.get('/v3/balance')
  const held = json.data.available.find(({ currency }: { currency: string }) => currency === 'USD')
  return Number(held.amount)
}

/** What the log has of an object, newest first. */
async function loggedOf(id: string) {
  const { status, json, text } = await world.call('GET /v3/operator/audit', { query: `?id=${id}` })
  assert.equal(status, 200, text)
  return json.data.results
}

test('manual payout taken and paid: each action in the audit log with person, action, reason and host', async () => {
  const id = await makePayout(world)
  const take = { ids: [id], body: { reason: 'Mine today' } }
  const taken = await world.call('POST /v3/operator/payout/:id/take', take)
  assert.deepEqual([taken.status, taken.json.data.taken_by], [200, 'ada'])
  const paid = { status: 'succeeded', reference: newReference() }
  const byMary = { ids: [id], body: paid }
  const path = 'POST /v3/operator/payout/:id/transition'
  const back = { ids: [id], body: { status: 'failed', reason: 'Closed' } }
  assertRefused(await world.call(path, back, mary.headers()), 409, 'invalid_transition')
  const done = await world.call(path, byMary)
  assert.equal(done.status, 200, done.text)
  assert.equal(done.json.data.payout.status, 'succeeded')
  const [transition, handling, ...more] = await loggedOf(id)
  assert.deepEqual(more, [])
  const { account_id } = world.live.account
  assert.deepEqual(
    [handling.changed_by, handling.act, handling.reason, handling.via, handling.after],
    ['ada', 'payout take', 'Mine today', 'api from 127.0.0.1', { account_id, id, taken_by: 'ada' }],
  )
  assert.deepEqual(
    [transition.act, transition.before.status, transition.after.status],
    ['payout transition', 'processing', 'succeeded'],
  )
  assert.equal(transition.after.rail_reference, paid.reference)
})

test("action by a key: audit log has the key's id, never its secret; by a session: no key id", async () => {
  const url = 'https://8.8.8.8/hook'
  const endpoint = await world.live.post('/v3/webhook_endpoint', { url, event_types: ['payout.*'] })
  assert.equal(endpoint.status, 200, endpoint.text)
  const [made] = await loggedOf(endpoint.json.data.id)
  assert.deepEqual([made.act, made.origin], ['webhook create', { key_id: world.live.key_id }])
  const taken = await makePayout(world)
  const path = 'POST /v3/operator/payout/:id/take'
  const byKey = { ids: [taken], body: { reason: 'Mine' } }
  assert.equal((await world.call(path, byKey)).status, 200)
  const [row] = await loggedOf(taken)
  assert.equal(row.changed_by, 'ada')
  assert.deepEqual(row.origin, { key_id: world.ada.key_id })
  const session = await logIn(world.service, 'mary')
  const other = { ids: [await makePayout(world)], body: { reason: 'Mine' } }
  assert.equal((await world.call(path, other, session)).status, 200)
  const [bySession] = await loggedOf(other.ids[0] ?? '')
  assert.deepEqual([bySession.changed_by, bySession.origin], ['mary', {}])
})

test('POST /v3/operator/fund, same Idempotency-Key: booked once, the original answer again; another person: another booking', async () => {
  const fund = 'POST /v3/operator/fund'
  const [first, other] = [newReference(), newReference()]
  const headers = { 'idempotency-key': newReference() }
  const was = await balance()
  const once = await world.call(fund, { body: { ...usd(100), reference: first }, headers })
  const again = await world.call(fund, { body: { ...usd(100), reference: first }, headers })
  assert.deepEqual([once.status, again.status, again.text], [200, 200, once.text])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  const body = { ...usd(100), reference: other }
  assertRefused(await world.call(fund, { body, headers }), 422, 'idempotency_key_reused')
  assert.equal((await world.call(fund, { body, headers }, mary.headers())).status, 200)
  assert.equal(await balance(), was + 200)
  const { id } = once.json.data.balance_transaction
  assert.equal((await loggedOf(id)).length, 1)
})

/** One row a reason and route; the rules are tabled beside them. */
const MONEY: readonly (readonly [
  what: string,
  route: string,
  change: object,
  refused: readonly [status: number, reason: string, remarks?: string],
])[] = [
  ['live, no reference', 'fund', { reference: undefined }, [400, 'invalid_field', 'reference']],
  ['no account', 'fund', { account_id: 'acc_00000000' }, [404, 'not_found']],
  ['no currency', 'fund', { currency: 'XXY' }, [400, 'currency', 'currency']],
  ['not held', 'withdraw', { currency: 'EUR' }, [400, 'holding_currency_not_found', 'currency']],
  ['too much', 'withdraw', { amount: 10 ** 15 }, [422, 'insufficient_balance', 'amount']],
  ['below zero', 'adjust', { amount: -(10 ** 15) }, [422, 'insufficient_balance', 'amount']],
  ['nothing', 'adjust', { amount: 0 }, [400, 'invalid_field', 'amount']],
]

test('POST operator booking that cannot be booked: refused with the reason, no row changes', async () => {
  const before = await rowVersions(world.service.database.owner)
  for (const [what, route, change, [status, reason, remarks = '']] of MONEY) {
    const words = route === 'fund' ? {} : { reason: 'y' }
    const body = { ...usd(100), reference: 'x', ...words, ...change }
    const answer = await world.call(`POST /v3/operator/${route}`, { body })
    assert.equal(answer.status, status, `${what}: ${answer.text}`)
    assertRefused(answer, status, reason, remarks)
  }
  const { account_id } = world.sandbox.account
  const body = { ...usd(100), account_id, split: true }
  const split = await world.call('POST /v3/operator/fund', { body })
  assertRefused(split, 400, 'invalid_field', 'split')
  assert.deepEqual(await rowVersions(world.service.database.owner), before)
})

test('POST operator reversal, booking already reversed: 409; id of no booking: 422', async () => {
  const name = 'POST /v3/operator/balance_transaction/:id/reverse'
  const call = (await CALLS[name]?.(world)) ?? assert.fail()
  assert.equal((await world.call(name, call)).status, 200)
  assertRefused(await world.call(name, call), 409, 'already_reversed')
  await makePayout(world)
  const { json } = await world.live.get('/v3/balance_transaction?limit=1')
  const [{ id }] = json.data.results
  assertRefused(await world.call(name, { ...call, ids: [id] }), 422, 'not_reversible')
})

const MISTAKES: readonly (readonly [route: string, set: object, mistake: object])[] = [
  ['rate', { base: 'USD', quote: 'JPY', mid: '150' }, { mid: '1500' }],
  [
    'fee',
    { payout_type: 'swift', fee_currency: 'USD', fixed_amount: 100 },
    { fixed_amount: 10_000 },
  ],
  ['pricing', { spread_bps: 20, from_currency: 'USD', to_currency: 'JPY' }, { spread_bps: 9_000 }],
]

test('rate, fee or spread many times the previous one: refused as a likely mistake, no row changes; with force: set', async () => {
  for (const [route, body, mistake] of MISTAKES) {
    const set = (more: object) =>
      world.call(`POST /v3/operator/${route}`, { body: { ...body, ...more } })
    const first = await set({})
    assert.equal(first.status, 200, first.text)
    const before = await rowVersions(world.service.database.owner)
    assertRefused(await set(mistake), 422, 'likely_mistake')
    assert.deepEqual(await rowVersions(world.service.database.owner), before)
    const forced = await set({ ...mistake, force: true })
    assert.equal(forced.status, 200, forced.text)
  }
})

test('operator action that needs a confirmation: the refusal names the members to send, no command line', async () => {
  const message = (answer: Answer) => String(answer.json.errors[0].message)
  const { account_id } = world.live.account
  const funded = { ...usd(100), reference: newReference() }
  assert.equal((await world.call('POST /v3/operator/fund', { body: funded })).status, 200)
  const body = {
    ...funded,
    account_id: (await world.service.openAccount({ sandbox: false })).account.account_id,
  }
  const twice = await world.call('POST /v3/operator/fund', { body })
  assertRefused(twice, 409, 'reference_already_used', 'reference')
  assert.match(message(twice), /; say split if one payment is split over accounts\.$/)
  const cut_off = { time: '15:00', zone: 'Europe/Berlin', calendar: 't2' }
  const route = { type: 'local', currency: 'SGD', account_id, rail: 'manual' }
  const set = (more: object) =>
    world.call('POST /v3/operator/route', { body: { ...route, ...more } })
  assert.equal((await set({ cut_off })).status, 200)
  assert.match(message(await set({})), /; say it again, or say no_cut_off$/)
  const late = await set({ cut_off: { ...cut_off, zone: 'Mars/Base' } })
  assertRefused(late, 400, 'invalid_field', 'cut_off.zone')
  assert.doesNotMatch(late.text, /--/)
})

/** All pages of a list, by this member of its items. */
async function walk(route: string, query: string, cursor: string, of: (item: never) => string) {
  const found: string[] = []
  for (let next = ''; ; ) {
    const page: Answer = await world.call(route, { query: `?limit=3${query}${next}` })
    assert.equal(page.status, 200, page.text)
    const ids: string[] = page.json.data.results.map(of)
    found.push(...ids)
    if (!page.json.data.has_more) return found
    next = `&${cursor}=${ids.at(-1)}`
  }
}

test('operator lists, page by page: every payout of every account and every log row once, in order', async () => {
  for (let i = 0; i < 5; i++) await makePayout(world)
  const { owner } = world.service.database
  const inOrder = async (order: 'asc' | 'desc', open: boolean) => {
    const rows = await owner.unsafe(
      `select id from ${open ? 'open_payouts' : 'payouts'} order by id ${order}`,
    )
    return rows.map(row => String(row.id))
  }
  const idOf = (item: { payout: { id: string } }) => item.payout.id
  const list = 'GET /v3/operator/payout'
  assert.deepEqual(await walk(list, '', 'starting_after', idOf), await inOrder('desc', false))
  assert.deepEqual(
    await walk(list, '&status=processing&rail=manual', 'starting_after', idOf),
    await inOrder('asc', true),
  )
  const changes = await owner`select change_id::text as id from audit_log order by change_id desc`
  assert.deepEqual(
    await walk(
      'GET /v3/operator/audit',
      '',
      'before',
      (item: { change_id: string }) => item.change_id,
    ),
    changes.map(({ id }) => id),
  )
})

interface Waiting {
  readonly payout: string
  readonly id: string
  readonly number: number
}

interface List {
  readonly route: string
  /** Makes one of what the list has. */
  make(world: OperatorWorld): Promise<string>
  /** The cursor of one. */
  cursorOf(one: Waiting): string
  /** Does what one waits for. */
  readonly done: { readonly route: string; readonly body: object }
}

const LISTS: readonly List[] = [
  {
    route: 'GET /v3/operator/exception',
    make: standingPayout,
    cursorOf: ({ payout, number }) => `${payout}:${number}`,
    done: {
      route: 'POST /v3/operator/payout/:id/close_exception',
      body: { number: 1, note: 'The bank has booked it' },
    },
  },
  {
    route: 'GET /v3/operator/screening',
    make: heldPayout,
    cursorOf: ({ id }) => id,
    done: { route: 'POST /v3/operator/screening/:id/confirm', body: { reason: 'It is them' } },
  },
  {
    route: 'GET /v3/operator/webhook_endpoint',
    make: newEndpoint,
    cursorOf: ({ id }) => id,
    done: { route: 'POST /v3/operator/webhook_endpoint/:id/replay', body: {} },
  },
]

for (const { route, make, cursorOf, done } of LISTS) {
  const page = async (after: string) => {
    const query = `?limit=2${after === '' ? '' : `&starting_after=${after}`}`
    const { status, json, text } = await world.call(route, { query })
    assert.equal(status, 200, text)
    return json.data as { readonly has_more: boolean; readonly results: readonly Waiting[] }
  }

  const walk = async (each: (last: Waiting) => Promise<void>) => {
    const found: string[] = []
    for (let after = ''; ; ) {
      const { has_more, results } = await page(after)
      found.push(...results.map(cursorOf))
      const last = results.at(-1)
      if (last === undefined || !has_more) return found
      after = cursorOf(last)
      await each(last)
    }
  }

  test(`${route}: each item once, oldest first, also if items are closed between pages`, async () => {
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.push(await make(world))
    const isMade = (cursor: string) => made.includes(cursor.split(':')[0] ?? '')
    const found = (await walk(async () => {})).filter(isMade)
    assert.deepEqual(
      found.map(cursor => cursor.split(':')[0]),
      made.toSorted(),
    )
    const again = await walk(async last => {
      const { status, text } = await world.call(done.route, {
        ids: [last.payout ?? last.id],
        body: done.body,
      })
      assert.equal(status, 200, text)
    })
    assert.deepEqual(again.filter(isMade), found)
  })

  test(`${route}, malformed cursor: 400`, async () => {
    for (const cursor of ['x', 'acc_7k2m9x4q', 'pot_']) {
      const answer = await world.call(route, { query: `?starting_after=${cursor}` })
      assertRefused(answer, 400, 'invalid_query_parameter', 'starting_after')
    }
  })
}

/** What a body may not hold, in the place of any of its members. */
const BAD = [null, {}, [], true, 1.5, -(2 ** 60), '', ' ', '\u0000', 'x'.repeat(3_000), 'a\u202eb']
/** Of these each member gets so many, others than the member before. */
const BAD_ONES = share(2, BAD.length)

test('operator route with a body, bad input: refused as documented or accepted, no 5xx; refused: no row changes', async () => {
  const written = await watchWrittenTables(world.service.database.owner)
  let next = 0
  for (const [name, callOf] of Object.entries(CALLS)) {
    const call = await callOf(world)
    if (call.body === undefined) continue
    const members = Object.keys(call.body)
    const bodies: object[] = [
      { ...call.body, unknown_member: 1 },
      ...members.flatMap(member =>
        Array.from({ length: BAD_ONES }, () => ({
          ...call.body,
          [member]: BAD[next++ % BAD.length],
        })),
      ),
    ]
    await written()
    for (const body of bodies) {
      const [method = '', template = ''] = name.split(' ')
      const url = template.replace(/:\w+/, call.ids?.[0] ?? '')
      const request = { method, url, headers: {}, body: undefined, notes: [] }
      const answer = await world.call(name, { ...call, body })
      const shown = `${name} ${JSON.stringify(body).slice(0, 300)}: ${answer.text}`
      assert.equal(complaintOf(api, request, answer), '', shown)
      assert.doesNotMatch(answer.text, /[^-\w]--[a-z]/, 'it speaks of the option of a command')
      const changed = await written()
      if (answer.status >= 400) assert.deepEqual(changed, [], shown)
    }
    const unknown = await world.call(name, { ...call, body: bodies[0] as object })
    assertRefused(unknown, 400, 'invalid_field', 'unknown_member')
  }
})

const ACTS = share(60, 1_000)

/** An act, and how the log names it. */
interface RandomAct {
  readonly call: Call
  readonly route: string
  readonly command: readonly string[]
  readonly act: string
}

test(`${ACTS} random actions of two people by API and CLI, workers running: each in the audit log once, under its name`, async t => {
  const seed = pickSeed()
  t.diagnostic(`SEED=${seed}`)
  const random = seeded(seed)
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T
  const { account_id } = world.live.account
  const people = [world.ada, mary]
  const clis = new Map<string, Cli>()
  for (const { user } of people) {
    clis.set(user, await openCli(world.service.database.url, { CORRIDOR_USER: user }))
  }
  const [{ head } = { head: 0n }] = await world.service.database.owner<{ head: bigint }[]>`
    select coalesce(max(change_id), 0) as head from audit_log`
  const acts = ['fund', 'withdraw', 'adjust', 'key create', 'account set'] as const
  const make = (reference: string): RandomAct => {
    const act = pick(acts)
    const ids = [account_id]
    if (act === 'key create') {
      const command = ['key', 'create', account_id, '--scope', 'read', '--name', reference]
      const call = { ids, body: { scope: 'read', name: reference } }
      return { act, route: 'POST /v3/operator/account/:id/key', call, command }
    }
    if (act === 'account set') {
      const command = ['account', 'set', account_id, '--name', reference]
      return {
        act,
        route: 'PATCH /v3/operator/account/:id',
        call: { ids, body: { name: reference } },
        command,
      }
    }
    const reason = act === 'fund' ? {} : { reason: reference }
    const option = act === 'fund' ? [] : ['--reason', reference]
    return {
      act,
      route: `POST /v3/operator/${act}`,
      call: { body: { ...usd(100), ...reason, reference } },
      command: [act, account_id, 'USD', '1', '--reference', reference, ...option],
    }
  }
  const done: string[] = []
  const once = async (n: number) => {
    const reference = `act ${n}`
    const { route, call, command, act } = make(reference)
    const person = pick(people)
    const byCommand = random() < 0.05
    if (byCommand) {
      const ran = await clis.get(person.user)?.run(...command)
      assert.ok(ran)
      assert.equal(ran.code, 0, ran.stderr)
    } else {
      const headers = { 'idempotency-key': reference }
      let answer = await world.call(route, { ...call, headers }, person.headers())
      // The database may be busy with the other acts.
      while (answer.status === 503) {
        answer = await world.call(route, { ...call, headers }, person.headers())
      }
      assert.equal(answer.status, 200, answer.text)
    }
    done.push(`${person.user}: ${act}: ${byCommand ? 'cli' : 'api'}: ${reference}`)
  }
  try {
    const worker = makePayout(world).then(() => settleAll(world.service))
    for (let n = 0; n < ACTS; n += 10) {
      await Promise.all(Array.from({ length: 10 }, (_, i) => once(n + i)))
    }
    await worker
  } finally {
    for (const cli of clis.values()) await cli.close()
  }
  const rows = await world.service.database.owner<
    { changed_by: string; act: string; via: string; reference: string }[]
  >`
    select changed_by, act, via, coalesce(after ->> 'reference', after ->> 'name') as reference
    from audit_log where change_id > ${head}`
  const logged = rows.map(
    ({ changed_by, act, via, reference }) =>
      `${changed_by}: ${act}: ${via.split(' ')[0]}: ${reference}`,
  )
  assert.deepEqual(logged.sort(), done.sort())
})

test("database connection used for a person's action: the next transaction on it has no name", async () => {
  const { sql } = world.service.deps.operators
  await world.call('POST /v3/operator/fund', { body: { ...usd(1), reference: newReference() } })
  const names = await Promise.all(
    Array.from(
      { length: 8 },
      () =>
        sql<{ name: string | null }[]>`
        select coalesce(nullif(current_setting('corridor.operator', true), ''),
          nullif(current_setting('corridor.act', true), ''),
          nullif(current_setting('corridor.via', true), '')) as name`,
    ),
  )
  assert.deepEqual(new Set(names.map(([row]) => row?.name ?? null)), new Set([null]))
})

test('POST /v3/operator/webhook_endpoint/{id}/enable, endpoint disabled by its account: 409, only the account can enable it', async () => {
  const name = 'POST /v3/operator/webhook_endpoint/:id/enable'
  const call = (await CALLS[name]?.(world)) ?? assert.fail()
  const id = call.ids?.[0] ?? assert.fail()
  await world.service.database.owner`
    update webhook_endpoints set disabled_reason = 'account' where id = ${id}`
  const before = await rowVersions(world.service.database.owner)
  assertRefused(await world.call(name, call), 409, 'invalid_transition')
  assert.deepEqual(await rowVersions(world.service.database.owner), before)
})

/** Cuts the log after a row, and sets its head back to that row. */
async function cutAfter(tx: TransactionSql, change_id: bigint): Promise<void> {
  await tx`alter table audit_log disable trigger append_only`
  await tx`alter table reference_version disable trigger only_rises`
  await tx`delete from audit_log where change_id > ${change_id}`
  await tx`
    update reference_version set change_count = ${change_id}, change_head = coalesce(
      (select hash from audit_log where change_id = ${change_id}), decode(repeat('00', 32), 'hex'))`
}

const ACTED_ON = [
  'POST /v3/operator/fund',
  'POST /v3/operator/withdraw',
  'POST /v3/operator/adjust',
  'POST /v3/operator/balance_transaction/:id/reverse',
  'POST /v3/operator/payout/:id/take',
  'POST /v3/operator/payout/:id/release',
  'POST /v3/operator/payout/:id/transition',
  'POST /v3/operator/payout/:id/close_exception',
  'POST /v3/operator/bank_file/:id/release',
  'POST /v3/operator/entity/:id/review',
  'POST /v3/operator/screening/:id/clear',
  'POST /v3/operator/screening/:id/confirm',
]

test('audit log, last row deleted: corridor verify names the action', async () => {
  const { owner } = world.service.database
  const lasting = connect(world.service.database.url, { max: 1, as: 'owner' })
  const unseen: string[] = []
  try {
    for (const name of ACTED_ON) {
      const call = (await CALLS[name]?.(world)) ?? assert.fail(name)
      const [before] = await owner<{ last: bigint }[]>`
        select coalesce(max(change_id), 0) as last from audit_log`
      const answer = await world.call(name, call)
      assert.equal(answer.status, 200, `${name} ${answer.text}`)
      const { problems } = await undone(lasting, async tx => {
        await cutAfter(tx, before?.last ?? 0n)
        return verdictIn(tx, true)
      }).then(verdict => (verdict.ok ? { problems: [] } : verdict))
      if (!problems.some(({ expected }) => /in the audit log$/.test(expected))) unseen.push(name)
    }
  } finally {
    await lasting.end({ timeout: 5 })
  }
  assert.deepEqual(unseen, [])
})
