// Erasing beneficiaries and entities: nothing that was sent stays anywhere, the books are still proved,
// reads still answer, and nothing is made with what is erased.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { screenParties } from '../../src/app/worker/screen-parties.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { fullEntity, localPayout } from '../support/given/bodies.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { eraseBy, openContext } from '../support/service/operate.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'
import { everyText, findTexts, marked } from './marks.ts'

let service: TestService
let ada: Cli
let operators: Awaited<ReturnType<typeof openContext>>
let account: Client

before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  await service.setRates({ 'USD/HKD': '8' })
  ada = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  operators = await openContext(service, 'ada')
})
after(async () => {
  await ada.close()
  await operators.close()
  await closeVerified(service)
})
beforeEach(async () => {
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 7n } })
})

const BENEFICIARY = {
  name: 'Zwick Name',
  name_local: 'Zwick Local',
  type: 'individual',
  destination_details: {
    type: 'bank',
    bank: {
      account_number: '7700123456',
      bank_name: 'Zwick Bank',
      country: 'HK',
      currency: 'USD',
      branch_name: 'Zwick Code',
      bank_codes: { swift_code: 'HSBCHKHH' },
    },
  },
  email: 'zwick@mail.example',
  phone: { code: '+852', number: '77001234' },
  address: {
    line1: 'Zwick Line 1',
    line2: 'Zwick Line 2',
    city: 'Zwick City',
    state: 'Zwick State',
    country: 'HK',
    postal_code: 'ZW77',
  },
  date_of_birth: '1977-07-07',
  national_identification_number: 'ZWICK-NAT',
  party_classification: 'zwick-class',
  registration_number: 'ZWICK-REG',
  tax_id: 'ZWICK-TAX',
  documents: [{ type: 'zwick-doc', file_name: 'zwick.pdf', url: 'https://zwick.example/a' }],
  reference_id: 'zwick-vendor',
  metadata: { zwick_key: 'zwick-meta' },
}

async function made(path: string, body: object, key: string): Promise<string> {
  const answer = await account.post(path, body, { 'idempotency-key': key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.id
}

const erase = (id: string, by = ada) => by.run('privacy', 'erase', id, '--reason', 'Request 118')

test('erased beneficiary: every text sent is gone from every table', async () => {
  const texts = everyText(BENEFICIARY, ['individual', 'bank', 'HK', 'USD', '+852'])
  const id = await made('/v3/beneficiary', BENEFICIARY, 'b1')
  const later = { name: 'Zwick Later', address: { line1: 'Zwick Moved', country: 'HK' } }
  assert.equal((await account.put(`/v3/beneficiary/${id}`, later)).status, 200)
  const all = [...texts, 'Zwick Later', 'Zwick Moved']
  assert.deepEqual(new Set((await findTexts(service, all)).map(({ text }) => text)), new Set(all))
  const { code, stdout, stderr } = await erase(id)
  assert.equal(code, 0, stderr)
  assert.match(stdout, new RegExp(`^${id} {2}erased; 3 rows`))
  assert.deepEqual(await findTexts(service, all), [])

  const { data } = (await account.get(`/v3/beneficiary/${id}`)).json
  assert.deepEqual(
    [data.id, data.name, data.status, data.type, data.address, data.email, data.documents],
    [id, '', 'erased', 'individual', { country: 'HK' }, '', []],
  )
  assert.deepEqual(data.destination_details, {
    type: 'bank',
    bank: { country: 'HK', currency: 'USD' },
  })
  const listed = (await account.get('/v3/event')).json.data.results
  const told = listed.filter((event: { object_id: string }) => event.object_id === id)
  assert.deepEqual(
    told.map((event: { type: string }) => event.type),
    ['beneficiary.erased', 'beneficiary.updated', 'beneficiary.created'],
  )
  for (const { data: then, previous_attributes, erased } of told) {
    assert.deepEqual([then.id, then.name, previous_attributes, erased], [id, '', {}, true])
  }
  // Neither again, nor changed, nor paid; a repeated request makes nobody anew.
  assert.match((await erase(id)).stderr, /erased already/)
  assertRefused(
    await account.put(`/v3/beneficiary/${id}`, { name: 'Back' }),
    422,
    'party_erased',
    '',
  )
  const payout = { ...localPayout, beneficiary_details: undefined, beneficiary: id }
  assertRefused(await account.post('/v3/payout', payout), 422, 'party_erased', 'beneficiary')
  assert.equal(await made('/v3/beneficiary', BENEFICIARY, 'b1'), id)
  assert.deepEqual(await findTexts(service, all), [])
})

/** Every row of an account, in whatever table. */
async function rowsOf({ account: { account_id } }: Client): Promise<Record<string, string[]>> {
  const { owner } = service.database
  const tables = await owner<{ name: string }[]>`
    select table_name::text as name from information_schema.columns
    where table_schema = 'public' and column_name = 'account_id' order by 1`
  const found = tables.map(async ({ name }) => {
    const rows = await owner.unsafe<{ text: string }[]>(
      `select to_jsonb(t)::text as text from ${name} t where account_id = $1 order by 1`,
      [account_id],
    )
    return [name, rows.map(({ text }) => text)] as const
  })
  return Object.fromEntries(await Promise.all(found))
}

test("erased beneficiary, another account's beneficiary with equal data and key: no row changes", async () => {
  const other = account
  const theirs = await made('/v3/beneficiary', BENEFICIARY, 'same')
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 10n ** 7n } })
  const id = await made('/v3/beneficiary', BENEFICIARY, 'same')
  const rows = await rowsOf(other)
  assert.ok(rows.beneficiaries?.[0]?.includes('Zwick Name'))
  await eraseBy(operators.context, id)
  assert.deepEqual(await rowsOf(other), rows)
  await eraseBy(operators.context, theirs)
})

