// Duplicates of entities over HTTP, and POST /v3/entity/duplicate_check, which says beforehand what a
// creation comes to (§duplicate.check), refused as that is and without a trace. The rules are tabled in
// src/parties/entity, and test/entity/histories.test.ts mixes them all at random.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused, rowVersions } from '../support/assert/check.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'

const PATH = '/v3/entity'
const CHECK = `${PATH}/duplicate_check`

let service: TestService
let account: Client
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
})
after(() => service.close())

const person = {
  type: 'individual',
  name: ' Anna Müller',
  email: 'Anna@Example.com ',
  national_identification_number: { type: 'Passport', number: 'C01X' },
  registration_address: { line1: 'Lindenstraße 4', city: 'Berlin', country: 'de' },
}

const company = {
  type: 'business',
  name: 'Harbour Trading Ltd',
  registration_number: 'HK-2041',
  registration_address: { country: 'HK' },
}

async function create(client: Client, body: object): Promise<string> {
  const { status, json, text } = await client.post(PATH, body)
  assert.equal(status, 200, text)
  return json.data.id
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
async function check(client: Client, body: object): Promise<any> {
  const { status, json, text } = await client.post(CHECK, body)
  assert.equal(status, 200, text)
  assert.deepEqual([json.status, json.message], ['success', ''])
  return json.data
}

/** Rejected duplicates of one record, oldest first. */
async function reject(client: Client, body: object, times: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < times; i++) {
    const id = await create(client, body)
    await review(service, client, id, 'rejected')
    ids.push(id)
  }
  return ids
}

test('duplicate_check, two rules match different entities: the first rule decides, all matches named', async () => {
  const client = await service.openAccount()
  const by_number = await create(client, {
    type: 'individual',
    name: 'Number',
    national_identification_number: { type: 'PASSPORT', number: 'c01x' },
  })
  const by_name = await create(client, { ...person, email: '', national_identification_number: {} })
  const before_email = await check(client, person)
  assert.deepEqual(
    [before_email.duplicate, before_email.entity, before_email.rule],
    [true, by_number, 'national_identification_number'],
  )
  const by_email = await create(client, {
    type: 'individual',
    name: 'Mail',
    email: 'ANNA@example.com',
  })
  const { duplicate, entity, rule, rules } = await check(client, person)
  assert.deepEqual([duplicate, entity, rule], [true, by_email, 'email'])
  assert.deepEqual(
    rules.map((r: { entity: string }) => r.entity),
    [by_email, by_number, by_name],
  )
  assert.equal(await create(client, person), by_email)
})

test('duplicate_check, matches that were rejected: no duplicate, the 20 oldest named, oldest first', async () => {
  const client = await service.openAccount()
  const body = { type: 'individual', name: 'Carl', email: 'carl@example.com' }
  const rejected = await reject(client, body, 22)
  const before = await check(client, body)
  assert.deepEqual([before.duplicate, before.entity, before.rule], [false, '', ''])
  assert.deepEqual(before.rules[0].rejected, rejected.slice(0, 20))
  assert.deepEqual(before.rules[1].rejected, [])
  const live = await create(client, body)
  assert.ok(!rejected.includes(live))
  const { entity, rules } = await check(client, body)
  assert.deepEqual([entity, rules[0].entity], [live, live])
  assert.deepEqual(rules[0].rejected, rejected.slice(0, 20))
})

/** The same numbers on every run. */
function* numbers(): Generator<number, never> {
  for (let state = 7; ; state = (state * 1_103_515_245 + 12_345) % 2 ** 31) yield state >> 8
}

const CREATIONS = share(30, 80)
test(`duplicate_check before each of ${CREATIONS} creations: names the entity that the creation then answers`, async () => {
  const client = await service.openAccount()
  const known = new Set<string>()
  const next = numbers()
  const pick = <T>(...values: T[]): T => values[next.next().value % values.length] as T
  let duplicates = 0
  for (let i = 0; i < CREATIONS; i++) {
    const body = {
      type: pick('individual', 'individual', 'business'),
      name: pick('Eva', 'eva ', 'Finn'),
      email: pick('', 'e@x.example', 'E@X.example', 'f@x.example'),
      national_identification_number: pick({}, { type: 'ID', number: pick('1', '2', '3') }),
      registration_number: pick('', '1', '2'),
      vertical: pick('', 'retail', 'Retail'),
      registration_address: { line1: pick('1 A', '1 a', '2 B'), city: 'C', country: 'DE' },
    }
    const { duplicate, entity, rule } = await check(client, body)
    const id = await create(client, body)
    assert.deepEqual([duplicate, rule !== ''], [known.has(id), known.has(id)], JSON.stringify(body))
    assert.equal(entity, duplicate ? id : '')
    known.add(id)
    duplicates += Number(duplicate)
    if (pick(0, 0, 0, 1) === 1) {
      // Rejected: the next like it is a new one.
      await review(service, client, id, 'rejected')
    }
  }
  assert.ok(duplicates > CREATIONS / 8 && duplicates < CREATIONS - 5, String(duplicates))
})

