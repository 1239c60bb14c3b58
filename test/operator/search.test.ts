// GET /v3/operator/search and `corridor search`: one text over all accounts, or one of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bankBeneficiary } from '../support/given/bodies.ts'
import { openCli } from '../support/service/cli.ts'
import { pay } from '../support/service/payouts.ts'
import {
  addPerson,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'

const PATH = '/v3/operator/search'

let service: TestService
let live: Client
let sandbox: Client
let ada: PersonClient
before(async () => {
  service = await startTestService()
  await service.setFees([{ fixed_amount: 100n }])
  await service.setRoutes([{}])
  const opened = { currencies: ['USD'], fund: { USD: 100_000_000n } }
  live = await service.openAccount({ ...opened, sandbox: false })
  sandbox = await service.openAccount(opened)
  ada = await addPerson(service, { user: 'ada', role: 'operator' })
})
after(() => service.close())

interface Result {
  readonly account_id: string
  readonly account_name: string
  readonly object: string
  readonly id: string
  readonly matched: string
}

async function search(query: Record<string, string>): Promise<readonly Result[]> {
  const url = `${PATH}?${new URLSearchParams(query)}`
  const { status, json, text } = await service.inject({ url, headers: ada.headers() })
  assert.equal(status, 200, text)
  assert.deepEqual([json.data.has_more, json.data.accounts_left_out], [false, 0])
  return json.data.results
}

test(`GET ${PATH}: objects of all accounts, or of one; an id leads to its account; accounts by id and name`, async () => {
  const details = { ...bankBeneficiary, name: 'Ben Okafor' }
  const first = await pay(live, { reference_id: 'INV-7', beneficiary_details: details })
  const second = await pay(sandbox, { reference_id: 'INV-7' })
  const ids = async (query: Record<string, string>) =>
    (await search(query)).map(({ account_id, id }) => `${account_id} ${id}`).toSorted()
  const [ours, theirs] = [live, sandbox].map(({ account }) => account.account_id)
  const both = [`${ours} ${first.id}`, `${theirs} ${second.id}`].toSorted()
  assert.deepEqual(await ids({ q: 'INV-7' }), both)
  assert.deepEqual(await ids({ q: 'INV-7', account_id: String(ours) }), [`${ours} ${first.id}`])
  assert.deepEqual(await ids({ q: second.id }), [`${theirs} ${second.id}`])
  assert.equal((await ids({ q: 'okafor' })).length, 2)
  const [account] = await search({ q: String(ours) })
  assert.deepEqual(
    [account?.object, account?.id, account?.account_name, account?.matched],
    ['account', ours, 'Test', 'id'],
  )
  const named = (await search({ q: 'test' })).filter(({ object }) => object === 'account')
  assert.deepEqual(named.map(({ id }) => id).toSorted(), [ours, theirs].toSorted())
})

test(`GET ${PATH}, a bank’s reference written in another way: the payout that it has paid`, async () => {
  const { id } = await pay(live, { reference_id: 'by-hand' })
  for (const [step, body] of [
    ['take', {}],
    ['transition', { status: 'succeeded', reference: 'BANK 77 x' }],
  ] as const) {
    const { status, text } = await service.inject({
      method: 'POST',
      url: `/v3/operator/payout/${id}/${step}`,
      headers: { ...ada.headers(), 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    })
    assert.equal(status, 200, text)
  }
  const paid = await search({ q: 'bank77X' })
  assert.deepEqual(
    paid.map(one => [one.id, one.matched]),
    [[id, 'bank_reference']],
  )
  const ofAccount = async (by: Client) => (await by.get('/v3/search?q=bank77X')).json.data.results
  assert.deepEqual((await ofAccount(live)).length, 1)
  assert.deepEqual(await ofAccount(sandbox), [])
})

test(`GET ${PATH}, unknown account or wrong text: refused; corridor search: the same in a table`, async () => {
  for (const [query, status] of [
    ['q=a&account_id=acc_00000000', 404],
    ['q=%20', 400],
    ['q=a%00b', 400],
    ['', 400],
  ] as const) {
    const refused = await service.inject({ url: `${PATH}?${query}`, headers: ada.headers() })
    assert.equal(refused.status, status, refused.text)
  }
  const cli = await openCli(service.database.url, { CORRIDOR_USER: 'ada' })
  const { code, stdout, stderr } = await cli.run('search', 'okafor')
  assert.equal(code, 0, stderr)
  assert.match(stdout, /payout .*Ben Okafor/)
  assert.match((await cli.run('search', 'nobody')).stdout, /nothing was found/)
})
