// Two sandbox accounts on a service of their own, each with objects of every kind, so that requests
// can name what is there, what is another account's and what never was.
import assert from 'node:assert/strict'
import { examplesOf, type Json, type Operation } from '../support/assert/document.ts'
import { addEndpoint } from '../support/network/receiver.ts'
import { review } from '../support/service/review.ts'
import {
  type Answer,
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

/** Ids by prefix, such as `pot`. */
export type Ids = ReadonlyMap<string, readonly string[]>

export interface World {
  readonly service: TestService
  readonly ours: Client
  readonly theirs: Client
  /** A key of ours that may only read. */
  readonly reader: Client
  /** Somebody who approves payouts of ours. */
  readonly approver: PersonClient
  /** No sandbox, and nothing in it. */
  readonly production: Client
  readonly own: Ids
  readonly foreign: Ids
}

/** An address that is public and that nobody looks up. */
export const HOOK = 'https://93.184.216.34/webhooks'

const ID = /\b([a-z]{2,3})_[0-9a-hjkmnp-tv-z]{20}\b/g

const MONEY = { USD: 10n ** 14n, EUR: 10n ** 14n }

export async function makeWorld(operations: readonly Operation[]): Promise<World> {
  const service = await startTestService({ failed_logins_per_min: 0 })
  await service.setRates({
    'EUR/USD': '1.1269',
    'EUR/HKD': '8.8438',
    'EUR/BRL': '5.5991',
    'EUR/USDC': '1.1269',
    'EUR/JPY': '163.2',
  })
  await service.setFees([
    { payout_type: 'local', fixed_amount: 150n, variable_bps: 20 },
    { payout_type: 'swift', fixed_amount: 1500n, variable_bps: 10 },
  ])
  const options = { currencies: ['USD', 'EUR', 'JPY'], fund: MONEY, sandbox: true }
  const ours = await service.openAccount(options)
  const theirs = await service.openAccount(options)
  await furnish(service, ours, theirs, operations)
  await furnish(service, theirs, ours, operations)
  const own = await idsOf(ours, operations)
  const foreign = await idsOf(theirs, operations)
  return {
    service,
    ours,
    theirs,
    reader: await service.addKey(ours, 'read'),
    approver: await addPerson(service, {
      user: 'approver',
      roles: [[ours.account.account_id, 'approver']],
    }),
    production: await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 9n } }),
    own: apart(own, foreign),
    foreign: apart(foreign, own),
  }
}

/** The documented requests of each creation, sent, and some of what comes of them changed. */
async function furnish(
  service: TestService,
  account: Client,
  other: Client,
  operations: readonly Operation[],
): Promise<void> {
  const { deposit_address } = other.account
  const make = async (path: string): Promise<Json[]> => {
    const made: Json[] = []
    for (const example of examplesOf(operations, `POST ${path}`)) {
      const body = JSON.stringify(example)
        .replace(/dep_\w{20}/, deposit_address)
        .replace(/https:\/\/example\.com\/\w+/, HOOK)
      const answer = await account.post(path, body)
      assert.equal(answer.status, 200, `${path} ${body}: ${answer.text}`)
      made.push(answer.json.data ?? answer.json)
    }
    return made
  }
  const entities = await make('/v3/entity')
  await make('/v3/beneficiary')
  await make('/v3/payout/quote')
  const [price] = await make('/v3/conversion/quote')
  assert.equal((await account.post('/v3/conversion', { quote: price.id })).status, 200)
  const payouts = await make('/v3/payout')
  await make('/v3/webhook_endpoint')
  const batch = { payouts: examplesOf(operations, 'POST /v3/payout').slice(0, 2) }
  assert.equal((await account.post('/v3/payout_batch', batch)).status, 200)
  await account.post(`/v3/entity/${entities[0].id}/submit`, {})
  await review(service, account, entities[0].id, 'approved')
  const rejected = await account.post('/v3/entity', { type: 'individual', name: 'Rejected' })
  await review(service, account, rejected.json.data.id, 'rejected', 'no')
  const asking = { status: 'requires_action', description: 'Send the invoice' }
  await account.post(`/v3/sandbox/payout/${payouts[0].id}/transition`, asking)
  await account.post(`/v3/payout/${payouts[1].id}/cancel`, {})
  await account.post(`/v3/sandbox/payout/${payouts[2].id}/transition`, { status: 'succeeded' })
  await deliver(service, account)
}

/** Deliveries made by a replay, and some of them ended as the worker ends them, which is not here. */
async function deliver({ database }: TestService, { account, ...client }: Client): Promise<void> {
  const { id } = await addEndpoint(database, account.account_id, HOOK)
  const again = { sequence: { from: 1, to: 12 } }
  const answer = await client.post(`/v3/webhook_endpoint/${id}/replay`, again)
  assert.equal(answer.status, 200, answer.text)
  await database.owner`
    update webhook_deliveries set due_at = null,
      status = (array['succeeded', 'dead', 'cancelled'])[1 + number % 3]
    where endpoint_id = ${id} and number % 2 = 0`
}

/** Who is paid by the other account sees the id of the payout. */
function apart(ids: Ids, others: Ids): Ids {
  const known = new Set([...others.values()].flat())
  return new Map([...ids].map(([prefix, of]) => [prefix, of.filter(id => !known.has(id))]))
}

/** What is read without an id, and is no list. */
const NO_LISTS = [
  '/v3/account',
  '/v3/balance',
  '/v3/currency',
  '/v3/funding_instruction',
  '/v3/maker',
  '/v3/network',
  '/v3/payout/requirements',
  '/v3/payout/totals',
  '/v3/payout_group',
  '/v3/rate',
  '/v3/search',
  '/v3/statement',
  // Off: each request would change it.
  '/v3/request_log',
]

/** Every id in any list of the account. */
async function idsOf(account: Client, operations: readonly Operation[]): Promise<Ids> {
  const found = new Map<string, string[]>()
  const add = (answer: Answer) => {
    assert.equal(answer.status, 200, answer.text)
    for (const [id, prefix = ''] of answer.text.matchAll(ID)) {
      const ids = found.get(prefix) ?? []
      if (!ids.includes(id)) found.set(prefix, [...ids, id])
    }
  }
  for (const { method, path } of operations) {
    const isList = method === 'get' && path.startsWith('/v3/') && !path.includes('{')
    if (isList && !NO_LISTS.includes(path)) add(await account.get(`${path}?limit=50`))
  }
  for (const id of found.get('whe') ?? []) {
    add(await account.get(`/v3/webhook_endpoint/${id}/delivery?limit=50`))
  }
  found.set('dep', [account.account.deposit_address])
  found.set('acc', [account.account.account_id])
  found.set('key', [account.key_id])
  return found
}
