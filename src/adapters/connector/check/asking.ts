// Checks of a connector: what it reports of a payment is right, grows only at its end, and stays.
import { setTimeout as wait } from 'node:timers/promises'
import { Finding, Skipped } from '../../checks.ts'
import { ErrorBody, type Payment, STEP_STATUSES, type Step, UNKNOWN_PAYMENT } from '../protocol.ts'
import { amountProblem, historyProblem, isEnd } from '../steps.ts'
import type { Group, KeptPayment } from './check.ts'
import {
  expectStatus,
  newPaymentId,
  type Probe,
  paymentOf,
  problemsOf,
  type Reply,
} from './probe.ts'
import { checkEcho, checkSame, otherAmount, putNew, readyCapabilities } from './taking.ts'

const isOver = ({ steps }: Payment) => steps.some(({ status }) => isEnd(status))

export const UNKNOWN: Group = {
  name: 'Unknown payments',
  checks: {
    'no-redirect': {
      proves: 'It answers itself, without a redirect.',
      needs: ['capabilities-answered'],
      async run(probe) {
        const { status_code, request } = await getUnknown(probe)
        if (status_code < 300 || status_code > 399) return
        throw new Finding(`${request} answered ${status_code}, a redirect`)
      },
    },
    'errors-json': {
      proves: 'Errors are JSON and not a page for people.',
      needs: ['no-redirect'],
      async run(probe) {
        const { headers, request } = await getUnknown(probe)
        const type = String(headers['content-type'] ?? '')
        if (!/^application\/json\b/.test(type)) {
          throw new Finding(`${request} answered with the type ${type || '(none)'}`)
        }
      },
    },
    'get-unknown': {
      proves: `An unknown payment gets 404 with the code ${UNKNOWN_PAYMENT} and the id.`,
      needs: ['errors-json'],
      run: async probe => expectUnknown(await getUnknown(probe)),
    },
  },
}

export const ASKING: Group = {
  name: 'Asking',
  checks: {
    'get-known': {
      proves: 'A payment that it has is answered 200.',
      needs: ['put-echo', 'no-redirect'],
      async run(probe) {
        const { id } = await putNew(probe)
        paymentOf(await probe.ask('GET', `/payments/${id}`))
      },
    },
    'get-as-put': {
      proves: 'GET says of a payment what PUT said.',
      needs: ['get-known'],
      async run(probe) {
        const { id, order, payment } = await putNew(probe)
        const now = await probe.payment(id)
        checkEcho(now, id, order)
        checkSame(payment, now)
      },
    },
    'get-other-attempt': {
      proves: 'Another attempt of the same payout is another payment.',
      needs: ['get-unknown', 'get-known'],
      async run(probe) {
        const { id } = await putNew(probe)
        expectUnknown(await probe.ask('GET', `/payments/${id.replace(/1$/, '2')}`))
      },
    },
    'get-at-once': {
      proves: 'Twenty questions at the same moment are all answered in time.',
      needs: ['get-known'],
      async run(probe) {
        const { id } = await putNew(probe)
        const asked = Array.from({ length: 20 }, () => probe.ask('GET', `/payments/${id}`))
        for (const reply of await Promise.all(asked)) expectStatus(reply, 200)
      },
    },
  },
}

function getUnknown(probe: Probe): Promise<Reply> {
  return probe.ask('GET', `/payments/${newPaymentId()}`)
}

function expectUnknown(reply: Reply): void {
  expectStatus(reply, 404)
  const problems = problemsOf(ErrorBody, reply.json)
  if (problems.length > 0) throw new Finding(`the body of the 404: ${problems.join('; ')}`)
  const { code, id } = reply.json as { readonly code: string; readonly id?: string }
  if (code !== UNKNOWN_PAYMENT) throw new Finding(`the code of the 404 is ${code}`)
  if (!reply.request.endsWith(`/${id}`)) throw new Finding(`the 404 is about ${id ?? 'no id'}`)
}

/** Fails the check when an earlier step has changed or is missing now. */
function expectGrown(before: Payment, now: Payment): void {
  const facts = ({ number, status, code, amount, currency }: Step) =>
    JSON.stringify([number, status, code, amount, currency])
  for (const [i, step] of before.steps.entries()) {
    const present = now.steps[i]
    if (present !== undefined && facts(present) === facts(step)) continue
    const change = present === undefined ? 'gone' : `${present.status} ${present.code}`
    throw new Finding(`step ${step.number} of ${now.id} was ${step.status} and is ${change.trim()}`)
  }
}

