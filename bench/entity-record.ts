// The people of the scenario entity: one body, with a number in each place by which a rule tells
// two people apart. How they are compared is the product's own to say.
import { type Judged, judge, type RuleName } from '../src/entity/duplicates.ts'
import { type EntityRecord, recordOf } from '../src/entity/entity.ts'
import type { EntityRequest } from '../src/entity/request.ts'
import { NUMBER_DIGITS } from './load.ts'

/** `#email#` and the like stand for the number that the rule of this name is to see. */
const PERSON: EntityRequest = {
  name: 'Amara Ngozi Okafor',
  type: 'individual',
  email: 'amara.okafor.#email#@example.com',
  national_identification_number: {
    type: 'passport',
    number: 'A#national_identification_number#',
  },
  registration_address: {
    line1: '#name_and_address# Harbour Road',
    line2: 'Block B',
    city: 'Wan Chai',
    state: 'Hong Kong Island',
    country: 'HK',
    postal_code: '999077',
  },
}

const TEMPLATE = JSON.stringify(PERSON)

/** Every rule for people, in order of priority; the values have the marks of the template. */
const JUDGED: readonly Judged[] = judge(recordOf(PERSON))

export const RULES: readonly RuleName[] = JUDGED.map(({ rule }) => rule)

/** The body with these marks or numbers, by the rule that sees them. */
function fill(mark: (rule: RuleName) => string): string {
  return RULES.reduce((text, rule) => text.replaceAll(`#${rule}#`, mark(rule)), TEMPLATE)
}

/** Of people who are in no way like another; for Bodies. */
export const NEW_PERSON: string = fill(() => '#fresh#')

/** For each rule, people who by it alone are one of those there are; for Bodies. */
export const KNOWN_PEOPLE: readonly string[] = RULES.map(knownBy =>
  fill(rule => (rule === knownBy ? '#existing#' : '#fresh#')),
)

/** The person of this number. */
export function personOf(number: number): EntityRequest {
  return JSON.parse(fill(() => digitsOf(number)))
}

/** The person `fresh` but for what the rule compares, which is that of `existing`. */
export function personKnownBy(knownBy: RuleName, existing: number, fresh: number): EntityRequest {
  return JSON.parse(fill(rule => digitsOf(rule === knownBy ? existing : fresh)))
}

function digitsOf(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0')
}

/** What the service would store of a person, `#n#` standing for the number wherever it is. */
export interface Stored extends EntityRecord {
  /** By rule: the text whose SHA-256 is the key. */
  readonly identities: ReadonlyMap<RuleName, string>
}

export function storedTemplate(): Stored {
  const record = recordOf(JSON.parse(fill(() => '#n#')))
  const identities = new Map(
    judge(record).map(({ rule, values }) => [
      rule,
      JSON.stringify([rule, ...Object.values(values)]),
    ]),
  )
  return { ...record, identities }
}
