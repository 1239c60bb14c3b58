// Hashes and compares passwords with argon2id, at the cost that OWASP asks for (19 MiB, 2 passes).
// Each takes memory and tens of milliseconds of processor time, so log-ins take turns.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** The least memory, in KiB, and passes of OWASP's Password Storage Cheat Sheet, 2025. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32

/** NIST SP 800-63B-4, 3.1.1.2: a password that is the only factor has 15 characters or more. */
export const MIN_PASSWORD = 15
/** The most characters of a password. */
export const MAX_PASSWORD = 256

/** The hash of a new password as a PHC string, with its salt and cost. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const hash = await deriveHash(password, salt)
  const { memory, passes, parallelism } = COST
  const texts = [salt, hash].map(bytes => bytes.toString('base64').replace(/=+$/, ''))
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${texts.join('$')}`
}

/** Compared with when there is no stored password. */
const DUMMY = { salt: Buffer.alloc(SALT_BYTES), hash: Buffer.alloc(HASH_BYTES) }

/**
 * Whether the password is the stored one. Takes the same time when nothing is stored, as for an
 * unknown user.
 */
export async function passwordMatches(stored: string | undefined, password: string) {
  const { salt, hash } = stored === undefined ? DUMMY : readStored(stored)
  const equal = timingSafeEqual(await deriveHash(password, salt), hash)
  return equal && stored !== undefined
}

function readStored(stored: string): { salt: Buffer; hash: Buffer } {
  const [salt = '', hash = ''] = stored.split('$').slice(4)
  return { salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

function deriveHash(password: string, salt: Buffer): Promise<Buffer> {
  const message = password.normalize('NFKC')
  return derive('argon2id', { message, nonce: salt, tagLength: HASH_BYTES, ...COST })
}
