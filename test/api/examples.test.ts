// The examples of the documentation, sent to the service: each answers as docs/api/examples/ says,
// but for ids, times and secrets, and every operation has one. An operation that keeps its answer
// under an Idempotency-Key gives it again. `npm run examples` writes the answers. The requests are
// written by hand in the same files.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { InjectOptions } from 'fastify'
import { type Example, exampleFile, readExamples } from '../../scripts/openapi/examples.ts'
import { layOut, PLAIN } from '../../scripts/openapi/layout.ts'
import { deliverDue } from '../../src/app/worker/deliver-webhooks.ts'
import { PAYOUT_TYPES } from '../../src/quotes/quote.ts'
import {
  type ApiDocument,
  type Json,
  type Operation,
  readDocument,
} from '../support/assert/document.ts'
import { type Receiver, startReceiver } from '../support/network/receiver.ts'
import { addApprovalRule } from '../support/service/approvals.ts'
import { importInto } from '../support/service/importing.ts'
import { addNotedPayee } from '../support/service/notice.ts'
import {
  addPerson,
  basic,
  type Client,
  type PersonClient,
  startTestService,
  type TestService,
} from '../support/service/service.ts'
import { scriptedRail, settleAll } from '../support/service/settling.ts'

const WRITE = process.env.EXAMPLES === 'write'
/** The host of webhooks in the examples; a receiver of this test stands in for it. */
const HOST = 'https://example.com'
/** Probes are described where the document is made; statements and confirmations are files. */
const WITHOUT = [
  'getOpenApi',
  'getHealth',
  'getReadiness',
  'getMetrics',
  'getStatement',
  'getPayoutConfirmation',
]

let service: TestService
let receiver: Receiver
let api: ApiDocument
/** Pays in every way. */
let payer: Client
/** Has a payout that fails, and a webhook endpoint that is told of it. */
let notified: Client
/** Pays in batches, from exactly what two of the payouts need. */
let batcher: Client
/** Has a spread of its own, and a third entity. */
let spread: Client
/** The deposit address of an account that can be paid. */
let deposit_address: string
let serial = 0
/** What was shown, by operation. */
const shown = new Map<string, Record<string, Example>>()

before(async () => {
  // Where examples are written, openapi.json is made after them.
  const made = async () => (await import('../../scripts/openapi/document.ts')).makeDocument()
  api = readDocument(JSON.parse(WRITE ? await made() : await readFile('openapi.json', 'utf8')))
  service = await startTestService({
    webhook_allow_private: true,
    simulator_delay_ms: 0,
    request_log: true,
  })
  receiver = await startReceiver(() => ({ status: 503 }))
  await setPrices()
  const both = { currencies: ['USD', 'EUR'], fund: { USD: 100_000_000n, EUR: 50_000_000n } }
  payer = await service.openAccount(both)
  notified = await service.openAccount(both)
  spread = await service.openAccount(both)
  await service.setPricing({ spread_bps: 25 }, { account_id: spread.account.account_id })
  batcher = await service.openAccount({ currencies: ['USD'], fund: { USD: 2_500_000n } })
  const receiving = await service.openAccount({ currencies: ['USD'] })
  deposit_address = receiving.account.deposit_address
})

after(async () => {
  if (WRITE) {
    for (const [operationId, examples] of shown)
      await writeFile(exampleFile(operationId), `${layOut(examples, PLAIN)}\n`)
  }
  await receiver.close()
  await service.close()
})

async function setPrices(): Promise<void> {
  const mids = { USD: '1.1269', HKD: '8.8438', BRL: '5.5991', USDC: '1.1269' }
  await service.setRates(
    Object.fromEntries(Object.entries(mids).map(([code, mid]) => [`EUR/${code}`, mid])),
  )
  await service.setFees([
    { payout_type: 'local', fixed_amount: 150n, variable_bps: 20, minimum_amount: 100n },
    { payout_type: 'swift', fixed_amount: 1500n, variable_bps: 10 },
    { payout_type: 'local_payment_network', fixed_amount: 100n, variable_bps: 20 },
    { payout_type: 'wallet', fixed_amount: 100n, variable_bps: 5 },
  ])
}

interface Asking {
  /** Of the path, in its order. */
  readonly ids?: readonly string[]
  readonly query?: string
  /** Members of the request that only this run knows. */
  readonly with?: object
  /** Who asks in their own name, for the account. */
  readonly person?: PersonClient
  /** Another example shows such an answer. */
  readonly requestOnly?: true
}

