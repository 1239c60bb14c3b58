// Logs in whom the provider of log-ins names. A person is the provider's subject, never an e-mail
// address or a name: what a claim asserts takes over no user. Groups decide the roles, each time.
import {
  type GroupRole,
  namesFrom,
  type RolesOfGroups,
  rolesOfGroups,
} from '../../accounts/user/group-roles.ts'
import {
  findIdentity,
  findRoles,
  type Identity,
  insertIdentity,
  isEmailFree,
} from '../../accounts/user/identity-store.ts'
import { endSession, endSessions } from '../../accounts/user/session-store.ts'
import {
  deleteAccountRole,
  insertAccountRole,
  insertUser,
  updateRole,
} from '../../accounts/user/store.ts'
import { SERVICE } from '../../accounts/user/user.ts'
import type { TransactionSql } from '../../sql/connect.ts'
import { refusal } from '../../values/errors.ts'
import { visible } from '../../values/text/visible.ts'
import { acting, begin, type From, knownDevice, type LoggedIn, type Needs } from './operations.ts'
import type { Claims } from './provider.ts'

interface ProviderNeeds extends Needs {
  /** New users and roles count once the reference data is read again. */
  readonly reference: {
    refresh(): Promise<void>
    current(): { readonly accounts: ReadonlyMap<string, unknown> }
  }
}

const ACT = 'log in by provider'

/** What the columns take. */
const MAX_SUBJECT = 255
const EMAIL = /^[^@\s]{1,64}@[^@\s]{1,255}$/

/** `own` is the hash of the session that the person has, and leaves. */
export async function logInByProvider(
  needs: ProviderNeeds,
  claims: Claims,
  given: readonly GroupRole[],
  from: From & { readonly own: Buffer | undefined },
): Promise<LoggedIn> {
  const { reads, reference } = needs
  const { ip, own } = from
  const { subject } = claims
  if (subject === '' || subject.length > MAX_SUBJECT) throw nobody()
  const roles = existing(needs, rolesOfGroups(claims.groups, given))
  const user = await acting(reads, { user: SERVICE, act: ACT, ip }, async tx => {
    const known = await findIdentity(tx, claims)
    const name = known ?? (roles && (await makeUser(tx, claims, roles.role)))
    if (name !== undefined) await setRoles(tx, name, roles ?? NO_ROLES)
    return name
  }).catch(refuseLastOperator)
  await reference.refresh()
  if (user === undefined || roles === undefined) throw nobody()
  const device = await knownDevice(needs, user, from.device)
  return acting(reads, { user, act: ACT, ip }, async tx => {
    if (own !== undefined) await endSession(tx, own)
    const { auth_time, has_factor } = claims
    return begin(tx, user, device, { by_provider: true, auth_time, has_factor })
  })
}

const NO_ROLES: RolesOfGroups = { role: 'member', accounts: [] }

/** Without accounts that do not exist. */
function existing({ reference }: ProviderNeeds, roles: RolesOfGroups | undefined) {
  const { accounts } = reference.current()
  return (
    roles && {
      ...roles,
      accounts: roles.accounts.filter(({ account_id }) => accounts.has(account_id)),
    }
  )
}

/** A new user by the name that is free. Refuses (503) of two first log-ins at once the second. */
async function makeUser(
  tx: TransactionSql,
  claims: Claims,
  role: RolesOfGroups['role'],
): Promise<string> {
  const { called, email } = claims
  const isFree = EMAIL.test(email) && (await isEmailFree(tx, email))
  const full_name = visible(claims.full_name).trim().slice(0, 200)
  for (const name of namesFrom(called)) {
    const person = { name, full_name: full_name || name, role }
    if (name === SERVICE || !(await insertUser(tx, { ...person, email: isFree ? email : '' })))
      continue
    const identity: Identity = claims
    if (await insertIdentity(tx, identity, name)) return name
    throw refusal('service_unavailable', 'Log in again in a second.')
  }
  throw refusal('service_unavailable', 'No name is free for you; ask an operator.')
}

/** Exactly these roles. Whoever has none left has no session left either. */
async function setRoles(tx: TransactionSql, name: string, wanted: RolesOfGroups): Promise<void> {
  const now = await findRoles(tx, name)
  const wants = (a: RolesOfGroups['accounts'], one: RolesOfGroups['accounts'][number]) =>
    a.some(({ account_id, role }) => account_id === one.account_id && role === one.role)
  if (now.role !== wanted.role) await updateRole(tx, name, wanted.role)
  for (const one of now.accounts) {
    if (!wants(wanted.accounts, one)) await deleteAccountRole(tx, { user_name: name, ...one })
  }
  for (const one of wanted.accounts) {
    if (!wants(now.accounts, one)) await insertAccountRole(tx, { user_name: name, ...one })
  }
  if (wanted === NO_ROLES) await endSessions(tx, name)
}

function nobody() {
  const message = 'None of your groups may do anything here; ask an operator of this installation.'
  return refusal('invalid_login', message)
}

function refuseLastOperator(error: unknown): never {
  const { constraint_name } = error as { constraint_name?: string }
  if (constraint_name !== 'one_operator_left') throw error
  throw refusal('invalid_login', 'The installation needs an operator; ask for another one first.')
}
