// Text as duplicates compare it (contract 23 e) against two things that share nothing with it: the
// case folding of PostgreSQL and the tables of Unicode. All of Unicode, not a sample.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createDatabase, type TestDatabase } from '../../test/support/database.ts'
import { invisible, whiteSpace } from '../../test/support/entity-oracle.ts'
import { pickSeed, seeded } from '../../test/support/process.ts'
import { comparable, isBlank } from './comparable.ts'

let database: TestDatabase
before(async () => {
  database = await createDatabase()
})
after(() => database.drop())

const SURROGATES = [0xd800, 0xdfff] as const

const everyCharacter: readonly string[] = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter(point => point < SURROGATES[0] || point > SURROGATES[1])
  .map(point => String.fromCodePoint(point))

const named = (text: string) =>
  Array.from(text, c => `U+${(c.codePointAt(0) ?? 0).toString(16).toUpperCase()}`).join(' ')

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
function foldedByDatabase(): Promise<{ text: string; folded: string }[]> {
  return database.owner`
    select c as text,
      normalize(casefold(normalize(c, nfc) collate "pg_unicode_fast"), nfc) as folded
    from (
      select chr(p) as c from generate_series(1, 1114111) p
      where p not between ${SURROGATES[0]} and ${SURROGATES[1]}
    ) characters
    where unicode_assigned(c)`
}

