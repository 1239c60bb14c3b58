// Who may run a command, and which names there are: each rule as a table.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCaller, readUserName, refuseFirst } from './rules.ts'
import type { User } from './user.ts'

const AT = '2026-11-23T08:00:00.000000Z'

function user(name: string, role: User['role'], disabled_reason = ''): User {
  const disabled_at = disabled_reason === '' ? null : AT
  return { name, full_name: name, role, created_at: AT, disabled_at, disabled_reason }
}

const USERS = [user('ada', 'operator'), user('grace', 'auditor'), user('alan', 'operator', 'Left')]

const CALLERS: readonly (readonly [
  what: string,
  users: readonly User[],
  caller: string | { login: string },
  found: RegExp | 'operator' | 'auditor',
])[] = [
  ['no users: whoever has the database', [], { login: 'root' }, 'operator'],
  ['no users: whoever is named', [], 'ada', 'operator'],
  ['an operator', USERS, 'ada', 'operator'],
  ['an auditor', USERS, 'grace', 'auditor'],
  ['a log-in, though a user has its name', USERS, { login: 'ada' }, /set CORRIDOR_USER/],
  ['nobody', USERS, '', /set CORRIDOR_USER/],
  ['a slip', USERS, 'adda', /no user "adda".*ada/],
  ['a disabled user', USERS, 'alan', /alan is disabled: Left/],
]

for (const [what, users, caller, found] of CALLERS) {
  test(`a command is run by ${what}`, () => {
    const named = typeof caller === 'string'
    const read = readCaller(users, {
      user: named ? caller : caller.login,
      user_is_login: !named,
    })
    if (typeof found === 'string') assert.deepEqual(read, { value: found })
    else assert.match(read.messages?.join() ?? '', found)
  })
}

for (const name of ['ada', 'a1', 'ada.lovelace', 'ada-l_2', `a${'b'.repeat(39)}`]) {
  test(`${name} is a name`, () => assert.deepEqual(readUserName(name), { value: name }))
}

for (const name of ['', 'a', 'Ada', '1a', '.ada', 'ada lovelace', 'adä', `a${'b'.repeat(40)}`]) {
  test(`"${name}" is no name`, () => assert.ok(readUserName(name).messages))
}

test('the first user is an operator', () => {
  assert.match(refuseFirst([], 'auditor') ?? '', /the first user is an operator/)
  assert.equal(refuseFirst([], 'operator'), undefined)
  assert.equal(refuseFirst(USERS, 'auditor'), undefined)
})
