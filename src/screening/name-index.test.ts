// The index finds exactly the names that a comparison of each name finds.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { runAtOnce } from '../values/event-loop.ts'
import { NameIndex } from './name-index.ts'
import { compareNames } from './name-score.ts'

const Word = fc.oneof(
  fc.constantFrom(
    'ali',
    'muhammad',
    'mohamed',
    'company',
    'compny',
    'ltd',
    'hassan',
    'hasan',
    'al',
    'mustafa',
    'kestrel',
    'kestrell',
    '44',
    'trading',
  ),
  fc.string({ unit: fc.constantFrom(...'aeioklmnst'), minLength: 1, maxLength: 8 }),
)
const Name = fc.array(Word, { minLength: 1, maxLength: 4 })

test('name index: finds exactly the names that reach the score, with their score', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Name, { minLength: 1, maxLength: 40 }),
      fc.array(Name, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0.6, 0.8, 0.89, 0.95),
      fc.constantFrom('person', 'organisation', 'other'),
      async (names, asked, least, kind) => {
        const index = await NameIndex.of(names.map((words, ref) => ({ ref, words, kind })))
        // Several searches in a row, as each leaves the index as it was.
        for (const words of asked) {
          const found = runAtOnce(index.searching(words, least)).map(({ ref, compared }) => [
            ref,
            compared.score,
          ])
          const expected = names.flatMap((listed, ref) => {
            const { score } = compareNames(words, listed, kind)
            return score >= least ? [[ref, score]] : []
          })
          assert.deepEqual(
            found.sort(([a = 0], [b = 0]) => a - b),
            expected,
          )
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('name index, a word and its misspelling in one name: the higher weight counts', async () => {
  const listed = ['company', 'compny']
  const asked = ['ali', 'company', 'company']
  const index = await NameIndex.of([{ ref: 0, words: listed, kind: 'other' }])
  const found = runAtOnce(index.searching(asked, 0.6))
  assert.deepEqual(
    found.map(({ compared }) => compared.score),
    [compareNames(asked, listed).score],
  )
})
