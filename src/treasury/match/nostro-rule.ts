// A nostro's own rules: which lines of its bank are costs, interest or transfers, by the bank's
// code or by words of the text. Pure.
import { invalidField, type Problem, refuseIfAny } from '../../values/errors.ts'

export const RULE_BOOKINGS = ['cost', 'interest', 'transfer'] as const

/** The line must fit all patterns that are set; at least one is. */
export interface NostroRule {
  /** The bank's code of the transaction, such as `PMNT/ICDT/CHRG`; `*` is any characters. */
  readonly code?: string
  /** What the text says; `*` is any characters. */
  readonly text?: string
  readonly as: (typeof RULE_BOOKINGS)[number]
  /** The other nostro of a transfer. */
  readonly to?: string
}

export const MAX_RULES = 50
export const MAX_PATTERN = 100
/** Each `*` may stand for any part of the text, and is tried at each place. */
const MAX_STARS = 4
const LEAST_CHARACTERS = 3

/** Refuses (400) a rule that fits too much, or that says too little. */
export function checkRule(rule: NostroRule): void {
  const { code, text, as, to } = rule
  const problems: Problem[] = []
  if (code === undefined && text === undefined) {
    problems.push(invalidField('text', 'A rule needs a code or a text.'))
  }
  for (const [name, pattern] of Object.entries({ code, text })) {
    if (pattern !== undefined) problems.push(...patternProblems(name, pattern))
  }
  if (as === 'transfer' && to === undefined) {
    problems.push(invalidField('to', 'A transfer needs the name of the other nostro.'))
  }
  if (as !== 'transfer' && to !== undefined) {
    problems.push(invalidField('to', 'Only a transfer has another nostro.'))
  }
  refuseIfAny(problems)
}

function patternProblems(name: string, pattern: string): Problem[] {
  const stars = pattern.split('*').length - 1
  if (stars > MAX_STARS) {
    return [invalidField(name, `A pattern has at most ${MAX_STARS} stars.`)]
  }
  if (pattern.replaceAll(/[*\s]/g, '').length < LEAST_CHARACTERS) {
    return [invalidField(name, `A pattern has ${LEAST_CHARACTERS} characters besides stars.`)]
  }
  return []
}

/** A rule as patterns of LIKE. */
export interface RulePattern {
  readonly code: string
  readonly text: string
}

/** The rule as patterns of LIKE, in capital letters; `%` fits every text. */
export function patternOf({ code, text }: NostroRule): RulePattern {
  return { code: likeOf(code), text: likeOf(text) }
}

function likeOf(pattern: string | undefined): string {
  if (pattern === undefined) return '%'
  return pattern
    .toUpperCase()
    .replaceAll(/[\\%_]/g, '\\$&')
    .replaceAll(/\*+/g, '%')
}

/** A rule in words: `text *FEE* is a cost`. */
export function ruleWords({ code, text, as, to }: NostroRule): string {
  const parts = [code && `code ${code}`, text && `text ${text}`].filter(Boolean).join(', ')
  return `${parts}: ${as}${to === undefined ? '' : ` with ${to}`}`
}
