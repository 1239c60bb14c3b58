// POST /connector/{rail}/webhook: a connector wakes a payout of its own, and nothing else happens.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { settleOnce } from '../../src/app/worker/settle-payouts.ts'
import { insertRail } from '../../src/rails/row-store.ts'
import { newSecret, webhookHeaders } from '../../src/webhooks/sign.ts'
import { localPayout } from '../support/given/bodies.ts'
import { startTestService } from '../support/service/service.ts'
import { railOf, report } from '../support/service/settling.ts'

const secret = newSecret(new Uint8Array(32).fill(3))
const other = newSecret(new Uint8Array(32).fill(4))

const service = await startTestService()
await service.setFees([{}])
const config = { url: 'https://partner.example', key_lifetime_s: null }
for (const [name, secret_of] of [
  ['partner', secret],
  ['second', other],
] as const) {
  const rail = { name, kind: 'connector', config, secret: secret_of, paused_reason: '' } as const
  await insertRail(service.deps.sql, rail)
}
const live = await service.openAccount({ sandbox: false, fund: { USD: 10_000_000n } })
await service.setRoutes([{ rail: 'partner' }])
after(() => service.close())

/** A payout that the rail has, and that it is asked about tomorrow. */
async function handedOver(): Promise<string> {
  const answer = await live.post('/v3/payout', localPayout)
  assert.equal(answer.status, 200, answer.text)
  const again = { ...report('succeeded'), ask_again_in_ms: 86_400_000 }
  const rail = railOf({ submit: async () => again, inquire: async () => again })
  await settleOnce({ ...service.deps, rails: new Map([['partner', rail]]) })
  return answer.json.data.id
}

async function isDue(id: string): Promise<boolean> {
  const [row] = await service.database.owner<{ due: boolean }[]>`
    select ask_rail_at <= clock_timestamp() as due from open_payouts where id = ${id}`
  return row?.due ?? false
}

const wakeOf = (id: string) => JSON.stringify({ account: live.account.account_id, id: `${id}-1` })

function send(rail: string, payload: string, by = secret, at_s = Math.floor(Date.now() / 1000)) {
  const headers = webhookHeaders([by], 'msg_1', at_s, payload)
  return service.inject({ method: 'POST', url: `/connector/${rail}/webhook`, headers, payload })
}

test('connector webhook, signed, sent once or repeatedly: payout due at once, no other change', async () => {
  const id = await handedOver()
  assert.equal(await isDue(id), false)
  for (let i = 0; i < 2; i++) {
    const { status, text } = await send('partner', wakeOf(id))
    assert.equal(status, 200, text)
    assert.equal(await isDue(id), true)
  }
  assert.equal((await live.get(`/v3/payout/${id}`)).json.data.status, 'succeeded')
})

test('connector webhook, unsigned, forged, old, changed or for an unknown rail: 401, no payout due', async () => {
  const id = await handedOver()
  const now_s = Math.floor(Date.now() / 1000)
  const altered = {
    method: 'POST',
    url: '/connector/partner/webhook',
    headers: webhookHeaders([secret], 'msg_1', now_s, '{}'),
    payload: wakeOf(id),
  } as const
  const unsigned = { ...altered, headers: { 'content-type': 'application/json' } }
  const answers = [
    await send('partner', wakeOf(id), other),
    await send('partner', wakeOf(id), secret, now_s - 301),
    await send('nobody', wakeOf(id)),
    await send('manual', wakeOf(id)),
    await service.inject(altered),
    await service.inject(unsigned),
  ]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 401, 401, 401],
  )
  assert.equal(await isDue(id), false)
})

test('connector webhook for another rail, attempt, payout or account: 200, no payout due', async () => {
  const id = await handedOver()
  const unknown = id.replace(/.$/, last => (last === '0' ? '1' : '0'))
  const bodies = [
    ['second', wakeOf(id), other],
    ['partner', wakeOf(id).replace('-1"', '-2"'), secret],
    ['partner', wakeOf(unknown), secret],
    ['partner', wakeOf(id).replace(live.account.account_id, 'acc_00000000'), secret],
  ] as const
  for (const [rail, body, by] of bodies) {
    const { status, text } = await send(rail, body, by)
    assert.equal(status, 200, text)
  }
  assert.equal(await isDue(id), false)
})

test('connector webhook, malformed or too long: 400, naming a malformed member', async () => {
  const id = `pot_${'0'.repeat(20)}-1`
  const account = 'acc_00000000'
  for (const [member, body] of [
    ['', '{}'],
    ['', 'no json'],
    ['', ''],
    ['', wakeOf('pot_1')],
    ['', JSON.stringify({ account: 'a'.repeat(5_000) })],
    ['account', JSON.stringify({ account: '\u0000', id })],
    ['account', JSON.stringify({ account: 'acc_1,acc_2', id })],
    ['account', JSON.stringify({ account: 7, id })],
    ['id', JSON.stringify({ account, id: `${id}\u0000` })],
    ['id', JSON.stringify({ account, id: `${id},pot` })],
  ] as const) {
    const { status, json, text } = await send('partner', body)
    assert.equal(status, 400, `${body}: ${text}`)
    if (member === '') continue
    assert.equal(json.errors[0].remarks, member)
    assert.match(json.errors[0].message, new RegExp(`^The member ${member} `))
  }
})
