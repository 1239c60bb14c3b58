// People prove, enrol and remove their second factor. Wrong codes are counted as wrong passwords
// are, and a code is taken once. After each the person has another session.
import {
  deleteFactor,
  enrolFactor,
  findFactor,
  takeStep,
  upsertFactor,
  useRecoveryCode,
} from '../../accounts/user/factor-store.ts'
import {
  hashRecoveryCode,
  newFactorSecret,
  newRecoveryCodes,
  plainCode,
  stepOf,
} from '../../accounts/user/second-factor.ts'
import { hashToken, MOST_CODES } from '../../accounts/user/session.ts'
import {
  type Attempt,
  countAttempt,
  endSessions,
  forgetAttempts,
  keepRefused,
  type Source,
} from '../../accounts/user/session-store.ts'
import { countLogIn, networkOf } from '../../http/limits.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { refusal } from '../../values/errors.ts'
import {
  acting,
  excessOf,
  type From,
  knownDevice,
  type LoggedIn,
  type Needs,
  type OwnSession,
  renew,
  tooMany,
} from './operations.ts'

/** Takes a code or a recovery code. Refuses (401) a wrong one, and (429) too many. */
export function giveCode(
  needs: Needs,
  own: OwnSession,
  code: string,
  from: From,
): Promise<LoggedIn> {
  return withCode(needs, { own, act: 'give code', from, code }, (tx, device) =>
    renew(tx, own, 'now', device),
  )
}

/** Makes the secret of a factor, which waits for its first code. Refuses (409) a second factor. */
export async function beginFactor(
  { reads }: Needs,
  { user }: OwnSession,
  ip: string,
): Promise<string> {
  const secret = newFactorSecret()
  const act = 'begin second factor'
  if (!(await acting(reads, { user, act, ip }, tx => upsertFactor(tx, user, secret)))) {
    throw refusal('invalid_transition', 'You have a second factor already: remove it first.')
  }
  return secret
}

/** The secret that waits for its first code; undefined without one. */
export async function waitingSecret({ reads }: Needs, user: string): Promise<string | undefined> {
  return (await findFactor(reads, user, false))?.secret
}

export interface Enrolled extends LoggedIn {
  readonly recovery_codes: readonly string[]
}

/** Enrols the factor by its first code. The user's other sessions end. Refuses like `giveCode`. */
export function enrol(needs: Needs, own: OwnSession, code: string, from: From): Promise<Enrolled> {
  const recovery_codes = newRecoveryCodes()
  const hashes = recovery_codes.map(one => hashRecoveryCode(one) as Buffer)
  const { user } = own
  const tried = { own, act: 'enrol second factor', from, code, is_first: true }
  return withCode(needs, tried, async tx => {
    if (!(await enrolFactor(tx, user, hashes))) {
      throw refusal('invalid_transition', 'You have a second factor already.')
    }
    const loggedIn = await renew(tx, own, 'now', undefined, as => endSessions(tx, user, as))
    return { ...loggedIn, recovery_codes }
  })
}

/** Removes the user's own factor. The user's other sessions end. Refuses like `giveCode`. */
export function removeFactor(
  needs: Needs,
  own: OwnSession,
  code: string,
  from: From,
): Promise<LoggedIn> {
  const { user } = own
  return withCode(needs, { own, act: 'remove second factor', from, code }, async tx => {
    await deleteFactor(tx, user)
    return renew(tx, own, 'none', undefined, as => endSessions(tx, user, as))
  })
}

interface TriedCode {
  readonly own: OwnSession
  readonly act: string
  readonly from: From
  readonly code: string
  /** Whether it is the first code of a factor that waits for it. */
  readonly is_first?: boolean
}

/**
 * Counts the attempt, and runs `work` in the transaction that takes the code. A known device has a
 * count of its own: who has stolen a password keeps its owner out of no device.
 */
async function withCode<T>(
  needs: Needs,
  { own: { user }, act, from, code, is_first = false }: TriedCode,
  work: (tx: TransactionSql, device: string | undefined) => Promise<T>,
): Promise<T> {
  const { reads, limits } = needs
  const { ip } = from
  const device = await knownDevice(needs, user, from.device)
  const device_hash = device === undefined ? null : (hashToken(device) ?? null)
  const network = networkOf(ip)
  const source: Source = { user_name: user, network, device: device_hash, means: 'code' }
  const giveBack = device === undefined ? countLogIn(limits, ip) : () => undefined
  const keep = (attempt: Attempt, why: 'wrong code' | 'too many attempts') =>
    acting(reads, { user: '', act, ip }, tx => keepRefused(tx, attempt, why))
  const attempt = await countAttempt(reads, source, MOST_CODES)
  const excess = excessOf(attempt, MOST_CODES)
  if (attempt === undefined || excess > 0) {
    if (attempt !== undefined && excess === 1) await keep(attempt, 'too many attempts')
    throw tooMany('codes')
  }
  const done = await acting(reads, { user, act, ip }, async tx =>
    (await takeCode(tx, user, code, is_first)) ? { result: await work(tx, device) } : undefined,
  )
  if (done === undefined) {
    await keep(attempt, 'wrong code')
    throw refusal('invalid_login', 'This code is wrong, or it was used before.')
  }
  giveBack()
  await forgetAttempts(reads, source)
  return done.result
}

async function takeCode(tx: TransactionSql, user: string, text: string, is_first: boolean) {
  const recovery = hashRecoveryCode(text)
  if (recovery !== undefined) return !is_first && useRecoveryCode(tx, user, recovery)
  const factor = await findFactor(tx, user, !is_first)
  const step = factor && stepOf(factor, plainCode(text))
  return step !== undefined && takeStep(tx, user, step, factor?.secret ?? '')
}
