// People accept invitations of an account's owner, as new users or as those who are logged in. The
// roles are given in the owner's name, who then counts as having given them.
import {
  acceptInvitation,
  findInvitation,
  type Invitation,
} from '../../accounts/user/invitation-store.ts'
import { hashPassword } from '../../accounts/user/password.ts'
import { hashToken } from '../../accounts/user/session.ts'
import { upsertPassword } from '../../accounts/user/session-store.ts'
import { insertAccountRole, insertUser } from '../../accounts/user/store.ts'
import { SERVICE } from '../../accounts/user/user.ts'
import { countLogIn } from '../../http/limits.ts'
import { writeAs } from '../../ledger/audit/store.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { refusal } from '../../values/errors.ts'
import { acting, begin, type LoggedIn, type Needs as LogInNeeds, turns } from './operations.ts'

export interface Needs extends LogInNeeds {
  /** New users and roles count once the reference data is read again. */
  readonly reference: { refresh(): Promise<void> }
}

export interface NewPerson {
  readonly token: string
  readonly user: string
  readonly full_name: string
  readonly password: string
}

type Open = Pick<Invitation, 'account_id' | 'email' | 'roles' | 'invited_by'>

/** The open invitation of a token. Refuses (401) every other token. */
export async function openInvitation(
  { reads, limits }: LogInNeeds,
  token: string,
  ip: string,
): Promise<Open> {
  const giveBack = countLogIn(limits, ip)
  const hash = hashToken(token)
  const invitation = hash && (await findInvitation(reads, hash))
  if (invitation === undefined) throw wrongInvitation()
  giveBack()
  return invitation
}

/** Makes a user, with a password and the roles, and logs in. Refuses (400) a name once given. */
export async function acceptAsNew(
  needs: Needs,
  { token, user, full_name, password }: NewPerson,
  ip: string,
): Promise<LoggedIn> {
  const invitation = await openInvitation(needs, token, ip)
  if (user === SERVICE) throw taken(user)
  const comer = { known: true, owner: `invitations by ${invitation.invited_by}` }
  const hashed = await turns.run(comer, () => hashPassword(password))
  const { email } = invitation
  const loggedIn = await inOwnersName(needs, invitation, ip, async tx => {
    const person = { name: user, full_name, role: 'member' as const, email }
    if (!(await insertUser(tx, person).catch(refuseSecondEmail))) throw taken(user)
    await give(tx, invitation, token, user)
    const via = `api from ${ip}`
    void writeAs(tx, { operator: user, act: 'accept invitation', via, origin: {} })
    await upsertPassword(tx, user, hashed)
    return begin(tx, user, undefined)
  })
  await needs.reference.refresh()
  return loggedIn
}

/** Gives the roles to a user who is logged in. Refuses (409) the owner's own invitation. */
export async function acceptAs(
  needs: Needs,
  user: string,
  token: string,
  ip: string,
): Promise<Open> {
  const invitation = await openInvitation(needs, token, ip)
  if (invitation.invited_by === user) {
    throw refusal('invalid_transition', 'This invitation is yours: give it to somebody else.')
  }
  await inOwnersName(needs, invitation, ip, tx => give(tx, invitation, token, user))
  await needs.reference.refresh()
  return invitation
}

function inOwnersName<T>(
  { reads }: LogInNeeds,
  { invited_by }: Open,
  ip: string,
  work: (tx: TransactionSql) => Promise<T>,
): Promise<T> {
  return acting(reads, { user: invited_by, act: 'accept invitation', ip }, work)
}

async function give(tx: TransactionSql, { account_id, roles }: Open, token: string, user: string) {
  const hash = hashToken(token)
  if (hash === undefined || !(await acceptInvitation(tx, hash, user))) throw wrongInvitation()
  for (const role of roles) await insertAccountRole(tx, { user_name: user, account_id, role })
}

function wrongInvitation() {
  const message = 'This invitation is over, or was used; ask for another.'
  return refusal('invalid_login', message)
}

function taken(user: string) {
  return refusal('invalid_field', `There is a user ${user}, and names are given once.`, 'user')
}

function refuseSecondEmail(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'users_email_once') throw error
  const message = 'You are a user already: log in, and open the invitation again.'
  throw refusal('invalid_field', message, 'user')
}
