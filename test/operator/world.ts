// A service with an account whose payouts people pay, and people of every kind; the routes of the
// operator API as the application adds them; and a call of each that is answered well.
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { insertFactorRule } from '../../src/accounts/user/factor-store.ts'
import { insertAccountRole, insertUser, updateDisabled } from '../../src/accounts/user/store.ts'
import { insertFile } from '../../src/adapters/bank-file/file-store.ts'
import { messageIdOf } from '../../src/adapters/bank-file/ids.ts'
import { CONNECTOR } from '../../src/adapters/connector/kind.ts'
import { transferData } from '../../src/adapters/evm/abi.ts'
import { EXAMPLE } from '../../src/adapters/evm/config.ts'
import { insertRail } from '../../src/rails/row-store.ts'
import type { TransactionSql } from '../../src/sql/connect.ts'
import { newId } from '../../src/values/id.ts'
import { NOBODYS_URL, watchAdded } from '../support/assert/routes.ts'
import { onCluster } from '../support/database/citus.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addEndpoint } from '../support/network/receiver.ts'
import {
  type Answer,
  addPerson,
  basic,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { addFactor, logIn } from '../support/service/session.ts'

export interface OperatorRoute {
  /** `POST /v3/operator/payout/:id/take` */
  readonly name: string
  readonly method: string
  readonly url: string
  readonly scope: string
}

export interface OperatorWorld {
  readonly service: TestService
  readonly routes: readonly OperatorRoute[]
  readonly live: Client
  readonly sandbox: Client
  readonly ada: PersonClient
  /** Calls a route in ada's name, or another's; what a key may not, in a session of alan's. */
  call(name: string, call: Call, headers?: Record<string, string>): Promise<Answer>
  close(): Promise<void>
}

import { MATCHING_CALLS } from './matching-calls.ts'
import { TREASURY_CALLS } from './treasury-calls.ts'

/** What a key of a person may not. */
export const OF_SESSIONS = /^POST \/v3\/operator\/user\b/

export interface Call {
  /** What stands in the path for its parameters, in their order. */
  readonly ids?: readonly string[]
  readonly query?: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

export async function makeOperatorWorld(): Promise<OperatorWorld> {
  const [service, routes] = await watchOperatorRoutes(() =>
    startTestService({ failed_logins_per_min: 0 }),
  )
  await service.setRates({ 'USD/HKD': '8' })
  await service.setFees([{ payout_type: 'local', fixed_amount: 100n }])
  await service.setRoutes([{}])
  const fund = { USD: 10n ** 9n }
  const live = await service.openAccount({ currencies: ['USD'], fund, sandbox: onCluster })
  const sandbox = await service.openAccount({ currencies: ['USD'], fund })
  const ada = await addPerson(service, { user: 'ada', role: 'operator' })
  await addPerson(service, { user: 'alan', role: 'operator' })
  const session = await logIn(service, 'alan')
  return {
    service,
    routes,
    live,
    sandbox,
    ada,
    call(name, { ids = [], query = '', body, headers: more }, by) {
      const headers = by ?? (OF_SESSIONS.test(name) ? session : ada.headers())
      const [method = '', template = ''] = name.split(' ')
      const rest = [...ids]
      const url = template.replace(/:\w+/g, () => String(rest.shift())) + query
      const json = body === undefined ? {} : { 'content-type': 'application/json' }
      return service.inject({
        method: method as 'GET',
        url,
        headers: { ...json, ...headers, ...more },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      })
    },
    close: () => service.close(),
  }
}

/** As `call` in ada's name, again while the database is busy with other calls. */
export async function callUntilAnswered(
  world: OperatorWorld,
  name: string,
  call: Call,
): Promise<Answer> {
  for (;;) {
    const answer = await world.call(name, call)
    if (answer.status !== 503) return answer
  }
}

/** The routes of operators that are added while `start` runs. */
export async function watchOperatorRoutes<T>(
  start: () => Promise<T>,
): Promise<[T, OperatorRoute[]]> {
  const [started, added] = await watchAdded(start)
  const ours = added.filter(
    ({ url, method }) => url.startsWith('/v3/operator/') && method !== 'HEAD',
  )
  const routes = ours.map(({ method, url, config }) => {
    return {
      name: `${String(method)} ${url}`,
      method: String(method),
      url,
      scope: String(config?.scope),
    }
  })
  return [started, routes]
}

/** The data of a call in ada's name, which is answered well. */
async function done(world: OperatorWorld, name: string, call: Call) {
  const { status, text, json } = await world.call(name, call)
  assert.equal(status, 200, text)
  return json.data
}

/** A payout of the live account, which waits for a person. */
export async function makePayout({ live }: Pick<OperatorWorld, 'live'>): Promise<string> {
  const { status, json, text } = await live.post('/v3/payout', localPayout)
  assert.equal(status, 200, text)
  return json.data.id
}

/** One that ada has taken. */
async function takenPayout(world: OperatorWorld): Promise<string> {
  const id = await makePayout(world)
  await done(world, 'POST /v3/operator/payout/:id/take', { ids: [id], body: {} })
  return id
}

/** A reference that nothing was booked by. */
export const newReference = () => newId('req')

/** Payouts that no other call here is about. */
const WALLET = { payout_type: 'wallet', payout_currency: 'USDC' }

const JAPAN = { type: 'local', currency: 'JPY', country: 'JP' }
const CUT_OFF = { time: '15:00', zone: 'Europe/Berlin', calendar: 't2' }

const REASON = { reason: 'Case 118' }

/** A call about something that is made for it. */
const about =
  (make: (world: OperatorWorld) => Promise<string>, body?: object) =>
  async (world: OperatorWorld): Promise<Call> => ({
    ids: [await make(world)],
    ...(body !== undefined && { body }),
  })

/** A call of each route that an operator gets 200 for, once. A route that is not here is a failure. */
export const CALLS: Readonly<Record<string, (world: OperatorWorld) => Promise<Call> | Call>> = {
  'GET /v3/operator/payout': () => ({ query: '?status=processing&limit=3' }),
  'GET /v3/operator/payout/:id': about(makePayout),
  'GET /v3/operator/search': () => ({ query: '?q=Acme' }),
  'POST /v3/operator/payout/:id/take': about(makePayout, {}),
  'POST /v3/operator/payout/:id/release': about(takenPayout, REASON),
  'POST /v3/operator/payout/:id/transition': async world => ({
    ids: [await takenPayout(world)],
    body: { status: 'succeeded', reference: newReference() },
  }),
  'POST /v3/operator/fund': ({ live }) => ({ body: { ...usd(live), reference: newReference() } }),
  'POST /v3/operator/withdraw': ({ live }) => ({
    body: { ...usd(live), ...REASON, reference: newReference() },
  }),
  'POST /v3/operator/adjust': ({ live }) => ({
    body: { ...usd(live), amount: -1250, ...REASON, reference: newReference() },
  }),
  'POST /v3/operator/balance_transaction/:id/reverse': async world => {
    const body = { ...usd(world.live), reference: newReference() }
    const { balance_transaction } = await done(world, 'POST /v3/operator/fund', { body })
    return { ids: [balance_transaction.id], body: REASON }
  },
  'GET /v3/operator/rate': () => ({}),
  'POST /v3/operator/rate': () => ({
    body: { base: 'USD', quote: 'HKD', mid: '8.0', source: newReference() },
  }),
  'POST /v3/operator/rate/remove': async world => {
    await world.service.setRates({ 'GBP/USD': '1.3' })
    return { body: { base: 'GBP', quote: 'USD' } }
  },
  'GET /v3/operator/fee': () => ({}),
  'POST /v3/operator/fee': () => ({ body: { ...WALLET, fixed_amount: 150, fee_currency: 'USD' } }),
  'POST /v3/operator/fee/remove': async world => {
    const body = { ...WALLET, fixed_amount: 150, fee_currency: 'USD' }
    await done(world, 'POST /v3/operator/fee', { body })
    return { body: WALLET }
  },
  'GET /v3/operator/pricing': () => ({}),
  'POST /v3/operator/pricing': ({ live }) => ({
    body: { spread_bps: 25, account_id: idOf(live) },
  }),
  'POST /v3/operator/pricing/remove': async world => {
    const body = { spread_bps: 30, from_currency: 'USD', to_currency: 'HKD' }
    const { rows } = await done(world, 'POST /v3/operator/pricing', { body })
    return { body: { policy_id: rows[0].policy_id } }
  },
  'GET /v3/operator/route': () => ({}),
  'POST /v3/operator/route': () => ({
    body: { ...JAPAN, rail: 'manual', min_amount: 1, priority: 7, cut_off: CUT_OFF },
  }),
  'POST /v3/operator/route/remove': async world => {
    await done(world, 'POST /v3/operator/route', { body: { ...JAPAN, rail: 'manual' } })
    return { body: JAPAN }
  },
  'GET /v3/operator/limit': ({ live }) => ({ query: `?account_id=${idOf(live)}` }),
  'GET /v3/operator/limit/:id': about(newLimit),
  'POST /v3/operator/limit': ({ live }) => ({
    body: { account_id: idOf(live), count: 1_000_000, per: 'day', zone: 'Asia/Tokyo' },
  }),
  'POST /v3/operator/limit/:id/remove': about(newLimit, {}),
  ...TREASURY_CALLS,
  ...MATCHING_CALLS,
  'GET /v3/operator/rail': () => ({}),
  'GET /v3/operator/rail/:name': about(newRail),
  'POST /v3/operator/rail/:name/pause': about(newRail, REASON),
  'POST /v3/operator/rail/:name/resume': async world => ({
    ids: [await newRail(world, 'The bank is closed')],
    body: {},
  }),
  'GET /v3/operator/unread_file': () => ({ query: '?limit=1' }),
  'GET /v3/operator/bank_file': () => ({ query: '?limit=1' }),
  'GET /v3/operator/bank_file/:id': about(newFile),
  'GET /v3/operator/bank_file/:id/content': about(newFile),
  'POST /v3/operator/bank_file/:id/release': async world => {
    const ids = [await newFile(world)]
    const shown = await world.call('GET /v3/operator/bank_file/:id', { ids })
    return { ids, body: { digest: shown.json.data.digest, force: true } }
  },
  'POST /v3/operator/bank_file/:id/withdraw': about(newFile, REASON),
  'GET /v3/operator/screening_list': () => ({}),
  'POST /v3/operator/screening_list/require': () => ({ body: { required: ['un'], ...REASON } }),
  'GET /v3/operator/approval_rule': () => ({}),
  'POST /v3/operator/approval_rule': async world => ({
    body: { account_id: await newAccount(world), at_least: 5000, at_least_currency: 'USD' },
  }),
  'POST /v3/operator/approval_rule/:id/remove': async world => {
    const body = { account_id: await newAccount(world), new_payee: true, approvers: 2 }
    const { rule_id } = await done(world, 'POST /v3/operator/approval_rule', { body })
    return { ids: [rule_id], body: {} }
  },
  'GET /v3/operator/webhook_endpoint': async world => {
    await goneEndpoint(world)
    return { query: '?limit=1' }
  },
  'POST /v3/operator/webhook_endpoint/:id/replay': about(newEndpoint, {}),
  'POST /v3/operator/webhook_endpoint/:id/enable': about(goneEndpoint, {}),
  'POST /v3/operator/payout/:id/close_exception': about(standingPayout, {
    number: 1,
    note: 'The bank has booked it',
  }),
  'POST /v3/operator/payout/:id/void': about(payoutOnChain, { again: true, ...REASON }),
  'POST /v3/operator/rail/:name/adopt': about(newChainRail, REASON),
  'GET /v3/operator/rail/:name/sweep': about(newChainRail),
  'POST /v3/operator/rail/:name/sweep': about(newSweepingRail, {
    ...{ wallet: EXAMPLE.wallets[0]?.address, currency: 'USDC', amount: 1_000_000, ...REASON },
  }),
  'POST /v3/operator/rail_sweep/:id/agree': about(newSweep, {}),
  'GET /v3/operator/exception': () => ({ query: '?limit=2' }),
  'GET /v3/operator/screening': () => ({ query: '?state=open' }),
  'GET /v3/operator/screening/:id': about(heldPayout),
  'POST /v3/operator/screening/:id/clear': about(heldPayout, REASON),
  'POST /v3/operator/screening/:id/confirm': about(heldPayout, REASON),
  'GET /v3/operator/entity': () => ({ query: '?status=pending&limit=2' }),
  'GET /v3/operator/entity/:id': async world => ({ ids: [(await newEntity(world)).id] }),
  'POST /v3/operator/entity/:id/review': async world => {
    const { id, updated_at } = await newEntity(world)
    return { ids: [id], body: { status: 'approved', seen: updated_at, reason: 'In the register' } }
  },
  'GET /v3/operator/account': () => ({ query: '?limit=1' }),
  'POST /v3/operator/account': () => ({
    body: { name: 'Harbour', currencies: ['USD', 'HKD'], primary_currency: 'USD' },
  }),
  'GET /v3/operator/account/:id': ({ live }) => ({ ids: [idOf(live)] }),
  'PATCH /v3/operator/account/:id': ({ live }) => ({
    ids: [idOf(live)],
    body: { name: newReference() },
  }),
  'POST /v3/operator/account/:id/freeze': about(newAccount, REASON),
  'POST /v3/operator/account/:id/unfreeze': async world => {
    const id = await newAccount(world)
    await done(world, 'POST /v3/operator/account/:id/freeze', { ids: [id], body: REASON })
    return { ids: [id], body: REASON }
  },
  'POST /v3/operator/account/:id/close': about(newAccount, REASON),
  'GET /v3/operator/account/:id/key': ({ live }) => ({ ids: [idOf(live)] }),
  'POST /v3/operator/account/:id/key': ({ live }) => ({
    ids: [idOf(live)],
    body: { scope: 'read', name: 'report' },
  }),
  'POST /v3/operator/key/:id/revoke': about(newKey, {}),
  'GET /v3/operator/audit': () => ({ query: '?limit=2' }),
  'GET /v3/operator/account/:id/income': ({ live }) => ({ ids: [idOf(live)] }),
  'GET /v3/operator/income': () => ({}),
  'GET /v3/operator/rail_figures': () => ({}),
  'GET /v3/operator/user': () => ({}),
  'POST /v3/operator/user': () => ({
    body: { name: newReference(), full_name: 'Bob Noyce', role: 'member' },
  }),
  'POST /v3/operator/user/:name/role': about(newUser, { role: 'auditor' }),
  'POST /v3/operator/user/:name/email': about(newUser, { email: '' }),
  'POST /v3/operator/user/:name/account_role': async world => ({
    ids: [await newUser(world)],
    body: { account_id: idOf(world.live), role: 'approver' },
  }),
  'POST /v3/operator/user/:name/account_role/remove': async world => {
    const user = await newUser(world)
    await insertAccountRole(world.service.deps.sql, { ...ofLive(world), user_name: user })
    return { ids: [user], body: ofLive(world) }
  },
  'POST /v3/operator/user/:name/disable': about(newUser, REASON),
  'POST /v3/operator/user/:name/enable': async world => {
    const user = await newUser(world)
    await updateDisabled(world.service.deps.sql, user, 'Left')
    return { ids: [user], body: {} }
  },
  'POST /v3/operator/user/:name/login_link': about(newUser, {}),
  'POST /v3/operator/user/:name/log_out': about(newUser, {}),
  'POST /v3/operator/user/:name/reset_factor': async world => {
    const user = await newUser(world)
    await addFactor(world.service, user)
    return { ids: [user], body: {} }
  },
  'GET /v3/operator/second_factor': () => ({}),
  'POST /v3/operator/second_factor/require': async world => ({
    body: { account_id: idOf(await world.service.openAccount({ currencies: ['USD'] })) },
  }),
  'POST /v3/operator/second_factor/waive': async world => {
    const account_id = idOf(await world.service.openAccount({ currencies: ['USD'] }))
    await insertFactorRule(world.service.deps.sql, account_id)
    return { body: { account_id } }
  },
  'GET /v3/operator/upkeep': () => ({}),
  'GET /v3/operator/notification': () => ({}),
  'GET /v3/operator/clock': () => ({}),
  'POST /v3/operator/clock/confirm': () => ({}),
}

const ofLive = ({ live }: OperatorWorld) => ({ account_id: idOf(live), role: 'maker' }) as const

async function newUser({ service }: OperatorWorld): Promise<string> {
  const name = newReference()
  await insertUser(service.deps.sql, { name, full_name: 'Bob Noyce', role: 'member' })
  return name
}

async function newEntity({ live }: OperatorWorld): Promise<{ id: string; updated_at: string }> {
  const made = await live.post('/v3/entity', { type: 'individual', name: newReference() })
  assert.equal(made.status, 200, made.text)
  return made.json.data
}

/** A payout that screening holds, as it is after a round that has found somebody. */
export async function heldPayout(world: OperatorWorld): Promise<string> {
  const id = await makePayout(world)
  const { owner } = world.service.database
  await owner`
    insert into screening_matches (account_id, object_id, party, party_hash, list, entry_id,
      entry_digest, score, pieces, listed_name)
    values (${idOf(world.live)}, ${id}, 'beneficiary', sha256('b'), 'un', '1', sha256('e'), 1000,
      '[{"piece": "words", "text": "name", "score": 1000}]', 'A Name')`
  await owner`
    update open_payouts set screened = null, screening = 'open', ask_rail_at = null
    where id = ${id}`
  return id
}

/** One that was sent an event, whose delivery is dead. */
export async function newEndpoint(world: OperatorWorld): Promise<string> {
  const { owner } = world.service.database
  const { account_id } = (await world.service.openAccount({ sandbox: onCluster })).account
  const { id } = await addEndpoint(world.service.database, account_id, NOBODYS_URL)
  await owner`
    update webhook_endpoints set delivery_count = 1, fanned_out = 1 where id = ${id}`
  await owner`
    insert into webhook_deliveries (account_id, endpoint_id, number, id, event_id, event_sequence,
      event_type, object_id, status, attempts, created_at, updated_at)
    values (${account_id}, ${id}, 1, ${newId('whd')}, ${newId('evt')}, 1, 'payout.created',
      ${newId('pot')}, 'dead', 9, now(), now())`
  return id
}

/** One that has answered 410. */
async function goneEndpoint(world: OperatorWorld): Promise<string> {
  const id = await newEndpoint(world)
  await world.service.database.owner`
    update webhook_endpoints set status = 'disabled', disabled_reason = 'gone' where id = ${id}`
  return id
}

/** A limit that nothing reaches, of an account of its own. */
async function newLimit(world: OperatorWorld): Promise<string> {
  const account_id = await newAccount(world)
  const body = { account_id, count: 1_000_000, hours: 24 }
  return (await done(world, 'POST /v3/operator/limit', { body })).limit_id
}

/** A rail of a provider, which no route leads to. */
export async function newRail({ service }: OperatorWorld, paused_reason = ''): Promise<string> {
  const name = `bank_${newReference().slice(-16)}`
  const { example: config } = CONNECTOR
  const { sql } = service.deps.operators
  await insertRail(sql, { name, kind: 'connector', config, secret: 'x'.repeat(64), paused_reason })
  return name
}

/** A rail that pays on a chain, whose wallet has not begun. */
async function newChainRail({ service }: OperatorWorld): Promise<string> {
  const name = `chain_${newReference().slice(-16)}`
  const { sql } = service.deps.operators
  const row = {
    name,
    kind: 'evm',
    config: EXAMPLE,
    secret: 'alchemy=a',
    paused_reason: '',
  } as const
  await insertRail(sql, row)
  return name
}

/** One that says where its wallets send money of the house. */
async function newSweepingRail({ service }: OperatorWorld): Promise<string> {
  const name = `chain_${newReference().slice(-16)}`
  const config = { ...EXAMPLE, treasury_address: `0x${'7e'.repeat(20)}` }
  const row = { name, kind: 'evm', config, secret: 'alchemy=a', paused_reason: '' } as const
  await insertRail(service.deps.operators.sql, row)
  return name
}

/** What somebody else has asked to move. */
async function newSweep(world: OperatorWorld): Promise<string> {
  const [sweep] = await world.service.database.owner<{ id: string }[]>`
    insert into evm_sweeps (chain_id, amount, rail, wallet, payee, currency, asked_by, reason)
    values (8453, 1, ${await newSweepingRail(world)}, ${`0x${'a'.repeat(40)}`},
      ${`0x${'7e'.repeat(20)}`}, 'USDC', 'somebody else', 'More than a week needs')
    returning 'sweep_' || id as id`
  return sweep?.id ?? ''
}

/** A payout with a payment that no block has. */
async function payoutOnChain(world: OperatorWorld): Promise<string> {
  const id = await makePayout(world)
  const wallet = `0x${createHash('sha256').update(id).digest('hex').slice(0, 40)}`
  const payee = `0x${'d'.repeat(40)}` as const
  await world.service.database.owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await tx`
      insert into evm_wallets (chain_id, address, rail, next_nonce, begun_at, read_block, read_hash)
      values (8453, ${wallet}, 'chain', 1, now(), 0, ${`0x${'0'.repeat(64)}`})`
    await tx`
      insert into payout_attempts (account_id, payout_id, number, opened_at, rail, uetr)
      values (${idOf(world.live)}, ${id}, 1, now(), 'chain', ${randomUUID()})`
    await tx`
      insert into evm_slots (chain_id, nonce, wallet, rail, purpose, account_id, payout_id, attempt,
        currency, amount, units, token, payee, calldata, state, adopted_by)
      values (8453, 0, ${wallet}, 'chain', 'pay', ${idOf(world.live)}, ${id}, 1, 'USDC', 1, 1,
        ${`0x${'c'.repeat(40)}`}, ${payee}, ${transferData(payee, 1n)}, 'signed', 'olga')`
  })
  return id
}

