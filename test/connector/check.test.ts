// `corridor rail check`: a right connector passes every check, and each seeded fault fails exactly the
// check that is about it.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { FAULTS, type Fault, Faults } from '../../examples/connector/faults.ts'
import { startConnector } from '../../examples/connector/start.ts'
import { Skipped } from '../../src/adapters/checks.ts'
import { allChecks } from '../../src/adapters/connector/check/all.ts'
import { STEPS } from '../../src/adapters/connector/check/asking.ts'
import {
  type CheckReport,
  type KeptPayment,
  runChecks,
} from '../../src/adapters/connector/check/check.ts'
import { Probe } from '../../src/adapters/connector/check/probe.ts'
import type { Order } from '../../src/adapters/connector/order.ts'
import { ANSWER_WITHIN_MS, type Payment } from '../../src/adapters/connector/protocol.ts'
import { newSecret } from '../../src/webhooks/sign.ts'
import { share } from '../support/share.ts'

/** What only a run of faulty requests shows; the check of each other fault. */
const FOUND_BY: Readonly<Record<Exclude<Fault, 'drop-answers' | 'errors-500'>, string>> = {
  slow: 'answers-in-time',
  redirects: 'no-redirect',
  'html-errors': 'errors-json',
  'unsigned-believed': 'unsigned-refused',
  'any-signature-believed': 'forged-refused',
  'old-believed': 'old-refused',
  'answers-unsigned': 'answers-signed',
  'errors-unsigned': 'errors-signed',
  'pays-again': 'put-repeat',
  races: 'put-at-once',
  'amount-not-compared': 'put-other-amount',
  'beneficiary-not-compared': 'put-other-beneficiary',
  'account-not-compared': 'put-other-beneficiary',
  'float-amounts': 'put-large-amount',
  'other-amount': 'put-echo',
  'over-limit': 'put-over-limit',
  'unknown-as-empty': 'get-unknown',
  'known-as-404': 'get-known',
  'forgets-keys': 'keys-kept',
  'steps-reordered': 'steps-numbered',
  'steps-rewritten': 'steps-kept',
  'returns-too-much': 'returns-bounded',
  'code-missing': 'rejections-coded',
  'cancels-twice': 'cancel-repeat',
  'answers-twice': 'answers-repeat',
  'strict-orders': 'put-unknown-member',
}

type Found = keyof typeof FOUND_BY
const ALONE = Object.keys(FOUND_BY).map(fault => [fault as Found])
/** Faults that one connector can have, as none of them hides the check of another. */
const TOGETHER: readonly (readonly Found[])[] = [
  ['slow'],
  [
    ...(['redirects', 'answers-unsigned', 'pays-again', 'amount-not-compared'] as const),
    ...(['beneficiary-not-compared', 'float-amounts', 'strict-orders'] as const),
  ],
  [
    ...(['html-errors', 'unsigned-believed', 'races', 'over-limit'] as const),
    ...(['forgets-keys', 'steps-reordered', 'account-not-compared'] as const),
  ],
  ['any-signature-believed', 'errors-unsigned', 'other-amount'],
  ['old-believed', 'unknown-as-empty', 'known-as-404'],
  ['steps-rewritten', 'code-missing', 'answers-twice'],
  ['returns-too-much', 'cancels-twice'],
]

const folder = await mkdtemp(join(tmpdir(), 'corridor-connector-'))
after(() => rm(folder, { recursive: true, force: true }))

const secret = newSecret(new Uint8Array(32).fill(7))

const ASKING = { secrets: [secret], order: {}, watch_ms: 60_000 }

async function check(name: string, faults: Faults, earlier: readonly KeptPayment[] = []) {
  const file = join(folder, `${name}.jsonl`)
  const connector = await startConnector({ file, secret, faults, delay_ms: 20 })
  try {
    // A busy machine is no slow connector.
    const answer_within_ms = name === 'slow' ? ANSWER_WITHIN_MS : 60_000
    const asking = { ...ASKING, url: connector.url, answer_within_ms }
    return await runChecks(allChecks(earlier), asking)
  } finally {
    await connector.close()
  }
}

