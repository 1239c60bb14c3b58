// What a text of a search is read as: one row for each way to write it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Asked, readSearch } from './rules.ts'

type Read = Partial<Pick<Asked, 'id' | 'uetr' | 'account' | 'email' | 'name'>>

const TEXTS: readonly (readonly [text: string, read: Read])[] = [
  [' pot_1k0yfdx07fy0001rjtzy ', { id: 'pot_1k0yfdx07fy0001rjtzy' }],
  ['POT_1K0YFDX07FY0001RJTZY', { id: 'pot_1k0yfdx07fy0001rjtzy' }],
  ['EB6305C9-1F7F-49DE-AED0-16487C27B42D', { uetr: 'eb6305c9-1f7f-49de-aed0-16487c27b42d' }],
  ['de89 3704 0044 0532 0130 00', { account: 'DE89370400440532013000' }],
  ['•• 3000', { account: '3000' }],
  ['xxxx-3000', { account: '3000' }],
  ['…3000', { account: '3000' }],
  ['3000', { account: '3000' }],
  ['300', {}],
  ['0012-3456', { account: '00123456' }],
  ['XK051212012345678906', { account: 'XK051212012345678906' }],
  ['ann@example.com', { account: 'ANN@EXAMPLE.COM', email: 'ann@example.com' }],
  ['Anna Müller', { name: 'x' }],
  ['Unit 2041 Ltd', { name: 'x' }],
  ['INV-2041-7', { account: 'INV20417' }],
  ['港口', { name: 'x' }],
  ['1,250.50', {}],
  ['1250.5 EUR', {}],
  ['1250 ABC', { name: 'x' }],
  ['EUR 5 USD', { name: 'x' }],
]

for (const [text, read] of TEXTS) {
  const kinds = Object.keys(read).join(' and ') || 'neither id, account nor name'
  test(`readSearch, ${JSON.stringify(text)}: ${kinds}`, () => {
    const { id, uetr, account, email, name, reference } = readSearch(text)
    const wanted = { id: '', uetr: '', account: '', email: '', name: '', ...read }
    assert.equal(reference, text.trim())
    assert.deepEqual(
      { id, uetr, account, email, name },
      { ...wanted, name: wanted.name && reference },
    )
  })
}

/** The amounts in euros, yen and Kuwaiti dinars; none is left out. */
const AMOUNTS: readonly (readonly [text: string, eur: bigint[], jpy: bigint[], kwd: bigint[]])[] = [
  ['1250.5', [125_050n], [], [1_250_500n]],
  ['1,250.50', [125_050n], [], [1_250_500n]],
  ['1.250,50', [125_050n], [], [1_250_500n]],
  ['1 250,50', [125_050n], [], [1_250_500n]],
  ["1'250.50", [125_050n], [], [1_250_500n]],
  ['12,50,000.50', [125_000_050n], [], [1_250_000_500n]],
  ['1250', [125_000n], [1_250n], [1_250_000n]],
  ['1,250', [125n, 125_000n], [1_250n], [1_250n, 1_250_000n]],
  ['1,255', [125_500n], [1_255n], [1_255n, 1_255_000n]],
  ['1,250,000', [125_000_000n], [1_250_000n], [1_250_000_000n]],
  ['1250.505', [], [], [1_250_505n]],
  ['1250.50 EUR', [125_050n], [], []],
  ['eur1250.50', [125_050n], [], []],
  ['€ 1250.50', [125_050n], [], []],
  ['¥1250', [125_000n], [1_250n], [1_250_000n]],
  ['jpy 1250.00', [], [1_250n], []],
  ['0', [], [], []],
  ['1.2.3', [], [], []],
  ['1,250.50,1', [], [], []],
  ['1250.', [], [], []],
  ['-5', [], [], []],
  ['99999999999999999999', [], [], []],
]

for (const [text, eur, jpy, kwd] of AMOUNTS) {
  test(`readSearch, ${JSON.stringify(text)}: the amounts that it may mean, in minor units`, () => {
    const { amounts } = readSearch(text)
    const of = (code: string) =>
      amounts.filter(({ currency }) => currency === code).map(({ amount }) => amount)
    assert.deepEqual([of('EUR'), of('JPY'), of('KWD')], [eur, jpy, kwd])
  })
}

test('readSearch, any text of 200 characters: read at once', () => {
  for (const character of ['1', ',', ' ', "'", 'x', '1,', '•', '1 ']) {
    assert.ok(readSearch(character.repeat(200).slice(0, 200)).amounts.length < 400)
  }
})
