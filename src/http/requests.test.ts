// Which ids of requests are taken from callers, as a table.
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { requestIdOf } from './requests.ts'

const OWN_ID = /^req_[0-9a-hjkmnp-tv-z]{20}$/

const SENT: readonly [sent: string | string[] | undefined, taken: boolean][] = [
  [undefined, false],
  ['0f8fad5b-d9cb-469f-a165-70867728950e', true],
  ['01HZXW5N8Q3J6K7M9P0R2S4T6V', true],
  ['a', true],
  ['a.b_c-1', true],
  ['x'.repeat(128), true],
  ['x'.repeat(129), false],
  ['', false],
  ['two words', false],
  // As Node joins two headers of this name.
  ['a, b', false],
  [['a'], false],
  ['"quoted"', false],
  ['urn:x', false],
  ['{"level":60}', false],
  ['<script>', false],
  ['%0a', false],
  ['\u00e9', false],
]
for (const [sent, taken] of SENT) {
  const shown = sent === undefined ? 'none' : JSON.stringify(sent.slice(0, 40))
  test(`requestIdOf, X-Request-Id ${shown}: ${taken ? 'used' : 'replaced by a new id'}`, () => {
    const headers = sent === undefined ? {} : { 'x-request-id': sent }
    const id = requestIdOf({ headers } as unknown as IncomingMessage)
    if (taken) assert.equal(id, sent)
    else assert.match(id, OWN_ID)
  })
}
