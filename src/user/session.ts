// A session: somebody who has logged in, known again by a token in a cookie. How long one lasts,
// and what logging in asks for.
import { hash, randomBytes } from 'node:crypto'
import type { Instant } from '../instant.ts'

/** OWASP's Session Management Cheat Sheet: some half hour idle, and a working day at most. */
export const IDLE_MINUTES = 30
export const LONGEST_HOURS = 12

/** How long a link to log in is good for. */
export const LINK_MINUTES = 15
/** Where it leads; its token follows. */
export const LINK_PATH = '/login/link?token='

/** After giving the password, a person may do for so long what asks for it. */
export const CONFIRMED_MINUTES = 5

/** Wrong passwords in so many minutes, for one user: from one address, and from all. */
export const ATTEMPT_MINUTES = 15
export const MOST_ATTEMPTS = { of_network: 5, of_all: 50 }

export interface Session {
  readonly user_name: string
  readonly created_at: Instant
  /** When it is over at the latest. */
  readonly expires_at: Instant
  /** Whether its person has given the password lately. */
  readonly confirmed: boolean
}

/** 256 bits, in base64url. */
export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What the database has of a token; undefined for what is none. */
export function hashToken(token: string): Buffer | undefined {
  return /^[\w-]{43}$/.test(token) ? hash('sha256', token, 'buffer') : undefined
}
