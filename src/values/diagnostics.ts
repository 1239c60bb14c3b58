// Publishes the steps of the service's work on diagnostics channels, for traces and for tests that
// kill the process at a step. Knows the steps, and which step runs inside which. Without
// subscribers, a step costs one check of a flag.
import { AsyncLocalStorage } from 'node:async_hooks'
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'

/** Lanes go through batch, load, decide, store, commit and reply; workers through the others. */
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
  'file',
  'chain',
] as const
export type Step = (typeof STEPS)[number]

/** The message of a step. The same object is published at its beginning and at its end. */
export interface StepContext extends About {
  /** The operation of a lane, or the work of a worker. */
  readonly name: string
  /** The number of commands or rows. */
  readonly size: number
  /** The course that began the step. A lane begins in its first caller's course; see `waiting`. */
  readonly within: Course | undefined
}

/** Members of some steps. */
interface About {
  /** The commands of a batch, for its steps `batch` and `reply`. */
  readonly waiting?: readonly QueuedCommand[]
  /** Ids of the objects, and nothing but ids. */
  readonly ids?: Readonly<Record<string, string>>
}

/** A command that waits in a lane. */
export interface QueuedCommand {
  /** The time of its arrival, by performance.now(). */
  readonly since: number
  /** The course that sent the command. */
  readonly caller: Course | undefined
}

/** The message of a request, from its headers to its last byte. `status` is set at the end. */
export interface RequestContext {
  readonly request_id: string
  readonly method: string
  /** The path with the names of its parameters, not their values. */
  readonly route: string
  /** The caller's header, unchanged. */
  readonly traceparent: string | undefined
  /** Null when the caller left before the answer. */
  status?: number | null
  account_id?: string
  /** Set by a listener that traces the request. */
  trace_id?: string
}

/** The message of a statement, from its sending to its answer. */
export interface StatementContext {
  readonly within: Course
  /** With $1 and so on for parameters, never their values; set at the end. */
  text: string
}

/** A request or step, inside which other steps run. */
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

/** The course of the caller; always undefined without subscribers. */
export function currentCourse(): Course | undefined {
  return courses.getStore()
}

/** Runs `work` in this course, with all functions that it calls now or later. */
export function inCourseOf<T>(course: Course, work: () => T): T {
  return courses.run(course, work)
}

/** Runs `work` as a step: publishes `start`, and `asyncEnd` or `error`. */
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

/** As during, for synchronous work: publishes `start` and `end`. */
export function duringSync<T>(step: Step, name: string, size: number, work: () => T): T {
  const channel = CHANNELS[step]
  if (!channel.hasSubscribers) return work()
  const context = { name, size, within: currentCourse() }
  return inCourseOf(context, () => channel.traceSync(work, context))
}
