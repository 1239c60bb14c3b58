// The search box of the console, on the pages of an account and of the installation.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankBeneficiary, localPayout } from '../support/given/bodies.ts'
import { pay } from '../support/service/payouts.ts'
import {
  addPerson,
  type Client,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { logIn } from '../support/service/session.ts'

let service: TestService
let account: Client
let payout: string
before(async () => {
  service = await startTestService()
  await service.setFees([{ fixed_amount: 100n }])
  account = await service.openAccount({ currencies: ['USD'], fund: { USD: 100_000_000n } })
  const { account_id } = account.account
  await addPerson(service, { user: 'ada', role: 'operator' })
  await addPerson(service, { user: 'vera', roles: [[account_id, 'viewer']] })
  const beneficiary_details = { ...bankBeneficiary, name: 'Ánna Schmidt' }
  const made = await pay(account, { amount: 125_050, reference_id: 'INV-7', beneficiary_details })
  payout = made.id
  const crowd = Array.from({ length: 21 }, (_, i) => {
    return { ...localPayout, beneficiary_details: { ...bankBeneficiary, name: `Crowd ${i}` } }
  })
  assert.equal((await account.post('/v3/payout_batch', { payouts: crowd })).status, 200)
})
after(() => service.close())

async function look(user: string, root: string, q: string) {
  const url = `/console/${root}/find?${new URLSearchParams({ q })}`
  return service.inject({ url, headers: await logIn(service, user) })
}

test('console, search of an account: an exact match opens its page, other texts list what fits, by kind', async () => {
  const { account_id } = account.account
  const find = (q: string) => look('vera', account_id, q)
  const exact = await find('INV-7')
  assert.equal(exact.headers.location, `/console/${account_id}/payouts/${payout}`)
  const { status, text } = await find('schmidt')
  assert.equal(status, 200, text)
  const kinds = /<h2>Payouts<\/h2>[\s\S]*Ánna Schmidt[\s\S]*1,250\.50[\s\S]*<h2>Beneficiaries<\/h2>/
  assert.match(text, kinds)
  assert.match(text, /role="search"[\s\S]*value="schmidt"/)
  assert.match((await find('1250.5 USD')).text, /Ánna Schmidt/)
  assert.match((await find('nobody’s')).text, /Nothing was found/)
  assert.match((await find('crowd')).text, /More fits than is shown/)
  assert.match((await find(' ')).text, /The search knows/)
})

test('console, search of the installation: for operators, over all accounts', async () => {
  const { text } = await look('ada', 'installation', 'schmidt')
  assert.match(text, new RegExp(`/console/installation/payouts/${payout}`))
  assert.match(text, new RegExp(`/console/installation/accounts/${account.account.account_id}`))
  assert.match(text, /role="search"/)
  assert.equal((await look('vera', 'installation', 'schmidt')).status, 403)
})
