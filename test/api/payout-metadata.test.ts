// PUT /v3/payout/{id} (§payout.metadata): the metadata of a payout changes name by name, in whatever
// state it is, and nothing else of it does.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused, balancesOf, rowVersions } from '../support/assert/check.ts'
import { localPayout } from '../support/given/bodies.ts'
import { addApprovalRule, approve, digestOf } from '../support/service/approvals.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { eventTypesOf, findPayout, pay } from '../support/service/payouts.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'
import { askingRail, railOf, report, settleAll } from '../support/service/settling.ts'

let service: TestService
let cli: Cli
let account: Client
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  cli = await openCli(service.database.url, { CORRIDOR_USER: 'olga' })
  await addPerson(service, { user: 'olga', role: 'operator' })
  await service.setFees([{ fixed_amount: 150n }])
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
})
after(async () => {
  await cli.close()
  await closeVerified(service)
})

type Changes = Readonly<Record<string, string | null>> | null

async function change(id: string, metadata: Changes) {
  const answer = await account.put(`/v3/payout/${id}`, { metadata })
  assert.equal(answer.status, 200, answer.text)
  return answer
}

test('PUT /v3/payout/{id}, metadata: a text sets a name, null or an empty text removes it, other names unchanged', async () => {
  const { id, metadata, updated_at } = await pay(account, { metadata: { a: '1', b: '2' } })
  assert.deepEqual(metadata, { a: '1', b: '2' })
  const answer = await change(id, { b: '3', c: '4' })
  assert.deepEqual(answer.json.data.metadata, { a: '1', b: '3', c: '4' })
  assert.equal(answer.json.data.updated_at, updated_at)
  assert.equal((await account.get(`/v3/payout/${id}`)).text, answer.text)
  assert.deepEqual((await change(id, { a: null, b: '' })).json.data.metadata, { c: '4' })
  assert.equal((await change(id, null)).json.data.metadata, null)
  assert.equal((await account.get('/v3/payout?limit=1')).json.data.results[0].metadata, null)
  assert.deepEqual((await change(id, { d: '5' })).json.data.metadata, { d: '5' })
})

test('PUT /v3/payout/{id}, same metadata twice: one event, with the old and the new value', async () => {
  const { id } = await pay(account, { metadata: { a: '1' } })
  await change(id, { b: '2' })
  const versions = await rowVersions(service.database.owner)
  await change(id, { b: '2' })
  await change(id, { z: null })
  assert.deepEqual(await rowVersions(service.database.owner), versions)
  const types = await eventTypesOf(service, id)
  assert.deepEqual(types, ['payout.created', 'payout.updated'])
  const { results } = (await account.get(`/v3/event?object_id=${id}&type=payout.updated`)).json.data
  const [{ data, previous_attributes, change: how }] = results
  assert.deepEqual(data, await findPayout(account, id))
  assert.deepEqual(previous_attributes, { metadata: { a: '1' } })
  assert.equal(how.by, 'account')
  const made = (await account.get(`/v3/event?object_id=${id}&type=payout.created`)).json.data
  assert.deepEqual(made.results[0].data.metadata, { a: '1' })
  const { items } = (await account.get(`/v3/payout/${id}/timeline`)).json.data
  const states = items.filter(({ kind }: { kind: string }) => kind === 'state')
  assert.equal(states.length, 1)
})

const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, 'x']))

test('PUT /v3/payout/{id}, empty metadata, a long name or more than 50 names in total: 400, nothing written', async () => {
  const { id } = await pay(account, { metadata: names(50) })
  const versions = await rowVersions(service.database.owner)
  const refused = await account.put(`/v3/payout/${id}`, { metadata: { more: 'x' } })
  assertRefused(refused, 400, 'invalid_field', 'metadata')
  for (const body of [{}, { metadata: { ['n'.repeat(41)]: 'x' } }]) {
    assert.equal((await account.put(`/v3/payout/${id}`, body)).status, 400)
  }
  assert.deepEqual(await rowVersions(service.database.owner), versions)
  const swapped = await change(id, { more: 'x', n0: null })
  assert.equal(Object.keys(swapped.json.data.metadata).length, 50)
})

