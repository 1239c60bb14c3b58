// The second factor: a secret from which a person's device computes a code of six digits every 30
// seconds (TOTP, RFC 6238), and recovery codes for a lost device. Each code is taken once.
import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { base32nopad } from '@scure/base'

export const STEP_S = 30
const DIGITS = 6
/** RFC 4226, 4: the length of SHA-1, 32 characters of base 32. */
const SECRET_BYTES = 20
/** The steps before and after the present one whose codes count: clocks differ. */
const DRIFT = 1

export const RECOVERY_CODES = 10
/** 80 bits: a plain hash of so much chance cannot be guessed. */
const RECOVERY_BYTES = 10
const RECOVERY_CODE = /^[A-Z2-7]{16}$/

/** The longest text that a person may send as a code. */
export const MAX_CODE = 40

/** What a session lacks before it may do anything else. */
export const LACKS = ['code', 'enrolment'] as const
export type Lacks = (typeof LACKS)[number]

export interface SecondFactor {
  readonly secret: string
  /** The step of the last code that was taken; 0 for none. */
  readonly last_step: bigint
  /** The present step, by the database's clock. */
  readonly step: bigint
}

export function newFactorSecret(): string {
  return base32nopad.encode(randomBytes(SECRET_BYTES))
}

/** For the device, which shows it as a picture or takes it as text. */
export function otpauthLink(user: string, host: string, secret: string): string {
  const issuer = `Corridor ${host.replaceAll(':', '-')}`
  const label = encodeURIComponent(`${issuer}:${user}`)
  const query = new URLSearchParams({ secret, issuer, period: String(STEP_S) })
  // Devices show a `+` as it is.
  return `otpauth://totp/${label}?${String(query).replaceAll('+', '%20')}`
}

/** The code of a step (RFC 4226, 5.3, with SHA-1). */
export function codeOf(secret: string, step: bigint, digits = DIGITS): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(step)
  const mac = createHmac('sha1', base32nopad.decode(secret)).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7f_ff_ff_ff
  return String(number % 10 ** digits).padStart(digits, '0')
}

/** The step whose code this is; undefined for a wrong code, and for one that was taken before. */
export function stepOf({ secret, last_step, step }: SecondFactor, code: string) {
  const sent = Buffer.alloc(DIGITS)
  sent.write(code.slice(0, DIGITS))
  let found: bigint | undefined
  // Compares with each code, whichever fits: the time taken tells nothing.
  for (let at = step - BigInt(DRIFT); at <= step + BigInt(DRIFT); at++) {
    const fits = timingSafeEqual(Buffer.from(codeOf(secret, at)), sent)
    if (fits && at > last_step && found === undefined) found = at
  }
  return code.length === DIGITS ? found : undefined
}

/** `123 456` as `123456`, `abcd-…` as `ABCD…`. */
export function plainCode(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase()
}

/** `ABCD-EFGH-IJKL-MNOP`, ten of them. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    base32nopad.encode(randomBytes(RECOVERY_BYTES)).replace(/.{4}(?=.)/g, '$&-'),
  )
}

/** The hash of a recovery code, as the database stores it; undefined when the text is none. */
export function hashRecoveryCode(text: string): Buffer | undefined {
  const code = plainCode(text)
  return RECOVERY_CODE.test(code) ? hash('sha256', code, 'buffer') : undefined
}
