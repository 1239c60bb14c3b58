// All checks of a connector, in the order of the run.
import { ASKING, BOUNDS, CHANGING, keeping, STEPS, UNKNOWN } from './asking.ts'
import type { Group, KeptPayment } from './check.ts'
import { REACH, SIGNATURES } from './reach.ts'
import { AMOUNTS, CHANGED_BODIES, TAKING } from './taking.ts'

/** `earlier`: payments of an earlier run, which must still be known. */
export function allChecks(earlier: readonly KeptPayment[] = []): readonly Group[] {
  const paying = [TAKING, ASKING, CHANGED_BODIES, AMOUNTS, STEPS, CHANGING]
  return [REACH, UNKNOWN, SIGNATURES, ...paying, keeping(earlier), BOUNDS]
}
