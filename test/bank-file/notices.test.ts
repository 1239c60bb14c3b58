// A bank's notification of change at the payee: the account sees it and accepts the corrected value
// by one act, which is judged like any other change of the beneficiary.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { PayeeValues } from '../../src/values/bank-format/bank-format.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { assertRefused } from '../support/assert/check.ts'
import { type FileRailWorld, fileWorlds } from '../support/bank/file-rail.ts'
import { undone } from '../support/database/undone.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { addPerson, type PersonClient, type TestService } from '../support/service/service.ts'

const OLD = '440000000001'
const NEW = '1918171614'
const ROUTING = '021000021'
const OTHER_ROUTING = '091000019'

let service: TestService
let world: FileRailWorld
let maker: PersonClient
const openWorld = fileWorlds('notices', started => {
  service = started
})
before(async () => {
  world = await openWorld({ profile: { nacha: {} as never } })
  const { account_id } = world.client.account
  maker = await addPerson(service, { user: 'mia', roles: [[account_id, 'maker']] })
})

const payee = {
  name: 'Ada King',
  type: 'individual',
  destination_details: {
    type: 'bank',
    bank: { account_number: OLD, country: 'US', bank_codes: { aba: ROUTING } },
  },
  address: { line1: '1 Main St', city: 'Springfield', state: 'IL', country: 'US' },
}

const overAch = { currency: 'USD', type: 'local', local: { fund_transfer_network: 'ach' } }

async function makePayee(bank: object = {}, further: object = {}): Promise<string> {
  const destination_details = {
    type: 'bank',
    bank: { ...payee.destination_details.bank, ...bank },
  }
  const body = { ...payee, destination_details, ...further }
  const { json, text } = await world.client.post('/v3/beneficiary', body)
  assert.ok(json.data?.id, text)
  return json.data.id
}

interface Said {
  readonly code?: string
  readonly corrected?: PayeeValues
  readonly old_account?: string
  readonly old_routing?: string
}

/** Pays the beneficiary, and lets the bank send a notice; returns the payout's id. */
async function notified(beneficiary: string, said: Said = {}): Promise<string> {
  const { code = 'C01', corrected = { account_number: NEW } } = said
  const { old_account = OLD, old_routing = ROUTING.slice(0, 8) } = said
  const request = { ...overAch, beneficiary, beneficiary_details: undefined }
  const [payout = ''] = await world.pay([1_000 + paid++], request)
  await tell(payout, { code, change: { old_account, old_routing, corrected } })
  return payout
}
let paid = 0

async function tell(payout: string, { code, change }: { code: string; change: object }) {
  await world.work()
  await world.sweep()
  const item = (await world.items()).find(one => one.payout_id === payout)
  const end_to_end_id = item?.end_to_end_id ?? assert.fail('no item')
  const line = { level: 'note', code, reasons: [code], text: 'x', end_to_end_id, change } as const
  await world.report([line as never])
  await world.work()
}

const path = (id: string, act: string) => `/v3/beneficiary/${id}/${act}`

const accept = (id: string, payout: string, number = 1) =>
  world.client.post(path(id, 'accept_notice'), { payout, number })

async function noticesOf(id: string) {
  const { status, json, text } = await world.client.get(path(id, 'notice'))
  assert.equal(status, 200, text)
  return json.data.notices
}

async function read(id: string) {
  return (await world.client.get(`/v3/beneficiary/${id}`)).json.data
}

async function eventsOf(id: string) {
  const { json } = await world.client.get(`/v3/event?object_id=${id}&limit=20`)
  return json.data.results
}

