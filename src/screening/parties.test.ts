// The queries about beneficiaries and entities, and the changes that make another query.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalDestination } from '../parties/beneficiary/destination.ts'
import type { BeneficiaryRequest } from '../parties/beneficiary/request.ts'
import type { EntityRecord } from '../parties/entity/entity.ts'
import { partiesOf } from './parties.ts'

const beneficiary = {
  name: 'Eric Badege',
  type: 'individual',
  date_of_birth: '1971-01-01',
  address: { country: 'cd' },
  national_identification_number: 'A1234567',
} as const

test('partiesOf, beneficiary: birth date, country and ids, also under its local name', () => {
  const parties = partiesOf({ ...beneficiary, name_local: '陈大文' }, undefined)
  assert.deepEqual(
    parties.map(({ party, query }) => [party, query.name]),
    [
      ['beneficiary', 'Eric Badege'],
      ['beneficiary_local', '陈大文'],
    ],
  )
  assert.deepEqual(parties[0]?.query, {
    name: 'Eric Badege',
    kind: 'person',
    birth_date: '1971-01-01',
    countries: ['CD'],
    ids: [{ kind: 'national', number: 'A1234567', country: 'CD' }],
  })
})

test('partiesOf, entity: itself and each named representative', () => {
  const entity: EntityRecord = {
    type: 'business',
    details: {
      name: 'Harbour Trading Ltd',
      registration_number: '123456',
      registration_address: { country: 'HK' },
      representatives: [
        { first_name: 'Viktor', last_name: 'Bout', nationality: 'RU', date_of_birth: '1967-01-13' },
        { roles: ['director'] },
      ],
    },
  }
  const [, own, person, ...rest] = partiesOf(beneficiary, entity)
  assert.deepEqual(
    [own?.party, own?.query.kind, own?.query.countries],
    ['entity', 'organisation', ['HK']],
  )
  assert.deepEqual([person?.party, person?.query.name], ['representative_1', 'Viktor Bout'])
  assert.deepEqual(rest, [])
})

test('party digest: equal for equal data, different for another name, date or id', () => {
  const hashOf = (more: object) => partiesOf({ ...beneficiary, ...more }, undefined)[0]?.hash
  assert.equal(hashOf({}), hashOf({ email: 'eric@example.com' }))
  for (const more of [
    { name: 'Eric Badége' },
    { date_of_birth: '1972-01-01' },
    { national_identification_number: 'B1234567' },
    { address: { country: 'RW' } },
  ]) {
    assert.notEqual(hashOf({}), hashOf(more), JSON.stringify(more))
  }
})

test('partiesOf, beneficiary with a wallet: the address is an id under each of its names', () => {
  const deposit_address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
  const destination_details = {
    type: 'wallet',
    wallet: { type: 'tron', currency: 'USDT', deposit_address },
  } as const
  const paid = { ...beneficiary, name_local: '陈大文', destination_details }
  for (const { query } of partiesOf(paid, undefined)) {
    assert.deepEqual(query.ids.at(-1), { kind: 'wallet', number: deposit_address, country: '' })
  }
})

test('partiesOf, beneficiary with a bank: the bank is a party of its own, by name and BIC; bank without both: no party', () => {
  const of = (bank: object) => {
    const destination_details = { type: 'bank', bank: { currency: 'EUR', ...bank } } as const
    return partiesOf({ ...beneficiary, name_local: '陈大文', destination_details }, undefined)
  }
  const bank_codes = { swift_code: 'DEUTDEFF500', bic_code: 'COBADEFF' }
  const party = of({ bank_name: 'Harbour Bank', iban: 'de89370400440532013000', bank_codes }).at(-1)
  assert.equal(party?.party, 'bank')
  assert.deepEqual(party?.query, {
    name: 'Harbour Bank',
    kind: 'bank',
    birth_date: '',
    countries: ['DE'],
    ids: ['DEUTDEFF500', 'COBADEFF'].map(number => ({ kind: 'bank', number, country: '' })),
  })
  assert.equal(of({ bank_codes: { bic: 'COBADEFF' } }).at(-1)?.party, 'bank')
  assert.equal(of({ account_number: '1', bank_codes: { bank_code: '004' } }).length, 2)
})

test('partiesOf, invalid date of birth: unknown date', () => {
  const [party] = partiesOf({ ...beneficiary, date_of_birth: 'soon' }, undefined)
  assert.equal(party?.query.birth_date, '')
})

test('partiesOf, codes of the destination in another spelling than stored: same parties, same hashes', () => {
  const bank = { iban: 'de89 3704 0044 0532 0130 00', bank_codes: { bic: 'deutdeff' } }
  const deposit_address = ' 0x52908400098527886E0F7030069857D2\u200bE4169EE7'
  const destinations: readonly BeneficiaryRequest['destination_details'][] = [
    { type: 'bank', bank },
    { type: 'wallet', wallet: { deposit_address } },
  ]
  for (const destination_details of destinations) {
    const sent = { ...beneficiary, destination_details }
    const stored = { ...sent, destination_details: canonicalDestination(destination_details) }
    assert.notDeepEqual(stored, sent)
    assert.deepEqual(partiesOf(sent, undefined), partiesOf(stored, undefined))
  }
})
