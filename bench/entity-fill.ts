// Fills an account with people by SQL, as a long history of requests would have left them, and
// makes sure over HTTP that the service finds them. Knows the table of entities, and no load.
import { isDeepStrictEqual } from 'node:util'
import { connect, type Sql } from '../src/db/connect.ts'
import { SUPERUSER } from '../src/db/embedded-cluster.ts'
import type { RuleName } from '../src/entity/duplicates.ts'
import { KEY_COLUMNS } from '../src/entity/store.ts'
import { personKnownBy, personOf, RULES, storedTemplate } from './entity-record.ts'
import { NUMBER_DIGITS } from './load.ts'
import type { Target } from './target.ts'

/** Rows in one statement. */
const PORTION = 250_000
/** Sessions that insert side by side. */
const WRITERS = 2

/** Adds people 1 to `size` to the account, created at even steps over the last year. */
export async function fillAccount(target: Target, size: number): Promise<void> {
  const owner = connect(target.database_url, { max: WRITERS, as: 'owner' })
  try {
    const indexes = await dropIndexes(owner)
    const portions = Array.from({ length: Math.ceil(size / PORTION) }, (_, i) => i * PORTION)
    await Promise.all(
      Array.from({ length: WRITERS }, async () => {
        for (let from = portions.shift(); from !== undefined; from = portions.shift()) {
          await insertPeople(owner, target.account_id, size, from, Math.min(from + PORTION, size))
        }
      }),
    )
    await owner.begin(async tx => {
      // Sorting in memory: by default, most of the time goes into temporary files.
      await tx`set local maintenance_work_mem = '1GB'`
      for (const definition of indexes) await tx.unsafe(definition)
      await tx`alter table entities reset (autovacuum_enabled)`
    })
    await settle(target.database_url)
  } finally {
    await owner.end({ timeout: 5 })
  }
}

/** All but those of constraints; answers their definitions. */
async function dropIndexes(owner: Sql): Promise<string[]> {
  const indexes = await owner<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = current_schema() and tablename = 'entities' and indexname not in
      (select conname from pg_constraint where conrelid = 'entities'::regclass)`
  await owner.begin(async tx => {
    await tx`alter table entities set (autovacuum_enabled = false)`
    for (const { name } of indexes) await tx`drop index ${tx(name)}`
  })
  return indexes.map(({ definition }) => definition)
}

async function insertPeople(
  owner: Sql,
  account_id: string,
  size: number,
  after: number,
  to: number,
): Promise<void> {
  const { type, details, identities } = storedTemplate()
  const columns = [...identities.keys()].map(rule => KEY_COLUMNS[rule])
  const keys = [...identities.values()].map(text => `sha256(convert_to(${numbered(text)}, 'UTF8'))`)
  const history = JSON.stringify(
    ['pending', 'approved'].map(status => ({ status, description: '', at: '#at#' })),
  )
  await owner.unsafe(
    `insert into entities (account_id, id, type, on_behalf_of, reference_id, details,
      approval_status, approval_history, ${columns.join(', ')}, created_at, updated_at)
    select $1, ${ID}, '${type}', '', '', ${numbered(JSON.stringify(details))}::json,
      'approved', replace('${history}', '#at#', ${INSTANT})::json, ${keys.join(', ')}, at, at
    from (
      select n, lpad(n::text, ${NUMBER_DIGITS}, '0') as digits,
        now() - interval '1 year' * (1 - n::float8 / ($2::int + 1)) as at
      from generate_series($3::int + 1, $4::int) n
    ) person`,
    [account_id, size, after, to],
  )
}

/** The text with the person's number in it. */
function numbered(text: string): string {
  return `replace('${text.replaceAll("'", "''")}', '#n#', digits)`
}

const INSTANT = `to_char(at, 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** As src/id.ts makes them: fifty bits of milliseconds and fifty that any hash may give. */
const ID = `'ent_' || ${base32('floor(extract(epoch from at) * 1000)::bigint')}
  || ${base32('hashint8extended(n, 1)')}`

function base32(number: string): string {
  const digits = Array.from(
    { length: 10 },
    (_, i) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((x >> ${45 - 5 * i}) & 31)::int + 1, 1)`,
  )
  return `(select ${digits.join(' || ')} from (select ${number} as x) number)`
}

/** What autovacuum and the next checkpoint would do in the middle of a measurement. */
async function settle(database_url: string): Promise<void> {
  const url = new URL(database_url)
  url.username = SUPERUSER
  const superuser = connect(url.href, { max: 1, as: 'owner' })
  try {
    await superuser`vacuum (analyze) entities`
    await superuser`checkpoint`
  } finally {
    await superuser.end({ timeout: 5 })
  }
}

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
  await settle(target.database_url)
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
