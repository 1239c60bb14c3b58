// What is likely a slip of the finger in a pricing policy, for a person to confirm. Pure.
import type { Policy, PolicyName } from './rules.ts'

/** Nobody takes more than five percent without having meant to. */
const MAX_SPREAD_BPS = 500

/** A spread of more than so many times what it was has a digit too many; the other way, one too few. */
const MAX_TIMES = 3

/** Longer than these a price is promised by mistake: seconds, and the same for people. */
const MAX_SECONDS = {
  quote_validity_s: [86_400, 'a day'],
  max_age_s: [604_800, 'seven days'],
} as const

/** Why a person must confirm it, `present` being what decides until then; undefined if nobody. */
export function findSlip(
  name: PolicyName,
  value: string,
  present: Pick<Policy, 'value'> | undefined,
): string | undefined {
  switch (name) {
    case 'pivot':
      return undefined
    case 'spread_bps':
      return findSpreadSlip(Number(value), Number(present?.value ?? '0'))
    default: {
      const [most, words] = MAX_SECONDS[name]
      if (value === 'calendar' || Number(value) <= most) return undefined
      return `${name} ${value} is more than ${most}, ${words}`
    }
  }
}

function findSpreadSlip(bps: number, present: number): string | undefined {
  if (bps > MAX_SPREAD_BPS) return `spread_bps ${bps} is more than ${MAX_SPREAD_BPS}`
  // Nothing is no slip: who writes a zero means it.
  if (present === 0 || bps === 0) return undefined
  if (bps > present * MAX_TIMES) {
    return `spread_bps ${bps} is more than three times the present ${present}`
  }
  if (bps * MAX_TIMES >= present) return undefined
  return `spread_bps ${bps} is less than a third of the present ${present}`
}
