// Files for banks by the operator API: looked at, released and taken back as they were shown, once, under
// the name of whoever did it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { type FileRailWorld, openFileWorld } from '../support/bank/file-rail.ts'
import { addPerson, type PersonClient } from '../support/service/service.ts'
import { makeOperatorWorld, type OperatorWorld } from './world.ts'

const FILE = '/v3/operator/bank_file/:id'
const REASON = 'One of them was cancelled'

let world: OperatorWorld
let mary: PersonClient
const banks: FileRailWorld[] = []
before(async () => {
  world = await makeOperatorWorld()
  mary = await addPerson(world.service, { user: 'mary', role: 'operator' })
})
after(async () => {
  await Promise.all(banks.map(bank => bank.close()))
  await world.close()
})

/** A sealed file with payouts of these amounts, which a person is to release. */
async function sealed(amounts: readonly number[]) {
  const profile = { release_by_person: true }
  const bank = await openFileWorld(world.service, { name: `hand_${banks.length}`, profile })
  banks.push(bank)
  const payouts = await bank.pay(amounts)
  await bank.work()
  const [item] = await bank.items()
  const ids = [item?.msg_id ?? '']
  const shown = await world.call(`GET ${FILE}`, { ids })
  assert.equal(shown.status, 200, shown.text)
  return { bank, payouts, ids, shown: shown.json.data }
}

async function actsOn(id: string): Promise<string[]> {
  const { json } = await world.call('GET /v3/operator/audit', { query: `?id=${id}` })
  type Acts = { changed_by: string; act: string; via: string; after: { state: string } }[]
  return (json.data.results as Acts).map(
    ({ changed_by, act, via, after }) => `${changed_by}: ${act}: ${after.state}, ${via}`,
  )
}

test('POST bank_file/{id}/release, current digest: file sent once, logged with the person; replayed: the original answer', async () => {
  const { bank, ids, shown } = await sealed([1_234, 66])
  const content = await world.call(`GET ${FILE}/content`, { ids })
  const digest = createHash('sha256').update(content.json.data.content).digest('hex')
  assert.equal(digest, shown.sha256)
  const body = { digest: shown.digest }
  const call = { ids, body, headers: { 'idempotency-key': 'release 1' } }
  const released = await world.call(`POST ${FILE}/release`, call)
  assert.equal(released.status, 200, released.text)
  const { state, approved_by } = released.json.data
  assert.deepEqual({ state, approved_by }, { state: 'approved', approved_by: 'ada' })
  const again = await world.call(`POST ${FILE}/release`, call)
  assert.deepEqual([again.text, again.headers['idempotent-replayed']], [released.text, 'true'])
  const other = await world.call(`POST ${FILE}/release`, { ids, body }, mary.headers())
  assertRefused(other, 409, 'invalid_transition')
  await bank.work()
  assert.equal((await bank.outbox()).length, 1)
  assert.deepEqual(await actsOn(ids[0] ?? ''), ['ada: file release: approved, api from 127.0.0.1'])
})

test("POST bank_file/{id}/release, a digest of another file, or the file's SHA-256 as digest: 409, no row changes", async () => {
  const { ids, shown } = await sealed([100])
  const { owner } = world.service.database
  const before = await rowVersions(owner)
  for (const digest of ['0'.repeat(64), shown.sha256]) {
    const answer = await world.call(`POST ${FILE}/release`, { ids, body: { digest } })
    assertRefused(answer, 409, 'approval_outdated')
  }
  assert.deepEqual(await rowVersions(owner), before)
})

test("POST bank_file/{id}/release, one payout already ended: 422 in the API's words; with force: sent", async () => {
  const { bank, payouts, ids, shown } = await sealed([100, 200])
  const [over = ''] = payouts
  await bank.move(over, 'failed')
  const body = { digest: shown.digest }
  const refused = await world.call(`POST ${FILE}/release`, { ids, body })
  assertRefused(refused, 422, 'likely_mistake')
  const [{ message }] = refused.json.errors
  assert.ok(message.includes(over) && !message.includes('--'), message)
  const forced = await world.call(`POST ${FILE}/release`, { ids, body: { ...body, force: true } })
  assert.deepEqual([forced.status, forced.json.data.forced], [200, true])
})

test('POST bank_file/{id}/withdraw: payments go into the next file, the withdrawn file is never sent', async () => {
  const { bank, ids, shown } = await sealed([100, 200])
  const stale = { ids, body: { reason: REASON, digest: '0'.repeat(64) } }
  assertRefused(await world.call(`POST ${FILE}/withdraw`, stale), 409, 'approval_outdated')
  const call = { ids, body: { reason: REASON, digest: shown.digest } }
  const keyed = { ...call, headers: { 'idempotency-key': 'withdraw 1' } }
  const done = await world.call(`POST ${FILE}/withdraw`, keyed)
  const back = { file: ids[0], payments: 2, left_out: 0 }
  assert.deepEqual([done.status, done.json.data], [200, back])
  assert.equal((await world.call(`POST ${FILE}/withdraw`, keyed)).text, done.text)
  assertRefused(await world.call(`POST ${FILE}/withdraw`, call), 409, 'approval_outdated')
  const now = (await world.call(`GET ${FILE}`, { ids })).json.data
  assert.deepEqual([now.state, now.reason, now.payments], ['withdrawn', `ada: ${REASON}`, []])
  // One round seals what the other has found due.
  await bank.work()
  await bank.work()
  const next = (await bank.items()).map(({ msg_id }) => msg_id)
  assert.ok(
    next.every(msg_id => msg_id !== '' && msg_id !== ids[0]),
    next.join(),
  )
  const release = { ids, body: { digest: now.digest } }
  assertRefused(await world.call(`POST ${FILE}/release`, release), 409, 'invalid_transition')
  assert.deepEqual(await actsOn(ids[0] ?? ''), [
    'ada: file withdraw: withdrawn, api from 127.0.0.1',
  ])
})
