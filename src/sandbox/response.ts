// Answers about the clock of a sandbox account.

import { Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Instant } from '../values/instant.ts'

export const ClockResponse = Type.Object(
  {
    object: Type.Literal('sandbox_clock'),
    now: Timestamp,
    ahead_s: Type.Integer({
      description: 'Seconds by which the account’s clock is ahead of real time.',
    }),
  },
  { title: 'SandboxClock' },
)

export function presentClock(now: Instant, ahead_s: number) {
  return { object: 'sandbox_clock', now, ahead_s }
}