/** An empty file, which a person must release. */
export async function newFile(world: OperatorWorld): Promise<string> {
  const rail = await newRail(world)
  const msg_id = messageIdOf([{ end_to_end_id: crypto.randomUUID(), earlier_files: [] }])
  const bytes = new TextEncoder().encode(msg_id)
  await insertFile(world.service.deps.operators.sql as unknown as TransactionSql, {
    ...{ msg_id, name: `${msg_id}.xml`, rail, format: 'pain.001.001.09', currency: 'USD' },
    ...{ settlement_account: 'DE89370400440532013000', execution_date: '2026-11-25' },
    ...{ item_count: 1, control_sum: '13.00', needs_release: true, resend_is_safe: false },
    ...{ sha256: createHash('sha256').update(bytes).digest('hex'), bytes, envelope: null },
  })
  await putIntoFile(world, msg_id, rail)
  return msg_id
}

/** It has a payment whose payout is not on its way by it. */
async function putIntoFile(world: OperatorWorld, msg_id: string, rail: string): Promise<void> {
  await world.service.database.owner`
    insert into rail_items (account_id, payout_id, attempt, end_to_end_id, uetr, rail, amount,
      currency, seal_at, closes_at, execution_date, payment, msg_id, payment_information_id,
      instruction_id)
    values (${idOf(world.live)}, ${await makePayout(world)}, 1, ${msg_id.slice(1)},
      ${randomUUID()}, ${rail}, 1300, 'USD', now(), now() + interval '1 hour', '2026-11-25', '{}',
      ${msg_id}, '1', '1')`
}

