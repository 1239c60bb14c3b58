// Answers about the rails of a payout. The operator sees more members than the account.
import { Id, integerOrNull, Literals, Timestamp, textOrNull } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { FailureResponse } from '../../payouts/response.ts'
import { CAUSES } from '../../payouts/states.ts'
import { accountReferences, isNotice } from '../../rails/attempt.ts'
import { CANNOT_CARRY } from '../../rails/carriage.ts'
import { SIMULATOR } from '../../rails/rail.ts'
import { conditionWords, type RouteTaken } from '../../rails/rules.ts'
import { amountToJson } from '../../values/money/json.ts'
import { ATTEMPT_STATES, type TimelineAttempt, type TimelineReview } from './attempts.ts'
import type { OfEvent, TimelineRoute } from './rules.ts'

/** The members of an item that name its event. */
export const OF_EVENT = {
  event: Id('evt', 'The event that records the decision.'),
  sequence: Type.Integer({ minimum: 1, description: 'The number of that event.' }),
}

const Condition = (description: string) => textOrNull({ description: `${description}; null: any.` })

const Bound = (description: string) =>
  integerOrNull({
    description: `${description}, in minor units of what arrives; null: any.`,
  })

const TakenResponse = Type.Object(
  {
    account: Condition('Only payouts of this account'),
    type: Condition('Only payouts of this type'),
    network: Condition('Only over this network or chain'),
    currency: Condition('Only what arrives in this currency'),
    country: Condition('Only to this country'),
    min_amount: Bound('Only from this amount on'),
    max_amount: Bound('Only up to this amount'),
    priority: Type.Integer({
      description: 'Decides between routes with the same number of conditions.',
    }),
  },
  { title: 'RouteTaken' },
)

const WHY_THIS_RAIL = {
  route: Type.Union([TakenResponse, Type.Null()], {
    description: 'The route that led to the rail, as it was then; null when none was needed.',
  }),
  reason: Type.String({ description: 'Why the payout went to this rail, in words.' }),
}

export const RouteItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('route'),
    rail: Type.String({
      description:
        'Where the payout was routed: `simulator` for sandbox accounts, `manual` for one that ' +
        'people pay by hand, or the name of another rail. It never changes.',
    }),
    ...WHY_THIS_RAIL,
    ...OF_EVENT,
    event: Id('evt', 'The event that records the creation of the payout.'),
  },
  { title: 'TimelineRoute', description: 'Which rail the payout was given to, and why.' },
)

const MaybeTime = (description: string) => textOrNull({ format: 'date-time', description })

export const AttemptItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('attempt'),
    number: Type.Integer({
      minimum: 1,
      description: 'The number of the attempt in the payout, from 1.',
    }),
    rail: Type.String({ description: 'The rail that has it, or had it.' }),
    ...WHY_THIS_RAIL,
    state: Literals(ATTEMPT_STATES, {
      description:
        '`waiting`: its rail does not have it yet. `waits_for_funds`: it goes once the account ' +
        'that pays it has the money; until then it can be cancelled. ' +
        '`handed_over`: its rail may have it. Then ' +
        '`paid`, `failed`, `returned` (paid, and the money came back), or `not_taken`: the rail ' +
        'has proved that it did not take it.',
    }),
    uetr: Type.String({
      description:
        'The unique end-to-end transaction reference of this attempt. Empty when its payment ' +
        'carries none.',
    }),
    references: Type.Unsafe<Readonly<Record<string, string>>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'The references of the rail, as far as it has reported them: `end_to_end_id`, ' +
        '`file`, `message_id` and `instruction_id` of bank files, `provider` of a provider, ' +
        '`bank_reference` of the bank that has paid. More members may be added.',
    }),
    release_at: MaybeTime(
      'While the attempt waits for `execute_at` or a cut-off: when its rail gets the ' +
        'payout. Until then the payout can be cancelled.',
    ),
    handed_over_at: MaybeTime(
      'When the rail was first asked to pay the payout, or a person took the payout.',
    ),
    released_at: MaybeTime('When the rail sent the payment on, such as by sealing its file.'),
    expected_at: MaybeTime(
      'When the beneficiary has the money at the latest, as far as it is known.',
    ),
    ended_at: MaybeTime('When the attempt ended. Money that was paid may come back after that.'),
    failure: Type.Union([FailureResponse, Type.Null()], {
      description: 'Why the attempt has failed or was returned.',
    }),
    why_not_taken: Type.String({
      description:
        'A sentence that says that the rail could not carry the payout, or has not taken it. ' +
        'Empty in any other state.',
    }),
  },
  { title: 'TimelineAttempt', description: 'One attempt to pay the payout by a rail.' },
)

