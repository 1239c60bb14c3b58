// Tests by which words and values a list finds a person, and by which it does not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foundBy, pairText, partsOf, type SearchFilters, type SearchValues } from './found-by.ts'

const PERSON: SearchValues = {
  email: 'Anna@Harbour.example',
  account: 'DE89 3704-0044 0532 0130 00',
  metadata: { order: '2041' },
  names: ['Ánna-Maria  Müller & Søn', '港口贸易'],
}

const CASES: readonly (readonly [SearchFilters, boolean])[] = [
  [{ name: ['anna'] }, true],
  [{ name: ['MARIA mull'] }, true],
  [{ name: ['müller, anna'] }, true],
  [{ name: ['son'] }, true],
  [{ name: ['港口'] }, true],
  [{ name: ['uller'] }, false],
  [{ name: ['anna smith'] }, false],
  [{ name: ['&'] }, false],
  [{ name: ['harbour'] }, false],
  [{ email: ['ANNA@harbour.example'] }, true],
  [{ email: ['anna@harbour'] }, false],
  [{ account_number: ['de89370400440532013000'] }, true],
  [{ account_number: ['DE8937040044053201300'] }, false],
  [{ account_ending: ['0130 00'] }, true],
  [{ account_ending: ['01300'] }, false],
  [{ metadata: [pairText(['order', '2041'])] }, true],
  [{ metadata: [pairText(['order', '204'])] }, false],
  [{ name: ['anna'], email: ['other@harbour.example'] }, false],
]

for (const [asked, found] of CASES) {
  test(`search text foundBy, search for ${JSON.stringify(asked)}: ${found ? 'found' : 'not found'}`, () => {
    const text = foundBy(PERSON)
    assert.equal(
      partsOf(asked).every(part => text.includes(part)),
      found,
    )
  })
}

test('search text foundBy, empty name: no words; longest name: fits an index entry', () => {
  assert.equal(foundBy({ ...PERSON, names: ['', undefined] }), '')
  const long = foundBy({ ...PERSON, names: ['港'.repeat(255), '𝄞a '.repeat(255)] })
  assert.ok(Buffer.byteLength(long) <= 2_400)
  const many = Array.from({ length: 50 }, (_, i) => [`key${i}`, 'x'.repeat(500)])
  const pairs = foundBy({ ...PERSON, metadata: Object.fromEntries(many) })
  assert.ok(Buffer.byteLength(pairs) <= 2_400 && pairs.includes(' anna'))
})
