// Reads a list's country, by its code or by any name that lists use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import { countryOf, idOf, withIdsInText } from './format.ts'

/** The first name of each line is the one in Node's own data. */
const NAMED: readonly (readonly [code: string, ...names: readonly string[]])[] = [
  ['BN', 'Brunei'],
  ['CF', 'Central African Republic'],
  ['CI', 'Côte d’Ivoire', "Cote d'Ivoire", 'Ivory Coast'],
  ['CV', 'Cape Verde'],
  ['GB', 'United Kingdom', 'UK', 'Great Britain'],
  ['IR', 'Iran', 'IRAN (ISLAMIC REPUBLIC OF)', 'ir'],
  ['KP', 'North Korea', 'Korea, North', "Democratic People's Republic of Korea"],
  ['KR', 'South Korea', 'Republic of Korea'],
  ['LY', 'Libya', 'Libyan Arab Jamahiriya'],
  ['RU', 'Russia', 'Russian Federation'],
  ['SY', 'Syria', 'Syrian Arab Republic'],
  ['', 'undetermined', 'Soviet Union', ''],
]

test('country of a list entry: found by its code and by each name in use', () => {
  for (const [code, ...names] of NAMED) {
    for (const name of names) assert.equal(countryOf(name), code, name)
  }
})

const record = (text: string): XmlNode => ({
  name: 'remarks',
  namespace: '',
  is_leaf: true,
  text,
  attributes: {},
  children: [],
  parent: undefined,
  line: 1,
})

test('BIC in the remarks of a listed bank: one of its ids', () => {
  const named = (text: string) => ({ names: [{ text, weak: false }], ids: [] }) as never
  const idsOf = (name: string, text: string) => withIdsInText(named(name), record(text)).ids
  const bic = { kind: 'bank', number: 'CMSYSYDA', country: '' }
  for (const text of [
    'SWIFT/BIC CMSYSYDA; all offices worldwide.',
    'Its SWIFT code: CMSYSYDA.',
    'BIC is CMSYSYDA',
    'SWIFT/BIC CMSYSYDA (Damascus); SWIFT/BIC CMSYSYDA',
  ]) {
    assert.deepEqual(idsOf('Norwind Bank', text), [bic], text)
  }
  for (const text of ['CMSYSYDA', 'SWIFT payments, MANAGERS', 'SWIFT code unknown: CMSYXXDA']) {
    assert.deepEqual(idsOf('Norwind Bank', text), [], text)
  }
  assert.deepEqual(idsOf('Norwind Relief', 'Account at BIC CMSYSYDA'), [], 'the bank of an account')
})

test('list entry with a BIC as id: stored as the id of a bank, under any label', () => {
  for (const words of ['SWIFT/BIC', 'swiftbic SWIFT BIC', 'BIC']) {
    assert.deepEqual(idOf(words, 'HNRB BY 2X', 'Belarus'), [
      { kind: 'bank', number: 'HNRBBY2X', country: '' },
    ])
    assert.deepEqual(idOf(words, 'unknown', ''), [])
  }
})
