// RLP against viem's coding, and every other coding of a value refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRlp } from 'viem'
import { randomBytes } from '../../../test/support/chain/random-transaction.ts'
import { pickSeed, seeded } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import { bytesOf, hexOf } from './hex.ts'
import { bytesOfInteger, decodeRlp, encodeRlp, integerOf, type Rlp } from './rlp.ts'

const SEED = pickSeed()

type Nested = `0x${string}` | readonly Nested[]

function randomItem(next: () => number, depth: number): Rlp {
  if (depth > 0 && next() < 0.4) {
    return Array.from({ length: Math.floor(next() * 5) }, () => randomItem(next, depth - 1))
  }
  const lengths = [0, 1, 1, 2, 54, 55, 56, 57, 255, 256, 257]
  return bytesOf(randomBytes(next, lengths[Math.floor(next() * lengths.length)] ?? 0))
}

function asHex(item: Rlp): Nested {
  return item instanceof Uint8Array ? hexOf(item) : item.map(asHex)
}

test(`RLP, random lists and bytes: the bytes of viem, and back again, SEED=${SEED}`, () => {
  const next = seeded(SEED)
  for (let i = 0; i < share(300, 50_000); i++) {
    const item = randomItem(next, 4)
    const coded = encodeRlp(item)
    assert.equal(hexOf(coded), toRlp(asHex(item)))
    assert.deepEqual(asHex(decodeRlp(coded)), asHex(item))
  }
})

test(`RLP, random bytes: read only if they are the coding of what was read, SEED=${SEED}`, () => {
  const next = seeded(SEED)
  let read = 0
  for (let i = 0; i < share(5_000, 1_000_000); i++) {
    const bytes = bytesOf(randomBytes(next, 1 + Math.floor(next() * 5)))
    try {
      const item = decodeRlp(bytes)
      read += 1
      assert.equal(hexOf(encodeRlp(item)), hexOf(bytes))
    } catch (error) {
      assert.ok(error instanceof RangeError, `${hexOf(bytes)}: ${error}`)
    }
  }
  assert.ok(read > 100)
})

test('RLP, another coding than the only one: refused, with the reason', () => {
  const table: readonly (readonly [bytes: string, reason: RegExp])[] = [
    ['', /end too soon/],
    ['8100', /one byte coded as two/],
    ['817f', /one byte coded as two/],
    ['b801aa', /short length/],
    [`b837${'aa'.repeat(55)}`, /short length/],
    [`b90038${'aa'.repeat(56)}`, /leading zeros/],
    ['82aa', /end too soon/],
    ['b8', /end too soon/],
    ['bfffffffffffffffff', /end too soon/],
    ['c20102ff', /after the end/],
    ['c3c2c1', /end too soon/],
    ['c5c4c3c2c1c0', /deeper than 4/],
  ]
  for (const [bytes, reason] of table) {
    const tried = () => decodeRlp(Buffer.from(bytes, 'hex'))
    assert.throws(
      tried,
      (error: Error) => error instanceof RangeError && reason.test(error.message),
    )
  }
})

test('RLP, integer: without leading zeros; with them, refused', () => {
  for (const number of [0n, 1n, 127n, 128n, 255n, 256n, 2n ** 256n - 1n]) {
    assert.equal(integerOf(bytesOfInteger(number)), number)
  }
  assert.equal(bytesOfInteger(0n).length, 0)
  assert.throws(() => integerOf(Uint8Array.of(0)), RangeError)
  assert.throws(() => integerOf([]), RangeError)
  assert.throws(() => bytesOfInteger(-1n), RangeError)
})