/** Asks as the example does, and holds its answer against what the service says. */
async function show(client: Client, operationId: string, name: string, asking: Asking = {}) {
  const { [name]: example } = readExamples(operationId)
  const request = example?.request && { ...example.request, ...asking.with }
  const operation = api.operations.find(({ details }) => details.operationId === operationId)
  assert.ok(operation, operationId)
  const answer = await ask(client, operation, request, asking)
  const shows = { ...(request && { request }), ...(!asking.requestOnly && { answer }) }
  shown.set(operationId, { ...shown.get(operationId), [name]: shows })
  if (!WRITE && !asking.requestOnly)
    assert.equal(steady(answer), steady(example?.answer), `${operationId} ${name}`)
  return answer.data ?? answer
}

async function ask(
  { key_id, secret, account }: Client,
  { method, path, name, details }: Operation,
  request: object | undefined,
  { ids = [], query = '', person }: Asking,
): Promise<Json> {
  const rest = [...ids]
  const url = path.replace(/\{\w+\}/g, () => String(rest.shift())) + query
  const kept = details.responses['200'].headers?.['Idempotent-Replayed'] !== undefined
  const options: InjectOptions = {
    method: method.toUpperCase() as 'GET',
    url,
    headers: {
      ...(person?.headers(account.account_id) ?? { authorization: basic(key_id, secret) }),
      ...(kept && { 'idempotency-key': `${details.operationId}-${++serial}` }),
    },
  }
  if (request !== undefined) {
    options.payload = JSON.parse(
      JSON.stringify(request)
        .replaceAll(HOST, receiver.url)
        .replace(/dep_\w{20}/, deposit_address),
    )
  }
  const { status, json, text, headers } = await service.inject(options)
  assert.equal(status, 200, `${name}: ${text}`)
  const schema = api.answerSchema(path, method, status, headers['content-type'])
  assert.equal(api.mismatch(schema, json), '', `${name}: ${text}`)
  if (kept && !json.data?.dry_run) {
    const again = await service.inject(options)
    assert.deepEqual([again.status, again.text], [200, text], name)
    assert.equal(again.headers['idempotent-replayed'], 'true', name)
  }
  return JSON.parse(text.replaceAll(receiver.url, HOST))
}

/** Ids, times, secrets and durations differ from run to run; everything else must not. */
function steady(value: unknown): string {
  return (
    JSON.stringify(value ?? null, null, 1)
      .replace(/\b([a-z]{2,3})_[0-9a-z]{20}\b/g, '$1_…')
      .replace(/\bacc_[0-9a-z]{8}\b/g, 'acc_…')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}/g, 'time')
      .replace(/whsec_[\w+/]{43}=/g, 'whsec_…')
      .replace(/"duration_ms": [\d.]+/g, '"duration_ms": 0')
      .replace(/"(rows|bytes)": \d+/g, '"$1": 0')
      .replace(/"[0-9a-f]{64}"/g, '"hash"')
      // What a message by SWIFT is known by, and its day.
      .replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, 'uetr')
      .replace(/(:20:|mt103-)[0-9A-Z]{16}/g, '$1…')
      .replace(/:32A:\d{6}/g, ':32A:day')
      .replace(/acc-[0-9a-z]+/g, 'acc-…')
      .replace(/base64,[A-Za-z0-9+/]+=*/g, 'base64,…')
  )
}

test('examples of webhooks: endpoints, a failed payout, its deliveries and timeline', async () => {
  const { id } = await show(notified, 'createWebhookEndpoint', 'everything')
  const other = await show(notified, 'createWebhookEndpoint', 'some', { requestOnly: true })
  await show(notified, 'getWebhookEndpoint', 'everything', { ids: [id] })
  await show(notified, 'listWebhookEndpoints', 'page', { query: '?limit=1' })
  const ids = [other.id]
  await show(notified, 'updateWebhookEndpoint', 'types', { ids })
  await show(notified, 'updateWebhookEndpoint', 'everything', { ids, requestOnly: true })
  await show(notified, 'updateWebhookEndpoint', 'disable', { ids })
  await show(notified, 'updateWebhookEndpoint', 'enable', { ids, requestOnly: true })
  await show(notified, 'deleteWebhookEndpoint', 'deleted', { ids })
  const { local } = readExamples('createPayout')
  const { json } = await notified.post('/v3/payout', local?.request)
  const payout = json.data.id
  await failByRail()
  const events = await notified.get(`/v3/event?object_id=${payout}`)
  const [failed, created] = events.json.data.results
  await show(notified, 'getEvent', 'payout_created', { ids: [created.id] })
  await show(notified, 'getEvent', 'payout_failed', { ids: [failed.id] })
  await show(notified, 'listEvents', 'page', { query: `?limit=1&object_id=${payout}` })
  await deliver(received => (received.event.type === 'payout.failed' ? 503 : 200))
  const deliveries = await notified.get(`/v3/webhook_endpoint/${id}/delivery?status=pending`)
  const [pending] = deliveries.json.data.results
  await show(notified, 'getWebhookDelivery', 'pending', { ids: [id, pending.id] })
  await show(notified, 'listWebhookDeliveries', 'page', {
    ids: [id],
    query: '?limit=1&status=pending',
  })
  await show(notified, 'advanceSandboxClock', 'half_an_hour')
  await deliver(() => 200)
  await show(notified, 'getPayoutTimeline', 'failed', { ids: [payout] })
  await replay(id, failed.id)
  await show(notified, 'rotateWebhookSecret', 'day', { ids: [id] })
  await show(notified, 'rotateWebhookSecret', 'at_once', { ids: [id], requestOnly: true })
  await show(notified, 'testWebhookEndpoint', 'test', { ids: [id] })
})