/** Watches a new payment until its end, at most `watch_ms`. Its amount has the ending. */
async function watchNew(probe: Probe, ending: number): Promise<readonly [Payment, ...Payment[]]> {
  const { id, payment } = await putNew(probe, ending)
  return [payment, ...(await probe.watch(id, isOver))]
}

export const STEPS: Group = {
  name: 'Steps',
  checks: {
    'steps-numbered': {
      proves: 'Steps are numbered from 1, without gaps, oldest first.',
      needs: ['get-known'],
      async run(probe) {
        for (const { steps } of await watchNew(probe, 0)) {
          const numbers = steps.map(({ number }) => number)
          if (numbers.some((number, i) => number !== i + 1)) {
            throw new Finding(`the steps are numbered ${numbers.join(', ')}`)
          }
        }
      },
    },
    'steps-kept': {
      proves: 'A step that was told once never changes and never goes.',
      needs: ['steps-numbered'],
      async run(probe) {
        for (const ending of [0, 3]) {
          const versions = await watchNew(probe, ending)
          versions.slice(1).forEach((now, i) => {
            expectGrown(versions[i] as Payment, now)
          })
        }
      },
    },
    'steps-known': {
      proves: 'Each status is one of the protocol.',
      needs: ['steps-numbered'],
      async run(probe) {
        for (const ending of [0, 1, 3]) {
          const all = (await watchNew(probe, ending)).flatMap(({ steps }) => steps)
          const unknown = all.find(({ status }) => !Object.hasOwn(STEP_STATUSES, status))
          if (unknown !== undefined) throw new Finding(`${unknown.status} is no status`)
        }
      },
    },
    'steps-possible': {
      proves: 'No step follows a final step, and only returned follows paid.',
      needs: ['steps-known', 'steps-kept'],
      async run(probe) {
        for (const ending of [0, 1, 4]) {
          const versions = await watchNew(probe, ending)
          const problem = historyProblem((versions.at(-1) as Payment).steps)
          if (problem !== '') throw new Finding(problem)
        }
      },
    },
    'returns-bounded': {
      proves: 'No more comes back than was paid.',
      needs: ['steps-possible'],
      async run(probe) {
        const { id, payment } = await putNew(probe, 4)
        const versions = await probe.watch(id, isReturnedOrRejected)
        const { steps } = versions.at(-1) ?? payment
        if (!steps.some(({ status }) => status === 'returned')) {
          throw new Skipped('an amount that ends in 04 is not returned here')
        }
        const ordered = { amount: BigInt(payment.amount), currency: payment.currency }
        const problem = amountProblem(steps.map(withMoney), ordered)
        if (problem !== '') throw new Finding(problem)
      },
    },
    'rejections-coded': {
      proves: 'A rejection has the code of the provider.',
      needs: ['steps-numbered'],
      async run(probe) {
        const last = (await watchNew(probe, 1)).at(-1) as Payment
        const ends = last.steps.filter(({ status }) => /^(rejected|not_taken)$/.test(status))
        if (ends.length === 0) throw new Skipped('an amount that ends in 01 is not rejected here')
        if (ends.some(({ code }) => code.trim() === '')) {
          throw new Finding(`${last.id} is ${ends[0]?.status} without a code`)
        }
      },
    },
  },
}

const isReturnedOrRejected = ({ steps }: Pick<Payment, 'steps'>) =>
  steps.some(({ status }) => status === 'returned' || status === 'rejected')

const withMoney = ({ amount, ...step }: Step) => ({
  ...step,
  amount: amount === undefined ? null : BigInt(amount),
})

export const CHANGING: Group = {
  name: 'Cancelling and answering',
  checks: {
    'cancel-unknown': {
      proves: 'A request to cancel an unknown payment gets 404.',
      needs: ['get-unknown'],
      async run(probe) {
        needsCapability(probe, 'cancellation')
        expectStatus(await probe.ask('POST', `/payments/${newPaymentId()}/cancel`, {}), 404)
      },
    },
    'cancel-answered': {
      proves: 'A request to cancel a payment gets 200 with the payment.',
      needs: ['get-known', 'steps-kept'],
      async run(probe) {
        needsCapability(probe, 'cancellation')
        const { id, payment } = await putNew(probe, 6)
        expectGrown(payment, paymentOf(await probe.ask('POST', `/payments/${id}/cancel`, {})))
      },
    },
    'cancel-repeat': {
      proves: 'A payment is cancelled once, however often that is asked.',
      needs: ['cancel-answered'],
      async run(probe) {
        const { id } = await putNew(probe, 6)
        for (let i = 0; i < 2; i++) await probe.ask('POST', `/payments/${id}/cancel`, {})
        const { steps } = await probe.payment(id)
        const times = steps.filter(({ status }) => status === 'cancelled').length
        if (times > 1) throw new Finding(`${id} is cancelled ${times} times`)
      },
    },
    'answers-unknown': {
      proves: 'Answers for an unknown payment get 404.',
      needs: ['get-unknown'],
      async run(probe) {
        needsCapability(probe, 'answers')
        const path = `/payments/${newPaymentId()}/answers`
        expectStatus(await probe.ask('POST', path, ANSWERS), 404)
      },
    },
    'answers-taken': {
      proves: 'An answer is taken, and answers_seen says so.',
      needs: ['steps-numbered'],
      run: async probe => void (await answer(probe)),
    },
    'answers-repeat': {
      proves: 'The same answer again is no other answer.',
      needs: ['answers-taken'],
      async run(probe) {
        const id = await answer(probe)
        const again = paymentOf(await probe.ask('POST', `/payments/${id}/answers`, ANSWERS))
        if (again.answers_seen === 1) return
        throw new Finding(`answer 1 came twice, and answers_seen is ${again.answers_seen}`)
      },
    },
  },
}

