// Tests the comparable form of text (§duplicate.comparison): examples of equal and of different
// texts, then every character against Unicode's tables. test/entity/casefold.test.ts compares it
// with PostgreSQL's case folding.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { everyCharacter, named } from '../../../test/support/given/unicode.ts'
import {
  comparable as byOracle,
  foldCharacter,
  invisible,
  whiteSpace,
} from '../../../test/support/oracle/entity-oracle.ts'
import { comparable } from './comparable.ts'

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
  [
    'a mark, an invisible character and an iota subscript',
    'ᾴ',
    'α\u0345\u0301',
    'α\u0345\u200b\u0301',
  ],
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
  test(`comparable, ${what}: equal results`, () => {
    assert.equal(new Set(texts.map(comparable)).size, 1, texts.join(' | '))
  })
}

for (const [what, ...texts] of DIFFERENT) {
  test(`comparable, ${what}: different results`, () => {
    assert.equal(new Set(texts.map(comparable)).size, texts.length, texts.join(' | '))
  })
}

test('comparable, examples: the expected text', () => {
  assert.equal(comparable('  Anna  MÜLLER\n'), 'anna  müller')
  assert.equal(comparable('Straße\u00a0'), 'strasse')
  assert.equal(comparable('ΟΔΟΣ'), 'οδοσ')
  assert.equal(comparable('E\u0301'), 'é')
})

test('comparable, applied to its own result, every character, alone and before marks: unchanged', () => {
  const changed = everyCharacter
    .flatMap(character => [character, `${character}\u0316\u0301`])
    .filter(text => {
      const once = comparable(text)
      return once !== text && comparable(once) !== once
    })
  assert.deepEqual(changed.map(named), [])
})

test('comparable, every character composed or decomposed: equal results', () => {
  const differing = everyCharacter.filter(character =>
    (['NFC', 'NFD'] as const)
      .map(form => character.normalize(form))
      .some(form => form !== character && comparable(form) !== comparable(character)),
  )
  assert.deepEqual(differing.map(named), [])
})

test('comparable, every character before or after a text: ignored only if white space or invisible', () => {
  const ignored = everyCharacter.filter(c => comparable(`${c}a${c}`) === 'a')
  assert.deepEqual(ignored.map(named).sort(), [...whiteSpace(), ...invisible()].map(named).sort())
})

test('comparable, every character inside a text: ignored only if invisible', () => {
  const ignored = everyCharacter.filter(c => comparable(`a${c}b`) === 'ab')
  assert.deepEqual(ignored.map(named).sort(), invisible().map(named).sort())
})

test('comparable, every character with a case folding: equal only to its folding', () => {
  const folding = everyCharacter.filter(character => foldCharacter(character) !== character)
  assert.ok(folding.length > 1_500)
  const texts = [...folding, 'ı', 'i', 'é', 'e', 'ａ', '²', '2'].map(inner => `x${inner}x`)
  const apart = texts.filter(text => comparable(text) !== comparable(byOracle(text)))
  assert.deepEqual(apart.map(named), [])
  const forms = [...new Set(texts.map(byOracle))]
  assert.equal(new Set(forms.map(comparable)).size, forms.length)
})

test('comparable, every ASCII text of two characters: same result with and without the fast path', () => {
  const ascii = Array.from({ length: 0x7f }, (_, point) => String.fromCharCode(point))
  const wrong = ascii
    .flatMap(a => ascii.map(b => a + b))
    // An invisible character makes `comparable` skip its shortcut, and does not change the form.
    .filter(text => comparable(text) !== comparable(`${text}\u200b`))
  assert.deepEqual(wrong.map(named), [])
})
