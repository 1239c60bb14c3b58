// The steps that the service's work goes through, told to whoever listens in this process: traces,
// and tests that kill it at one of them. It knows their names, and what is done in the course of
// what; not who listens. While nobody does, a step costs a look at a flag.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'

/**
 * A batch of a lane goes through batch, load, decide, store, commit, reply; workers through the
 * others.
 */
export const STEPS = [
  'batch',
  'load',
  'decide',
  'store',
  'commit',
  'reply',
  'claim',
  'rail',
  'webhook',
] as const
export type Step = (typeof STEPS)[number]

/** What a step is told with. The same object comes with its beginning and its end. */
export interface StepContext extends About {
  /** Of a lane, its operation; of a worker, what it works at. */
  readonly name: string
  /** How many commands or rows. */
  readonly size: number
  /** In whose course it was begun. A lane begins in that of whoever came first: see `waiting`. */
  readonly within: Course | undefined
}

/** What more is told of some steps. */
interface About {
  /** Of a batch and its replies: its commands. */
  readonly waiting?: readonly Asked[]
  /** Ids of what is worked at, and nothing but ids. */
  readonly ids?: Readonly<Record<string, string>>
}

/** A command that waits in a lane. */
export interface Asked {
  /** When it came, by performance.now(). */
  readonly since: number
  /** In whose course it was asked for. */
  readonly asker: Course | undefined
}

/** A request, told of from its headers to its last byte. What is answered is known at the end. */
export interface RequestContext {
  readonly request_id: string
  readonly method: string
  /** The path with the names of its parameters, not their values. */
  readonly route: string
  /** The caller's header, as it was sent. */
  readonly traceparent: string | undefined
  /** Null when the caller left before the answer. */
  status?: number | null
  account_id?: string
  /** Set by a listener that traces the request. */
  trace_id?: string
}

/** A statement, told of from its sending to its answer. */
export interface StatementContext {
  readonly within: Course
  /** With $1 for each parameter, never the values; known when it has been answered. */
  text: string
}

/** What may have something done for it. */
export type Course = RequestContext | StepContext

/** `corridor:commit` and so on: listeners subscribe to `stepChannel(step)` or by that name. */
const CHANNELS = Object.fromEntries(
  STEPS.map(step => [step, tracingChannel<StepContext>(`corridor:${step}`)]),
) as Record<Step, TracingChannel<StepContext>>

export const REQUESTS = tracingChannel<RequestContext>('corridor:request')
export const STATEMENTS = tracingChannel<StatementContext>('corridor:statement')

const courses = new AsyncLocalStorage<Course>()

export function stepChannel(step: Step): TracingChannel<StepContext> {
  return CHANNELS[step]
}

/** In whose course this is called; always undefined while nobody listens. */
export function currentCourse(): Course | undefined {
  return courses.getStore()
}

/** Whatever `work` calls, now or later, is done in this course. */
export function inCourseOf<T>(course: Course, work: () => T): T {
  return courses.run(course, work)
}

/** Runs `work` and tells when it begins (`start`) and when it is over (`asyncEnd`), or fails. */
export function during<T>(
  step: Step,
  name: string,
  size: number,
  work: () => Promise<T>,
  about?: About,
): Promise<T> {
  const channel = CHANNELS[step]
  if (!channel.hasSubscribers) return work()
  const context = { name, size, within: currentCourse(), ...about }
  return inCourseOf(context, () => channel.tracePromise(work, context))
}

/** The same for work that waits for nothing: `start`, and `end`. */
export function duringSync<T>(step: Step, name: string, size: number, work: () => T): T {
  const channel = CHANNELS[step]
  if (!channel.hasSubscribers) return work()
  const context = { name, size, within: currentCourse() }
  return inCourseOf(context, () => channel.traceSync(work, context))
}
