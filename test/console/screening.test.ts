// The console's screens of screening: an entity that may be listed, and what an operator says of it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { screenParties } from '../../src/worker/screen-parties.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn, sendForm } from '../support/service/session.ts'
import { readUnList, takeUnList } from '../support/service/un-list.ts'

const ROOT = '/console/installation'

let service: TestService
let account: Client
let headers: Awaited<ReturnType<typeof logIn>>
before(async () => {
  service = await startTestService()
  account = await service.openAccount()
  await addPerson(service, { user: 'olga', role: 'operator' })
  headers = await logIn(service, 'olga')
})
after(() => service.close())

test('an entity that may be listed: shown with its score, confirmed, and cleared by a person', async () => {
  await takeUnList(service, await readUnList())
  const made = await account.post('/v3/entity', { type: 'individual', name: 'Eric Badege' })
  const { id } = made.json.data
  while ((await screenParties(service.deps)) > 0);
  const look = async (path: string) => {
    const answer = await service.inject({ url: `${ROOT}${path}`, headers })
    assert.equal(answer.status, 200, answer.text)
    return answer.text
  }
  assert.match(await look(''), /payout or party may be on a sanctions list/)
  for (const list of ['/screening', '/screening?of=entity&state=open']) {
    assert.ok((await look(list)).includes(`${ROOT}/screening/${id}`), list)
  }
  assert.ok(!(await look('/screening?of=beneficiary')).includes(id))
  const shown = await look(`/screening/${id}`)
  assert.match(shown, /1000 of 1000: the entity and\s+<code>un CDi\.001<\/code>/)
  assert.ok(shown.includes(`${ROOT}/entities/${id}`))
  assert.ok((await look(`/entities/${id}`)).includes(`${ROOT}/screening/${id}`))
  const says = async (decision: string) => {
    const answer = await sendForm(service, headers, `${ROOT}/screening/${id}/${decision}`, {
      reason: 'The passport says so',
      key: decision,
    })
    assert.equal(answer.status, 303, answer.text)
  }
  await says('confirm')
  const confirmed = await look(`/screening/${id}`)
  assert.deepEqual([/Clear: it/.test(confirmed), /Confirm: it/.test(confirmed)], [true, false])
  await says('clear')
  assert.ok(!(await look('/screening')).includes(id))
})
