// A call of each route of the treasury that an operator gets 200 for, once.
import { newId } from '../../src/values/id.ts'
import type { Call, OperatorWorld } from './world.ts'

type Calls = Readonly<Record<string, (world: OperatorWorld) => Promise<Call> | Call>>

/** Makes an account at a bank in US dollars. Returns its name. */
export async function newNostro(world: OperatorWorld, members: object = {}): Promise<string> {
  const name = newId('req')
  const body = { name, currency: 'USD', opening_balance: 0, ...members }
  const { status, text } = await world.call('POST /v3/operator/nostro', { body })
  if (status !== 200) throw new Error(text)
  return name
}

async function newTransfer(world: OperatorWorld): Promise<Call> {
  const [from, to] = [await newNostro(world, { purpose: 'own' }), await newNostro(world)]
  return { body: { from, to, currency: 'USD', amount: 125 } }
}

async function newKey(world: OperatorWorld): Promise<Call> {
  const nostro = await newNostro(world)
  const { account_id } = world.live.account
  return { body: { account_id, nostro, kind: 'reference', value: `1${newId('req').slice(4)}` } }
}

/** A statement of nothing. */
const mt940 = (id: string) =>
  `:20:${id}\r\n:25:1\r\n:28C:1\r\n:60F:C261130USD0,\r\n:62F:C261130USD0,\r\n-\r\n`

/** Months close in order. */
let month = 0
const nextMonth = () => new Date(Date.UTC(2001, month++)).toISOString().slice(0, 7)

export const TREASURY_CALLS: Calls = {
  'GET /v3/operator/nostro': () => ({}),
  'POST /v3/operator/nostro': () => ({
    body: { name: newId('req'), currency: 'EUR', opening_balance: 100 },
  }),
  'GET /v3/operator/nostro/:name': async world => ({ ids: [await newNostro(world)] }),
  'PATCH /v3/operator/nostro/:name': async world => ({
    ids: [await newNostro(world)],
    body: { institution: newId('req') },
  }),
  'POST /v3/operator/nostro/:name/close': async world => ({
    ids: [await newNostro(world)],
    body: {},
  }),
  'GET /v3/operator/nostro/:name/statement': async world => ({ ids: [await newNostro(world)] }),
  'POST /v3/operator/nostro/:name/statement': async world => ({
    ids: [await newNostro(world)],
    body: { content: mt940(newId('req')) },
  }),
  'POST /v3/operator/nostro/:name/mapping': async world => ({
    ids: [await newNostro(world)],
    body: { mapping: { booked_on: newId('req'), amount: 'Amount' } },
  }),
  'GET /v3/operator/funding_key': () => ({}),
  'POST /v3/operator/funding_key': newKey,
  'POST /v3/operator/funding_key/:id/end': async world => {
    const { json } = await world.call('POST /v3/operator/funding_key', await newKey(world))
    return { ids: [json.data.id], body: {} }
  },
  'GET /v3/operator/house': () => ({}),
  'POST /v3/operator/house/transfer': newTransfer,
  'POST /v3/operator/house/topup': newTransfer,
  'POST /v3/operator/house/deal': async world => {
    const [from, to] = [await newNostro(world), await newNostro(world, { currency: 'EUR' })]
    const sold = { sell_currency: 'USD', sell_amount: 100 }
    return { body: { from, to, ...sold, buy_currency: 'EUR', buy_amount: 92 } }
  },
  'POST /v3/operator/house/:id/reverse': async world => {
    const call = await newTransfer(world)
    const { json } = await world.call('POST /v3/operator/house/transfer', call)
    return { ids: [json.data.id], body: { reason: 'Case 118' } }
  },
  'GET /v3/operator/month': () => ({}),
  'GET /v3/operator/month/:month': () => ({ ids: ['2000-12'] }),
  'POST /v3/operator/month/:month/close': () => ({ ids: [nextMonth()], body: {} }),
  'GET /v3/operator/safeguarding': () => ({}),
  'GET /v3/operator/safeguarding/day': () => ({}),
  'POST /v3/operator/safeguarding/share': () => ({
    body: { pool: 'payments', most_share: 60 },
  }),
  'POST /v3/operator/safeguarding/sign': async world => {
    await newNostro(world, { pool: 'payments' })
    return { body: { pool: 'payments', currency: 'USD', action: 'Paid in' } }
  },
  'POST /v3/operator/account/:id/pool': ({ live }) => ({
    ids: [live.account.account_id],
    body: { pool: 'payments' },
  }),
  'GET /v3/operator/report/:name': () => ({ ids: ['trial-balance'] }),
}
