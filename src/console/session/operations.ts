// Logs people in and out. The audit log has each act under the name of the user. Few passwords are
// hashed at once; known people have places of their own, so that strangers keep none of them out.
import { isKnownDevice, upsertDevice } from '../../accounts/user/device-store.ts'
import { hashPassword, passwordMatches } from '../../accounts/user/password.ts'
import {
  ATTEMPT_MINUTES,
  hashToken,
  MOST_ATTEMPTS,
  type Session,
} from '../../accounts/user/session.ts'
import {
  type Attempt,
  confirmSession,
  countAttempt,
  endSession,
  findLink,
  findPassword,
  forgetAttempts,
  insertSession,
  keepRefused,
  type Proof,
  type Renewal,
  renewSession,
  type Source,
  spendLink,
  upsertPassword,
} from '../../accounts/user/session-store.ts'
import { unlessLate } from '../../engine/late.ts'
import type { Reads } from '../../engine/reads.ts'
import { countLogIn, type Limits, networkOf } from '../../http/limits.ts'
import { writeAs } from '../../ledger/audit/store.ts'
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { type Refusal, rateLimited, refusal } from '../../values/errors.ts'
import { newToken } from '../../values/secret.ts'

export interface Needs extends Reads {
  readonly limits: Limits
}

/**
 * The tokens are for the cookies of the session and of its device. While the session lacks a code,
 * its device is not known.
 */
export interface LoggedIn {
  readonly token: string
  readonly device: string | undefined
  readonly session: Session
}

export interface From {
  readonly ip: string
  /** In the cookie of the device; undefined without one. */
  readonly device: string | undefined
}

interface Credentials {
  readonly user: string
  readonly password: string
}

/** Refuses (401) each wrong name and password alike, and (429) too many attempts. */
export async function logIn(needs: Needs, credentials: Credentials, from: From): Promise<LoggedIn> {
  const { user } = credentials
  const { ip } = from
  const device = await knownDevice(needs, user, from.device)
  const device_hash = device === undefined ? null : (hashToken(device) ?? null)
  await checkPassword(needs, credentials, { act: 'log in', ip, device: device_hash })
  return acting(needs.reads, { user, act: 'log in', ip }, tx => begin(tx, user, device))
}

/** Undefined unless the user has logged in on the device. */
export async function knownDevice(
  { reads, inTurn }: Needs,
  user: string,
  token: string | undefined,
) {
  const hash = hashToken(token ?? '')
  if (hash === undefined) return undefined
  const is_known = await inTurn(
    '',
    unlessLate(() => isKnownDevice(reads, user, hash)),
  )
  return is_known ? token : undefined
}

/** Ends the user's other sessions. */
export async function enterByLink(
  { reads, limits }: Needs,
  link: { readonly token: string; readonly password: string },
  ip: string,
): Promise<LoggedIn> {
  const giveBack = countLogIn(limits, ip)
  const token_hash = hashToken(link.token)
  // Only a good link makes the service hash a password.
  const user = token_hash && (await findLink(reads, token_hash))
  if (token_hash === undefined || user === undefined) throw wrongLink()
  giveBack()
  const hashed = await turns.run({ known: true, owner: user }, () => hashPassword(link.password))
  return acting(reads, { user, act: 'log in by link', ip }, async tx => {
    if ((await spendLink(tx, token_hash)) !== user) throw wrongLink()
    await upsertPassword(tx, user, hashed)
    return begin(tx, user, undefined)
  })
}

/** Of the person who calls. */
export interface OwnSession {
  readonly user: string
  readonly token_hash: Buffer
}

/** Ends all sessions of the user, and begins a new one. Refuses like `logIn`. */
export async function changePassword(
  needs: Needs,
  { user, token_hash }: OwnSession,
  { password, new_password }: { readonly password: string; readonly new_password: string },
  ip: string,
): Promise<LoggedIn> {
  const act = 'change password'
  if (password === new_password) {
    throw refusal('invalid_field', 'Choose another password than the present one.', 'new_password')
  }
  await checkPassword(needs, { user, password }, { act, ip, device: token_hash })
  const hashed = await turns.run({ known: true, owner: user }, () => hashPassword(new_password))
  return acting(needs.reads, { user, act, ip }, async tx => {
    // Of two changes at once, and of a change and a login link, the first ends this session.
    if (!(await confirmSession(tx, token_hash))) throw sessionOver()
    const own = { user, token_hash }
    return renew(tx, own, 'kept', undefined, as => upsertPassword(tx, user, hashed, as))
  })
}

