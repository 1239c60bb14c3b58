// No document goes out with a word in it that stands for one still to be found.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsOf } from '../scripts/refuse-placeholders.ts'

const ROWS: readonly (readonly [text: string, words: readonly string[]])[] = [
  ['a million journals take\nVERIFY_FIGURE', ['2 VERIFY_FIGURE']],
  ['it takes TBD, or xxx seconds??', ['1 TBD', '1 xxx', '1 ??']],
  ['Lorem ipsum dolor', ['1 Lorem ipsum']],
  ['Todo: say how', ['1 Todo']],
  ['set CORRIDOR_DATA or DATABASE_URL, POST /v3/payout_batch, OTEL_SDK_DISABLED', []],
]
for (const [text, words] of ROWS) {
  test(`refuse-placeholders, document with ${JSON.stringify(text)}: ${words.length} placeholders`, () => {
    assert.deepEqual(
      faultsOf('a.md', text),
      words.map(word => `a.md:${word}`),
    )
  })
}