/** The rail says of every payout that it has been asked for that it fails. */
function failByRail(): Promise<void> {
  const failure = { code: 'AC04', category: 'rail', message: 'The account is closed.' }
  const steps = [{ status: 'failed', failure }] as const
  const rail = scriptedRail(() => Promise.resolve({ steps, ask_again_in_ms: null }))
  return settleAll(service, rail)
}

async function deliver(status: (received: Receiver['received'][number]) => number): Promise<void> {
  receiver.answer(received => ({ status: status(received) }))
  while ((await deliverDue(service.deps, service.deps.sql)) > 0);
}

async function replay(endpoint: string, event: string): Promise<void> {
  const ids = [endpoint]
  const day = 24 * 3_600_000
  const midnight = (days: number) =>
    `${new Date(Date.now() + days * day).toISOString().slice(0, 10)}T00:00:00Z`
  const created = { gte: midnight(-1), lt: midnight(2) }
  await show(notified, 'replayWebhookEvents', 'event', { ids, with: { event } })
  await show(notified, 'replayWebhookEvents', 'time', {
    ids,
    with: { created },
    requestOnly: true,
  })
  await show(notified, 'replayWebhookEvents', 'sequence', { ids, requestOnly: true })
  await show(notified, 'replayWebhookEvents', 'dead', { ids, requestOnly: true })
}

test('examples of quotes: one of each payout type, one with explanation, one page', async () => {
  for (const type of PAYOUT_TYPES) {
    const { id } = await show(payer, 'createPayoutQuote', type)
    await show(payer, 'getPayoutQuote', type, { ids: [id] })
  }
  await show(payer, 'listPayoutQuotes', 'page', { query: '?limit=1' })
  const query = '?explain=true'
  await show(payer, 'listPayoutOptions', 'euro')
  await show(spread, 'getRate', 'crossed', { query: '?from=USD&to=HKD' })
  const { id } = await show(spread, 'createPayoutQuote', 'explained', { query })
  await show(spread, 'getPayoutQuote', 'explained', { ids: [id], query })
})

test('examples of conversions: priced by what leaves and by what arrives, made, read', async () => {
  const fund = { USD: 1_000_000n, EUR: 1_000_000n }
  const account = await service.openAccount({ currencies: ['USD', 'EUR'], fund })
  const { id } = await show(account, 'createConversionQuote', 'arrives')
  await show(account, 'createConversionQuote', 'leaves', { requestOnly: true })
  await show(account, 'getConversionQuote', 'arrives', { ids: [id] })
  const made = await show(account, 'createConversion', 'dollars', { with: { quote: id } })
  await show(account, 'getConversion', 'dollars', { ids: [made.id] })
  await show(account, 'listConversions', 'page', { query: '?limit=1' })
})

