// Tests the reading of `traceparent` headers, valid and invalid ones, by W3C Trace Context, 3.2.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTraceparent } from './spans.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const caller = (traceFlags: number) => ({
  traceId: TRACE,
  spanId: SPAN,
  traceFlags,
  isRemote: true,
})

const HEADERS: readonly [header: string | undefined, says: object | undefined][] = [
  [`00-${TRACE}-${SPAN}-01`, caller(1)],
  [`00-${TRACE}-${SPAN}-00`, caller(0)],
  // Unknown flags are ignored.
  [`00-${TRACE}-${SPAN}-fe`, caller(0)],
  [`00-${TRACE}-${SPAN}-ff`, caller(1)],
  [`01-${TRACE}-${SPAN}-01-what-is-to-come`, caller(1)],
  [`00-${TRACE}-${SPAN}-01-more`, undefined],
  [`ff-${TRACE}-${SPAN}-01`, undefined],
  [`00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  [`00-${TRACE}-${SPAN}`, undefined],
  [`00-${TRACE}-${SPAN}-1`, undefined],
  [` 00-${TRACE}-${SPAN}-01`, undefined],
  ['', undefined],
  [undefined, undefined],
]

for (const [header, says] of HEADERS) {
  test(`traceparent ${header}: ${says === undefined ? 'ignored' : 'read'}`, () => {
    assert.deepEqual(readTraceparent(header), says)
  })
}