/** A payout with an open exception. */
export async function standingPayout(world: OperatorWorld): Promise<string> {
  const id = await makePayout(world)
  const { owner } = world.service.database
  await owner`
    insert into payout_attempts (account_id, payout_id, number, opened_at, rail, uetr)
    values (${idOf(world.live)}, ${id}, 1, now(), 'manual', ${randomUUID()})`
  await owner`
    insert into rail_exceptions (account_id, payout_id, number, attempt, rail, kind, message,
      opened_at)
    values (${idOf(world.live)}, ${id}, 1, 1, 'manual', 'amount_differs', 'Less.', now())`
  return id
}

const idOf = ({ account }: Client) => account.account_id

async function newAccount({ service }: OperatorWorld): Promise<string> {
  return idOf(await service.openAccount({ sandbox: onCluster }))
}

async function newKey({ service, live }: OperatorWorld): Promise<string> {
  return (await service.addKey(live, 'read')).key_id
}

function usd({ account: { account_id } }: Client) {
  return { account_id, currency: 'USD', amount: 2500 }
}

/** Everybody who may not do all, with the headers of their requests. */
export async function makeCallers(
  world: OperatorWorld,
): Promise<Readonly<Record<string, Record<string, string>>>> {
  const { service, live } = world
  const id = live.account.account_id
  const key = async (scope: 'read' | 'write' | 'operator') => {
    const { key_id, secret } = await service.addKey(live, scope)
    return { authorization: basic(key_id, secret) }
  }
  const member = async (role: 'viewer' | 'maker' | 'approver') => {
    const person = await addPerson(service, { user: `m.${role}`, roles: [[id, role]] })
    return person.headers(id)
  }
  const disabled = await addPerson(service, { user: 'left', role: 'operator' })
  await updateDisabled(service.deps.sql, 'left', 'Left')
  await service.deps.reference.refresh()
  const auditor = await addPerson(service, { user: 'grace', role: 'auditor' })
  return {
    nobody: {},
    'wrong secret': { authorization: basic(world.ada.key_id, 'wrong') },
    'disabled operator': disabled.headers(),
    'account key, read': await key('read'),
    'account key, write': await key('write'),
    'account key, operator': await key('operator'),
    viewer: await member('viewer'),
    maker: await member('maker'),
    approver: await member('approver'),
    auditor: auditor.headers(),
  }
}
