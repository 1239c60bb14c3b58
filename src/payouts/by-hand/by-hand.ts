// Payouts that people pay by hand, and steps that people set. One person at a time has taken a
// payout, so that nobody pays it twice. Pure.
import { isOpenException, type RailException } from '../../rails/attempt.ts'
import { type Failure, MANUAL, type RailStatus, type RailStep } from '../../rails/rail.ts'
import { invalidField, refusal, refuseIfAny } from '../../values/errors.ts'
import { failureWith } from '../../values/failures.ts'
import type { Key } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { moneyWords } from '../../values/money/words.ts'
import type { Payout } from '../payout.ts'
import { GIVEN_BACK_STATUSES, isFinal, OPEN_STATUSES, type PayoutStatus } from '../states.ts'

/** Who moves a payout by hand, with their reference and reason. */
export interface Person {
  readonly name: string
  /** True when the name is the log-in, which several people may share, and not CORRIDOR_USER. */
  readonly is_login?: boolean
  /** The bank's reference of the payment. */
  readonly reference?: string
  readonly reason?: string
  /** Whether to accept a reference that has already paid another payout. */
  readonly force?: boolean
}

/** The members of an event that name the person, the reference and the reason. */
export function personFacts(person: Person | undefined) {
  if (person === undefined) return {}
  const { name: operator, reference, reason } = person
  return { operator, ...(reference && { reference }), ...(reason && { reason }) }
}

/**
 * Refuses a person's step on the manual rail that may pay twice, or that lacks its reference or
 * reason. Only the first step is checked. `paid_elsewhere` is another payout that the same
 * reference has paid.
 */
export function checkPerson(
  payout: Payout,
  steps: readonly RailStep[],
  person?: Person,
  paid_elsewhere?: Key,
): void {
  const [step] = steps
  if (payout.rail !== MANUAL || person === undefined || step === undefined) return
  checkName(person)
  const isPaid = payout.status === 'succeeded'
  if (!isPaid && payout.taken_by !== '' && payout.taken_by !== person.name) {
    throw takenByAnother(payout)
  }
  if (step.status === 'succeeded' && payout.taken_by === '') {
    const message = `Nobody has taken payout ${payout.id}; take it before you pay it.`
    throw refusal('invalid_transition', message, 'status')
  }
  const reference = person.reference ?? payout.rail_reference
  const noReference = step.status === 'succeeded' && reference === ''
  const noReason = GIVEN_BACK_STATUSES.includes(step.status) && (person.reason ?? '') === ''
  refuseIfAny([
    ...(noReference
      ? [invalidField('reference', 'Send the reference that the bank has given.')]
      : []),
    ...(noReason ? [invalidField('reason', 'Send the reason why the money goes back.')] : []),
  ])
  if (step.status !== 'succeeded' || paid_elsewhere === undefined || person.force) return
  const { account_id, id } = paid_elsewhere
  const message =
    `Reference "${reference}" has already paid payout ${id} of account ${account_id}; ` +
    'confirm with force if one payment of the bank paid both.'
  throw refusal('reference_already_used', message, 'reference')
}

/** Refuses a log-in: people who share one would report each other's payouts. */
function checkName({ name, is_login }: Person): void {
  if (is_login !== true && name !== '') return
  const message =
    `Set CORRIDOR_USER to your name: others may share the log-in "${name}", and only the person ` +
    'who has taken a payout pays it.'
  refuseIfAny([invalidField('operator', message)])
}

/** A person takes a payout to pay it, or releases it unpaid. */
export interface Handling {
  readonly act: 'take' | 'release'
  readonly person: Person
  /** The person from whom the payout is taken over. */
  readonly from?: string
}

/** The statuses in which a person can take a payout, and release it. */
const ALLOWED_STATUSES: Readonly<Record<Handling['act'], readonly PayoutStatus[]>> = {
  take: ['processing'],
  release: OPEN_STATUSES,
}

