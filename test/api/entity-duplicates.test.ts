// Duplicates of entities over HTTP: a row a rule and a command. Every rule is tabled in
// src/entity/duplicates.test.ts and src/entity/rules.test.ts, every text in
// src/entity/comparable.test.ts, and test/entity/histories.test.ts mixes them all at random.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { rowVersions } from '../support/assert/check.ts'
import { review } from '../support/service/review.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'

const PATH = '/v3/entity'

let service: TestService
before(async () => {
  service = await startTestService()
})
after(() => service.close())

const registration_address = { country: 'DE', line1: 'Lindenstraße 4', city: 'Berlin' }
const individual = (parts: object) => ({ type: 'individual', name: 'Anna Müller', ...parts })
const email = { email: 'Anna@Example.com' }

/** What makes two entities one, and the same in disguise. */
const RULES: Readonly<Record<string, readonly [there: object, asked: object]>> = {
  email: [individual(email), individual({ name: 'Bo', email: ' anna@example.COM\u200b' })],
  national_identification_number: [
    individual({ national_identification_number: { type: 'passport', number: 'C01' } }),
    individual({ name: 'Bo', national_identification_number: { type: 'PASSPORT', number: 'c01' } }),
  ],
  name_and_address: [
    individual({ registration_address }),
    individual({ name: 'ANNA Mu\u0308ller', registration_address }),
  ],
  registration_number: [
    { type: 'business', name: 'A', registration_number: 'HRB 7', registration_address },
    { type: 'business', name: 'B', registration_number: 'hrb 7', registration_address },
  ],
}

async function made(of: Client, body: object): Promise<string> {
  const answer = await of.post(PATH, body)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.data.id
}

for (const [rule, [there, asked]] of Object.entries(RULES)) {
  test(`POST, PUT and submit of ${PATH}, a duplicate by ${rule}: the first one, no row changes`, async () => {
    const account = await service.openAccount()
    const id = await made(account, there)
    const { type, name } = asked as { type: string; name: string }
    const other = await made(account, { type, name: `${name} II` })
    const twin = await made(await service.openAccount(), asked)
    const rejected = await made(account, { type, name: `${name} III` })
    await review(service, account, rejected, 'rejected')
    const changed = await account.put(`${PATH}/${rejected}`, asked)
    assert.equal(changed.json.data.id, id)
    assert.notEqual(twin, id)
    const before = await rowVersions(service.database.owner)
    for (const answer of [
      await account.post(PATH, asked),
      await account.put(`${PATH}/${other}`, asked),
    ]) {
      assert.equal(answer.text, (await account.get(`${PATH}/${id}`)).text)
    }
    assert.deepEqual(await rowVersions(service.database.owner), before)
    await review(service, account, id, 'rejected')
    const live = await made(account, asked)
    assert.notEqual(live, id)
    // Rejected, it has become what another is: its submission finds that one.
    const submitted = await account.post(`${PATH}/${id}/submit`, {})
    assert.equal(submitted.json.data.id, live)
  })

  test(`PUT that stays itself, by ${rule}: changed, never its own duplicate`, async () => {
    const account = await service.openAccount()
    const id = await made(account, there)
    const answer = await account.put(`${PATH}/${id}`, { ...asked, description: 'x' })
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual([answer.json.data.id, answer.json.data.description], [id, 'x'])
  })
}
