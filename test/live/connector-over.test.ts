// A connector that had not taken a payment and pays it after all, and one that pays what it has
// refused: found without any webhook, by HTTP, from the reference connector's own answers.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { startConnector } from '../../examples/connector/start.ts'
import { Client as ConnectorClient } from '../../src/connector/client.ts'
import { evidenceStore } from '../../src/connector/evidence-store.ts'
import { ConnectorRail } from '../../src/connector/rail.ts'
import type { Rail, RailPayout } from '../../src/rail/rail.ts'
import { insertRail } from '../../src/rail/row-store.ts'
import { verify } from '../../src/verify/run.ts'
import { newSecret } from '../../src/webhook/sign.ts'
import { pay as payFrom, statusOf as readStatus } from '../support/service/payouts.ts'
import { startTestService } from '../support/service/service.ts'
import { railOf, report, settleRound } from '../support/service/settling.ts'

const secret = newSecret(new Uint8Array(32).fill(7))

/** More than the reference connector takes at once: it says `not_taken`. */
const TOO_MUCH = 10_000_000_001

/** By its last digits, the reference connector refuses it. */
const REFUSED = 1_001

const folder = await mkdtemp(join(tmpdir(), 'corridor-connector-'))
const connector = await startConnector({ file: join(folder, 'book.jsonl'), secret, delay_ms: 1 })
const service = await startTestService()
await service.setFees([{}])
const settings = { url: connector.url, key_lifetime_s: null, at_once: 8, allow_private: true }
for (const name of ['partner', 'second']) {
  const row = { name, kind: 'connector', config: settings, secret, paused_reason: '' } as const
  await insertRail(service.deps.sql, row)
}
const client = new ConnectorClient(settings, [secret])
const partner = new ConnectorRail('partner', settings, client, evidenceStore(service.deps.sql))
const live = await service.openAccount({ sandbox: false, fund: { USD: 100_000_000_000n } })
await service.setRoutes([
  { rail: 'partner', priority: 2 },
  { rail: 'second', priority: 1 },
])
after(async () => {
  const verdict = await verify(service.database.owner, { account_id: null, all: true })
  assert.deepEqual(verdict.ok ? [] : verdict.problems, [])
  await service.close()
  await connector.close()
  await rm(folder, { recursive: true, force: true })
})

const pay = async (amount: number): Promise<string> => (await payFrom(live, { amount })).id

const settle = (rails: Readonly<Record<string, Rail>>) => settleRound(service, rails)

const statusOf = (id: string) => readStatus(live, id)

async function exceptionsOf(id: string) {
  const rows = await service.database.owner<{ attempt: number; kind: string; message: string }[]>`
    select attempt, kind, message from rail_exceptions where payout_id = ${id} order by number`
  return rows.map(({ attempt, kind, message }) => `${attempt} ${kind}: ${message}`)
}

/** A day later, in which no webhook has come. */
async function nextDay(id: string): Promise<void> {
  const asked = await service.database.owner`
    update payout_attempts set ask_again_at = statement_timestamp()
    where payout_id = ${id} and ask_again_at > statement_timestamp() + interval '23 hours'
    returning true`
  assert.equal(asked.length, 1, 'it is asked about once a day')
}

/** What the provider does after the end that it has told. */
function pays(attempt: string): void {
  const entry = connector.book.entries.get(attempt) ?? assert.fail('not in the book')
  const { amount, currency } = entry.order
  const said = { status: 'paid', code: '', message: '', amount, currency }
  connector.book.addStep(entry, { ...said, at: new Date().toISOString() })
}

test('not taken, failed over, paid after all: an exception, and the second rail is not handed it', async () => {
  const id = await pay(TOO_MUCH)
  const handed: string[] = []
  const submit = async (payout: RailPayout) => {
    handed.push(payout.attempt.id)
    return report('succeeded')
  }
  const second = railOf({ submit })
  await settle({ partner })
  await nextDay(id)
  await settle({ partner })
  assert.deepEqual(await exceptionsOf(id), [])
  pays(`${id}-1`)
  await nextDay(id)
  await settle({ partner })
  assert.deepEqual(await exceptionsOf(id), ['1 contradiction: The rail said paid after not_taken.'])
  await settle({ partner, second })
  assert.deepEqual(handed, [])
  assert.equal(await statusOf(id), 'processing')
})

test('refused, the money is back, paid after all: an exception, and no money moves', async () => {
  const id = await pay(REFUSED)
  while ((await statusOf(id)) !== 'failed') {
    await service.database.owner`
      update open_payouts set ask_rail_at = statement_timestamp()
      where id = ${id} and claimed_until is null`
    await settle({ partner })
  }
  pays(`${id}-1`)
  await nextDay(id)
  await settle({ partner })
  assert.deepEqual(await exceptionsOf(id), ['1 contradiction: The rail said paid after rejected.'])
  assert.equal(await statusOf(id), 'failed')
})