test('comparable, every assigned character: the same classes as casefold of PostgreSQL', async t => {
  const lacking = await lacksCasefold()
  if (lacking !== false) return t.skip(`${lacking} has no casefold`)
  const rows = await foldedByDatabase()
  assert.ok(rows.length > 250_000)
  // Between letters nothing is trimmed, and nothing composes with what is beside it.
  const inside = (text: string) => comparable(`x${text}x`)
  const unseen = new Set(invisible())
  const visible = rows.filter(({ text }) => !unseen.has(text))
  const apart = visible.filter(({ text, folded }) => inside(text) !== inside(folded))
  assert.deepEqual(
    apart.map(({ text }) => named(text)),
    [],
    'kept apart, though they are one to PostgreSQL',
  )
  const classes = new Map<string, string>()
  const merged = visible.filter(({ text, folded }) => {
    const form = inside(text)
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

test('comparable, 20,000 random texts of what folds, combines or decomposes: casefold agrees', async t => {
  const lacking = await lacksCasefold()
  if (lacking !== false) return t.skip(`${lacking} has no casefold`)
  const seed = pickSeed()
  const random = seeded(seed)
  const lively = everyCharacter.filter(
    c => /[\p{Cased}\p{M}]/u.test(c) && /\P{Default_Ignorable_Code_Point}/u.test(c),
  )
  const draw = () => lively[Math.floor(random() * lively.length)] as string
  const texts = Array.from({ length: 20_000 }, () => Array.from({ length: 4 }, draw).join(''))
  const rows = await database.owner<{ text: string; folded: string }[]>`
    select t as text, normalize(casefold(normalize(t, nfc) collate "pg_unicode_fast"), nfc) as folded
    from json_array_elements_text(${JSON.stringify(texts)}::text::json) t where unicode_assigned(t)`
  assert.ok(rows.length > 15_000)
  const wrong = rows.filter(({ text, folded }) => comparable(text) !== comparable(folded))
  assert.deepEqual(
    wrong.map(({ text }) => named(text)),
    [],
    `SEED=${seed}`,
  )
})

test('comparable, its own result for every character, alone and before marks: unchanged', () => {
  const changed = everyCharacter
    .flatMap(character => [character, `${character}\u0316\u0301`])
    .filter(text => {
      const once = comparable(text)
      return comparable(once) !== once
    })
  assert.deepEqual(changed.map(named), [])
})

test('comparable, composed or decomposed, every character: the same form', () => {
  const differing = everyCharacter.filter(character => {
    const form = comparable(character)
    return (
      comparable(character.normalize('NFC')) !== form ||
      comparable(character.normalize('NFD')) !== form
    )
  })
  assert.deepEqual(differing.map(named), [])
})

test('comparable, every character around a text: white space and invisible ones alone are nothing', () => {
  const nothing = everyCharacter.filter(c => comparable(`${c}a${c}`) === 'a')
  assert.deepEqual(nothing.map(named).sort(), [...whiteSpace(), ...invisible()].map(named).sort())
})

test('comparable, every character inside a text: invisible ones alone are nothing', () => {
  const nothing = everyCharacter.filter(c => comparable(`a${c}b`) === 'ab')
  assert.deepEqual(nothing.map(named).sort(), invisible().map(named).sort())
})

test('comparable, every ASCII text of two characters: as if the short way were not there', () => {
  const ascii = Array.from({ length: 0x7f }, (_, point) => String.fromCharCode(point))
  const wrong = ascii
    .flatMap(a => ascii.map(b => a + b))
    // What nobody sees takes the text off the short way and is nothing itself.
    .filter(text => comparable(text) !== comparable(`${text}\u200b`))
  assert.deepEqual(wrong.map(named), [])
})

const SAME: readonly (readonly [what: string, ...texts: string[]])[] = [
  ['case', 'anna müller', 'ANNA MÜLLER', 'Anna Müller'],
  ['sharp s', 'Weiß', 'WEISS', 'weiss', 'WEIẞ', 'Weiſs'],
  ['sigma', 'Νίκος', 'ΝΊΚΟΣ', 'νίκοσ'],
  ['ligatures', 'ﬁnch', 'finch', 'FINCH'],
  ['capital İ', 'İzmir', 'i\u0307zmir', 'I\u0307ZMIR'],
  ['Kelvin and Ångström signs', '\u212a\u212b', 'k\u00e5', 'Ka\u030a'],
  ['Cherokee', 'ᏸꭰ', 'ᏰᎠ'],
  ['Deseret, beyond 16 bits', '𐐀', '𐐨'],
  ['iota subscript', 'ᾳ', 'ᾼ', 'ΑΙ', 'αι'],
  ['folded apart, composed again', 'ΐ', 'Ϊ́', 'Ϊ\u0301', 'ΐ'],
  ['composed and decomposed', 'é', 'e\u0301', 'E\u0301', 'É'],
  ['marks in another order', 'a\u0316\u0301', 'a\u0301\u0316'],
  ['Hangul', '한', '\u1112\u1161\u11ab'],
  [
    'invisible characters',
    'a\u200bb',
    'a\u00adb',
    '\ufeffab',
    'ab\u2060',
    'a\u{e0041}b',
    'ab\ufe0f',
  ],
  ['an invisible character before a mark', 'e\u034f\u0301', 'é', 'e\u200d\u0301'],
  ['outer white space', ' ab', 'ab\u00a0', '\u3000ab\u0085', '\t\r\nab\u2028', '\u200b \u200bab'],
]

const DIFFERENT: readonly (readonly [what: string, ...texts: string[]])[] = [
  ['dotless ı, i, and İ', 'ısil', 'isil', 'İsil'],
  ['inner spaces', 'ab', 'a b', 'a  b', 'a\u00a0b', 'a\tb'],
  ['punctuation', 'ab', 'a-b', 'a.b', "a'b", 'a’b', 'ab.'],
  ['accents', 'e', 'é', 'è', 'ê', 'ё'],
  ['look-alikes', 'a', 'а', 'ɑ', 'α'],
  ['wide and narrow', 'a1', 'ａ1', 'a１'],
  ['superscripts and fractions', '2', '²', '₂', '½'],
  ['letters that only sort alike', 'ø', 'o', 'œ', 'oe'],
  ['Hiragana and Katakana', 'か', 'カ', 'ｶ'],
]

for (const [what, ...texts] of SAME) {
  test(`comparable, ${what}: one form`, () => {
    assert.equal(new Set(texts.map(comparable)).size, 1, texts.join(' | '))
  })
}

for (const [what, ...texts] of DIFFERENT) {
  test(`comparable, ${what}: a form each`, () => {
    assert.equal(new Set(texts.map(comparable)).size, texts.length, texts.join(' | '))
  })
}

test('comparable, examples: the form itself', () => {
  assert.equal(comparable('  Anna  MÜLLER\n'), 'anna  müller')
  assert.equal(comparable('Straße\u00a0'), 'strasse')
  assert.equal(comparable('ΟΔΟΣ'), 'οδοσ')
  assert.equal(comparable('E\u0301'), 'é')
})

test('isBlank, nothing to see: true; anything to see: false', () => {
  for (const text of ['', ' ', '\t\n', '\u00a0\u3000\u0085', '\u200b', '\u200b \ufeff\u2060']) {
    assert.ok(isBlank(text), named(text))
  }
  for (const text of ['.', '0', ' a', '\u0301', '\u2800', '\u0000']) {
    assert.ok(!isBlank(text), named(text))
  }
})