const ANSWERS = {
  answers: [{ number: 1, created_at: '2026-01-01T00:00:00.000000Z', note: 'Invoice 4711' }],
}

function needsCapability(probe: Probe, name: 'cancellation' | 'answers'): void {
  if (!readyCapabilities(probe)[name]) throw new Skipped(`${name} is no capability of it`)
}

/** Makes a payment that asks the account, and answers it. Returns the payment's id. */
async function answer(probe: Probe): Promise<string> {
  needsCapability(probe, 'answers')
  const { id } = await putNew(probe, 2)
  const asks = ({ steps }: Payment) => steps.at(-1)?.status === 'requires_action'
  const versions = await probe.watch(id, payment => asks(payment) || isOver(payment))
  if (!versions.some(asks)) throw new Skipped('an amount that ends in 02 asks nothing here')
  const taken = paymentOf(await probe.ask('POST', `/payments/${id}/answers`, ANSWERS))
  if (taken.answers_seen !== 1) {
    throw new Finding(`answer 1 was sent, and answers_seen is ${taken.answers_seen ?? 'missing'}`)
  }
  return id
}

/** Long enough that a payment which a connector caches for a moment is gone. */
const KEPT_FOR_MS = 3_000

/** `earlier`: payments of an earlier run. */
export function keeping(earlier: readonly KeptPayment[]): Group {
  return {
    name: 'Keeping',
    checks: {
      'keys-kept': {
        proves: 'Every payment of this run is still known, with its reference.',
        needs: ['get-known', 'put-repeat'],
        async run(probe) {
          const { id } = await putNew(probe)
          await wait(KEPT_FOR_MS)
          paymentOf(await probe.ask('GET', `/payments/${id}`))
          await expectKept(probe, probe.taken)
        },
      },
      'keys-kept-since': {
        proves: 'Every payment of the earlier run is still known, with its reference.',
        needs: ['keys-kept'],
        async run(probe) {
          if (earlier.length === 0) throw new Skipped('--since names no report of an earlier run')
          await expectKept(probe, earlier)
        },
      },
      'conflicts-kept': {
        proves: 'Another body for the first payment of the run is still refused.',
        needs: ['keys-kept', 'put-other-amount'],
        async run(probe) {
          const [first] = probe.taken
          if (first === undefined) throw new Skipped('no payment was taken')
          const { id, order } = first
          expectStatus(await probe.ask('PUT', `/payments/${id}`, otherAmount(order)), 409)
        },
      },
    },
  }
}

async function expectKept(
  probe: Probe,
  payments: readonly Pick<KeptPayment, 'id' | 'reference'>[],
): Promise<void> {
  for (const { id, reference } of payments) {
    const now = paymentOf(await probe.ask('GET', `/payments/${id}`))
    if (reference !== '' && now.reference !== reference) {
      throw new Finding(`the reference of ${id} was ${reference} and is ${now.reference}`)
    }
  }
}

export const BOUNDS: Group = {
  name: 'Bounds',
  checks: {
    'times-bounded': {
      proves: 'No request of the whole run had to wait too long.',
      needs: ['capabilities-answered'],
      async run({ replies }) {
        const late = replies.find(({ error }) => error !== '')
        if (late !== undefined) throw new Finding(`${late.request} had no answer: ${late.error}`)
      },
    },
    'sizes-bounded': {
      proves: 'No answer was longer than 256 KiB.',
      needs: ['capabilities-answered'],
      async run({ replies }) {
        const long = replies.find(({ error, is_whole }) => error === '' && !is_whole)
        if (long !== undefined) throw new Finding(`the answer to ${long.request} is longer`)
      },
    },
  },
}