const failed = ({ checks }: CheckReport) =>
  checks.filter(({ result }) => result === 'failed').map(({ name, detail }) => `${name}: ${detail}`)

test('connector checks: at least forty, unique names, each after the checks that it needs', () => {
  const names: string[] = []
  for (const [name, { needs }] of allChecks().flatMap(({ checks }) => Object.entries(checks))) {
    assert.ok(!names.includes(name), name)
    for (const needed of needs) assert.ok(names.includes(needed), `${name} needs ${needed}`)
    names.push(name)
  }
  assert.ok(names.length >= 40, `${names.length} checks`)
})

test('reference connector: passes every check, also after a restart', async () => {
  const first = await check('right', new Faults())
  assert.deepEqual(failed(first), [])
  const skipped = (report: CheckReport) =>
    report.checks.filter(({ result }) => result === 'skipped').map(({ name }) => name)
  assert.deepEqual(skipped(first), ['keys-kept-since'])
  const again = await check('right', new Faults(), first.payments)
  assert.deepEqual([failed(again), skipped(again)], [[], []])
})

test('connector that lost its payments: the check of payments of an earlier run fails', async () => {
  const lost = { id: 'pot_00000000000000000000-1', amount: '1000', currency: 'EUR', reference: 'R' }
  const report = await check('lost', new Faults(), [lost])
  assert.deepEqual(
    failed(report).map(line => line.split(':')[0]),
    ['keys-kept-since'],
  )
})

test('seeded faults of the reference connector, except drop-answers and errors-500: a check for each', () => {
  const seeded = Object.keys(FAULTS).filter(name => !/^(drop-answers|errors-500)$/.test(name))
  assert.deepEqual(Object.keys(FOUND_BY).sort(), seeded.sort())
  assert.deepEqual(TOGETHER.flat().sort(), seeded)
})

test('connector with one seeded fault: fails exactly the check for it', {
  concurrency: 4,
}, async t => {
  const rows = share(TOGETHER, ALONE).map(faults =>
    t.test(faults.join(', '), async () => {
      const report = await check(faults.join('-'), Faults.read(faults))
      const names = report.checks.filter(({ result }) => result === 'failed').map(one => one.name)
      const expected = faults.map(fault => FOUND_BY[fault])
      assert.deepEqual(names.sort(), expected.sort(), failed(report).join('\n'))
    }),
  )
  await Promise.all(rows)
})

/** A probe whose every payment is rejected, whatever its amount. */
class Rejecting extends Probe {
  override async put(id: string, { amount, currency }: Order): Promise<Payment> {
    const step = { code: 'AC04', message: '', at: '2026-01-01T00:00:00Z' }
    const steps = ['accepted', 'rejected'].map((status, i) => ({ ...step, number: i + 1, status }))
    this.#payment = { id, amount, currency, reference: '', steps }
    return this.#payment
  }

  override async watch(): Promise<readonly Payment[]> {
    return this.#payment === undefined ? [] : [this.#payment]
  }

  #payment: Payment | undefined
}

test('connector that rejects a payment whose return is tested: check returns-bounded skipped', async () => {
  const probe = new Rejecting({ ...ASKING, url: '', answer_within_ms: 1_000 })
  probe.capabilities = {
    protocol: '1',
    name: '',
    currencies: [{ currency: 'EUR' }],
    key_lifetime_s: null,
    cancellation: false,
    answers: false,
  }
  const run = STEPS.checks['returns-bounded']?.run(probe)
  await assert.rejects(
    async () => run,
    new Skipped('an amount that ends in 04 is not returned here'),
  )
})

test('no connector at the URL: only the first check fails, the others are skipped', async () => {
  const options = { ...ASKING, url: 'http://127.0.0.1:1', answer_within_ms: 1_000 }
  const report = await runChecks(allChecks(), options)
  assert.equal(report.failed, 1)
  assert.match(failed(report)[0] ?? '', /^answers-in-time: GET \/capabilities had no answer/)
  assert.equal(report.passed, 0)
})