test('GET /v3/beneficiary/{id}/notice: the code explained, both values and the day; beneficiary unchanged', async () => {
  const id = await makePayee()
  const other = await makePayee()
  const record = await read(id)
  const payout = await notified(id)
  const [notice, another] = await noticesOf(id)
  assert.equal(another, undefined)
  const { until, created_at, ...shown } = notice
  assert.match(until, /^\d{4}-\d\d-\d\d$/)
  assert.match(created_at, /Z$/)
  assert.deepEqual(shown, {
    object: 'beneficiary_notice',
    ...{ beneficiary: id, payout, number: 1, code: 'C01' },
    meaning: 'The account number is wrong.',
    was: { account_number: OLD },
    corrected: { account_number: NEW },
    ...{ status: 'open', closed_at: null },
  })
  assert.deepEqual(await noticesOf(other), [])
  assert.deepEqual(await read(id), record)
  assertRefused(await world.client.get(path(`bnf_${'0'.repeat(20)}`, 'notice')), 404, 'not_found')
})

test('GET /v3/beneficiary/{id}/notice, notices of several payouts: newest first, at most 100', async () => {
  const id = await makePayee()
  const first = await notified(id)
  const second = await notified(id)
  const payouts = async () => (await noticesOf(id)).map((one: { payout: string }) => one.payout)
  assert.deepEqual(await payouts(), [second, first])
  await service.database.owner`
    insert into rail_exceptions (account_id, payout_id, number, attempt, rail, kind, message, notice,
      opened_at)
    select account_id, payout_id, 1 + i, attempt, rail, kind, message, notice, opened_at
    from rail_exceptions, generate_series(1, 100) i where payout_id = ${first}`
  const { data } = (await world.client.get(path(id, 'notice'))).json
  assert.deepEqual([data.notices.length, data.truncated], [100, true])
})

test('POST accept_notice: beneficiary has the corrected value and a new destination, with an update event; repeated: no change', async () => {
  const id = await makePayee()
  const record = await read(id)
  const payout = await notified(id)
  const { status, json, text } = await accept(id, payout)
  assert.equal(status, 200, text)
  const changed = json.data
  assert.equal(changed.destination_details.bank.account_number, NEW)
  assert.notEqual(changed.destination, record.destination)
  assert.deepEqual((await accept(id, payout)).json.data, changed)
  const [updated, created, ...more] = await eventsOf(id)
  assert.deepEqual([created.type, more], ['beneficiary.created', []])
  assert.equal(updated.type, 'beneficiary.updated')
  const { notice: seen, ...made } = updated.change
  assert.deepEqual(seen, { payout, number: 1, code: 'C01' })
  assert.match(made.made_by, /^key_/)
  assert.equal(updated.previous_attributes.destination_details.bank.account_number, OLD)
  const [notice] = await noticesOf(id)
  assert.equal(notice.status, 'accepted')
  assert.deepEqual(await world.openKinds(payout), [])
  const [row] = await service.database.owner<{ note: string }[]>`
    select note from rail_exceptions where payout_id = ${payout}`
  assert.match(row?.note ?? '', /^The account has accepted .*: key key_/)
  // The next payout goes to the corrected account.
  const [next = ''] = await world.pay([77], {
    ...overAch,
    beneficiary: id,
    beneficiary_details: undefined,
  })
  const sent = (await world.client.get(`/v3/payout/${next}`)).json.data.beneficiary_details
  assert.equal(sent.destination_details.bank.account_number, NEW)
  await verifyBooks(service.database.owner)
})

