// Finds mistakes in pricing policies, which a person must confirm. Pure.
import type { Policy, PolicyName } from './rules.ts'

/** A larger spread, above five percent, needs confirmation. */
const MISTAKE_SPREAD_BPS = 500

/** A spread of more than this many times the present one probably has a digit too many. */
const MISTAKE_TIMES = 3

/** A longer time needs confirmation. Each limit is in seconds and in words. */
const MISTAKE_SECONDS = {
  quote_validity_s: [86_400, 'a day'],
  schedule_s: [2_592_000, 'thirty days'],
  max_age_s: [604_800, 'seven days'],
} as const

/**
 * Why a person must confirm the value; undefined when it needs no confirmation. `present` is the
 * value in force.
 */
export function findMistake(
  name: PolicyName,
  value: string,
  present: Pick<Policy, 'value'> | undefined,
): string | undefined {
  switch (name) {
    case 'pivot':
      return undefined
    case 'spread_bps':
      return findSpreadMistake(Number(value), Number(present?.value ?? '0'))
    default: {
      const [most, words] = MISTAKE_SECONDS[name]
      if (value === 'calendar' || Number(value) <= most) return undefined
      return `${name} ${value} is more than ${most}, ${words}`
    }
  }
}

function findSpreadMistake(bps: number, present: number): string | undefined {
  if (bps > MISTAKE_SPREAD_BPS) return `spread_bps ${bps} is more than ${MISTAKE_SPREAD_BPS}`
  if (present === 0 || bps <= present * MISTAKE_TIMES) return undefined
  return `spread_bps ${bps} is more than three times the present ${present}`
}
