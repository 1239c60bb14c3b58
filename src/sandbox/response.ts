// Answers about the clock of a sandbox account.
import Type from 'typebox'
import { EXAMPLES } from '../http/docs.ts'
import { Timestamp } from '../http/schema.ts'
import type { Instant } from '../instant.ts'
import { clockAnswers } from './examples.ts'

export const ClockResponse = Type.Object(
  {
    object: Type.Literal('sandbox_clock'),
    now: Timestamp,
    ahead_s: Type.Integer({
      description: 'Seconds by which the account’s clock is ahead of real time.',
    }),
  },
  { title: 'SandboxClock', [EXAMPLES]: clockAnswers },
)

export function presentClock(now: Instant, ahead_s: number) {
  return { object: 'sandbox_clock', now, ahead_s }
}
