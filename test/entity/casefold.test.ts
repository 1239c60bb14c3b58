// Text as duplicates compare it (§duplicate.comparison) against something that shares nothing with
// it: the case folding of PostgreSQL. All of Unicode, not a sample.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { comparable } from '../../src/parties/entity/comparable.ts'
import { createDatabase, type TestDatabase } from '../support/database/database.ts'
import { everyCharacter, named } from '../support/given/unicode.ts'
import { invisible } from '../support/oracle/entity-oracle.ts'
import { pickSeed, seeded } from '../support/service/process.ts'
import { share } from '../support/share.ts'

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})
after(() => database.drop())

/** Unicode's full case folding came to PostgreSQL with this version. */
const FIRST_WITH_CASEFOLD = 180_000

async function lacksCasefold(): Promise<string | false> {
  const [row] = await database.owner<{ version: number; encoding: string }[]>`
    select current_setting('server_version_num')::int as version,
      current_setting('server_encoding') as encoding`
  const { version = 0, encoding = '' } = row ?? {}
  return (version < FIRST_WITH_CASEFOLD || encoding !== 'UTF8') && `PostgreSQL ${version}`
}

/** Composed, folded and composed again by PostgreSQL, for the characters that it knows. */
async function foldedByDatabase(): Promise<{ text: string; folded: string }[]> {
  const rows = await database.owner<{ text: string; folded: string }[]>`
    with characters as materialized (
      select chr(p) as c from generate_series(1, 1114111) p
      where p not between ${0xd800} and ${0xdfff} and unicode_assigned(chr(p))
    ), known as materialized (
      select c, normalize(casefold(normalize(c, nfc) collate "pg_unicode_fast"), nfc) as folded
      from characters
    )
    select c as text, folded from known where folded <> c
    union all
    -- Most fold to themselves: in one row.
    select string_agg(c, ''), '' from known where folded = c`
  return rows.flatMap(({ text, folded }) =>
    folded === '' ? [...text].map(one => ({ text: one, folded: one })) : [{ text, folded }],
  )
}

test('comparable, every assigned character: equal classes to casefold of PostgreSQL', async t => {
  const lacking = await lacksCasefold()
  if (lacking !== false) return t.skip(`${lacking} has no casefold`)
  const rows = await foldedByDatabase()
  assert.ok(rows.length > 250_000)
  // Between letters nothing is trimmed, and nothing composes with what is beside it.
  const inside = (text: string) => comparable(`x${text}x`)
  const unseen = new Set(invisible())
  const visible = rows
    .filter(({ text }) => !unseen.has(text))
    .map(row => ({ ...row, form: inside(row.text) }))
  const apart = visible.filter(
    ({ text, folded, form }) => folded !== text && form !== inside(folded),
  )
  assert.deepEqual(
    apart.map(({ text }) => named(text)),
    [],
    'kept apart, though they are one to PostgreSQL',
  )
  const classes = new Map<string, string>()
  const merged = visible.filter(({ folded, form }) => {
    const known = classes.get(form) ?? folded
    classes.set(form, known)
    return known !== folded
  })
  assert.deepEqual(
    merged.map(({ text }) => named(text)),
    [],
    'merged, though they are two to PostgreSQL',
  )
})

const TEXTS = share(4_000, 20_000)

test(`comparable, ${TEXTS} random texts that fold, combine or decompose: agrees with casefold`, async t => {
  const lacking = await lacksCasefold()
  if (lacking !== false) return t.skip(`${lacking} has no casefold`)
  const seed = pickSeed()
  const random = seeded(seed)
  const lively = everyCharacter.filter(
    c => /[\p{Cased}\p{M}]/u.test(c) && /\P{Default_Ignorable_Code_Point}/u.test(c),
  )
  const draw = () => lively[Math.floor(random() * lively.length)] as string
  const texts = Array.from({ length: TEXTS }, () => Array.from({ length: 4 }, draw).join(''))
  const rows = await database.owner<{ text: string; folded: string }[]>`
    select t as text, normalize(casefold(normalize(t, nfc) collate "pg_unicode_fast"), nfc) as folded
    from json_array_elements_text(${JSON.stringify(texts)}::text::json) t where unicode_assigned(t)`
  assert.ok(rows.length > 0.75 * TEXTS)
  const wrong = rows.filter(({ text, folded }) => comparable(text) !== comparable(folded))
  assert.deepEqual(
    wrong.map(({ text }) => named(text)),
    [],
    `SEED=${seed}`,
  )
})