test('PUT /v3/payout/{id}, metadata set before, during and after settlement and reversal: kept', async () => {
  const start = await balancesOf(account)
  // The simulator lets it succeed, and reverses it then.
  const { id } = await pay(account, { amount: 500_002 })
  await change(id, { made: '1' })
  const rail = railOf({
    async submit() {
      await change(id, { asked: '2' })
      return { ...report('succeeded'), ask_again_in_ms: 60_000 }
    },
  })
  await settleOnce(askingRail(service.deps, rail))
  assert.equal((await findPayout(account, id)).status, 'succeeded')
  await change(id, { succeeded: '3' })
  await service.database.owner`
    update open_payouts set ask_rail_at = statement_timestamp(), claimed_until = null
    where id = ${id}`
  const reversing = railOf({ submit: async () => report('succeeded', 'reversed') })
  await settleAll(service, reversing)
  await change(id, { reversed: '4' })
  const { status, metadata } = await findPayout(account, id)
  const all = { made: '1', asked: '2', succeeded: '3', reversed: '4' }
  assert.deepEqual([status, metadata], ['reversed', all])
  assert.deepEqual(await balancesOf(account), start)
})

test('PUT /v3/payout/{id}, payout awaiting approval: an approval with the digest read before stays valid', async () => {
  const { account_id } = account.account
  const { user } = await addPerson(service, { user: 'ann', roles: [[account_id, 'approver']] })
  const remove = await addApprovalRule(service, { account_id })
  const { id } = await pay(account)
  await remove()
  const digest = await digestOf(service, id)
  await change(id, { a: '1' })
  assert.equal(
    await approve(service, { account_id, payout_id: id, user }, { digest }),
    'processing',
  )
})

test('PUT /v3/payout/{id}, then the key of the creation replayed: the original answer, with the old metadata', async () => {
  const key = { 'idempotency-key': 'metadata' }
  const body = { ...localPayout, metadata: { a: '1' } }
  const made = await account.post('/v3/payout', body, key)
  await change(made.json.data.id, { a: '2', b: '3' })
  const again = await account.post('/v3/payout', body, key)
  assert.deepEqual([again.headers['idempotent-replayed'], again.text], ['true', made.text])
})

test('PUT /v3/payout/{id}, 20 names in parallel requests: every name kept, one event each', async () => {
  const { id } = await pay(account)
  const sent = Object.entries(names(20))
  await Promise.all(sent.map(([name, text]) => change(id, { [name]: text })))
  assert.deepEqual((await findPayout(account, id)).metadata, names(20))
  assert.equal((await eventTypesOf(service, id)).length, 21)
})

test('PUT /v3/payout/{id}, payout of an erased party: 422; its metadata is removed, also from its events', async () => {
  const made = await pay(account, { metadata: { a: 'Zwick' } })
  await change(made.id, { b: 'Zwick' })
  await settleAll(service)
  const erased = await cli.run('privacy', 'erase', made.beneficiary, '--reason', 'asked')
  assert.equal(erased.code, 0, erased.stderr)
  assert.equal((await findPayout(account, made.id)).metadata, null)
  const rows = await service.database.owner<{ data: string }[]>`
    select data::text as data from events where object_id = ${made.id}`
  assert.ok(
    rows.every(({ data }) => !data.includes('Zwick')),
    JSON.stringify(rows),
  )
  const refused = await account.put(`/v3/payout/${made.id}`, { metadata: { a: '1' } })
  assertRefused(refused, 422, 'party_erased')
})

test('console, payout page: a maker changes metadata; a viewer has no form to do so', async () => {
  const { account_id } = account.account
  const { id } = await pay(account, { metadata: { a: '1', b: '2' } })
  const url = `/console/${account_id}/payouts/${id}`
  const as = async (role: 'maker' | 'viewer') => {
    await addPerson(service, { user: `met-${role}`, roles: [[account_id, role]] })
    return logIn(service, `met-${role}`)
  }
  const [maker, viewer] = [await as('maker'), await as('viewer')]
  assert.ok((await service.inject({ url, headers: maker })).text.includes('Change the metadata'))
  assert.ok(!(await service.inject({ url, headers: viewer })).text.includes('Change the metadata'))
  const added = { 'metadata-name': 'c', 'metadata-text': '3' }
  const form = { key: 'k', 'metadata:a': '1', 'metadata:b': '', ...added }
  const sent = await sendForm(service, maker, `${url}/metadata`, form)
  const changed = await service.inject({ url: String(sent.headers.location), headers: maker })
  assert.match(changed.text, /Your change is saved\./, sent.text)
  assert.deepEqual((await findPayout(account, id)).metadata, { a: '1', c: '3' })
})
