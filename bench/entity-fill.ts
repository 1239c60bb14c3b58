// Fills an account with people by SQL, as a long history of requests would have left them, and
// makes sure over HTTP that the service finds them. Knows the table of entities, and no load.
import { isDeepStrictEqual } from 'node:util'
import { connect } from '../src/db/connect.ts'
import type { RuleName } from '../src/entity/duplicates.ts'
import { KEY_COLUMNS } from '../src/entity/store.ts'
import { personKnownBy, personOf, RULES, storedTemplate } from './entity-record.ts'
import { fillTables, secondOfIds, settle } from './fill.ts'
import { NUMBER_DIGITS } from './load.ts'
import type { Target } from './target.ts'

/** Adds people 1 to `size` to the account, created at even steps over the last year. */
export async function fillAccount(target: Target, size: number): Promise<void> {
  const { type, details, identities } = storedTemplate()
  const columns = [...identities.keys()].map(rule => KEY_COLUMNS[rule])
  const keys = [...identities.values()].map(text => `sha256(convert_to(${numbered(text)}, 'UTF8'))`)
  const history = JSON.stringify(
    ['pending', 'approved'].map(status => ({ status, description: '', at: '#at#' })),
  )
  const insert = `
    insert into entities (account_id, id, type, on_behalf_of, reference_id, details,
      approval_status, approval_history, ${columns.join(', ')}, created_at, updated_at)
    select '${target.account_id}', 'ent_${secondOfIds()}' || digits, '${type}', '', '',
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

/** The text with the person's number in it. */
function numbered(text: string): string {
  return `replace('${text.replaceAll("'", "''")}', '#n#', digits)`
}

const INSTANT = `to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Requests by which each rule is tried. */
const TRIES = 34
const UNUSED_NUMBERS = 900_000_000_000

/** Throws unless the service answers with the person that is there, by each of the rules. */
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
 * Takes away the entities created since the account was filled, when there are more than a tenth as
 * many, so that the size means what it says.
 */
export async function trimAccount(target: Target, size: number, filled_at: string): Promise<void> {
  const added = await countSince(target, filled_at)
  if (added <= size / 10) return
  const owner = connect(target.database_url, { max: 1, as: 'owner' })
  try {
    await owner`delete from entities
      where account_id = ${target.account_id} and created_at > ${filled_at}`
  } finally {
    await owner.end({ timeout: 5 })
  }
  await settle(target.database_url, ['entities'])
}

/** Entities of the account created after an instant. */
export async function countSince(target: Target, instant: string): Promise<number> {
  const owner = connect(target.database_url, { max: 1, as: 'owner' })
  try {
    const [row] = await owner<{ count: string }[]>`
      select count(*)::text as count from entities
      where account_id = ${target.account_id} and created_at > ${instant}`
    return Number(row?.count)
  } finally {
    await owner.end({ timeout: 5 })
  }
}