test('examples of payouts: one of each type, with every action on it', async () => {
  for (const type of Object.keys(readExamples('createPayout'))) {
    const { id, balance_transaction } = await show(payer, 'createPayout', type)
    await show(payer, 'getPayout', type, { ids: [id] })
    if (type !== 'local') continue
    await show(payer, 'getBalanceTransaction', 'payout', { ids: [balance_transaction] })
  }
  await show(payer, 'listPayouts', 'page', { query: '?limit=1' })
  await show(payer, 'getPayoutTotals', 'all')
  await show(payer, 'search', 'name', { query: '?q=schmidt' })
  await show(payer, 'listBalanceTransactions', 'page', { query: '?limit=1' })
  await show(payer, 'getBalance', 'balance')
  const { local } = readExamples('createPayout')
  const { account_id } = spread.account
  const day = { per: 'hours', hours: 24, currency: 'USD', cap: 5_000_000n } as const
  await service.setLimits([{ account_id, ...day }])
  await spread.post('/v3/payout', local?.request)
  await show(spread, 'getAccount', 'sandbox')
  await show(spread, 'listMakers', 'makers')
  await show(spread, 'listFundingInstructions', 'none')
  const again = async () => (await payer.post('/v3/payout', local?.request)).json.data.id
  await show(payer, 'cancelPayout', 'cancel', { ids: [await again()] })
  await show(payer, 'transitionSandboxPayout', 'failed', { ids: [await again()] })
  const asked = await again()
  await show(payer, 'transitionSandboxPayout', 'requires_action', {
    ids: [asked],
    requestOnly: true,
  })
  await show(payer, 'answerPayout', 'action', { ids: [asked] })
  await show(payer, 'updatePayout', 'metadata', { ids: [asked] })
  await show(payer, 'fundSandbox', 'dollars')
})

test('examples of approvals: pending, approved by one person, rejected by another', async () => {
  const { account } = payer
  const roles = [[account.account_id, 'approver']] as const
  const approver = (user: string) => addPerson(service, { user, roles })
  const [ann, bob] = [await approver('ann'), await approver('bob')]
  const remove = await addApprovalRule(service, { account_id: account.account_id, approvers: 2 })
  const { local } = readExamples('createPayout')
  const { id } = (await payer.post('/v3/payout', local?.request)).json.data
  const payouts = ['INV-1', 'INV-2'].map(reference_id => ({ ...local?.request, reference_id }))
  const whole = (await payer.post('/v3/payout_batch', { payouts })).json.data
  const rows = ['INV-3', 'INV-4'].map(reference_id => ({ ...local?.request, reference_id }))
  const file = await importInto(service, payer, 'salaries.csv', rows)
  await remove()
  const rule = { account_id: account.account_id, subject: 'beneficiary', approvers: 2 } as const
  const removeRule = await addApprovalRule(service, rule)
  const { business } = readExamples('createBeneficiary')
  const payee = (await payer.post('/v3/beneficiary', business?.request)).json.data.id
  await removeRule()
  const { digest } = await show(payer, 'getPayoutApproval', 'pending', { ids: [id] })
  await show(payer, 'approvePayout', 'approve', { ids: [id], with: { digest }, person: ann })
  await show(payer, 'rejectPayout', 'reject', { ids: [id], person: bob })
  await show(payer, 'getPayoutApproval', 'rejected', { ids: [id] })
  const batch = { ids: [whole.id] }
  const waits = await show(payer, 'getPayoutBatchApproval', 'pending', batch)
  const approval = { ...batch, with: { digest: waits.digest }, person: ann }
  await show(payer, 'approvePayoutBatch', 'approve', approval)
  await show(payer, 'rejectPayoutBatch', 'reject', { ...batch, person: bob })
  await show(payer, 'getPayoutBatchApproval', 'rejected', batch)
  await show(payer, 'getPayoutGroups', 'waiting')
  const imported = { ids: [file] }
  await show(payer, 'listImportedPayouts', 'page', { ...imported, query: '?limit=1' })
  const waiting = await show(payer, 'getPayoutImportApproval', 'pending', imported)
  const of_all = { ...imported, with: { digest: waiting.digest }, person: ann }
  await show(payer, 'approvePayoutImport', 'approve', of_all)
  await show(payer, 'rejectPayoutImport', 'reject', { ...imported, person: bob })
  await show(payer, 'getPayoutImportApproval', 'rejected', imported)
  const beneficiary = { ids: [payee] }
  const changed = await show(payer, 'getBeneficiaryApproval', 'pending', beneficiary)
  const [ada, ben] = [await approver('ada'), await approver('ben')]
  const of_payee = { ...beneficiary, with: { digest: changed.digest }, person: ada }
  await show(payer, 'approveBeneficiary', 'approve', of_payee)
  await show(payer, 'rejectBeneficiary', 'reject', { ...beneficiary, person: ben })
  await show(payer, 'getBeneficiaryApproval', 'rejected', beneficiary)
})