test('erased entity: record, reviews and identities gone', async () => {
  const entity = marked(fullEntity, 'quorn')
  const texts = everyText(entity, ['business', 'HK'])
  const id = await made('/v3/entity', entity, 'e1')
  assert.equal((await account.put(`/v3/entity/${id}`, { name: 'Quorn Later' })).status, 200)
  assert.equal((await account.post(`/v3/entity/${id}/submit`, {})).status, 200)
  const open = await erase(id)
  assert.deepEqual([open.code, /in_review: its review is open/.test(open.stderr)], [1, true])
  assert.equal((await review(service, account, id, 'rejected', 'Quorn is unclear')).status, 200)
  const all = [...texts, 'Quorn Later', 'Quorn is unclear']
  const reasons = new Set(['audit_log'])
  await eraseBy(operators.context, id)
  // What people write into the audit log stays there: docs/privacy.md says so.
  const left = (await findTexts(service, all)).filter(({ table }) => !reasons.has(table))
  assert.deepEqual(left, [])

  const { data } = (await account.get(`/v3/entity/${id}`)).json
  assert.deepEqual(
    [data.id, data.name, data.approval_status, data.approval_status_description],
    [id, '', 'rejected', ''],
  )
  // The same person may come again, as a new entity; nobody belongs to the erased one.
  const again = await made('/v3/entity', entity, 'e2')
  assert.notEqual(again, id)
  const principal = { type: 'individual', name: 'Cas', on_behalf_of: id }
  assertRefused(await account.post('/v3/entity', principal), 422, 'party_erased', 'on_behalf_of')
  assertRefused(await account.put(`/v3/entity/${id}`, { name: 'Back' }), 422, 'party_erased', '')
  const back = await ada.run('entity', 'approve', id)
  assert.match(back.stderr, /is erased/)
})

test('erased entity with a match: kept until the match is cleared; then erased with the match', async () => {
  await takeUnList(service, await readUnList())
  const id = await made('/v3/entity', { type: 'individual', name: 'Eric Badeje' }, 'e2')
  while ((await screenParties(service.deps)) > 0);
  const kept = await erase(id)
  assert.match(kept.stderr, new RegExp(`screening: ${id} has a match that is not cleared`))
  const cleared = await ada.run('screening', 'clear', id, '--reason', 'Zwick is another')
  assert.equal(cleared.code, 0, cleared.stderr)
  const exported = await ada.run('privacy', 'export', id)
  const texts = ['badeje', 'Zwick is another']
  assert.deepEqual(
    texts.filter(text => !exported.stdout.includes(text)),
    [],
  )
  await eraseBy(operators.context, id)
  const left = await findTexts(service, ['Badeje', ...texts])
  // Who decided what must be known: docs/privacy.md says to write no names.
  assert.deepEqual(
    left.filter(({ table }) => table !== 'audit_log'),
    [],
  )
  const [{ n = -1 } = {}] = await service.database.owner<{ n: number }[]>`
    select count(*)::integer as n from screening_clears where object_id = ${id}`
  assert.equal(n, 0)
  while ((await screenParties(service.deps)) > 0);
})

