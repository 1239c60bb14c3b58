// The similarity of words: known values of Jaro's, mistakes, penalties, and bounds for all words.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bitCount,
  isOneMistake,
  jaro,
  lettersOf,
  minCommonLetters,
  similarity,
  soundsAlike,
} from './similarity.ts'

test('Jaro similarity: equal to published examples', () => {
  const rows: readonly (readonly [a: string, b: string, jaro: number])[] = [
    ['martha', 'marhta', 0.944],
    ['dwayne', 'duane', 0.822],
    ['dixon', 'dicksonx', 0.767],
    ['crate', 'trace', 0.733],
    ['abc', 'xyz', 0],
    ['', 'abc', 0],
    ['same', 'same', 1],
  ]
  for (const [a, b, expected] of rows) {
    assert.ok(Math.abs(jaro(a, b) - expected) < 0.001, `${a} ${b}: ${jaro(a, b)}`)
    assert.ok(Math.abs(jaro(b, a) - expected) < 0.001, `${b} ${a}`)
  }
})

test('isMistake, one letter missing, extra or wrong, or two neighbours swapped: true; anything more: false', () => {
  const rows: readonly (readonly [a: string, b: string, mistake: boolean])[] = [
    ['talic', 'alic', true],
    ['talic', 'tallic', true],
    ['talic', 'talik', true],
    ['talic', 'atlic', true],
    ['talic', 'talci', true],
    ['talic', 'catil', false],
    ['talic', 'tlaci', false],
    ['talic', 'tal', false],
    ['ab', 'ba', true],
  ]
  for (const [a, b, mistake] of rows) {
    assert.equal(isOneMistake(a, b), mistake, `${a} ${b}`)
    assert.equal(isOneMistake(b, a), mistake, `${b} ${a}`)
  }
})

test('similarity, mistake in a longer word: higher; first letter of another sound, or another length: lower', () => {
  assert.equal(similarity('putin', 'putin'), 1)
  assert.ok(similarity('petropars', 'petropras') > similarity('pars', 'pras'))
  assert.ok(similarity('qaddafi', 'gadafi') > similarity('qaddafi', 'radafi'))
  assert.ok(similarity('mohammed', 'muhammad') > 0.7)
  assert.ok(similarity('ivan', 'ivanovich') < similarity('ivanov', 'ivanof'))
})

const Word = fc.string({ unit: fc.constantFrom(...'abcdeghkmy09'), minLength: 1, maxLength: 12 })

test('similarity: symmetric, at most 1, and 1 only for equal words', () => {
  fc.assert(
    fc.property(Word, Word, (a, b) => {
      const score = similarity(a, b)
      assert.ok(score >= -0.05 && score <= 1)
      assert.ok(Math.abs(score - similarity(b, a)) < 0.12, 'ties may be matched in another order')
      assert.equal(score === 1, a === b)
    }),
  )
})

test('letter count filter: excludes no pair of words that is similar enough', () => {
  fc.assert(
    fc.property(Word, Word, fc.constantFrom(0.6, 0.75, 0.9), (a, b, least) => {
      if (similarity(a, b) < least) return
      const first = soundsAlike(a.charCodeAt(0), b.charCodeAt(0))
      const fewest = minCommonLetters(a.length, b.length, least, first)
      const [ofA, ofB] = [lettersOf(a), lettersOf(b)]
      assert.ok(bitCount(ofA & ~ofB) <= a.length - fewest)
      assert.ok(bitCount(ofB & ~ofA) <= b.length - fewest)
    }),
    { numRuns: 5_000 },
  )
})
