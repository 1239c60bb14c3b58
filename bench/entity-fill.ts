// Makes the people of the scenario entity, with a number in each value that a rule compares, and
// fills an account with them by SQL.

import { isDeepStrictEqual } from 'node:util'
import { type Judged, judge, type RuleName } from '../src/parties/entity/duplicates.ts'
import { type EntityRecord, recordOf } from '../src/parties/entity/entity.ts'
import type { EntityRequest } from '../src/parties/entity/request.ts'
import { KEY_COLUMNS } from '../src/parties/entity/store.ts'
import { asOwner } from './database.ts'
import { fillTables, timePartOfIds, vacuumTables } from './fill.ts'
import { NUMBER_DIGITS } from './load.ts'
import type { Target } from './target.ts'

/** Adds people 1 to `size` to the account, created at even intervals over the last year. */
export async function fillAccount(target: Target, size: number): Promise<void> {
  const { type, details, identities } = storedTemplate()
  const columns = [...identities.keys()].map(rule => KEY_COLUMNS[rule])
  const keys = [...identities.values()].map(text => `sha256(convert_to(${numbered(text)}, 'UTF8'))`)
  const history = JSON.stringify(
    ['pending', 'approved'].map(status => ({ status, description: '', at: '#at#' })),
  )
  const insert = `
    insert into entities (made_by, account_id, id, type, on_behalf_of, reference_id, details,
      approval_status, approval_history, ${columns.join(', ')}, created_at, updated_at)
    select 'key_1', '${target.account_id}', 'ent_${timePartOfIds()}' || digits, '${type}', '', '',
      ${numbered(JSON.stringify(details))}::json, 'approved',
      replace('${history}', '#at#', ${INSTANT})::json, ${keys.join(', ')}, at, at
    from (
      select lpad(n::text, ${NUMBER_DIGITS}, '0') as digits,
        now() - interval '1 year' * (1 - n::float8 / ${size + 1}) as at
      from (select generate_series(1, ${size}) as n) counted
      offset 0
    ) person`
  await fillTables(target.database_url, [{ table: 'entities', insert }])
}

/** An SQL expression for the text with the person's number in place of `#n#`. */
function numbered(text: string): string {
  return `replace('${text.replaceAll("'", "''")}', '#n#', digits)`
}

const INSTANT = `to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** How many requests try each rule. */
const TRIES = 34
const UNUSED_NUMBERS = 900_000_000_000

/** Throws unless the service finds existing people by each rule. */
export async function checkFound(target: Target, size: number): Promise<number> {
  for (const [i, rule] of RULES.entries()) {
    for (let t = 0; t < TRIES; t++) {
      const existing = 1 + Math.floor(Math.random() * size)
      await checkOne(target, rule, existing, UNUSED_NUMBERS + i * TRIES + t)
    }
  }
  return RULES.length * TRIES
}

async function checkOne(
  target: Target,
  rule: RuleName,
  existing: number,
  fresh: number,
): Promise<void> {
  const body = personKnownBy(rule, existing, fresh)
  const { status, text } = await target.post('/v3/entity', body)
  const data = status === 200 ? JSON.parse(text).data : {}
  const is = Object.entries(personOf(existing)).every(([member, value]) =>
    isDeepStrictEqual(data[member], value),
  )
  if (is) return
  throw new Error(`person ${existing} was not found by ${rule}; the answer, ${status}: ${text}`)
}

/**
 * Deletes the entities created since the account was filled, if they exceed a tenth of its size.
 */
export async function trimAccount(target: Target, size: number, filled_at: string): Promise<void> {
  const added = await countSince(target, filled_at)
  if (added <= size / 10) return
  await asOwner(target.database_url, async owner => {
    await owner`delete from entities
      where account_id = ${target.account_id} and created_at > ${filled_at}`
  })
  await vacuumTables(target.database_url, ['entities'])
}

/** Entities of the account created after an instant. */
export async function countSince(target: Target, instant: string): Promise<number> {
  return asOwner(target.database_url, async owner => {
    const [row] = await owner<{ count: string }[]>`
      select count(*)::text as count from entities
      where account_id = ${target.account_id} and created_at > ${instant}`
    return Number(row?.count)
  })
}

/** `#email#` and the like stand for the number that the rule of that name compares. */
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

/** The rules for people, in order of priority; their values have the marks of the template. */
const JUDGED: readonly Judged[] = judge(recordOf(PERSON))

export const RULES: readonly RuleName[] = JUDGED.map(({ rule }) => rule)

/** The template with a mark or number for each rule. */
function fill(mark: (rule: RuleName) => string): string {
  return RULES.reduce((text, rule) => text.replaceAll(`#${rule}#`, mark(rule)), TEMPLATE)
}

/** A template of new people, for Bodies. */
export const NEW_PERSON: string = fill(() => '#fresh#')

/** For each rule, a template of people that this rule alone finds, for Bodies. */
export const KNOWN_PEOPLE: readonly string[] = RULES.map(knownBy =>
  fill(rule => (rule === knownBy ? '#existing#' : '#fresh#')),
)

/** The person of this number. */
export function personOf(number: number): EntityRequest {
  return JSON.parse(fill(() => digitsOf(number)))
}

/** The person `fresh`, with the values of `existing` that the rule compares. */
function personKnownBy(knownBy: RuleName, existing: number, fresh: number): EntityRequest {
  return JSON.parse(fill(rule => digitsOf(rule === knownBy ? existing : fresh)))
}

function digitsOf(number: number): string {
  return String(number).padStart(NUMBER_DIGITS, '0')
}

/** What the service would store for a person, with `#n#` for each number. */
interface Stored extends EntityRecord {
  /** By rule: the text whose SHA-256 is the key. */
  readonly identities: ReadonlyMap<RuleName, string>
}

function storedTemplate(): Stored {
  const record = recordOf(JSON.parse(fill(() => '#n#')))
  const identities = new Map(
    judge(record).map(({ rule, values }) => [
      rule,
      JSON.stringify([rule, ...Object.values(values)]),
    ]),
  )
  return { ...record, identities }
}
