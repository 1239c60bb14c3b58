// The adapter of a connector against the reference connector, right and with faults: what it keeps
// as evidence, and what it makes of it.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { type Fault, Faults } from '../../examples/connector/faults.ts'
import { startConnector } from '../../examples/connector/start.ts'
import { Client } from '../../src/adapters/connector/client.ts'
import type { ConnectorConfig } from '../../src/adapters/connector/config.ts'
import { ConnectorRail, type EvidenceStore } from '../../src/adapters/connector/rail.ts'
import { type Evidence, evidenceDigest } from '../../src/rails/evidence.ts'
import type { RailAnswer, RailPayout, RailReport } from '../../src/rails/rail.ts'
import { newId } from '../../src/values/id.ts'
import { newSecret } from '../../src/webhooks/sign.ts'

const secret = newSecret(new Uint8Array(32).fill(9))
const DAY_MS = 86_400_000

const folder = await mkdtemp(join(tmpdir(), 'corridor-connector-'))
after(() => rm(folder, { recursive: true, force: true }))

const NOTHING_SAID = {
  purpose: '',
  transaction_description: '',
  reference_id: '',
  creditor_reference: '',
  ultimate_debtor: null,
}

function payoutOf(amount: bigint, more: Partial<RailPayout> = {}): RailPayout {
  const id = newId('pot')
  const now = new Date().toISOString().replace('Z', '000Z')
  const uetr = crypto.randomUUID()
  return {
    account_id: 'acc_test0001',
    id,
    attempt: {
      id: `${id}-1`,
      number: 1,
      rail: 'partner',
      uetr,
      opened_at: now,
      arrival_days: null,
    },
    type: 'local',
    amount,
    currency: 'EUR',
    destination_amount: amount,
    destination_currency: 'EUR',
    fund_transfer_network: 'sepa',
    charge_type: '',
    particulars: NOTHING_SAID,
    beneficiary_details: { name: 'Ada', type: 'individual' } as RailPayout['beneficiary_details'],
    answers: [],
    created_at: now,
    execute_at: null,
    asked_at: now,
    status: 'processing',
    ...more,
  }
}

/** Evidence in memory, as the table keeps it: what was said before is the same word. */
function memory(): EvidenceStore {
  const kept = new Map<string, Evidence[]>()
  return {
    async keep({ attempt }, said) {
      const all = kept.get(attempt.id) ?? []
      const received_at = new Date().toISOString().replace('Z', '000Z')
      for (const word of said) {
        if (all.some(known => evidenceDigest(known) === evidenceDigest(word))) continue
        all.push({ ...word, number: all.length + 1, received_at })
      }
      kept.set(attempt.id, all)
      return [...all]
    },
  }
}

let started = 0

/** A rail to a connector with these faults, and the payments that were really made. */
async function open(
  t: TestContext,
  faults: Partial<Record<Fault, number>> = {},
  more: Partial<ConnectorConfig> = {},
) {
  const paid: string[] = []
  started += 1
  const file = join(folder, `${started}.jsonl`)
  const connector = await startConnector({
    file,
    secret,
    faults: new Faults(faults),
    delay_ms: 5,
    onPaid: id => paid.push(id),
  })
  t.after(() => connector.close())
  const config = {
    url: connector.url,
    key_lifetime_s: null,
    at_once: 8,
    allow_private: true,
    ...more,
  }
  const rail = new ConnectorRail('partner', config, new Client(config, [secret]), memory())
  return { rail, paid, connector }
}

/** As `open`, with a payout of this amount that was handed over. */
async function handedOver(
  t: TestContext,
  amount = 1000n,
  faults: Partial<Record<Fault, number>> = {},
  more: Partial<ConnectorConfig> = {},
) {
  const opened = await open(t, faults, more)
  const payout = payoutOf(amount)
  const report = await submit(opened.rail, payout)
  const forget = () => opened.connector.book.entries.delete(payout.attempt.id)
  return { ...opened, payout, report, forget }
}

