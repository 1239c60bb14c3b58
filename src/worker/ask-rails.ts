// Asks rails about claimed payouts, by one call for each rail. Each payout has an answer of its
// own, so that a slow payout delays no other. Hands a payout over only under its claim, and a
// second time only when its rail says that it never got it.
import type { Deps } from '../deps.ts'
import type { ClaimedPayout } from '../payout/claim-store.ts'
import type { Rail, RailPayout, RailReport } from '../rail/rail.ts'
import { during } from '../steps.ts'

/** A claimed payout: this process alone may hand it over. */
export interface HeldPayout extends ClaimedPayout {
  /** By performance.now(): leaves the rail's time-out before another process may ask. */
  readonly hand_over_until: number
}

/** A payout, and what its rail reports. */
export interface Asked {
  readonly payout: HeldPayout
  /** Never rejects. Undefined without a clear answer, which says nothing about the money. */
  readonly report: Promise<RailReport | undefined>
}

/** A question, which is over once nobody waits for it, even if the rail answers later. */
interface Question<P extends RailPayout = HeldPayout & RailPayout> {
  readonly payout: P
  is_over: boolean
}

/**
 * How long before a rail forgets the id of an attempt it gets nothing again: a hand-over takes its
 * time.
 */
const MARGIN_MS = 60_000

type Answer = Promise<RailReport | undefined>
type Answers<P extends RailPayout = HeldPayout & RailPayout> = ReadonlyMap<Question<P>, Answer>

export function askRails(deps: Deps, payouts: readonly HeldPayout[]): readonly Asked[] {
  const held = payouts.map(payout => ({ ...payout, asked_at: payout.claimed_at }))
  const isOver = ({ payout }: Question) => payout.not_taken !== null
  return askEach(deps, held, (rail, name, questions) => {
    const open = questions.filter(question => !isOver(question))
    return new Map([
      ...questions.filter(isOver).map(question => [question, notTaken(question)] as const),
      ...askRail(rail, name, open),
    ])
  })
}

/**
 * Asks rails about attempts that are over, by `inquire` alone: nothing is handed over. Undefined is
 * no clear answer. If a rail never got the attempt, the report says that it was not taken.
 */
export function inquireOver<P extends RailPayout>(
  deps: Deps,
  payouts: readonly P[],
): readonly { readonly payout: P; readonly report: Answer }[] {
  return askEach(deps, payouts, (rail, name, questions) => {
    if (rail === undefined) return failed(questions, noAdapter(name))
    const answers = called(questions, payouts => rail.inquire(payouts))
    return new Map(
      [...answers].map(([question, answer]) => [
        question,
        answer.then(report => report ?? NEVER_GOT),
      ]),
    )
  })
}

/** Asked again once a day: a rail may still change this answer. */
const NEVER_GOT: RailReport = {
  steps: [],
  ask_again_in_ms: 86_400_000,
  not_taken: { code: 'unknown', message: 'The rail does not know it.' },
}

/** Asks each rail by itself. While this process cannot read which rails there are, it asks none. */
function askEach<P extends RailPayout>(
  deps: Deps,
  payouts: readonly P[],
  ask: (rail: Rail | undefined, name: string, questions: readonly Question<P>[]) => Answers<P>,
): readonly { readonly payout: P; readonly report: Answer }[] {
  const answersOf = (name: string, questions: readonly Question<P>[]) => {
    try {
      return ask(deps.rails.get(name), name, questions)
    } catch (error) {
      return failed(questions, error)
    }
  }
  const questions = payouts.map((payout): Question<P> => ({ payout, is_over: false }))
  const byRail = [...Map.groupBy(questions, ({ payout }) => payout.attempt.rail)]
  return byRail.flatMap(([name, questions]) =>
    Array.from(answersOf(name, questions), ([question, answer]) => {
      return { payout: question.payout, report: inTime(deps, question, answer) }
    }),
  )
}

function noAdapter(name: string): Error {
  return new Error(`no adapter for rail ${name}`)
}

/** The payout waits for its next route: its rail has already given this answer. */
async function notTaken({ payout: { not_taken } }: Question): Answer {
  return { steps: [], ask_again_in_ms: null, ...(not_taken && { not_taken }) }
}