/** The payout as taken or released; refuses with invalid_transition. */
export function decideHandling(payout: Payout, handling: Handling, now: Instant): Payout {
  const { act, person, from } = handling
  checkName(person)
  if (payout.rail !== MANUAL) {
    const where = payout.rail === '' ? 'no rail' : `rail ${payout.rail}`
    throw refused(`Payout ${payout.id} goes to ${where}; people pay payouts of rail ${MANUAL}.`)
  }
  if (!ALLOWED_STATUSES[act].includes(payout.status)) {
    throw refused(`Payout ${payout.id} is ${payout.status}; no person needs to pay it.`)
  }
  if (act === 'take') {
    if (payout.taken_by !== '' && payout.taken_by !== from) throw takenByAnother(payout)
    return { ...payout, taken_by: person.name, taken_at: now, updated_at: now }
  }
  if (payout.taken_by === '') throw refused(`Nobody has taken payout ${payout.id}.`)
  if (payout.taken_by !== person.name) throw takenByAnother(payout)
  return { ...payout, taken_by: '', taken_at: null, updated_at: now }
}

/**
 * Refuses to let a person pay while an exception is open: the rail that had the payout before may
 * have paid it.
 */
export function checkNoOpenException({ id }: Payout, exceptions: readonly RailException[]): void {
  const open = exceptions.find(isOpenException)
  if (open === undefined) return
  const { number, rail, kind } = open
  const exception = `the open exception ${number} (${kind}) of rail ${rail}`
  throw refused(`Payout ${id} has ${exception}: look at the exception and close it first.`)
}

/** Refuses a payout that its nostro does not cover. Without a gate, `cover` is undefined. */
export function checkCovered(
  { id, destination_amount, destination_currency }: Payout,
  cover: { readonly nostro: string; readonly cover: bigint } | undefined,
): void {
  if (cover === undefined || destination_amount <= cover.cover) return
  const left = moneyWords(cover.cover > 0n ? cover.cover : 0n, destination_currency)
  const asked = moneyWords(destination_amount, destination_currency)
  throw refused(
    `Payout ${id} waits for funds: ${cover.nostro} covers ${left} of ${asked}, behind older ones.`,
  )
}

/** Whether a person has taken the payout and may have paid it, so that it cannot be cancelled. */
export function isTaken(payout: Payout): boolean {
  return payout.taken_by !== '' && !isFinal(payout.status)
}

function takenByAnother({ id, taken_by, taken_at }: Payout) {
  return refused(`Payout ${id} was taken by ${taken_by} at ${taken_at}.`)
}

function refused(message: string) {
  return refusal('invalid_transition', message)
}

/** The failure of an operator's step for which the person gives no other failure. */
export const OPERATOR_FAILURE: Failure = failureWith('OP000100', 'Set by the operator.')

/** The status in which `status_description` asks the account for more. */
export const ASKING: PayoutStatus = 'requires_action'

interface StepDetails {
  readonly failure?: Partial<Failure>
  /** The request to the account. */
  readonly description?: string
  /** Whether the account or the payee wants the money back. */
  readonly at_wish?: boolean
}

/**
 * The step that a person sets. Refuses (400) a failure or a description that does not go with the
 * status.
 */
export function operatorStep(status: RailStatus, details: StepDetails): RailStep {
  const { failure, description, at_wish = false } = details
  const fails = GIVEN_BACK_STATUSES.includes(status)
  const asks = status === ASKING
  refuseIfAny([
    ...(failure === undefined || fails
      ? []
      : [invalidField('failure', `Only ${GIVEN_BACK_STATUSES.join(' and ')} have a failure.`)]),
    ...(!at_wish || fails
      ? []
      : [invalidField('at_wish', `Only ${GIVEN_BACK_STATUSES.join(' and ')} are at a wish.`)]),
    ...(description === undefined || asks
      ? []
      : [invalidField('description', `Only ${ASKING} has a description.`)]),
  ])
  return {
    status,
    failure: fails ? { ...OPERATOR_FAILURE, ...failure } : null,
    ...(description === undefined ? {} : { description }),
    ...(at_wish && { at_wish }),
  }
}
