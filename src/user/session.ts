// A session: a person who has logged in. A token in a cookie identifies it. Also how long a session
// lasts and which limits logging in has.
import { hash, randomBytes } from 'node:crypto'
import type { Instant } from '../instant.ts'

/** OWASP's Session Management Cheat Sheet: about half an hour idle, and a working day at most. */
export const IDLE_MINUTES = 30
export const LONGEST_HOURS = 12

/** How long a log-in link is good. */
export const LINK_MINUTES = 15
/** The path that a link leads to; its token follows. */
export const LINK_PATH = '/login/link?token='

/** How long a person may do what asks for the password, after they give it. */
export const CONFIRMED_MINUTES = 5

/**
 * The most wrong passwords of one user within this many minutes: from one network, and from all.
 */
export const ATTEMPT_MINUTES = 15
export const MOST_ATTEMPTS = { of_network: 5, of_all: 50 }

export interface Session {
  readonly user_name: string
  readonly created_at: Instant
  /** The latest end of the session. */
  readonly expires_at: Instant
  /** Whether the person has given the password within CONFIRMED_MINUTES. */
  readonly confirmed: boolean
}

/** 256 bits, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** The hash of a token, as the database stores it; undefined when the text is no token. */
export function hashToken(token: string): Buffer | undefined {
  return /^[\w-]{43}$/.test(token) ? hash('sha256', token, 'buffer') : undefined
}
