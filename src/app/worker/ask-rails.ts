// Asks rails about claimed payouts, by one call for each rail and one answer for each payout. A
// payout is handed over only under its claim, and again only when its rail says that it never got
// the attempt.
import type { ClaimedPayout } from '../../payouts/advance/claim-store.ts'
import type { Rail, RailPayout, RailReport } from '../../rails/rail.ts'
import type { Deps } from '../../runtime/deps.ts'
import { during } from '../../values/diagnostics.ts'

export interface LeasedPayout extends ClaimedPayout {
  /** By performance.now(); leaves room for the rail's time-out before the claim ends. */
  readonly hand_over_until: number
}

export interface AskedPayout {
  readonly payout: LeasedPayout
  /** Never rejects. Undefined without a clear answer, which says nothing about the money. */
  readonly report: Promise<RailReport | undefined>
}

/** Closed once its caller has stopped waiting for the answer. */
interface Question<P extends RailPayout = LeasedPayout & RailPayout> {
  readonly payout: P
  is_closed: boolean
}

/** Nothing is handed over again this shortly before a rail forgets an attempt's id. */
const MARGIN_MS = 60_000

type Answer = Promise<RailReport | undefined>
type Answers<P extends RailPayout = LeasedPayout & RailPayout> = ReadonlyMap<Question<P>, Answer>

/** One entry for each payout, grouped by rail. */
export function askRails(deps: Deps, payouts: readonly LeasedPayout[]): readonly AskedPayout[] {
  const leased = payouts.map(payout => ({ ...payout, asked_at: payout.claimed_at }))
  const isNotTaken = ({ payout }: Question) => payout.not_taken !== null
  return askEach(deps, leased, (rail, name, questions) => {
    const open = questions.filter(question => !isNotTaken(question))
    return new Map([
      ...questions.filter(isNotTaken).map(question => [question, notTaken(question)] as const),
      ...askRail(rail, name, open),
    ])
  })
}

/**
 * Asks about attempts that are over; hands over nothing. `not_taken` says that the rail never got
 * the attempt, undefined that it gave no clear answer.
 */
export function inquireOver<P extends RailPayout>(
  deps: Deps,
  payouts: readonly P[],
): readonly { readonly payout: P; readonly report: Answer }[] {
  return askEach(deps, payouts, (rail, name, questions) => {
    if (rail === undefined) return failAll(questions, noAdapter(name))
    const answers = callAdapter(questions, payouts => rail.inquire(payouts))
    return new Map(
      [...answers].map(([question, answer]) => [
        question,
        answer.then(report => report ?? NEVER_GOT),
      ]),
    )
  })
}

/** The rail is asked again after a day, because it may still change this answer. */
const NEVER_GOT: RailReport = {
  steps: [],
  ask_again_in_ms: 86_400_000,
  not_taken: { code: 'unknown', message: 'The rail does not know it.' },
}