/** Refuses like `logIn`. */
export async function confirm(
  needs: Needs,
  session: OwnSession,
  password: string,
  ip: string,
): Promise<void> {
  const { user, token_hash } = session
  const act = 'give password'
  await checkPassword(needs, { user, password }, { act, ip, device: token_hash })
  await acting(needs.reads, { user, act, ip }, async tx => {
    if (!(await confirmSession(tx, token_hash))) throw sessionOver()
  })
}

export async function logOut(
  { reads }: Needs,
  { user, token_hash }: OwnSession,
  ip: string,
): Promise<void> {
  await acting(reads, { user, act: 'log out', ip }, tx => endSession(tx, token_hash))
}

interface Tried {
  readonly act: string
  readonly ip: string
  /** Of the known device or the session; null of a stranger. */
  readonly device: Buffer | null
}

/** Refuses a wrong password, and one attempt too many. */
async function checkPassword(
  { reads, limits }: Needs,
  { user, password }: Credentials,
  { act, ip, device }: Tried,
): Promise<void> {
  const source = { user_name: user, network: networkOf(ip), device, means: 'password' as const }
  const giveBack = device === null ? countLogIn(limits, ip) : () => undefined
  const { refused, attempt } = await judge(reads, source, password).catch(error => {
    // What was not judged, as under load, is no wrong password.
    giveBack()
    throw error
  })
  if (refused === undefined) {
    giveBack()
    await forgetAttempts(reads, source)
    return
  }
  if (attempt !== undefined) {
    await acting(reads, { user: '', act, ip }, tx => keepRefused(tx, attempt, refused))
  }
  if (refused === 'too many attempts') throw tooMany()
  throw refusal('invalid_login', act === 'log in' ? WRONG_LOGIN : 'This is not your password.')
}

const WRONG_LOGIN = 'No user has this name and password.'

interface Judged {
  readonly refused: Parameters<typeof keepRefused>[2] | undefined
  /** Only the first attempt over the limit, so that others do not fill the history. */
  readonly attempt?: Attempt
}

/** At the attempt's turn: none is compared before it is counted. */
function judge(reads: Sql, source: Source, password: string): Promise<Judged> {
  const { user_name, network, device } = source
  const comer = { known: device !== null, owner: device === null ? network : user_name }
  const work = async (): Promise<Judged> => {
    const stored = await findPassword(reads, user_name)
    const attempt = await countAttempt(reads, source, MOST_ATTEMPTS)
    const excess = excessOf(attempt, MOST_ATTEMPTS)
    if (attempt === undefined || excess > 0) {
      return { refused: 'too many attempts', ...(excess === 1 && attempt && { attempt }) }
    }
    const matches = await passwordMatches(stored, password)
    return matches ? { refused: undefined } : { refused: 'wrong password', attempt }
  }
  return turns.run(comer, unlessLate(work))
}

/** By how many attempts there are too many; 0 or less for not too many. */
export function excessOf(attempt: Attempt | undefined, most: typeof MOST_ATTEMPTS): number {
  if (attempt === undefined) return Number.POSITIVE_INFINITY
  return Math.max(attempt.of_network - most.of_network, attempt.of_all - most.of_all)
}

/** On a known device or a new one. Refuses a user who may not work. */
export async function begin(
  tx: TransactionSql,
  user: string,
  known: string | undefined,
  proof?: Proof,
): Promise<LoggedIn> {
  const token = newToken('session')
  const session = await insertSession(tx, user, hashToken(token) as Buffer, proof)
  // Somebody has disabled the user since the password was read.
  if (session === undefined) throw refusal('invalid_login', WRONG_LOGIN)
  return onDevice(tx, token, session, known)
}