test("examples of a bank's notice: listed at the beneficiary, accepted", async () => {
  const { id, payout } = await addNotedPayee(service, payer)
  await show(payer, 'getBeneficiaryNotices', 'open', { ids: [id] })
  await show(payer, 'acceptBeneficiaryNotice', 'accept', { ids: [id], with: { payout } })
})

test('examples of currencies and of networks: listed', async () => {
  await show(payer, 'listCurrencies', 'some', { query: '?code=JPY&code=KWD&code=USD' })
  await show(payer, 'listNetworks', 'country', { query: '?country=BR' })
})

test('examples of destination requirements: listed', async () => {
  const network = '?type=local&currency=GBP&country=GB&network=faster_payments'
  await show(payer, 'getPayoutRequirements', 'faster_payments', { query: network })
  const query = '?type=swift&currency=EUR&country=DE'
  await show(payer, 'getPayoutRequirements', 'swift', { query })
})

test('examples of batches: dry run, partly created, fully created, and their items', async () => {
  await show(batcher, 'createPayoutBatch', 'dry_run')
  for (const name of ['best_effort', 'all_or_nothing']) {
    const { id } = await show(batcher, 'createPayoutBatch', name)
    await show(batcher, 'getPayoutBatch', name, { ids: [id] })
    if (name === 'best_effort') {
      await show(batcher, 'listPayoutBatchItems', 'page', { ids: [id] })
    }
  }
  await show(batcher, 'listPayoutBatches', 'page', { query: '?limit=1' })
})

test('examples of beneficiaries: created, updated, listed', async () => {
  const { id: left } = await show(payer, 'createBeneficiary', 'business')
  await show(payer, 'archiveBeneficiary', 'archive', { ids: [left] })
  await show(payer, 'unarchiveBeneficiary', 'unarchive', { ids: [left] })
  const changes = { business: 'destination', individual: 'clear' }
  for (const [type, change] of Object.entries(changes)) {
    const { id } = await show(payer, 'createBeneficiary', type)
    await show(payer, 'getBeneficiary', type, { ids: [id] })
    const asking = { ids: [id], ...(change === 'clear' && { requestOnly: true as const }) }
    await show(payer, 'updateBeneficiary', change, asking)
  }
  await show(payer, 'listBeneficiaries', 'page', { query: '?limit=1' })
})

test('examples of entities: created, duplicate-checked, updated, submitted', async () => {
  const { id: business } = await show(payer, 'createEntity', 'business')
  const { id: individual } = await show(payer, 'createEntity', 'individual')
  for (const [name, id] of Object.entries({ business, individual })) {
    await show(payer, 'checkEntityDuplicate', name)
    await show(payer, 'getEntity', name, { ids: [id] })
  }
  await show(payer, 'getEntityTimeline', 'pending', { ids: [individual] })
  await show(payer, 'listEntities', 'page', { query: '?limit=1' })
  await show(payer, 'updateEntity', 'address', { ids: [business] })
  await show(payer, 'updateEntity', 'clear', { ids: [individual], requestOnly: true })
  await show(payer, 'submitEntity', 'submit', { ids: [individual] })
  await show(payer, 'submitEntity', 'address', { ids: [business], requestOnly: true })
  await show(payer, 'reviewSandboxEntity', 'approve', { ids: [individual] })
  await show(payer, 'reviewSandboxEntity', 'ask', { ids: [business], requestOnly: true })
  const other = await spread.post('/v3/entity', readExamples('createEntity').individual?.request)
  await show(spread, 'submitEntity', 'clear', { ids: [other.json.data.id], requestOnly: true })
})

test('examples of the request log: refused requests with their reasons', async () => {
  const query = '?outcome=refused&reason=invalid_field'
  await payer.post('/v3/sandbox/fund', { amount: 100_000 })
  const isThere = async () => (await payer.get(`/v3/request_log${query}`)).json.data.results[0]
  // It is noted when its answer is written.
  while (!(await isThere())) await service.deps.requestLog?.write()
  await show(payer, 'listLoggedRequests', 'refused', { query })
})

test('openapi.json, examples: one for every operation, every stored example was sent by this test', async () => {
  const named = api.operations.map(({ details }) => details.operationId)
  assert.deepEqual([...shown.keys()].sort(), named.filter(id => !WITHOUT.includes(id)).sort())
  if (WRITE) return
  const files = await readdir(new URL('.', exampleFile('any')))
  assert.deepEqual(files.sort(), [...shown.keys()].map(id => `${id}.json`).sort())
  for (const [operationId, examples] of shown) {
    assert.deepEqual(Object.keys(examples), Object.keys(readExamples(operationId)), operationId)
  }
})