test('duplicate_check, with and without Idempotency-Key: no row changes in any table', async () => {
  await create(account, person)
  const { owner } = service.database
  const before = await rowVersions(owner)
  const header = { 'idempotency-key': 'dry-1' }
  const first = await account.post(CHECK, person, header)
  const second = await account.post(CHECK, company, header)
  assert.deepEqual([first.json.data.duplicate, second.json.data.duplicate], [true, false])
  for (const { headers } of [first, second]) assert.equal(headers['idempotent-replayed'], undefined)
  const malformed = await account.post(CHECK, person, { 'idempotency-key': 'ключ' })
  assertRefused(malformed, 400, 'invalid_idempotency_key', 'Idempotency-Key')
  assert.deepEqual(await rowVersions(owner), before)
})

test('duplicate_check, blank name, several faults or unknown principal: refused like a creation', async () => {
  for (const body of [
    { type: 'business', name: '\u200b' },
    { ...person, email: 'x', registration_date: 'x', tax_id: 7, id: 'ent_1' },
    { ...person, on_behalf_of: 'ent_00000000000000000000' },
  ]) {
    const [checked, created] = [await account.post(CHECK, body), await account.post(PATH, body)]
    assert.ok(created.status >= 400 && created.status < 500, created.text)
    assert.deepEqual([checked.status, checked.text], [created.status, created.text])
  }
})

const registration_address = { country: 'DE', line1: 'Lindenstraße 4', city: 'Berlin' }
/** One entity, and the same in disguise. */
const there = { type: 'individual', name: 'Anna Müller', registration_address }
const asked = { ...there, name: 'ANNA Mu\u0308ller' }

test(`POST and PUT ${PATH}, a duplicate: answers the first entity byte for byte, no row changes; PUT of its own values: updated`, async () => {
  const client = await service.openAccount()
  const id = await create(client, there)
  const other = await create(client, { ...there, name: 'Anna II' })
  const { text } = await client.get(`${PATH}/${id}`)
  const versions = async () => {
    const { entity_duplicates, ...others } = await rowVersions(service.database.owner)
    return { entity_duplicates, others }
  }
  const before = await versions()
  assert.equal((await client.post(PATH, asked)).text, text)
  const found = await versions()
  assert.deepEqual(found.others, before.others)
  assert.notEqual(found.entity_duplicates, before.entity_duplicates)
  assert.equal((await client.put(`${PATH}/${other}`, asked)).text, text)
  assert.deepEqual(await versions(), found)
  const { json } = await client.put(`${PATH}/${id}`, { ...asked, description: 'x' })
  assert.deepEqual([json.data.id, json.data.description], [id, 'x'])
})

test(`POST ${PATH}, two persons with one e-mail address: header Duplicate-Of names the first, also on a replay; the timeline shows the differing members`, async () => {
  const client = await service.openAccount()
  const email = 'shared@example.com'
  const first = await create(client, { type: 'individual', name: 'Anna', email })
  const body = { type: 'individual', name: 'Bert', tax_id: 'T2', email: 'SHARED@example.com' }
  const key = { 'idempotency-key': 'bert' }
  const [made, again] = [await client.post(PATH, body, key), await client.post(PATH, body, key)]
  assert.equal(made.status, 200, made.text)
  assert.equal(made.text, again.text)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  for (const { headers } of [made, again]) {
    assert.equal(headers['duplicate-of'], `${first}; rule=email`)
  }
  const own = await client.post(PATH, { type: 'individual', name: 'Carl' })
  assert.equal(own.headers['duplicate-of'], undefined)
  const timeline = (await client.get(`${PATH}/${first}/timeline`)).json.data
  assert.deepEqual(
    timeline.duplicates.map(({ at: _, ...one }: { at: string }) => one),
    [{ rule: 'email', differs: ['name', 'tax_id'] }],
  )
  assert.deepEqual(
    timeline.approval_history.map(({ status }: { status: string }) => status),
    ['pending'],
  )
})

test('entity with more than 100 possible duplicates: 100 stored', async () => {
  const client = await service.openAccount()
  const entity_id = await create(client, { type: 'individual', name: 'Anna', email: 'a@b.example' })
  const { account_id } = client.account
  const { owner } = service.database
  await owner.begin(async tx => {
    await tx`set local corridor.maintenance = on`
    await tx`
      insert into entity_duplicates (found_at, account_id, entity_id, rule, differs)
      select clock_timestamp(), ${account_id}, ${entity_id}, 'email', array[n::text]
      from generate_series(1, 150) n`
  })
  const timeline = (await client.get(`${PATH}/${entity_id}/timeline`)).json.data
  assert.equal(timeline.duplicates.length, 100)
})
