// Logs users in and sends forms, as a browser does.
import assert from 'node:assert/strict'
import { enrolFactor, upsertFactor } from '../../../src/accounts/user/factor-store.ts'
import { codeOf, newFactorSecret, STEP_S } from '../../../src/accounts/user/second-factor.ts'
import { hashToken } from '../../../src/accounts/user/session.ts'
import { insertLink, insertSession } from '../../../src/accounts/user/session-store.ts'
import { newToken } from '../../../src/values/secret.ts'
import type { Answer, TestService } from './service.ts'

export const PASSWORD = 'seven wet otters sing'
/** The headers of a request from the console's own pages. */
export const OWN = { host: '127.0.0.1:8080', 'sec-fetch-site': 'same-origin' }

export async function makeLink({ deps }: Pick<TestService, 'deps'>, user: string): Promise<string> {
  const token = newToken('login')
  await deps.sql.begin(tx => insertLink(tx, user, hashToken(token) as Buffer))
  return token
}

/**
 * Makes a session of a user; returns its token. It asks for no password, because hashing one is
 * slow.
 */
export async function makeSession(
  { deps }: Pick<TestService, 'deps'>,
  user: string,
): Promise<string> {
  const token = newToken('session')
  const session = await deps.sql.begin(tx => insertSession(tx, user, hashToken(token) as Buffer))
  assert.ok(session, `${user} may log in`)
  return token
}

/** `corridor=…`, as the browser sends it back. */
export function cookieOf(answer: Answer): string {
  const [cookie = ''] = [answer.headers['set-cookie']].flat().map(String)
  assert.match(cookie, /^corridor=corridor_session_[\w-]{49}; Path=\/; HttpOnly; SameSite=Lax$/)
  return cookie.slice(0, cookie.indexOf(';'))
}

/** Enrols a second factor of a user, without recovery codes; returns its secret. */
export async function addFactor({ deps }: Pick<TestService, 'deps'>, user: string) {
  const secret = newFactorSecret()
  await deps.sql.begin(async tx => {
    await upsertFactor(tx, user, secret)
    await enrolFactor(tx, user, [])
  })
  return secret
}

/** The code of a secret: of now, or of the step after, which counts too and is another code. */
export function codeNow(secret: string, steps: 0 | 1 = 0): string {
  return codeOf(secret, BigInt(Math.trunc(Date.now() / 1000 / STEP_S) + steps))
}

/** The headers of a new session of the user, in which the password counts as just given. */
export async function logIn(
  service: Pick<TestService, 'deps'>,
  user: string,
): Promise<typeof OWN & { cookie: string }> {
  return { ...OWN, cookie: `corridor=${await makeSession(service, user)}` }
}

/** Logs the user in by a login link that sets the password; returns the session's headers. */
export async function logInByLink(
  service: Pick<TestService, 'deps' | 'inject'>,
  user: string,
): Promise<typeof OWN & { cookie: string }> {
  const answer = await service.inject({
    method: 'POST',
    url: '/v3/session/link',
    headers: { ...OWN, 'content-type': 'application/json' },
    payload: JSON.stringify({ token: await makeLink(service, user), password: PASSWORD }),
  })
  assert.equal(answer.status, 200, answer.text)
  return { ...OWN, cookie: cookieOf(answer) }
}

/** Sends a form of the console, as a browser does. */
export function sendForm(
  { inject }: Pick<TestService, 'inject'>,
  headers: Readonly<Record<string, string | undefined>>,
  url: string,
  form: Readonly<Record<string, string>> | [string, string][],
): Promise<Answer> {
  return inject({
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    payload: String(new URLSearchParams(form)),
  })
}
