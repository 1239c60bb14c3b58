// Makes references for payers to quote.
import { randomInt } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 12

/**
 * A creditor reference of ISO 11649: RF, two check digits (MOD 97-10, ISO/IEC 7064), and 60 random
 * bits. A mistyped one names no account.
 */
export function newFundingReference(): string {
  const body = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const digits = `${body}RF00`.replace(/[A-Z]/g, letter => String(Number.parseInt(letter, 36)))
  const check = 98n - (BigInt(digits) % 97n)
  return `RF${String(check).padStart(2, '0')}${body}`
}