/** If this process cannot read the rails, every answer fails. */
function askEach<P extends RailPayout>(
  deps: Deps,
  payouts: readonly P[],
  ask: (rail: Rail | undefined, name: string, questions: readonly Question<P>[]) => Answers<P>,
): readonly { readonly payout: P; readonly report: Answer }[] {
  const answersOf = (name: string, questions: readonly Question<P>[]) => {
    try {
      return ask(deps.rails.get(name), name, questions)
    } catch (error) {
      return failAll(questions, error)
    }
  }
  const questions = payouts.map((payout): Question<P> => ({ payout, is_closed: false }))
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

/** The answer that the rail has given already. */
async function notTaken({ payout: { not_taken } }: Question): Answer {
  return { steps: [], ask_again_in_ms: null, ...(not_taken && { not_taken }) }
}

/** Undefined if the answer fails or exceeds the rail's time-out. Then closes the question. */
async function inTime(deps: Deps, question: Question<RailPayout>, answer: Answer): Answer {
  const { id, attempt } = question.payout
  try {
    const timed = during('rail', attempt.rail, 1, () => answer, { ids: { payout_id: id } })
    return await withTimeout(timed, deps.config.rail_timeout_ms)
  } catch (error) {
    deps.log.warn({ err: error, payout_id: id }, 'rail gave no clear answer')
    return undefined
  } finally {
    question.is_closed = true
  }
}

/** Asks before handing over, unless the rail was never asked about the payout. */
function askRail(rail: Rail | undefined, name: string, questions: readonly Question[]): Answers {
  if (rail === undefined) return failAll(questions, noAdapter(name))
  const isFirst = ({ payout }: Question) => payout.asked_before === null
  const again = questions.filter(question => !isFirst(question))
  const inquired = [...callAdapter(again, payouts => rail.inquire(payouts))]
  return new Map([
    ...handOver(rail, questions.filter(isFirst)),
    ...inquired.map(
      ([question, answer]) => [question, handOverIfUnknown(rail, question, answer)] as const,
    ),
  ])
}

async function handOverIfUnknown(rail: Rail, question: Question, answer: Answer): Answer {
  const known = await answer
  if (known !== undefined) return known
  const report = reportUnknown(rail, question.payout)
  if (report === undefined && !question.payout.may_hand_over) {
    throw new Error('not handed over again: it is not screened at the present lists')
  }
  return report ?? handOver(rail, [question]).get(question)
}

/**
 * Undefined when the rail surely never got the attempt, so that it may be handed over. After the
 * lifetime of its id, or once the rail has reported steps of it, that could pay twice.
 */
function reportUnknown(rail: Rail, payout: LeasedPayout): RailReport | undefined {
  const { attempt, asked_before, claimed_at, rail_steps, status } = payout
  // A payment stays paid even when its rail no longer knows it.
  if (status === 'succeeded') return { steps: [], ask_again_in_ms: null }
  const asked_ms = asked_before === null ? 0 : Date.parse(claimed_at) - Date.parse(asked_before)
  const lifetime_ms = rail.key_lifetime_ms ?? Number.POSITIVE_INFINITY
  const never_got = asked_ms + MARGIN_MS < lifetime_ms && rail_steps === 0
  if (never_got) return undefined
  const message =
    `Rail ${rail.name} does not know attempt ${attempt.id} any more, about which it was first ` +
    `asked at ${asked_before}: whether it was paid is for a person to find out.`
  return { steps: [], ask_again_in_ms: null, exception: { kind: 'attempt_forgotten', message } }
}

/**
 * Hands over the payouts whose claims cannot have ended; another process may have the others.
 * performance.now() stands still while the machine is suspended; then the attempt's id keeps the
 * rail from paying twice.
 */
function handOver(rail: Rail, questions: readonly Question[]): Answers {
  const now = performance.now()
  const isOurs = ({ is_closed, payout }: Question) => !is_closed && now < payout.hand_over_until
  const late = questions.filter(question => !isOurs(question))
  return new Map([
    ...callAdapter(questions.filter(isOurs), payouts => rail.submit(payouts)),
    ...failAll(late, new Error('not handed over: it was claimed too long ago')),
  ])
}

/** If the adapter throws, every answer fails, which says nothing about a payout. */
function callAdapter<P extends RailPayout>(
  questions: readonly Question<P>[],
  call: (payouts: readonly RailPayout[]) => readonly Answer[],
): Answers<P> {
  if (questions.length === 0) return new Map()
  try {
    const answers = call(questions.map(({ payout }) => payout))
    const none = () => Promise.reject(new Error('the adapter gave too few answers'))
    return new Map(questions.map((question, i) => [question, answers[i] ?? none()]))
  } catch (error) {
    return failAll(questions, error)
  }
}

function failAll<P extends RailPayout>(
  questions: readonly Question<P>[],
  error: unknown,
): Answers<P> {
  return new Map(questions.map(question => [question, Promise.reject(error)]))
}

/** Uses a timer, because an AbortController for each payout takes a tenth of settling's time. */
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
