// The figures that screening promises, on a share of what `npm run bench screening` measures.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { listedEntries } from '../../bench/screening/listed-names.ts'
import { mistypedFound, namesFound, ordinaryHeld } from '../../bench/screening/measure.ts'
import { seeded } from '../../bench/screening/random.ts'
import { Screener } from '../../src/screening/screener.ts'
import type { ListedEntry } from '../../src/screening/screening.ts'
import { share } from '../support/share.ts'

const SEED = Number(process.env.SEED ?? 20261123)
const random = seeded(SEED)

let entries: ListedEntry[]
let screener: Screener
before(async () => {
  entries = listedEntries(share(5_000, 10_000), random)
  screener = await Screener.of([{ list: 'ofac', entries }])
})

test('screening, published names of listed parties: 99 % found', t => {
  t.diagnostic(`SEED=${SEED}`)
  const found = namesFound(screener, entries, share(250, 500), random)
  assert.ok(found >= 0.99, String(found))
})

test('screening, mistyped names of listed parties: 95 % found, per kind of error', t => {
  t.diagnostic(`SEED=${SEED}`)
  for (const [error, found] of Object.entries(
    mistypedFound(screener, entries, share(100, 200), random),
  )) {
    assert.ok(found >= 0.95, `${error}: ${found}`)
  }
})

test('screening, ordinary names: at most 1 % held', t => {
  t.diagnostic(`SEED=${SEED}`)
  const { held } = ordinaryHeld(screener, share(500, 1_000), random)
  assert.ok(held <= 0.01, String(held))
})
