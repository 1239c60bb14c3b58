// Makes the ids that banks give back: digits and capitals, which no bank cuts or changes. They
// follow from the payout and the attempt alone. So a restored database gives an attempt the ids
// that it had, and the bank can tell a repetition. Constraints keep them unique for ever. Pure.
import { hash } from 'node:crypto'
import { base32 } from '../../values/id.ts'
import type { FoundItem } from './item-store.ts'

/** 15 characters, which hold 73 bits of the hash. */
export function endToEndIdOf(attempt_id: string): string {
  return idOf(`end to end ${attempt_id}`)
}

/**
 * 16 characters: the id of a file with these payments. A payment that was in a file before gives
 * the next file another id. The first character is a letter, as some banks read an id of digits as
 * a number.
 */
export function messageIdOf(items: readonly Pick<FoundItem, 'end_to_end_id' | 'earlier_files'>[]) {
  const parts = items.map(({ end_to_end_id, earlier_files }) =>
    [end_to_end_id, ...earlier_files].join(' '),
  )
  return `C${idOf(`file ${parts.sort().join(', ')}`)}`
}

const DIGITS = 5

function idOf(text: string): string {
  const bytes = hash('sha256', text, 'buffer')
  // It begins with a digit: two letters and two digits begin an IBAN.
  const first = String(1 + (bytes.readUInt8(12) % 9))
  const parts = [0, 4, 8].map(at => base32(bytes.readUInt32BE(at) % 32 ** DIGITS, DIGITS))
  return first + parts.join('').slice(1).toUpperCase()
}
