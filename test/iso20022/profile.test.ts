// Bank profiles as data: those that are shipped, those of operators on top of them, and every problem
// of one at once. And what a code means, in the standard and in the bank's dialect.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProfile, SHIPPED_PROFILES } from '../../src/adapters/iso20022/profile.ts'
import shipped from '../../src/adapters/iso20022/profiles.json' with { type: 'json' }
import { meaningOf } from '../../src/adapters/iso20022/status.ts'
import { profile } from './given.ts'

test("bank profiles, each built-in one: loads by its name, valid as an operator's profile", () => {
  assert.deepEqual(SHIPPED_PROFILES, ['generic', 'sepa', 'swiss', 'rejections-only'])
  for (const [name, written] of Object.entries(shipped)) {
    assert.equal(profile(name).name, name)
    assert.deepEqual(readProfile({ ...written, name }).value, profile(name))
  }
})

test('bank profile "generic": no settlement, resending or silence rule unless set', () => {
  const { settles_on, resend_is_safe, silent_after_days, address, iso20022 } = profile('generic')
  assert.deepEqual(
    [settles_on, resend_is_safe, silent_after_days, address, iso20022?.pain001],
    ['booked', false, null, 'town_and_country', 'pain.001.001.09'],
  )
})

test('bank profile of an operator: its values replace those of its base', () => {
  const mine = profile({
    name: 'My bank',
    about: 'as agreed in May',
    like: 'sepa',
    meanings: { ACWC: 'cancelled' },
    most_amount: '250000.00',
    iso20022: { local_instrument: 'INST' },
  })
  assert.deepEqual(mine, {
    ...profile('sepa'),
    name: 'My bank',
    meanings: { ACWC: 'cancelled' },
    most_amount: '250000.00',
    iso20022: { ...profile('sepa').iso20022, local_instrument: 'INST' },
  })
})

test('bank profile with many faults: all named at once, with the likely names', () => {
  const { messages } = readProfile({
    like: 'generik',
    settles_on: 'book',
    meanings: { ACWC: 'gone', 'A-B': 'received' },
    silent_after_days: 0,
    batch_booking: 'no',
    most_item: 5,
    most_items: 1.5,
    most_amount: 250_000,
    resend_is_safe: 1,
    character_set: 'utf16',
    address: null,
    iso20022: { pain001: 'pain.001.003.03', service_level: 'sepa!', bic: 'X' },
    nacha: {},
    __proto__: null,
  })
  assert.deepEqual(messages, [
    'unknown profile generik; the profiles are generic, sepa, swiss, rejections-only; did you mean generic?',
    'name: a profile has a name',
    'settles_on: must be one of accepted, acsc, booked; did you mean booked?',
    'meanings: must be codes of 1 to 35 letters and digits, and not A-B',
    'silent_after_days: must be a whole number from 1 to 60, or null',
    'batch_booking: must be true or false',
    'most_item: there is no such member; did you mean most_items?',
    'most_items: must be a whole number from 1 to 100000',
    'most_amount: must be a positive decimal as text, such as "250000.00", or null',
    'resend_is_safe: must be true or false',
    'character_set: must be one of swift, latin, utf8',
    'address: must be one of town_and_country, if_complete, any',
    'iso20022.pain001: must be one of pain.001.001.03, pain.001.001.09; did you mean pain.001.001.03?',
    'iso20022.service_level: must be a code of up to four capital letters and digits, or ""',
    'iso20022.bic: there is no such member',
    'nacha: this is a profile of ISO 20022',
  ])
  assert.deepEqual(readProfile(null).messages, ['a profile is an object, or a name'])
  assert.deepEqual(readProfile({ name: 'x', meanings: { A: 'gone' } }).messages?.length, 1)
})

test("meaning of a status code: the bank's own, else the standard's; unknown code: none", () => {
  assert.equal(meaningOf('ACWC', profile('generic').meanings), 'accepted')
  assert.equal(meaningOf('ACWC', profile('rejections-only').meanings), 'cancelled')
  for (const code of ['ZZZZ', '', 'constructor', 'rjct'])
    assert.equal(meaningOf(code, {}), 'nothing')
})
