// Logs people in, by a password or a link, and out. Also checks the password of a session again.
// The audit log has each act under the name of the user.
import { writeAs } from '../audit/store.ts'
import type { Sql, TransactionSql } from '../db/connect.ts'
import { type Refusal, rateLimited, refusal } from '../errors.ts'
import { networkOf } from '../http/limits.ts'
import { newToken } from '../secret.ts'
import { hashPassword, passwordMatches } from '../user/password.ts'
import { ATTEMPT_MINUTES, hashToken, MOST_ATTEMPTS, type Session } from '../user/session.ts'
import {
  confirmSession,
  countAttempt,
  endSession,
  findLink,
  findPassword,
  forgetAttempts,
  insertSession,
  keepRefused,
  spendLink,
  upsertPassword,
} from '../user/session-store.ts'

/** A new session, with the token for its cookie. */
export interface LoggedIn {
  readonly token: string
  readonly session: Session
}

interface Credentials {
  readonly user: string
  readonly password: string
}

/**
 * Logs a user in by a password. Refuses (401) every wrong name and password with the same message,
 * and (429) after too many attempts.
 */
export async function logIn(sql: Sql, credentials: Credentials, ip: string): Promise<LoggedIn> {
  await checkPassword(sql, credentials, 'log in', ip)
  const { user } = credentials
  return acting(sql, { user, act: 'log in', ip }, tx => begin(tx, user))
}

/** Sets the password of the link's user, ends the user's other sessions, and logs the user in. */
export async function enterByLink(
  sql: Sql,
  link: { readonly token: string; readonly password: string },
  ip: string,
): Promise<LoggedIn> {
  const token_hash = hashToken(link.token)
  // Only a good link makes the service hash a password.
  const user = token_hash && (await findLink(sql, token_hash))
  if (token_hash === undefined || user === undefined) throw wrongLink()
  const hashed = await hashPassword(link.password)
  return acting(sql, { user, act: 'log in by link', ip }, async tx => {
    if ((await spendLink(tx, token_hash)) !== user) throw wrongLink()
    await upsertPassword(tx, user, hashed)
    return begin(tx, user)
  })
}

/** Notes that a session has given its password again. Refuses like `logIn`. */
export async function confirm(
  sql: Sql,
  session: { readonly user: string; readonly token_hash: Buffer },
  password: string,
  ip: string,
): Promise<void> {
  const { user, token_hash } = session
  await checkPassword(sql, { user, password }, 'give password', ip)
  await acting(sql, { user, act: 'give password', ip }, async tx => {
    if (!(await confirmSession(tx, token_hash))) {
      throw refusal('session_over', 'The session is over; log in again.')
    }
  })
}

export async function logOut(
  sql: Sql,
  { user, token_hash }: { readonly user: string; readonly token_hash: Buffer },
  ip: string,
): Promise<void> {
  await acting(sql, { user, act: 'log out', ip }, tx => endSession(tx, token_hash))
}

/** Counts the attempt, and refuses one too many and a wrong password. */
async function checkPassword(
  sql: Sql,
  { user, password }: Credentials,
  act: string,
  ip: string,
): Promise<void> {
  const network = networkOf(ip)
  const attempt = await countAttempt(sql, user, network)
  const excess = Math.max(
    attempt.of_network - MOST_ATTEMPTS.of_network,
    attempt.of_all - MOST_ATTEMPTS.of_all,
  )
  const refused = (why: Parameters<typeof keepRefused>[2]) =>
    acting(sql, { user: '', act, ip }, tx => keepRefused(tx, attempt, why))
  if (excess > 0) {
    // The history has only the first attempt over the limit, so that others do not fill it.
    if (excess === 1) await refused('too many attempts')
    throw tooMany()
  }
  const stored = await findPassword(sql, user)
  if (!(await passwordMatches(stored, password))) {
    await refused('wrong password')
    throw refusal('invalid_login', 'No user has this name and password.')
  }
  await forgetAttempts(sql, user, network)
}

/** Begins a session of a user. Refuses a user who may not work. */
async function begin(tx: TransactionSql, user: string): Promise<LoggedIn> {
  const token = newToken('session')
  const session = await insertSession(tx, user, hashToken(token) as Buffer)
  // Somebody has disabled the user since the password was read.
  if (session === undefined) throw refusal('invalid_login', 'No user has this name and password.')
  return { token, session }
}

/** Runs `work` in a transaction whose changes stand in the audit log under the user's name. */
export function acting<T>(
  sql: Sql,
  { user, act, ip }: { readonly user: string; readonly act: string; readonly ip: string },
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return sql.begin(tx => {
    void writeAs(tx, { operator: user, act, via: `api from ${ip}`, origin: {} })
    return work(tx)
  })
}

function wrongLink(): Refusal {
  return refusal('invalid_login', 'This link is spent or too old; ask an operator for another.')
}

function tooMany(): Refusal {
  const message = `Too many wrong passwords for this user; wait ${ATTEMPT_MINUTES} minutes.`
  return rateLimited(message, ATTEMPT_MINUTES * 60)
}
