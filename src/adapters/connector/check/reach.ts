// Checks of a connector: it answers, states its capabilities, checks signatures and signs answers.
import { CURRENCIES } from '../../../values/money/currency.ts'
import { Finding } from '../../checks.ts'
import { ANSWER_WITHIN_MS, Capabilities, MIN_KEY_LIFETIME_S } from '../protocol.ts'
import { answerProblem } from '../signing.ts'
import type { Check, Group } from './check.ts'
import { type Deviation, expectStatus, newPaymentId, type Probe, problemsOf } from './probe.ts'
import { limitsOf } from './sample.ts'
import { readyCapabilities } from './taking.ts'

const CAPABILITIES = '/capabilities'

export const REACH: Group = {
  name: 'Reach',
  checks: {
    'answers-in-time': {
      proves: `It answers within ${ANSWER_WITHIN_MS / 1000} seconds.`,
      needs: [],
      async run(probe) {
        const { error, request } = await probe.ask('GET', CAPABILITIES)
        if (error !== '') throw new Finding(`${request} had no answer: ${error}`)
      },
    },
    'capabilities-answered': {
      proves: 'GET /capabilities is answered 200 by this secret.',
      needs: ['answers-in-time'],
      run: async probe => expectStatus(await probe.ask('GET', CAPABILITIES), 200),
    },
    'capabilities-fit': {
      proves: 'The capabilities are as the protocol has them.',
      needs: ['capabilities-answered'],
      async run(probe) {
        const { json } = await probe.ask('GET', CAPABILITIES)
        const problems = problemsOf(Capabilities, json)
        if (problems.length > 0) throw new Finding(problems.join('; '))
        probe.capabilities = json as Capabilities
      },
    },
    'capabilities-limits': {
      proves: 'Each currency is known, named once, and its limits leave room for a payment.',
      needs: ['capabilities-fit'],
      run: async probe => checkLimits(readyCapabilities(probe)),
    },
    'capabilities-lasting': {
      proves: 'Payments are known by their ids for seven days at least.',
      needs: ['capabilities-fit'],
      async run(probe) {
        const { key_lifetime_s } = readyCapabilities(probe)
        if (key_lifetime_s === null || key_lifetime_s >= MIN_KEY_LIFETIME_S) return
        throw new Finding(`key_lifetime_s is ${key_lifetime_s}; ${MIN_KEY_LIFETIME_S} is the least`)
      },
    },
    'capabilities-same': {
      proves: 'A second request for the capabilities gets the same answer.',
      needs: ['capabilities-fit'],
      async run(probe) {
        const [first, again] = [
          await probe.ask('GET', CAPABILITIES),
          await probe.ask('GET', CAPABILITIES),
        ]
        if (first.body !== again.body) throw new Finding('two answers differ')
      },
    },
  },
}

function checkLimits(capabilities: Capabilities): void {
  const listed = new Set<string>()
  for (const { currency, min, max } of limitsOf(capabilities)) {
    if (!CURRENCIES.has(currency)) throw new Finding(`${currency} is no currency of ISO 4217`)
    if (listed.has(currency)) throw new Finding(`${currency} is named twice`)
    if (max !== null && max < min) throw new Finding(`${currency}: max is below min`)
    listed.add(currency)
  }
}

/** A check that a request with this deviation is answered 401. */
function refused(proves: string, needs: readonly string[], deviation: Deviation): Check {
  const run = async (probe: Probe) => {
    expectStatus(await probe.ask('GET', `/payments/${newPaymentId()}`, undefined, deviation), 401)
  }
  return { proves, needs, run }
}

export const SIGNATURES: Group = {
  name: 'Signatures',
  checks: {
    'answers-signed': {
      proves: 'Answers are signed for their request, at a right time.',
      needs: ['capabilities-answered'],
      run: probe => checkAnswer(probe, CAPABILITIES),
    },
    'errors-signed': {
      proves: 'Answers of errors are signed as well: a 404 is proof.',
      needs: ['answers-signed', 'errors-json'],
      run: probe => checkAnswer(probe, `/payments/${newPaymentId()}`),
    },
    'unsigned-refused': refused('A request without a signature is refused.', ['no-redirect'], {
      signed: 'not',
    }),
    'forged-refused': refused('A signature by another secret is refused.', ['unsigned-refused'], {
      signed: 'by_another_secret',
    }),
    'old-refused': refused('A request signed 10 minutes ago is refused.', ['forged-refused'], {
      at_s: -600,
    }),
    'early-refused': refused('A request signed 10 minutes ahead is refused.', ['forged-refused'], {
      at_s: 600,
    }),
    'other-path-refused': refused('A signature for another path is refused.', ['forged-refused'], {
      sent_path: `/payments/${newPaymentId()}`,
    }),
    'two-signatures-taken': {
      proves: 'Of two signatures one is enough, as while a secret is being replaced.',
      needs: ['capabilities-answered'],
      async run(probe) {
        expectStatus(await probe.ask('GET', CAPABILITIES, undefined, { signed: 'twice' }), 200)
      },
    },
  },
}

async function checkAnswer(probe: Probe, path: string): Promise<void> {
  const reply = await probe.ask('GET', path)
  if (reply.error !== '') throw new Finding(`${reply.request} had no answer: ${reply.error}`)
  const now_s = Math.floor(Date.now() / 1000)
  const problem = answerProblem(probe.options.secrets, reply.request_id, reply, now_s)
  if (problem !== '') throw new Finding(`the answer ${reply.status_code} ${problem}`)
}
