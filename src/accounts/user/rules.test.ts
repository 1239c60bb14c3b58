// Who may run a command, and which names users may have: each rule as a table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type AccountNeed,
  indexPeople,
  mayRunInstallation,
  readCaller,
  refuseCommand,
  refuseFirst,
  rolesAllow,
} from './rules.ts'
import type { AccountRole, User, UserRole } from './user.ts'

const AT = '2026-11-23T08:00:00.000000Z'

function user(name: string, role: User['role'], disabled_reason = ''): User {
  const disabled_at = disabled_reason === '' ? null : AT
  return { name, full_name: name, email: '', role, created_at: AT, disabled_at, disabled_reason }
}

const USERS = [
  user('ada', 'operator'),
  user('grace', 'auditor'),
  user('mary', 'member'),
  user('alan', 'operator', 'Left'),
]

const CALLERS: readonly (readonly [
  what: string,
  users: readonly User[],
  caller: string | { login: string },
  found: RegExp | UserRole,
])[] = [
  ['anyone with the database, no users yet', [], { login: 'root' }, 'operator'],
  ['anyone named, no users yet', [], 'ada', 'operator'],
  ['an operator', USERS, 'ada', 'operator'],
  ['an auditor', USERS, 'grace', 'auditor'],
  ['a member', USERS, 'mary', 'member'],
  ["a log-in equal to a user's name", USERS, { login: 'ada' }, /set CORRIDOR_USER/],
  ['nobody', USERS, '', /set CORRIDOR_USER/],
  ['a mistyped name', USERS, 'adda', /no user "adda".*ada/],
  ['a disabled user', USERS, 'alan', /alan is disabled: Left/],
]

for (const [what, users, caller, found] of CALLERS) {
  test(`user commands, run by ${what}`, () => {
    const named = typeof caller === 'string'
    const read = readCaller(users, {
      user: named ? caller : caller.login,
      user_is_login: !named,
    })
    if (typeof found === 'string') assert.deepEqual(read, { value: found })
    else assert.match(read.messages?.join() ?? '', found)
  })
}

test('refuseFirst, no users yet: the first user must be an operator', () => {
  assert.match(refuseFirst([], 'auditor') ?? '', /the first user is an operator/)
  assert.equal(refuseFirst([], 'operator'), undefined)
  assert.equal(refuseFirst(USERS, 'auditor'), undefined)
})

const NEEDS: readonly (readonly [AccountRole, readonly AccountNeed[]])[] = [
  ['viewer', ['read']],
  ['maker', ['read', 'write']],
  ['approver', ['read', 'approve']],
  ['owner', ['read', 'own']],
]

for (const [role, may] of NEEDS) {
  for (const needed of ['read', 'write', 'approve', 'operator', 'own'] as const) {
    test(`user role ${role}, permission ${needed} asked for: ${may.includes(needed) ? 'granted' : 'refused'}`, () => {
      assert.equal(rolesAllow([role], needed), may.includes(needed))
    })
  }
}

test('user with several roles: has the permissions of each role; user with no role: has none', () => {
  assert.ok(
    rolesAllow(['maker', 'approver'], 'write') && rolesAllow(['viewer', 'approver'], 'approve'),
  )
  assert.ok(!rolesAllow([], 'read'))
})

test('installation permissions: operators read and change the installation, auditors read it, members do neither', () => {
  const may = (['operator', 'auditor', 'member'] as const).map(role =>
    (['read', 'write'] as const).map(needed => mayRunInstallation(role, needed)),
  )
  assert.deepEqual(may, [
    [true, true],
    [true, false],
    [false, false],
  ])
})

test('account member, command line: only commands that ask for a role on the account', () => {
  assert.equal(refuseCommand('mary', 'member', 'payout approve'), undefined)
  assert.match(refuseCommand('mary', 'member', 'fund') ?? '', /mary is a member/)
  assert.equal(refuseCommand('grace', 'auditor', 'fund'), undefined)
})

test('indexPeople, users of an installation: the enabled ones, with their roles by account', () => {
  const people = indexPeople(USERS, [
    { user_name: 'mary', account_id: 'acc_a', role: 'maker' },
    { user_name: 'mary', account_id: 'acc_b', role: 'approver' },
    { user_name: 'mary', account_id: 'acc_b', role: 'maker' },
    { user_name: 'alan', account_id: 'acc_a', role: 'maker' },
  ])
  assert.deepEqual([...people.keys()], ['ada', 'grace', 'mary'])
  assert.deepEqual(people.get('mary')?.roles.get('acc_b'), ['approver', 'maker'])
  assert.equal(people.get('ada')?.roles.size, 0)
})
