// What groups of the provider give, as the operator's list says, and names for new users.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesFrom, readGroupRoles, rolesOfGroups } from './group-roles.ts'

const TEXT = 'pay ops=operator; readers = auditor;till=acc_7k2m9x4q:maker;till=acc_7k2m9x4q:viewer'
const GIVEN = readGroupRoles(TEXT) ?? []

test('list of groups and roles: read with names that have blanks', () => {
  assert.deepEqual(GIVEN, [
    { group: 'pay ops', role: 'operator' },
    { group: 'readers', role: 'auditor' },
    { group: 'till', account_id: 'acc_7k2m9x4q', role: 'maker' },
    { group: 'till', account_id: 'acc_7k2m9x4q', role: 'viewer' },
  ])
})

for (const text of [
  'a',
  'a=',
  '=operator',
  'a=member',
  'a=maker',
  'a=acc_1:maker',
  'a=acc_7k2m9x4q:king',
]) {
  test(`list of groups and roles, ${text}: refused`, () => {
    assert.equal(readGroupRoles(text), undefined)
  })
}

test('roles of groups: the highest in the installation, each on an account once; none for none', () => {
  assert.deepEqual(rolesOfGroups(['readers', 'pay ops'], GIVEN), { role: 'operator', accounts: [] })
  assert.deepEqual(rolesOfGroups(['till', 'other'], GIVEN), {
    role: 'member',
    accounts: [
      { account_id: 'acc_7k2m9x4q', role: 'maker' },
      { account_id: 'acc_7k2m9x4q', role: 'viewer' },
    ],
  })
  for (const groups of [[], ['Till'], ['till ']]) {
    assert.equal(rolesOfGroups(groups, GIVEN), undefined)
  }
})

test('names of a new user: small letters of what the provider says, then numbered', () => {
  const first = (called: string) => namesFrom(called)[0]
  assert.equal(first('Ada.Lovelace@example.com'), 'ada.lovelace')
  assert.equal(first('Zoë'), 'zoe')
  assert.equal(first('7 of 9'), 'of9')
  for (const text of ['', '数', 'a']) assert.equal(first(text), 'person')
  assert.equal(namesFrom('ada')[1], 'ada-2')
  for (const name of namesFrom('x'.repeat(99))) assert.match(name, /^[a-z][a-z0-9._-]{1,39}$/)
})
