// A person takes a payout to pay it by hand, gives it back unpaid, and reports the result.
import type { Static } from 'typebox'
import { pathId } from '../http/docs.ts'
import { Closed, Literals, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { advancePayout } from '../payouts/advance/advance-operation.ts'
import {
  ASKING,
  type Handling,
  OPERATOR_FAILURE,
  operatorStep,
  type Person,
} from '../payouts/by-hand/by-hand.ts'
import { handlePayout } from '../payouts/by-hand/by-hand-operation.ts'
import { GIVEN_BACK_STATUSES, PAYOUT_TRANSITIONS, STEP_STATUSES } from '../payouts/states.ts'
import type { Failure, RailStatus, RailStep } from '../rails/rail.ts'
import type { Sql } from '../sql/connect.ts'
import type { BalanceTransaction } from '../statements/balance-transaction/balance-transaction.ts'
import { presentBalanceTransaction } from '../statements/balance-transaction/response.ts'
import { nameEvent, previousStatus } from '../statements/event/event.ts'
import { moneyWords } from '../values/money/words.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { type Acting, writing } from './action.ts'
import { accountIdOf, type Operator, writeOf } from './operator-write.ts'
import { OperatorPayout, presentForOperators } from './payout-words.ts'
import { Force, MAX_REASON, MAX_REFERENCE, Reason, ReasonRequest, Reference } from './request.ts'

const TakeRequest = Closed(
  optional({
    from: Text(40, {
      minLength: 1,
      description: 'The person who has the payout now, to take it over from them; ask them first.',
    }),
    reason: Reason,
  }),
  { title: 'TakeRequest' },
)

const OperatorTransition = Closed(
  {
    status: Literals(STEP_STATUSES, { description: 'The new status of the payout.' }),
    ...optional({
      reference: Reference,
      reason: Reason,
      description: Text(MAX_REASON, {
        minLength: 1,
        description: `For ${ASKING}: what the account is asked for.`,
      }),
      failure: Closed(
        optional({
          code: Text(64, { minLength: 1 }),
          category: Text(64, { minLength: 1 }),
          message: Text(MAX_REASON, { minLength: 1 }),
        }),
        {
          description:
            `For ${GIVEN_BACK_STATUSES.join(' and ')}. The defaults are the code ` +
            `${OPERATOR_FAILURE.code}, the category ${OPERATOR_FAILURE.category} and the reason ` +
            'as message.',
        },
      ),
      at_wish: Type.Boolean({
        description:
          `For ${GIVEN_BACK_STATUSES.join(' and ')}: the account or the payee wants the money ` +
          'back. After the end of its price, a payout that converts then gives back the lower ' +
          'of what was taken and what it is worth now.',
      }),
      force: Force,
    }),
  },
  { title: 'OperatorTransition' },
)

const REASON = `why, for the account's timeline, up to ${MAX_REASON} characters`

const TAKE_HELP = `
One person at a time has a payout: who takes it is CORRIDOR_USER, which must be
set, as a log-in may be several people's. Take it before you pay it, or its
account may cancel it and have the money back while you pay.

Example:
  corridor payout take pot_01m7xpm2m0c6hkd4r9ye`

const RELEASE_HELP = `
Never release what may have been paid: the account can have its money back then.

Example:
  corridor payout release pot_01m7xpm2m0c6hkd4r9ye \\
    --reason "The bank is closed until Monday"`

export const takePayout = writing({
  name: 'payout take',
  path: '/v3/operator/payout/:id/take',
  operationId: 'takePayout',
  summary: 'Take a payout to pay it by hand.',
  description:
    'The account can then no longer cancel the payout. One person at a time can have a ' +
    'payout.',
  params: pathId('pot'),
  body: TakeRequest,
  response: OperatorPayout,
  refusals: ['invalid_transition'],
  run: (acting, { id, ...asked }) => handle(acting, id, { act: 'take', ...asked }),
  command: {
    words: ({ payout, taken_by }: Handled) =>
      `${payout}  taken by ${taken_by}; pay it: corridor payout show ${payout}`,
    options: {
      from: 'who has it now, to take it over; ask first whether it was paid',
      reason: REASON,
    },
    help: TAKE_HELP,
  },
})

export const releasePayout = writing({
  name: 'payout release',
  path: '/v3/operator/payout/:id/release',
  operationId: 'releasePayout',
  summary: 'Give a payout back that you have taken and not paid.',
  description:
    'The account can then cancel the payout again. Never release a payout that may have ' +
    'been paid.',
  params: pathId('pot'),
  body: ReasonRequest,
  response: OperatorPayout,
  refusals: ['invalid_transition'],
  run: (acting, { id, reason }) => handle(acting, id, { act: 'release', reason }),
  command: {
    words: ({ payout }: Handled) => `${payout}  released; its account can cancel it`,
    options: { reason: REASON },
    help: RELEASE_HELP,
  },
})

interface Handled {
  readonly payout: string
  readonly taken_by: string
  readonly taken_at: string | null
  readonly event: string
}

async function handle<Shown>(acting: Acting<Shown>, id: string, asked: AskedHandling) {
  const write = await handlingWrite(acting.audit, acting.operator, id, asked)
  return acting.write(write, {
    answer: ({ payout }) => presentForOperators(payout),
    inCommand({ payout: { taken_by, taken_at }, event }): Handled {
      return { payout: id, taken_by, taken_at, event: nameEvent(event).id }
    },
  })
}

const TRANSITION_LINES = Object.entries(PAYOUT_TRANSITIONS)
  .filter(([, next]) => next.length > 0)
  .map(([status, next]) => `  ${status.padEnd(16)} to ${next.join(', ')}`)

const TRANSITION_HELP = `
What can follow what; everything else is refused:
${TRANSITION_LINES.join('\n')}

A payout that people pay succeeds with --reference, by who has taken it, and
fails or is reversed with --reason; CORRIDOR_USER must say who you are. A
reference that has paid another payout is refused without --force, unless that
was reversed.

Examples:
  corridor payout transition pot_01m7xpm2m0c6hkd4r9ye succeeded \\
    --reference 2026112200417
  corridor payout transition pot_01m7xpm2m0c6hkd4r9ye failed \\
    --reason "Returned by the bank"
  corridor payout transition pot_01m7xpm2m0c6hkd4r9ye ${ASKING} \\
    --description "Send the invoice that this pays"`

interface Moved {
  readonly payout: string
  readonly from: string
  readonly to: RailStatus
  readonly failure: Failure | null
  readonly reference: string
  /** What the account got back. */
  readonly line: BalanceTransaction | undefined
}

export const transitionPayout = writing({
  name: 'payout transition',
  path: '/v3/operator/payout/:id/transition',
  operationId: 'transitionPayout',
  summary: 'Set the status of a payout.',
  description:
    '`failed` and `reversed` give the money back. A payout that people pay by hand ' +
    'becomes `succeeded` with the bank’s `reference`, set by the person who has taken it, ' +
    'and becomes `failed` or `reversed` with a `reason`.',
  params: pathId('pot'),
  body: OperatorTransition,
  asksPassword: true,
  response: OperatorPayout,
  refusals: ['invalid_transition', 'reference_already_used'],
  async run(acting, { id, ...asked }) {
    const write = await transitionWrite(acting.audit, acting.operator, id, asked)
    return acting.write(write, {
      answer: ({ payout }) => presentForOperators(payout),
      inCommand({ payout, events, entries }): Moved {
        if (asked.status === 'failed' && payout.rail_attempts > 0) {
          // The rail may still pay a payout that was given back.
          acting.warn(`the rail was asked to pay ${id} before; make sure that it does not`)
        }
        return {
          ...{ payout: id, from: previousStatus(events), to: asked.status },
          ...{ failure: stepOf(asked).failure, reference: payout.rail_reference },
          line: entries[0]?.line,
        }
      },
    })
  },
  command: {
    words: ({ payout, from, to, line }: Moved) =>
      [`${payout}  ${from} → ${to}`, ...(line ? [describeCredit(line)] : [])].join('\n'),
    json: ({ line, ...moved }) => ({
      ...moved,
      balance_transaction: line === undefined ? null : presentBalanceTransaction(line),
    }),
    arguments: ['status'],
    options: {
      status: `one of ${STEP_STATUSES.join(', ')}`,
      failure_code: `failure code (default: ${OPERATOR_FAILURE.code})`,
      failure_category: `failure category (default: ${OPERATOR_FAILURE.category})`,
      failure_message: `(default: the reason, else ${OPERATOR_FAILURE.message})`,
      description: `with ${ASKING}: what the account is asked for`,
      reference: `the bank's reference of the payment, up to ${MAX_REFERENCE} characters`,
      reason: REASON,
      at_wish: 'the account or the payee wants the money back; its rate is judged anew',
      force: 'the reference has paid another payout, and pays this one too',
    },
    help: TRANSITION_HELP,
  },
})

interface Statement {
  /** The bank's reference of the payment. */
  readonly reference?: string
  readonly reason?: string
  /** Confirms a reference that has already paid another payout. */
  readonly force?: boolean
}

type AskedHandling = Static<typeof TakeRequest> & Pick<Handling, 'act'>

async function handlingWrite(
  audit: Sql,
  operator: Operator,
  payout_id: string,
  { act, from, ...statement }: AskedHandling,
) {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const person = personOf(operator, statement)
  const row = (taken_by: string) => ({ account_id, id: payout_id, taken_by })
  const command = omitUndefined({ account_id, payout_id, act, person, from })
  return writeOf(handlePayout, command, ({ before, payout }) => ({
    table_name: 'payouts',
    reason: person.reason ?? '',
    before: row(before.taken_by),
    after: row(payout.taken_by),
  }))
}

type AskedTransition = Static<typeof OperatorTransition>

export async function transitionWrite(
  audit: Sql,
  operator: Operator,
  payout_id: string,
  asked: AskedTransition,
) {
  const step = stepOf(asked)
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  const { reason, description, failure } = asked
  const person = personOf(operator, asked)
  const command = { account_id, payout_id, by: 'operator', steps: [step], person } as const
  return writeOf(advancePayout, command, ({ payout: { id, status, rail_reference }, events }) => ({
    table_name: 'payouts',
    reason: reason ?? failure?.message ?? description ?? '',
    before: { account_id, id, status: previousStatus(events) },
    after: { account_id, id, status, rail_reference },
  }))
}

/** Refuses (400) a failure or description that does not fit the status. */
function stepOf({ status, failure, description, reason, at_wish }: AskedTransition): RailStep {
  const isExplained = GIVEN_BACK_STATUSES.includes(status) && reason !== undefined
  const withMessage = isExplained ? { message: reason, ...failure } : failure
  return operatorStep(status, omitUndefined({ failure: withMessage, description, at_wish }))
}

function personOf({ name, is_login }: Operator, { reference, reason, force }: Statement): Person {
  return omitUndefined({ name, is_login, force: force === true, reference, reason })
}

function describeCredit(line: BalanceTransaction): string {
  const { currency } = line
  const fees = line.fixed_fee + line.variable_fee
  return (
    `${line.id}  ${line.type}: ${moneyWords(line.net_amount, currency)} back ` +
    `(${moneyWords(line.amount, currency)} and ${moneyWords(fees, currency)} of fees); ` +
    `balance now ${moneyWords(line.balance_after, currency)}`
  )
}
