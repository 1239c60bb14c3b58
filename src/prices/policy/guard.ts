// Finds slips in pricing policies, which a person must confirm. Pure.
import type { Policy, PolicyName } from './rules.ts'

/** A larger spread, above five percent, needs confirmation. */
const SLIP_SPREAD_BPS = 500

/** A spread of more than this many times the present one probably has a digit too many. */
const SLIP_TIMES = 3

/** A longer time needs confirmation. Each limit is in seconds and in words. */
const SLIP_SECONDS = {
  quote_validity_s: [86_400, 'a day'],
  schedule_s: [2_592_000, 'thirty days'],
  max_age_s: [604_800, 'seven days'],
} as const

/**
 * Why a person must confirm the value; undefined when it needs no confirmation. `present` is the
 * value in force.
 */
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
      const [most, words] = SLIP_SECONDS[name]
      if (value === 'calendar' || Number(value) <= most) return undefined
      return `${name} ${value} is more than ${most}, ${words}`
    }
  }
}

function findSpreadSlip(bps: number, present: number): string | undefined {
  if (bps > SLIP_SPREAD_BPS) return `spread_bps ${bps} is more than ${SLIP_SPREAD_BPS}`
  if (present === 0 || bps <= present * SLIP_TIMES) return undefined
  return `spread_bps ${bps} is more than three times the present ${present}`
}
