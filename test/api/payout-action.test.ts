// POST /v3/payout/{id}/action: what a payout in requires_action is answered; it is processing at once,
// shows what was added, and the rail is told of each answer.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import type { Rail, RailPayout, RailReport, RailStatus } from '../../src/rails/rail.ts'
import { closeVerified } from '../support/assert/books.ts'
import { assertProblems, rowVersions } from '../support/assert/check.ts'
import { type Cli, openCli } from '../support/service/cli.ts'
import { findPayout, operatorSets, pay } from '../support/service/payouts.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { askingRail, makeDue, railOf, report, settleAll } from '../support/service/settling.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
type Json = any

let service: TestService
let cli: Cli
before(async () => {
  service = await startTestService({ simulator_delay_ms: 0 })
  cli = await openCli(service.database.url)
})
after(async () => {
  await cli.close()
  await closeVerified(service)
})

function funded(): Promise<Client> {
  return service.openAccount({ currencies: ['USD'], fund: { USD: 10_000_000n } })
}

/** A payout that the operator has put into requires_action. */
async function asked(account: Client, fields: object = {}): Promise<Json> {
  const payout = await pay(account, fields)
  await operatorSets(service, account, payout.id, 'requires_action')
  return findPayout(account, payout.id)
}

function act(account: Client, id: string, body: unknown, headers: Record<string, string> = {}) {
  return account.post(`/v3/payout/${id}/action`, body, headers)
}

/** Answers each question by what it was told; keeps what it was told. */
function listeningRail(answer: (payout: RailPayout) => RailReport): Rail & { told: RailPayout[] } {
  const told: RailPayout[] = []
  const submit = (payout: RailPayout) => {
    told.push(payout)
    return Promise.resolve(answer(payout))
  }
  return { ...railOf({ submit }), told }
}

async function rowOf(id: string): Promise<Json> {
  const [row] = await service.database.owner<Json[]>`
    select s.answers, particulars, beneficiary_details, ask_rail_at, s.status
    from payouts p join payout_states s using (account_id, id)
    left join open_payouts o using (account_id, id) where p.id = ${id}`
  return row
}

const invoice = { type: 'invoice', file_name: 'a.pdf', url: 'https://files.example/a.pdf' }

test('POST /v3/payout/{id}/action, every member: status processing, GET shows the merged payout, original stored; the rail gets the answer and pays', async () => {
  const account = await funded()
  const document = { type: 'contract', file_name: 'c.pdf' }
  const before = await asked(account, { documents: [document] })
  const made = await rowOf(before.id)
  const beneficiary_details = {
    address: { line1: '1 Queen’s Road', country: 'HK' },
    date_of_birth: '1980-02-29',
    documents: [{ type: 'passport' }],
    email: 'a@example.com',
    name_local: '海港',
    national_identification_number: 'N-1',
    phone: { code: '+852', number: '1' },
    registration_number: 'R-1',
    tax_id: 'T-1',
  }
  const purpose = 'goods'
  const transaction_description = 'Invoice 2041, corrected'
  const body = { documents: [invoice], beneficiary_details, purpose, transaction_description }
  const answer = await act(account, before.id, { ...body, note: 'Here it is.' })
  assert.equal(answer.status, 200, answer.text)
  assert.ok(answer.json.data.updated_at > before.updated_at)
  assert.deepEqual(answer.json.data, {
    ...before,
    updated_at: answer.json.data.updated_at,
    status: 'processing',
    purpose,
    transaction_description,
    documents: [document, invoice],
    beneficiary_details: { ...before.beneficiary_details, ...beneficiary_details },
  })
  assert.deepEqual(await findPayout(account, before.id), answer.json.data)
  const row = await rowOf(before.id)
  assert.deepEqual(row.particulars, made.particulars)
  assert.deepEqual(row.beneficiary_details, made.beneficiary_details)
  const [{ number, created_at, ...kept }] = row.answers
  assert.deepEqual([row.answers.length, number, kept], [1, 1, { ...body, note: 'Here it is.' }])
  assert.match(created_at, /^\d{4}-/)
  assert.ok(row.ask_rail_at <= new Date().toISOString(), 'the rail is due to be told')
  const { results } = (await account.get(`/v3/event?object_id=${before.id}&limit=1`)).json.data
  const [{ type, data, previous_attributes: before_it, change }] = results
  assert.equal(type, 'payout.processing')
  assert.deepEqual(
    [data.status, before_it.status, change.by, change.answer],
    ['processing', 'requires_action', 'account', 1],
  )
  const kept_beneficiary = (await account.get(`/v3/beneficiary/${before.beneficiary}`)).json.data
  assert.equal(kept_beneficiary.email, '', 'the beneficiary itself is as it was')
  const rail = listeningRail(() => report('succeeded'))
  await settleAll(service, rail)
  assert.deepEqual(
    rail.told.map(payout => [payout.id, payout.answers[0]?.documents]),
    [[before.id, [invoice]]],
  )
  assert.equal((await findPayout(account, before.id)).status, 'succeeded')
})