/**
 * Begins a session in place of the person's own. `work` gets the hash of its token, before its
 * device is known.
 */
export async function renew(
  tx: TransactionSql,
  { token_hash }: OwnSession,
  factor: Renewal['factor'],
  known: string | undefined,
  work: (as: Buffer) => Promise<unknown> = () => Promise.resolve(),
): Promise<LoggedIn> {
  const token = newToken('session')
  const as = hashToken(token) as Buffer
  const session = await renewSession(tx, { of: token_hash, as, factor })
  if (session === undefined) throw sessionOver()
  await work(as)
  return onDevice(tx, token, session, known)
}

async function onDevice(
  tx: TransactionSql,
  token: string,
  session: Session,
  known: string | undefined,
): Promise<LoggedIn> {
  if (session.lacks === 'code') return { token, device: undefined, session }
  const device = known ?? newToken('device')
  await upsertDevice(tx, session.user_name, hashToken(device) as Buffer)
  return { token, device, session }
}

/** The audit log has the changes under the user's name. */
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

function sessionOver(): Refusal {
  return refusal('session_over', 'The session is over; log in again.')
}

function wrongLink(): Refusal {
  return refusal('invalid_login', 'This link is spent or too old; ask an operator for another.')
}

export function tooMany(what = 'passwords'): Refusal {
  const message = `Too many wrong ${what} for this user; wait ${ATTEMPT_MINUTES} minutes.`
  return rateLimited(message, ATTEMPT_MINUTES * 60)
}

/** A hash takes 19 MiB and tens of milliseconds of processor time. */
const MOST_AT_ONCE = 2
/** The most log-ins that wait, of known users and of strangers alike. */
const MOST_WAITING = 30

interface Waiting {
  begin(): void
  refuse(reason: unknown): void
}

/** A full line refuses the last log-in of the owner with the most places. */
class Line {
  /** Oldest first, by owner, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  #count = 0

  join(owner: string): Promise<void> {
    const own = this.#waiting.get(owner) ?? []
    if (this.#count >= MOST_WAITING) this.#makeRoom(own.length + 1)
    return new Promise((begin, refuse) => {
      own.push({ begin, refuse })
      this.#waiting.set(owner, own)
      this.#count += 1
    })
  }

  /** Undefined when nobody waits. */
  next(): Waiting | undefined {
    for (const [owner, [first, ...others]] of this.#waiting) {
      this.#waiting.delete(owner)
      if (others.length > 0) this.#waiting.set(owner, others)
      this.#count -= 1
      return first
    }
    return undefined
  }

  /** For an owner who would have `places`; else refuses that owner. */
  #makeRoom(places: number): void {
    let most: Waiting[] = []
    for (const waiting of this.#waiting.values()) if (waiting.length > most.length) most = waiting
    if (most.length <= places) throw tooManyAtOnce()
    most.pop()?.refuse(tooManyAtOnce())
    this.#count -= 1
  }
}

/** A known user, or a stranger from a network. */
interface Comer {
  readonly known: boolean
  readonly owner: string
}

export class Turns {
  readonly #known = new Line()
  readonly #strangers = new Line()
  #running = 0
  #wasKnown = false

  /** Refuses (503) at once, before any work, when the line is full. */
  async run<T>({ known, owner }: Comer, work: () => Promise<T>): Promise<T> {
    if (this.#running < MOST_AT_ONCE) this.#running += 1
    else await (known ? this.#known : this.#strangers).join(owner)
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next === undefined) this.#running -= 1
      else next.begin()
    }
  }

  /** First a known one, then a stranger: neither line stops the other. */
  #next(): Waiting | undefined {
    const first = this.#wasKnown ? this.#strangers : this.#known
    const second = this.#wasKnown ? this.#known : this.#strangers
    const of_first = first.next()
    this.#wasKnown = (of_first === undefined ? second : first) === this.#known
    return of_first ?? second.next()
  }
}

function tooManyAtOnce() {
  return refusal('service_unavailable', 'Too many people log in at once; try again.')
}

export const turns = new Turns()