export const RerouteItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('reroute'),
    rail: Type.String({ description: 'The rail that gets the payout now.' }),
    previous_rail: Type.String({ description: 'The rail that has not taken the payout.' }),
    attempt: Type.Integer({ minimum: 2, description: 'The number of the attempt that begins.' }),
    by: Literals(CAUSES),
    ...OF_EVENT,
  },
  { title: 'TimelineReroute', description: 'Another rail gets the payout.' },
)

export const ReviewItem = Type.Object(
  {
    at: Timestamp,
    kind: Type.Literal('review'),
    attempt: Type.Integer({ minimum: 1, description: 'The number of the attempt.' }),
    ended_at: MaybeTime('When the operator was done; null while the payout is under review.'),
    reason: Type.String({ description: 'What the operator reviews, in words.' }),
  },
  {
    title: 'TimelineReview',
    description:
      'The operator reviews what the rail has reported. While `under_review` is true, the payout ' +
      'does not move until the review ends. The account has nothing to do, except where the ' +
      'words of the bank ask to correct the payee.',
  },
)

/** The reader of an answer. An account sees neither a rail's refusal message nor an exception's. */
export type Reader = 'account' | 'operator'

export function presentRoute(item: TimelineRoute) {
  return withEvent({ ...item, route: presentTaken(item.route), reason: reasonOf(item) })
}

export function withEvent<Item extends OfEvent>({ event_id: event, sequence, ...item }: Item) {
  return { ...item, event, sequence: Number(sequence) }
}

function presentTaken(route: RouteTaken | null) {
  if (route === null) return null
  return {
    account: route.account_id,
    type: route.payout_type,
    network: route.network,
    currency: route.currency,
    country: route.country,
    min_amount: route.min_amount === null ? null : amountToJson(route.min_amount),
    max_amount: route.max_amount === null ? null : amountToJson(route.max_amount),
    priority: route.priority,
  }
}

/** Why a payout went to its rail, in words. */
export function reasonOf({ rail, route }: Pick<TimelineRoute, 'rail' | 'route'>): string {
  if (route !== null) {
    return `Of the routes that fit, the one for ${conditionWords(route)} decided.`
  }
  if (rail === SIMULATOR) return 'The payouts of sandbox accounts go to the simulator.'
  return 'The payout was made before there were routes; nobody had paid it.'
}

/** Why an attempt was made with its rail, in words. */
export function attemptReason({ number, rail, route }: TimelineAttempt): string {
  if (number === 1) return reasonOf({ rail, route })
  if (route === null) return 'A person named the rail.'
  const words = conditionWords(route)
  return `It had not been taken; then the route was the one for ${words}.`
}

/**
 * A sentence that says that the rail has not taken the attempt; '' when it may have. The operator
 * reads why, and what would make the payout fit.
 */
export function whyNotTaken(
  { rail, not_taken }: Pick<TimelineAttempt, 'rail' | 'not_taken'>,
  reader: Reader,
): string {
  if (not_taken === null) return ''
  const { code, message } = not_taken
  const what = code === CANNOT_CARRY ? 'could not carry it' : 'has not taken it'
  const why = reader === 'operator' ? message.replace(/[.\s]+$/, '') : ''
  return `Rail ${rail} ${what}${why && `: ${why}`}.`
}

export function presentAttempt(attempt: TimelineAttempt, reader: Reader) {
  const { at, kind, number, rail, route, state, uetr, references, not_taken, ...times } = attempt
  return {
    at,
    kind,
    number,
    rail,
    route: presentTaken(route),
    reason: attemptReason(attempt),
    state,
    uetr,
    references: reader === 'operator' ? references : accountReferences(references),
    ...times,
    why_not_taken: whyNotTaken(attempt, reader),
    ...(reader === 'operator' && { not_taken }),
  }
}

export function presentReview({ at, kind, exception }: TimelineReview, reader: Reader) {
  const { attempt, closed_at: ended_at } = exception
  const reviewed =
    ended_at === null ? 'Under review by the operator.' : 'The operator has reviewed it.'
  // A notice is for the account too: it corrects the payee.
  const reason = isNotice(exception) ? exception.message : reviewed
  const item = { at, kind, attempt, ended_at, reason }
  if (reader === 'account') return item
  const { number, rail, kind: exception_kind, message, closed_by, note } = exception
  return { ...item, exception: { number, rail, kind: exception_kind, message, closed_by, note } }
}
