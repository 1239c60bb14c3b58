// Checks of a connector: it takes a payment once, even when requests repeat, compete or change.
import { Finding, Skipped } from '../../checks.ts'
import type { Order } from '../order.ts'
import type { Capabilities, Payment } from '../protocol.ts'
import type { Group } from './check.ts'
import { expectStatus, newPaymentId, type Probe, paymentOf } from './probe.ts'
import { amountEnding, type Limits, limitsOf, otherAccount, sampleOrder } from './sample.ts'

/** The connector's capabilities; skips the check when they are not known. */
export function readyCapabilities({ capabilities }: Probe): Capabilities {
  if (capabilities === undefined) throw new Skipped('the capabilities are not known')
  return capabilities
}

/** The limits of the connector's first currency, which all checks use. */
function limitsFor(probe: Probe): Limits {
  const [limits] = limitsOf(readyCapabilities(probe))
  if (limits === undefined) throw new Skipped('the connector carries no currency')
  return limits
}

type NewOrder = ReturnType<typeof orderOf>

function orderOf(probe: Probe, amount: bigint, currency: string) {
  const id = newPaymentId()
  return { id, order: sampleOrder(id, { amount, currency }, probe.options.order) }
}

/** A new order whose amount ends in these two digits. */
function newOrder(probe: Probe, ending = 0): NewOrder {
  const limits = limitsFor(probe)
  const amount = amountEnding(ending, limits)
  if (limits.max !== null && amount > limits.max) throw new Skipped(`${amount} is over the limit`)
  return orderOf(probe, amount, limits.currency)
}

/** Sends an order for a new payment; fails the check unless the connector takes it. */
export async function putNew(probe: Probe, ending = 0) {
  const { id, order } = newOrder(probe, ending)
  return { id, order, payment: await probe.put(id, order) }
}

const otherName = (order: Order): Order => ({
  ...order,
  beneficiary: { ...order.beneficiary, name: 'Somebody Else' },
})
export const otherAmount = (order: Order): Order => ({
  ...order,
  amount: (BigInt(order.amount) + 100n).toString(),
})

/** Fails the check unless the payment repeats the order's id, amount and currency. */
export function checkEcho(payment: Payment, id: string, order: Order): void {
  const { amount, currency } = order
  for (const [member, sent] of Object.entries({ amount, currency, id })) {
    const echo = payment[member as keyof Payment]
    if (echo !== sent) throw new Finding(`${member} was sent as ${sent} and came back as ${echo}`)
  }
}

/** Fails the check unless the order ends as rejected or not taken. */
async function expectRefused(probe: Probe, { id, order }: NewOrder): Promise<void> {
  await probe.put(id, order)
  const decisive = ['rejected', 'not_taken', 'paid']
  const versions = await probe.watch(id, ({ steps }) =>
    steps.some(step => decisive.includes(step.status)),
  )
  const statuses = versions.at(-1)?.steps.map(({ status }) => status) ?? []
  if (statuses.some(status => status === 'rejected' || status === 'not_taken')) return
  throw new Finding(`${order.amount} ${order.currency} became ${statuses.join(', ')}`)
}

export const TAKING: Group = {
  name: 'Taking',
  checks: {
    'put-taken': {
      proves: 'PUT takes a payment, and answers 200 with it.',
      needs: ['capabilities-limits'],
      async run(probe) {
        const { id, order } = newOrder(probe)
        expectStatus(await probe.ask('PUT', `/payments/${id}`, order), 200)
      },
    },
    'put-fits': {
      proves: 'The answer is a payment as the protocol has it.',
      needs: ['put-taken'],
      run: async probe => void (await putNew(probe)),
    },
    'put-echo': {
      proves: 'Id, amount and currency come back as they were sent.',
      needs: ['put-fits'],
      async run(probe) {
        const { id, order, payment } = await putNew(probe)
        checkEcho(payment, id, order)
      },
    },
    'put-repeat': {
      proves: 'The same id and body are the same payment, with the same reference.',
      needs: ['put-echo'],
      async run(probe) {
        const { id, order, payment } = await putNew(probe)
        for (let i = 0; i < 2; i++) {
          const again = paymentOf(await probe.ask('PUT', `/payments/${id}`, order))
          checkSame(payment, again)
        }
      },
    },
    'put-other-spelling': {
      proves: 'White space and the order of members make no other body.',
      needs: ['put-repeat'],
      async run(probe) {
        const { id, order } = await putNew(probe)
        const reordered = Object.fromEntries(Object.entries(order).reverse())
        const body = JSON.stringify(reordered, null, 2)
        expectStatus(await probe.ask('PUT', `/payments/${id}`, body), 200)
      },
    },
    'put-at-once': {
      proves: 'Twenty PUTs of one payment at the same moment make one payment.',
      needs: ['put-repeat'],
      run: checkAtOnce,
    },
    'put-hung-up': {
      proves: 'A PUT whose answer nobody reads can be repeated, and is one payment.',
      needs: ['put-at-once'],
      async run(probe) {
        const { id, order } = newOrder(probe)
        await probe.ask('PUT', `/payments/${id}`, order, { within_ms: HANG_UP_MS })
        const payment = await probe.put(id, order)
        checkSame(payment, paymentOf(await probe.ask('PUT', `/payments/${id}`, order)))
      },
    },
  },
}