for (const [code, bank, corrected, expected] of [
  ['C02', {}, { routing_number: OTHER_ROUTING }, { bank_codes: { aba: OTHER_ROUTING } }],
  [
    'C03',
    { bank_codes: { ach_code: ROUTING, fedwire_code: ROUTING } },
    { routing_number: OTHER_ROUTING, account_number: NEW },
    { account_number: NEW, bank_codes: { ach_code: OTHER_ROUTING, fedwire_code: ROUTING } },
  ],
  [
    'C02',
    { bank_codes: { fedwire_code: ROUTING } },
    { routing_number: OTHER_ROUTING },
    { bank_codes: { fedwire_code: ROUTING, ach_code: OTHER_ROUTING } },
  ],
  ['C05', {}, { account_type: 'savings' }, { account_type: 'savings' }],
  [
    'C07',
    { account_type: 'savings', bank_codes: { routing_number: ROUTING } },
    { routing_number: OTHER_ROUTING, account_number: NEW, account_type: 'checking' },
    {
      ...{ account_number: NEW, account_type: 'checking' },
      bank_codes: { routing_number: OTHER_ROUTING },
    },
  ],
] as const) {
  test(`POST accept_notice, ${code} with ${JSON.stringify(bank)}: exactly the corrected members change`, async () => {
    const id = await makePayee(bank)
    const payout = await notified(id, { code, corrected })
    const was = (await noticesOf(id))[0].was
    assert.deepEqual(Object.keys(was).sort(), Object.keys(corrected).sort())
    const before = (await read(id)).destination_details.bank
    const { json, text } = await accept(id, payout)
    assert.deepEqual(json.data?.destination_details.bank, { ...before, ...expected }, text)
  })
}

test('POST accept_notice, C04: beneficiary has the new name, screened again', async () => {
  const id = await makePayee()
  const payout = await notified(id, { code: 'C04', corrected: { name: 'AUGUSTA KING' } })
  const { owner } = service.database
  await owner`delete from screening_queue where party_id = ${id}`
  assert.equal((await accept(id, payout)).json.data.name, 'AUGUSTA KING')
  const queued = await owner`select from screening_queue where party_id = ${id}`
  assert.equal(queued.length, 1)
})

test('POST accept_notice, beneficiaries need approval: awaits approval, not by the person who accepted', async () => {
  const id = await makePayee()
  const payout = await notified(id)
  const account_id = world.client.account.account_id
  const remove = await addApprovalRule(service, { subject: 'beneficiary', account_id })
  try {
    const { status, json, text } = await service.inject({
      method: 'POST',
      url: path(id, 'accept_notice'),
      headers: maker.headers(account_id),
      payload: { payout, number: 1 },
    })
    assert.equal(status, 200, text)
    assert.equal(json.data.status, 'pending_approval')
    const { json: shown } = await world.client.get(path(id, 'approval'))
    assert.deepEqual(shown.data.made_by, ['mia'])
    const { beneficiary_details: _, ...body } = { ...overAch, beneficiary_details: null }
    const paid = await world.client.post('/v3/payout', {
      ...body,
      ...{ amount: 5, beneficiary: id, purpose: 'salary', transaction_description: 'x' },
    })
    assertRefused(paid, 422, 'beneficiary_not_approved', 'beneficiary')
    const [row] = await service.database.owner<{ note: string }[]>`
      select note from rail_exceptions where payout_id = ${payout}`
    assert.match(row?.note ?? '', /: mia\.$/)
  } finally {
    await remove()
  }
})

test('POST accept_notice, beneficiary changed since: 409, no change; value already corrected: accepted', async () => {
  const id = await makePayee()
  const payout = await notified(id)
  const put = (bank: object) => {
    const destination_details = {
      type: 'bank',
      bank: { ...payee.destination_details.bank, ...bank },
    }
    return world.client.put(`/v3/beneficiary/${id}`, { destination_details })
  }
  for (const newer of [
    { account_number: '999' },
    { bank_codes: { aba: OTHER_ROUTING } },
    { account_number: NEW, bank_codes: { aba: OTHER_ROUTING } },
  ]) {
    assert.equal((await put(newer)).status, 200)
    const record = await read(id)
    assertRefused(await accept(id, payout), 409, 'notice_outdated', 'number')
    assert.deepEqual(await read(id), record)
    assert.equal((await noticesOf(id))[0].status, 'open')
  }
  assert.equal((await put({ account_number: NEW })).status, 200)
  const record = await read(id)
  assert.deepEqual((await accept(id, payout)).json.data, record)
  assert.equal((await noticesOf(id))[0].status, 'accepted')
  // An accepted notice never takes a later edit back.
  assert.equal((await put({})).status, 200)
  assert.equal((await accept(id, payout)).json.data.destination_details.bank.account_number, OLD)
})