/** The answer, or undefined if it does not come in time. */
async function inTime(deps: Deps, question: Question<RailPayout>, answer: Answer): Answer {
  const { id, attempt } = question.payout
  try {
    const told = during('rail', attempt.rail, 1, () => answer, { ids: { payout_id: id } })
    return await withTimeout(told, deps.config.rail_timeout_ms)
  } catch (error) {
    deps.log.warn({ err: error, payout_id: id }, 'rail gave no clear answer')
    return undefined
  } finally {
    question.is_over = true
  }
}

/**
 * Hands payouts over the first time. Later it asks first, and hands over only what the rail never
 * got.
 */
function askRail(rail: Rail | undefined, name: string, questions: readonly Question[]): Answers {
  if (rail === undefined) return failed(questions, noAdapter(name))
  const isFirst = ({ payout }: Question) => payout.asked_before === null
  const again = questions.filter(question => !isFirst(question))
  const told = [...called(again, payouts => rail.inquire(payouts))]
  return new Map([
    ...handOver(rail, questions.filter(isFirst)),
    ...told.map(
      ([question, answer]) => [question, handOverUnseen(rail, question, answer)] as const,
    ),
  ])
}

async function handOverUnseen(rail: Rail, question: Question, answer: Answer): Answer {
  const known = await answer
  if (known !== undefined) return known
  const report = forgotten(rail, question.payout)
  if (report === undefined && !question.payout.may_hand_over) {
    throw new Error('not handed over again: it is not screened at the present lists')
  }
  return report ?? handOver(rail, [question]).get(question)
}

/**
 * The report on an attempt that its rail does not know. Undefined while the rail surely never got
 * it, so that it may be handed over. After the lifetime of its id, or once the rail has reported
 * steps of it, a second hand-over could be a second payment.
 */
function forgotten(rail: Rail, payout: HeldPayout): RailReport | undefined {
  const { attempt, asked_before, claimed_at, rail_steps, status } = payout
  // A payment stays paid when its rail no longer knows it.
  if (status === 'succeeded') return { steps: [], ask_again_in_ms: null }
  const asked_ms = asked_before === null ? 0 : Date.parse(claimed_at) - Date.parse(asked_before)
  const lifetime_ms = rail.key_lifetime_ms ?? Number.POSITIVE_INFINITY
  const is_known = asked_ms + MARGIN_MS < lifetime_ms && rail_steps === 0
  if (is_known) return undefined
  const message =
    `Rail ${rail.name} does not know attempt ${attempt.id} any more, about which it was first ` +
    `asked at ${asked_before}: whether it was paid is for a person to find out.`
  return { steps: [], ask_again_in_ms: null, exception: { kind: 'attempt_forgotten', message } }
}

/**
 * Hands over the payouts whose claims cannot have ended. The database, the rail or this process may
 * have been slow, and another process may have handed over the others since. performance.now()
 * stands still while the machine is suspended; then the attempt's id keeps the rail from paying
 * twice.
 */
function handOver(rail: Rail, questions: readonly Question[]): Answers {
  const now = performance.now()
  const isOurs = ({ is_over, payout }: Question) => !is_over && now < payout.hand_over_until
  const late = questions.filter(question => !isOurs(question))
  return new Map([
    ...called(questions.filter(isOurs), payouts => rail.submit(payouts)),
    ...failed(late, new Error('not handed over: it was claimed too long ago')),
  ])
}

/** One call of an adapter. If it throws, nothing is known about any payout. */
function called<P extends RailPayout>(
  questions: readonly Question<P>[],
  call: (payouts: readonly RailPayout[]) => readonly Answer[],
): Answers<P> {
  if (questions.length === 0) return new Map()
  try {
    const answers = call(questions.map(({ payout }) => payout))
    const none = () => Promise.reject(new Error('the adapter gave too few answers'))
    return new Map(questions.map((question, i) => [question, answers[i] ?? none()]))
  } catch (error) {
    return failed(questions, error)
  }
}

function failed<P extends RailPayout>(
  questions: readonly Question<P>[],
  error: unknown,
): Answers<P> {
  return new Map(questions.map(question => [question, Promise.reject(error)]))
}

/** Uses a timer: an AbortController for each payout costs a tenth of the time of settling. */
async function withTimeout<T>(promise: Promise<T>, milliseconds: number): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new Error(`no answer in ${milliseconds} ms`))
  }, milliseconds)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
