// The two references of a SWIFT payment: their forms, and that no two payouts share a reference.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { newId } from '../../values/id.ts'
import { senderReferenceOf, uetrOf } from './uetr.ts'

const PAYOUT = 'pot_01m7xpm2mf68g5sr1x74'
const UETR = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('UETR: version 4, variant 1; the same on each read of a payout, different for each payout', () => {
  assert.equal(uetrOf(PAYOUT), uetrOf(PAYOUT))
  const digest = createHash('sha256').update(PAYOUT).digest('hex')
  const uetr = uetrOf(PAYOUT).replaceAll('-', '')
  // All but the six bits of version and variant.
  assert.equal(
    uetr.slice(0, 12) + uetr.slice(13, 16) + uetr.slice(17),
    digest.slice(0, 12) + digest.slice(13, 16) + digest.slice(17, 32),
  )
  const ids = Array.from({ length: 2_000 }, () => newId('pot'))
  for (const id of ids) assert.match(uetrOf(id), UETR)
  assert.equal(new Set(ids.map(uetrOf)).size, ids.length)
  // Each of the four variants' second bits and the bits around the version occur.
  const at = (i: number) => new Set(ids.map(id => uetrOf(id).charAt(i)))
  assert.deepEqual([at(19).size, at(13).size, at(15).size], [4, 1, 16])
})

test('MT103, field 20: 16 characters, different for payouts of one millisecond', () => {
  const ids = Array.from({ length: 5_000 }, () => newId('pot'))
  const references = ids.map(senderReferenceOf)
  for (const reference of references) assert.match(reference, /^[0-9A-HJKMNP-TV-Z]{16}$/)
  assert.equal(new Set(references).size, ids.length)
  const letters = new Set(references.join(''))
  assert.equal(letters.size, 32)
})