test('POST accept_notice, the bank names another old account than the payment had: 409', async () => {
  for (const said of [{ old_account: '77' }, { old_routing: '09100001' }]) {
    const id = await makePayee()
    assertRefused(await accept(id, await notified(id, said)), 409, 'notice_outdated', 'number')
  }
})

test('POST accept_notice, code without a corrected value: 422, notice stays open', async () => {
  const id = await makePayee()
  for (const code of ['C09', 'C13', 'C01']) {
    const payout = await notified(id, { code, corrected: {} })
    assertRefused(await accept(id, payout), 422, 'notice_without_value', 'number')
    assert.deepEqual((await noticesOf(id))[0].status, 'open')
  }
})

test('POST accept_notice, value that PUT would refuse: 400 at its field, no row changes', async () => {
  for (const [corrected, field] of [
    [{ routing_number: '021000022' }, 'destination_details.bank.bank_codes.aba'],
    [{ account_number: 'DE89370400440532013000' }, 'destination_details.bank.account_number'],
    [{ name: '-' }, 'name'],
  ] as const) {
    const id = await makePayee()
    const payout = await notified(id, { corrected })
    const record = await read(id)
    assertRefused(await accept(id, payout), 400, 'invalid_field', field)
    assert.deepEqual(await read(id), record)
    assert.equal((await noticesOf(id))[0].status, 'open')
  }
})

test('POST accept_notice, archived beneficiary, or notice of another one: refused', async () => {
  const id = await makePayee()
  const payout = await notified(id)
  const other = await makePayee()
  assertRefused(await accept(other, payout), 404, 'not_found')
  assertRefused(await accept(id, payout, 2), 404, 'not_found')
  assertRefused(await accept(id, `pot_${'0'.repeat(20)}`), 404, 'not_found')
  const stranger = await service.openAccount({ currencies: ['USD'] })
  const foreign = await stranger.post(path(id, 'accept_notice'), { payout, number: 1 })
  assertRefused(foreign, 404, 'not_found')
  for (const [body, field] of [
    [{ payout }, 'number'],
    [{ payout, number: 0 }, 'number'],
    [{ payout, number: 1.5 }, 'number'],
    [{ payout: 'x', number: 1 }, 'payout'],
    [{ payout, number: 1, account_number: '1' }, 'account_number'],
  ] as const) {
    const answer = await world.client.post(path(id, 'accept_notice'), body)
    assertRefused(answer, 400, 'invalid_field', field)
  }
  await world.client.post(path(id, 'archive'), {})
  assertRefused(await accept(id, payout), 422, 'beneficiary_archived', 'beneficiary')
})

test('GET notices of a payout with an inline payee: listed at the beneficiary that the payout created', async () => {
  const [payout = ''] = await world.pay([9], { ...overAch, beneficiary_details: payee })
  const { beneficiary: id } = (await world.client.get(`/v3/payout/${payout}`)).json.data
  const change = { old_account: '', old_routing: '', corrected: { account_number: NEW } }
  await tell(payout, { code: 'C01', change })
  assert.deepEqual((await noticesOf(id))[0].was, { account_number: OLD })
  assert.equal((await accept(id, payout)).json.data.destination_details.bank.account_number, NEW)
})

test('PostgreSQL, notice of a bank: cannot be changed', async () => {
  const id = await makePayee()
  const payout = await notified(id)
  const { owner } = service.database
  const change = (set: string) => () =>
    undone(owner, tx =>
      tx.unsafe(`update rail_exceptions set ${set} where payout_id = '${payout}'`),
    )
  await assert.rejects(change(`notice = null`)(), /append-only/)
  await assert.rejects(change(`notice = '{"beneficiary":"bnf_1","code":"C02"}'`)(), /append-only/)
})