test('POST /v3/payout/{id}/action, action required by the rail: the rail receives the answer and proceeds', async () => {
  const account = await funded()
  const { id } = await pay(account)
  const description = 'Send the invoice.'
  const ask = { status: 'requires_action', failure: null, description } as const
  const rail = listeningRail(({ answers }) => ({
    // As a rail tells its history: the answer has put it back to processing there too.
    steps:
      answers.length === 0
        ? [ask]
        : [ask, ...report('processing').steps, ...report('succeeded').steps],
    ask_again_in_ms: null,
  }))
  await settleAll(service, rail)
  const waiting = await findPayout(account, id)
  assert.deepEqual([waiting.status, waiting.status_description], ['requires_action', description])
  const answer = await act(account, id, { documents: [invoice] })
  assert.deepEqual([answer.json.data.status_description, answer.status], ['', 200])
  await settleAll(service, rail)
  assert.equal((await findPayout(account, id)).status, 'succeeded')
  const events = await service.database.owner<{ type: string; data: Json }[]>`
    select type, data from each_event where object_id = ${id} order by sequence`
  assert.deepEqual(
    events.map(({ type, data }) => [type, data.by]),
    [
      ['payout.created', 'account'],
      ['payout.requires_action', 'rail'],
      ['payout.processing', 'account'],
      ['payout.succeeded', 'rail'],
    ],
  )
  assert.equal(events[1]?.data.status_description, description)
})

test('POST /v3/payout/{id}/action, two actions required one after the other: documents add up, later members replace earlier, the rail receives both answers', async () => {
  const account = await funded()
  const { id } = await pay(account)
  const rail = listeningRail(({ answers }) =>
    answers.length === 2
      ? report('requires_action', 'requires_action', 'succeeded')
      : report(...Array<RailStatus>(answers.length + 1).fill('requires_action')),
  )
  await settleAll(service, rail)
  const another = { type: 'x' }
  const sent = [
    { documents: [invoice], purpose: 'goods' },
    { documents: [another], purpose: 'services', note: 'Again' },
  ]
  for (const body of sent) {
    assert.equal((await findPayout(account, id)).status, 'requires_action')
    assert.equal((await act(account, id, body)).status, 200)
    await settleAll(service, rail)
  }
  const { status, documents, purpose } = await findPayout(account, id)
  assert.deepEqual([status, documents, purpose], ['succeeded', [invoice, another], 'services'])
  const heard = rail.told.at(-1)?.answers ?? []
  assert.deepEqual(
    heard.map(({ created_at: _, ...answer }) => answer),
    sent.map((body, i) => ({ number: i + 1, ...body })),
  )
})

test('POST /v3/payout/{id}/action, while a question to the rail is open: the rail is asked again, with the answer', async () => {
  const account = await funded()
  const { id } = await pay(account)
  // One round: a payout that is due again at once would keep rounds going on a busy machine.
  const asking = listeningRail(() => ({ ...report('requires_action'), ask_again_in_ms: 1 }))
  await settleOnce(askingRail(service.deps, asking))
  await makeDue(service, id)
  // The account answers between the question, which knows of no answer, and what comes of it.
  const late = listeningRail(() => report('requires_action'))
  const submit = async (payout: RailPayout) => {
    const said = (await late.submit([payout])[0]) as RailReport
    if (payout.id === id) assert.equal((await act(account, id, { note: 'Here' })).status, 200)
    return said
  }
  await settleOnce(askingRail(service.deps, railOf({ submit })))
  assert.deepEqual(late.told.at(-1)?.answers, [])
  const rail = listeningRail(() => report('requires_action', 'succeeded'))
  await settleAll(service, rail)
  assert.equal(rail.told.find(payout => payout.id === id)?.answers.length, 1)
  assert.equal((await findPayout(account, id)).status, 'succeeded')
})

test('POST /v3/payout/{id}/action, ten in parallel: one accepted, nine 409', async () => {
  const account = await funded()
  const { id } = await asked(account)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, i) => act(account, id, { note: `${i}` })),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)])
  assert.equal((await rowOf(id)).answers.length, 1)
})

const REFUSED: readonly (readonly [body: object, remarks: string])[] = [
  [{}, ''],
  [{ documents: [], beneficiary_details: {} }, ''],
  [{ beneficiary_details: { documents: [] } }, ''],
  [{ beneficiary_details: { name: 'X' } }, 'beneficiary_details.name'],
  [{ amount: 1, note: 'Less' }, 'amount'],
  [{ note: ' ' }, 'note'],
  [{ beneficiary_details: { email: 'x' } }, 'beneficiary_details.email'],
  [{ beneficiary_details: { email: null } }, 'beneficiary_details.email'],
]

test('POST /v3/payout/{id}/action, empty or with fixed members: 400 naming them, nothing written', async () => {
  const account = await funded()
  const { id } = await asked(account)
  const untouched = await rowVersions(service.database.owner)
  for (const [body, remarks] of REFUSED) {
    assertProblems(await act(account, id, body), 400, [['invalid_field', remarks]])
  }
  assert.deepEqual(await rowVersions(service.database.owner), untouched)
})

test('corridor payout transition to requires_action --description: the account reads the description until it has answered', async () => {
  const account = await funded()
  const { id } = await pay(account)
  const words = ['payout', 'transition', id, 'requires_action']
  const refused = await cli.run(...words, '--failure-code', 'X')
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  const done = await cli.run(...words, '--description', 'Send the invoice.')
  assert.deepEqual([done.code, done.stderr], [0, ''])
  const payout = await findPayout(account, id)
  const { status, status_description, failure } = payout
  assert.deepEqual(
    [status, status_description, failure],
    ['requires_action', 'Send the invoice.', null],
  )
  const answer = await act(account, id, { note: 'Sent.' })
  assert.equal(answer.json.data.status_description, '')
  const other = await cli.run('payout', 'transition', id, 'compliance_hold', '--description', 'x')
  assert.equal(other.code, 2)
})
