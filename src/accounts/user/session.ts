// A session is the time for which a person is logged in. The token in a cookie identifies it. This
// file has the limits of sessions, of login links, of known devices and of attempts to log in.
import { hash } from 'node:crypto'
import type { Instant } from '../../values/instant.ts'
import type { Lacks } from './second-factor.ts'

/** OWASP's Session Management Cheat Sheet: about half an hour idle, and a working day at most. */
export const IDLE_MINUTES = 30
export const LONGEST_HOURS = 12

export const LINK_MINUTES = 15
export const INVITATION_DAYS = 7
/** The path of an invitation. The token follows it. */
export const INVITATION_PATH = '/login/invitation?token='

/** The path of a login link. The token follows it. */
export const LINK_PATH = '/login/link?token='

/** How long after the password a session may act where a password is required. */
export const CONFIRMED_MINUTES = 5

/**
 * The most wrong passwords for one user in ATTEMPT_MINUTES: from one network, and from all. Known
 * devices and sessions count apart, as a network of their own.
 */
export const ATTEMPT_MINUTES = 15
export const MOST_ATTEMPTS = { of_network: 5, of_all: 50 }
/** The same of wrong codes: whoever tries codes knows the password, and six digits are few. */
export const MOST_CODES = { of_network: 5, of_all: 10 }

/** For how long after its last log-in a device is known. */
export const DEVICE_DAYS = 90
/** The most known devices of a user. PostgreSQL forgets the one with the oldest log-in. */
export const MOST_DEVICES = 10

export interface Session {
  readonly user_name: string
  readonly created_at: Instant
  /** The latest end of the session. */
  readonly expires_at: Instant
  /** Whether the person has given the password within CONFIRMED_MINUTES. */
  readonly confirmed: boolean
  /** What the session lacks before it may do anything else; null for nothing. */
  readonly lacks: Lacks | null
  /** Whether the person logged in at the provider, and gives no password here. */
  readonly by_provider: boolean
}

/** The hash of a token, as the database stores it; undefined when the text is no token. */
export function hashToken(token: string): Buffer | undefined {
  const is_token = /^corridor_(?:session|device|login|invitation)_[\w-]{49}$/.test(token)
  return is_token ? hash('sha256', token, 'buffer') : undefined
}