export const CHANGED_BODIES: Group = {
  name: 'Changed bodies',
  checks: {
    'put-other-amount': {
      proves: 'Another amount under a known id is refused with 409.',
      needs: ['put-echo'],
      run: probe => checkConflict(probe, otherAmount),
    },
    'put-other-beneficiary': {
      proves: 'Another beneficiary under a known id is refused with 409.',
      needs: ['put-echo'],
      async run(probe) {
        await checkConflict(probe, otherName)
        await checkConflict(probe, otherAccount)
      },
    },
    'put-conflict-harmless': {
      proves: 'After a 409 the payment is as it was.',
      needs: ['put-other-amount', 'put-repeat', 'get-known'],
      async run(probe) {
        const { id, order, payment } = await putNew(probe)
        await probe.ask('PUT', `/payments/${id}`, otherAmount(order))
        const now = await probe.payment(id)
        checkEcho(now, id, order)
        checkSame(payment, now)
      },
    },
    'other-body-refused': {
      proves: 'A body changed after it was signed is refused, and leaves no trace.',
      needs: ['forged-refused', 'get-unknown', 'put-echo'],
      async run(probe) {
        const { id, order } = newOrder(probe)
        const sent_body = JSON.stringify({ ...order, amount: `${order.amount}0` })
        expectStatus(await probe.ask('PUT', `/payments/${id}`, order, { sent_body }), 401)
        expectStatus(await probe.ask('GET', `/payments/${id}`), 404)
      },
    },
    'put-unknown-member': {
      proves: 'A member that it does not know is passed over.',
      needs: ['put-echo'],
      async run(probe) {
        const { id, order } = newOrder(probe)
        const later = { ...order, of_a_later_version: 'anything' }
        expectStatus(await probe.ask('PUT', `/payments/${id}`, later), 200)
      },
    },
    'put-unreadable': {
      proves: 'An amount with a point is refused with 400, and nothing is taken.',
      needs: ['put-echo', 'get-unknown'],
      async run(probe) {
        const { id, order } = newOrder(probe)
        const unreadable = { ...order, amount: '10.50' }
        expectStatus(await probe.ask('PUT', `/payments/${id}`, unreadable), 400)
        expectStatus(await probe.ask('GET', `/payments/${id}`), 404)
      },
    },
  },
}

export const AMOUNTS: Group = {
  name: 'Amounts and names',
  checks: {
    'put-large-amount': {
      proves: 'An amount above 2^53 keeps each of its digits.',
      needs: ['put-echo'],
      async run(probe) {
        const { currency } = limitsFor(probe)
        const { id, order } = orderOf(probe, 9_007_199_254_740_993n, currency)
        checkEcho(await probe.put(id, order), id, order)
      },
    },
    'put-over-limit': {
      proves: 'An amount above its own limit is never paid.',
      needs: ['put-echo', 'get-known'],
      run: checkOverLimit,
    },
    'put-other-currency': {
      proves: 'A currency that it does not carry is never paid.',
      needs: ['put-echo', 'get-known'],
      async run(probe) {
        const carried = limitsOf(readyCapabilities(probe)).map(({ currency }) => currency)
        const currency = ['ISK', 'TOP', 'WST'].find(code => !carried.includes(code))
        if (currency === undefined) throw new Skipped('it carries every currency')
        await expectRefused(probe, orderOf(probe, 100_000n, currency))
      },
    },
    'put-other-scripts': {
      proves: 'Names in other scripts are taken.',
      needs: ['put-echo'],
      async run(probe) {
        const { id, order } = newOrder(probe)
        const name = '王小明 Παπαδόπουλος Đặng Ω̈'
        await probe.put(id, { ...order, beneficiary: { ...order.beneficiary, name } })
      },
    },
  },
}

/** Long enough to send an order, but too short to answer it. */
const HANG_UP_MS = 30

/** Fails the check when the provider's reference of a payment has changed. */
export function checkSame(first: Payment, again: Payment): void {
  if (first.reference === '' || first.reference === again.reference) return
  throw new Finding(`its reference was ${first.reference} and is ${again.reference}`)
}

async function checkAtOnce(probe: Probe): Promise<void> {
  const { id, order } = newOrder(probe)
  const puts = Array.from({ length: 20 }, () => probe.ask('PUT', `/payments/${id}`, order))
  const replies = await Promise.all(puts)
  for (const reply of replies) expectStatus(reply, 200, 503)
  const answers = replies.filter(({ status_code }) => status_code === 200).map(paymentOf)
  const payment = await probe.put(id, order)
  for (const answer of answers) checkSame(payment, answer)
}

async function checkConflict(probe: Probe, change: (order: Order) => Order): Promise<void> {
  const { id, order } = await putNew(probe)
  expectStatus(await probe.ask('PUT', `/payments/${id}`, change(order)), 409)
}

async function checkOverLimit(probe: Probe): Promise<void> {
  const limited = limitsOf(readyCapabilities(probe)).filter(({ max }) => max !== null)
  const [least] = limited.sort((a, b) => ((a.max ?? 0n) < (b.max ?? 0n) ? -1 : 1))
  if (least === undefined) throw new Skipped('it has no limit')
  // The amount ends in 00, like amounts that are paid.
  const amount = ((least.max ?? 0n) / 100n + 1n) * 100n
  if (amount >= 2n ** 63n) throw new Skipped('its limit is the largest amount')
  await expectRefused(probe, orderOf(probe, amount, least.currency))
}
