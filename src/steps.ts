// The steps that the service's work goes through, told to whoever listens in this process: traces, and
// tests that kill it at one of them. It knows their names, not who listens; while nobody does, a
// step costs a look at a flag.
import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel'

/** A batch of a lane goes through batch, load, decide, store, commit, reply; workers through the others. */
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
export interface StepContext {
  /** Of a lane, its operation; of a worker, what it works at. */
  readonly name: string
  /** How many commands or rows. */
  readonly size: number
}

/** `corridor:commit` and so on: listeners subscribe to `stepChannel(step)` or by that name. */
const CHANNELS = Object.fromEntries(
  STEPS.map(step => [step, tracingChannel<StepContext>(`corridor:${step}`)]),
) as Record<Step, TracingChannel<StepContext>>

export function stepChannel(step: Step): TracingChannel<StepContext> {
  return CHANNELS[step]
}

/** Runs `work` and tells when it begins (`start`) and when it is over (`asyncEnd`), or fails. */
export function during<T>(
  step: Step,
  name: string,
  size: number,
  work: () => Promise<T>,
): Promise<T> {
  const channel = CHANNELS[step]
  return channel.hasSubscribers ? channel.tracePromise(work, { name, size }) : work()
}

/** The same for work that waits for nothing: `start`, and `end`. */
export function duringSync<T>(step: Step, name: string, size: number, work: () => T): T {
  const channel = CHANNELS[step]
  return channel.hasSubscribers ? channel.traceSync(work, { name, size }) : work()
}