const askedNow = (payout: RailPayout): RailPayout => ({
  ...payout,
  asked_at: new Date(Date.now() + 1).toISOString().replace('Z', '000Z'),
})
const askedAfter = (payout: RailPayout, ms: number): RailPayout => {
  const asked_at = new Date(Date.parse(payout.asked_at) + ms).toISOString().replace('Z', '000Z')
  return { ...payout, asked_at }
}
const WEEK_S = 604_800
const submit = async (rail: ConnectorRail, payout: RailPayout) => await rail.submit([payout])[0]
const inquire = async (rail: ConnectorRail, payout: RailPayout) => await rail.inquire([payout])[0]

/** Asks until the report says it is over for now, as the worker does. */
async function settled(rail: ConnectorRail, payout: RailPayout): Promise<RailReport> {
  for (;;) {
    const report = await inquire(rail, payout).catch(() => undefined)
    const again = report?.ask_again_in_ms
    if (report !== undefined && (again === null || again === DAY_MS)) return report
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

const statuses = ({ steps }: RailReport) => steps.map(({ status }) => status).join(' ')

const COURSES: readonly (readonly [amount: bigint, steps: string])[] = [
  [1000n, 'succeeded'],
  [1001n, 'failed'],
  [1003n, 'compliance_hold succeeded'],
]

for (const [amount, steps] of COURSES) {
  test(`connector, payout of ${amount}: submitted once, ${steps}`, async t => {
    const { rail, paid, payout, report: first } = await handedOver(t, amount)
    assert.equal(first?.steps.length, 0)
    assert.match(first?.references?.provider ?? '', /^PRV[0-9A-F]{12}$/)
    const report = await settled(rail, payout)
    assert.equal(statuses(report), steps)
    assert.equal(paid.length, steps.includes('succeeded') ? 1 : 0)
  })
}

/** Until its money is back, or a person must look. */
async function ended(rail: ConnectorRail, payout: RailPayout): Promise<RailReport> {
  let report = await settled(rail, payout)
  while (report.steps.length < 2 && report.exception === undefined) {
    report = await settled(rail, payout)
  }
  return report
}

test("connector, payment returned after it was paid: reversed in full with the provider's code; return of less: its amount noted", async t => {
  const { rail, payout } = await handedOver(t, 1004n)
  const report = await ended(rail, payout)
  assert.equal(statuses(report), 'succeeded reversed')
  assert.equal(report.steps[1]?.failure?.message, 'AC06: The account is blocked.')
  assert.equal(report.references?.returned, undefined)
  const less = payoutOf(1005n)
  await submit(rail, less)
  const { references, exception } = await ended(rail, less)
  assert.deepEqual([references?.returned, exception], ['EUR 9.80', undefined])
})

test('connector, return larger than the payment: an exception, no step', async t => {
  const { rail, payout } = await handedOver(t, 1004n, { 'returns-too-much': 1 })
  const { steps, exception } = await ended(rail, payout)
  assert.deepEqual(steps, [])
  assert.deepEqual(exception, {
    kind: 'amount_differs',
    message: 'The rail says returned EUR 10.05, and EUR 10.04 was ordered.',
  })
})

test('connector order: purpose and texts as the account sent them, amounts above 2^53 exact', async t => {
  const { rail, connector } = await open(t)
  const particulars = {
    purpose: 'SALA',
    transaction_description: 'Wages',
    reference_id: 'R-7',
    creditor_reference: 'RF18539007547034',
    ultimate_debtor: { name: 'Harbour Trading Ltd', type: 'business', id: 'HRB 17' },
  } as const
  const payout = payoutOf(9_007_199_254_740_993n, { particulars })
  const report = await submit(rail, payout)
  assert.equal(report?.exception, undefined)
  const order = connector.book.entries.get(payout.attempt.id)?.order
  assert.equal(order?.amount, '9007199254740993')
  for (const [member, said] of Object.entries(particulars)) assert.deepEqual(order?.[member], said)
})

test('connector, unsupported currency: failover to the next route', async t => {
  const { rail } = await open(t)
  const report = await submit(rail, payoutOf(1000n, { destination_currency: 'ISK' }))
  assert.deepEqual(report?.not_taken, { code: 'CURRENCY', message: 'No ISK here.' })
  assert.equal(report?.ask_again_in_ms, DAY_MS)
})

test('connector, payment that asks the account for data: asked, answered once, paid', async t => {
  const { rail, connector, payout } = await handedOver(t, 1002n)
  let report: RailReport | undefined
  while (report?.steps.length !== 1) report = await inquire(rail, payout)
  assert.deepEqual(report.steps[0]?.description, 'Send the invoice.')
  const answer: RailAnswer = { number: 1, created_at: payout.created_at, note: 'Invoice 4711' }
  const done = await settled(rail, { ...payout, answers: [answer] })
  assert.equal(statuses(done), 'requires_action processing succeeded')
  assert.equal(connector.book.entries.get(payout.attempt.id)?.answers_seen, 1)
})

test('connector, answers lost after it accepted the payment: result unclear, payment made once', async t => {
  const { rail, paid } = await open(t, { 'drop-answers': 0.5 })
  const payouts = Array.from({ length: 20 }, () => payoutOf(1000n))
  const handed = await Promise.allSettled(rail.submit(payouts))
  assert.ok(handed.some(({ status }) => status === 'rejected'))
  for (const [i, payout] of payouts.entries()) {
    // As the worker does: hand over again only what the connector says it never had.
    let known: RailReport | undefined =
      handed[i]?.status === 'fulfilled' ? handed[i].value : undefined
    while (known === undefined) {
      known = await inquire(rail, payout)
        .then(report => report ?? submit(rail, payout))
        .catch(() => undefined)
    }
    assert.equal(statuses(await settled(rail, payout)), 'succeeded')
  }
  assert.deepEqual(paid.toSorted(), payouts.map(({ attempt }) => attempt.id).sort())
})

test('connector, signed 404 for an id: payment unknown to the connector', async t => {
  const { rail } = await open(t)
  assert.equal(await inquire(rail, payoutOf(1000n)), undefined)
})

const UNCLEAR: readonly Fault[] = [
  'answers-unsigned',
  'errors-unsigned',
  'html-errors',
  'errors-500',
  'redirects',
  'unknown-as-empty',
]

for (const fault of UNCLEAR) {
  test(`connector, 404 with fault ${fault}: not taken as proof`, async t => {
    const { rail } = await open(t, { [fault]: 1 })
    await assert.rejects(inquire(rail, payoutOf(1000n)), { name: 'Error' })
  })
}

test('connector, payment accepted, later unknown to it: never submitted again', async t => {
  const { rail, paid, payout, forget } = await handedOver(t)
  await settled(rail, payout)
  forget()
  const report = await inquire(rail, askedNow(payout))
  assert.equal(report?.exception?.kind, 'forgotten')
  assert.equal(paid.length, 1)
})

test('connector, 404 to a question sent before the payment was accepted: not taken as proof', async t => {
  const { rail, payout, forget } = await handedOver(t)
  forget()
  await assert.rejects(inquire(rail, payout), /a 404 that may be older than the payment/)
})

test("connector, paid payment unknown to it after the key's lifetime: stays paid", async t => {
  const { rail, payout, forget } = await handedOver(t, 1000n, {}, { key_lifetime_s: WEEK_S })
  await settled(rail, payout)
  forget()
  const report = await inquire(rail, askedAfter(payout, WEEK_S * 1_000))
  assert.equal(report?.exception, undefined)
  assert.equal(statuses(report ?? { steps: [], ask_again_in_ms: 0 }), 'succeeded')
  assert.equal(report?.ask_again_in_ms, null)
  const young = await inquire(rail, askedNow(payout))
  assert.equal(young?.exception?.kind, 'forgotten')
})

test('connector, rejected payment unknown to it later: stays rejected, no exception', async t => {
  const { rail, payout, forget } = await handedOver(t, 1001n)
  await settled(rail, payout)
  forget()
  const report = await inquire(rail, askedNow(payout))
  assert.equal(report?.exception, undefined)
  assert.equal(statuses(report ?? { steps: [], ask_again_in_ms: 0 }), 'failed')
  assert.equal(report?.ask_again_in_ms, null)
})

test("connector, attempt older than its key's lifetime: an exception, nothing sent", async t => {
  const { rail, connector } = await open(t, {}, { key_lifetime_s: WEEK_S })
  const report = await submit(rail, askedAfter(payoutOf(1000n), WEEK_S * 1_000))
  assert.equal(report?.exception?.kind, 'key_expired')
  assert.equal(connector.book.entries.size, 0)
})

test('connector, reports another amount than ordered: an exception, no step', async t => {
  const { report } = await handedOver(t, 1000n, { 'other-amount': 1 })
  assert.deepEqual(report?.exception, {
    kind: 'amount_differs',
    message: 'The rail has 999 EUR (minor units), and 1000 EUR was ordered.',
  })
  assert.deepEqual(report?.steps, [])
})

test('connector, same attempt sent with another body: an exception, payment kept', async t => {
  const { rail, paid, payout } = await handedOver(t)
  const report = await submit(rail, { ...payout, destination_amount: 2000n })
  assert.equal(report?.exception?.kind, 'other_body')
  await settled(rail, payout)
  assert.equal(paid.length, 1)
})

test('connector, two payments under one id: an exception', async t => {
  const { rail, payout } = await handedOver(t, 1000n, { 'pays-again': 1 })
  assert.equal((await submit(rail, payout))?.exception?.kind, 'reference_differs')
})

test('connector, steps reported differently later: an exception, applied steps kept', async t => {
  const { rail, payout } = await handedOver(t, 1003n, { 'steps-rewritten': 1 })
  let report: RailReport | undefined
  while (report?.exception === undefined) report = await inquire(rail, payout)
  assert.equal(report.exception.kind, 'contradiction')
  assert.deepEqual(report.steps, [])
})

test('connector, one slow payment, few concurrent requests: other payments not delayed', async t => {
  const { rail, connector } = await open(t, {}, { at_once: 2 })
  await submit(rail, payoutOf(1000n))
  const slow = payoutOf(1000n)
  const add = connector.book.add.bind(connector.book)
  const release = Promise.withResolvers<void>()
  connector.book.add = (id, ...more) => {
    const entry = add(id, ...more)
    if (id === slow.attempt.id) entry.stored = entry.stored.then(() => release.promise)
    return entry
  }
  const [late, ...others] = rail.submit([
    slow,
    ...Array.from({ length: 10 }, () => payoutOf(1000n)),
  ])
  for (const report of await Promise.all(others)) assert.ok(report.references)
  release.resolve()
  assert.ok((await late)?.references)
})

test('connector, no free request slot for too long: refused, not submitted', async t => {
  const { rail, connector } = await open(t, {}, { at_once: 1 })
  await submit(rail, payoutOf(1000n))
  const add = connector.book.add.bind(connector.book)
  connector.book.add = (id, ...more) => {
    const entry = add(id, ...more)
    entry.stored = new Promise(resolve => setTimeout(resolve, 2_500))
    return entry
  }
  const [first, second] = await Promise.allSettled(rail.submit([payoutOf(1000n), payoutOf(1000n)]))
  assert.equal(first?.status, 'fulfilled')
  assert.match(String(second?.status === 'rejected' && second.reason), /too many requests wait/)
  assert.equal(connector.book.entries.size, 2)
})