test("two erasures in parallel: one done, under its person's name, as in the audit log", async () => {
  const id = await made('/v3/beneficiary', BENEFICIARY, 'b1')
  const nobody = await openCli(service.database.url)
  assert.match((await erase(id, nobody)).stderr, /CORRIDOR_USER/)
  await nobody.close()
  const other = await openCli(service.database.url, { CORRIDOR_USER: 'grace' })
  const ended = await Promise.all([erase(id), erase(id, other)])
  await other.close()
  assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 1])
  const rows = await service.database.owner`select from erasures where party_id = ${id}`
  assert.equal(rows.length, 2)
  const { json } = await ada.run('audit', 'list', '--id', id, '--json')
  const [act] = json
  assert.deepEqual(
    [act.act, act.changed_by, act.reason, act.after.erased_rows],
    ['privacy erase', ended[0].code === 0 ? 'ada' : 'grace', 'Request 118', '2'],
  )
})

test('PostgreSQL, personal data: can change only to the erased form, only with an erasure, never back', async () => {
  const { owner } = service.database
  const id = await made('/v3/beneficiary', BENEFICIARY, 'b1')
  await account.put(`/v3/beneficiary/${id}`, { name: 'Zwick Later' })
  const blank = `update beneficiaries set details = '{"name":"","type":"individual","status":"erased",
    "destination_details":{"type":"bank","bank":{"country":"HK","currency":"USD"}},
    "address":{"country":"HK"}}' where id = '${id}'`
  await assert.rejects(owner.unsafe(blank), /changes only by an erasure/)
  const previous = `update events set data = erased_event(type, object_id, data)
    where object_id = '${id}' and type = 'beneficiary.updated'`
  await assert.rejects(owner.unsafe(previous), /append-only/)
  await eraseBy(operators.context, id)
  for (const [name, statement] of [
    ['back', `update beneficiaries set details = '{"name":"Back"}' where id = '${id}'`],
    ['told', `update events set data = '[{"previous":{"name":"Back"}}]' where object_id = '${id}'`],
    ['moved', `update events set created_at = now() where object_id = '${id}'`],
    ['undone', `delete from erasures where party_id = '${id}'`],
    ['renamed', `update erasures set erased_by = 'eve' where party_id = '${id}'`],
  ] as const) {
    await assert.rejects(owner.unsafe(statement), /erasure|append-only/, name)
  }
})

test("privacy export: everything stored about a person, with the requester's name", async () => {
  const id = await made('/v3/beneficiary', BENEFICIARY, 'b1')
  for (const known of [
    ['--email', 'ZWICK@mail.example'],
    ['--name', 'Zwick Name'],
    ['--iban', '7700 123456'],
  ]) {
    const found = await ada.run('privacy', 'find', account.account.account_id, ...known, '--json')
    assert.deepEqual(found.json.parties, [id], found.stderr)
  }
  const { code, json, stdout, stderr } = await ada.run('privacy', 'export', id)
  assert.equal(code, 0, stderr)
  assert.deepEqual([json.party, json.exported_by, json.retention_years], [id, 'ada', 5])
  const texts = everyText(BENEFICIARY, [])
  assert.deepEqual(
    texts.filter(text => !stdout.includes(text)),
    [],
  )
  assert.deepEqual(
    json.sections.map((section: { table: string }) => section.table),
    ['beneficiaries', 'idempotency_keys', 'audit_log'],
  )
  const unknown = await ada.run('privacy', 'export', 'bnf_00000000000000000000')
  assert.match(unknown.stderr, /there is no beneficiary bnf_0/)
})

test('privacy retention: set by a person with a reason, and shown', async () => {
  const first = await ada.run('privacy', 'retention', 'show', '--json')
  assert.deepEqual(first.json, {
    retention_years: 5,
    event_days: null,
    inbox_days: null,
    set_by: '',
    reason: '',
  })
  assert.equal((await ada.run('privacy', 'retention', 'set', '31', '--reason', 'x')).code, 2)
  const set = await ada.run('privacy', 'retention', 'set', '7', '--reason', 'Section 4')
  assert.match(set.stdout, /^7 years.*set by ada: Section 4/)
  assert.equal((await ada.run('privacy', 'retention', 'set', '5', '--reason', 'Back')).code, 0)
})
