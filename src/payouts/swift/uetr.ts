// The two references of a SWIFT payment: the end-to-end reference and the sender's. Both derive
// from the payout's id, so nothing is stored and a retry has the same references.
import { hash } from 'node:crypto'
import { base32crockford } from '@scure/base'

/**
 * The unique end-to-end transaction reference of field 121: `xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx`,
 * 36 characters. SWIFT asks for a UUID of version 4 and variant 1 (RFC 9562: `10` in the two top
 * bits of octet 8); the other 122 bits are those of the SHA-256 of the id. Two payouts of one
 * account never share an id. Two payouts of different accounts share an id only if their books had
 * given equally many ids at the same microsecond, and 25 random bits are equal.
 */
export function uetrOf(payout_id: string): string {
  const bytes = digestOf(payout_id).subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([a, b]) => hex.slice(a, b)).join('-')
}

/**
 * The sender's reference of field 20 (16x): the 80 bits of the id's SHA-256 that follow the UETR's
 * bits. The first 16 characters of the id are nearly all time, so payouts of several accounts would
 * collide. With 80 uniform bits, a thousand million payouts collide with a chance of 4 in 10
 * million (n² / 2^81). Crockford's base 32 has capitals alone, because receivers may fold case and
 * people may read it aloud.
 */
export function senderReferenceOf(payout_id: string): string {
  return base32crockford.encode(digestOf(payout_id).subarray(16, 26))
}

function digestOf(payout_id: string): Buffer {
  return hash('sha256', payout_id, 'buffer')
}
