// Reads a list's country, by its code or by any name that lists use.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countryOf } from './format.ts'

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

test('a country of a list: by its code, and by each name that lists give it', () => {
  for (const [code, ...names] of NAMED) {
    for (const name of names) assert.equal(countryOf(name), code, name)
  }
})
