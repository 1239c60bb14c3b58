// Makes an account with an object of each kind, for tests of access: the ids by kind, and every id
// in its rows.
import assert from 'node:assert/strict'
import { deliverDue } from '../../../src/app/worker/deliver-webhooks.ts'
import { rowsOf } from '../assert/check.ts'
import { type Ids, NOBODYS_URL, type Route } from '../assert/routes.ts'
import { bankBeneficiary, localPayout } from '../given/bodies.ts'
import { addApprovalRule } from './approvals.ts'
import { importInto } from './importing.ts'
import { bookUsd } from './operate.ts'
import { addPerson, basic, type Client, type PersonClient, type TestService } from './service.ts'

export interface World {
  /** A client with a key of scope `operator`, which may do everything. */
  readonly client: Client
  /** The headers for a route: an approver's where it needs one, else those of the account's key. */
  headersOf(route: Route): Record<string, string>
  /** An id of each kind, by prefix. */
  readonly ids: Ids
  /** Every id in its rows. */
  readonly all: ReadonlySet<string>
}

/** The Idempotency-Key of the account's requests. */
export const OWNERS_KEY = 'the very same key'
/** The `reference_id` of the account's objects. */
export const OWNERS_REFERENCE = 'the very same reference'

const ID = /\b[a-z]{2,3}_[0-9a-hjkmnp-tv-z]{20}\b/g

/** Requires a rate from EUR to USD, and a service that may send webhooks to private addresses. */
export async function makeWorld(service: TestService, sandbox: boolean): Promise<World> {
  const fund = { USD: 100_000_000n, EUR: 100_000_000n }
  const opened = await service.openAccount({ currencies: ['USD', 'EUR'], fund, sandbox })
  const client = await service.addKey(opened, 'operator')
  const post = async (url: string, body: object) => {
    const answer = await client.post(url, body, { 'idempotency-key': OWNERS_KEY })
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data ?? answer.json
  }
  const reference_id = OWNERS_REFERENCE
  const endpoint = await post('/v3/webhook_endpoint', { url: NOBODYS_URL })
  await post(`/v3/webhook_endpoint/${endpoint.id}/test`, {})
  const entity = await post('/v3/entity', {
    type: 'individual',
    name: 'Olga Owner',
    email: 'olga@owner.example',
    reference_id,
  })
  const on_behalf_of = entity.id
  const { status } = await client.post('/v3/entity', {
    type: 'individual',
    name: 'Child',
    on_behalf_of,
  })
  assert.equal(status, 200)
  const beneficiary = await post('/v3/beneficiary', bankBeneficiary)
  const { account_id, deposit_address } = client.account
  const roles = [[account_id, 'approver']] as const
  const approver = await addPerson(service, { user: `of.${account_id.slice(4)}`, roles })
  await approveChanged(service, client, beneficiary.id, approver)
  const quote = await post('/v3/payout/quote', {
    payout_info: { currency: 'USD', amount: 10_000 },
    holding_info: { currency: 'EUR' },
    entity_id: on_behalf_of,
  })
  const { beneficiary_details: _, ...bare } = localPayout
  const removeRule = await addApprovalRule(service, { account_id })
  const payout = await post('/v3/payout', {
    ...bare,
    beneficiary: beneficiary.id,
    quote: quote.id,
    on_behalf_of,
    reference_id,
  })
  await removeRule()
  await post(`/v3/payout/${payout.id}/cancel`, {})
  const price = await post('/v3/conversion/quote', {
    holding_info: { currency: 'EUR' },
    destination_info: { currency: 'USD', amount: 1_000 },
  })
  const conversion = await post('/v3/conversion', { quote: price.id })
  const batch = await post('/v3/payout_batch', { payouts: [localPayout], reference_id })
  const row = { ...localPayout, reference_id: 'of a file' }
  const imported = await importInto(service, client, 'payouts.jsonl', [row])
  await bookUsd(service, opened, 'withdrawal', -1n)
  await bookUsd(service, opened, 'adjustment', -1n)
  await deliverDue(service.deps, service.deps.sql)
  // biome-ignore lint/suspicious/noExplicitAny: any resource
  const first = async (url: string, suits: (one: any) => boolean = () => true) => {
    const { json, text } = await client.get(url)
    const found = json.data.results.find(suits)
    assert.ok(found, text)
    return found
  }
  // A delivery that waits behind an earlier one of its object has no attempt yet.
  const delivery = await first(
    `/v3/webhook_endpoint/${endpoint.id}/delivery`,
    ({ attempt_count }) => attempt_count > 0,
  )
  const authorization = basic(client.key_id, client.secret)
  const rows = await rowsOf(service.database.owner, account_id)
  return {
    client,
    headersOf: ({ scope }) =>
      scope === 'approve' ? approver.headers(account_id) : { authorization },
    ids: {
      acc: account_id,
      adj: (await first('/v3/balance_transaction?type=adjustment')).source,
      bnf: beneficiary.id,
      btr: payout.balance_transaction,
      cnv: conversion.id,
      coq: price.id,
      dep: deposit_address,
      dst: beneficiary.destination,
      ent: entity.id,
      esc: (await first('/v3/balance_transaction?type=escrow')).source,
      evt: (await first('/v3/event')).id,
      fx: payout.holding_fx_transaction.id,
      key: client.key_id,
      pim: imported,
      pob: batch.id,
      poq: quote.id,
      pot: payout.id,
      wdr: (await first('/v3/balance_transaction?type=withdrawal')).source,
      whd: delivery.id,
      whe: endpoint.id,
    },
    all: new Set(Object.values(rows).join('\n').match(ID)),
  }
}

/** Changes a beneficiary under an approval rule, and approves the change in a person's name. */
async function approveChanged(
  service: TestService,
  client: Client,
  id: string,
  approver: PersonClient,
): Promise<void> {
  const { account_id } = client.account
  const removeRule = await addApprovalRule(service, { account_id, subject: 'beneficiary' })
  const url = `/v3/beneficiary/${id}`
  const changed = await client.put(url, { email: 'paid@beneficiary.example' })
  assert.equal(changed.status, 200, changed.text)
  await removeRule()
  const payload = { digest: (await client.get(`${url}/approval`)).json.data.digest }
  const headers = approver.headers(account_id)
  const answer = await service.inject({ method: 'POST', url: `${url}/approve`, headers, payload })
  assert.equal(answer.status, 200, answer.text)
}
