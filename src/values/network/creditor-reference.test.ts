// Creditor references: the check digits of each kind, and which accounts take which kind.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bareReference, pairingFault, referenceFault, referenceKind } from './creditor-reference.ts'

// Examples that the standards print.
for (const [what, text, kind, stored] of [
  ['SIX’s QRR', '21 00000 00003 13947 14300 09017', 'QRR', '210000000003139471430009017'],
  ['ISO’s SCOR', 'RF18 5390 0754 7034', 'SCOR', 'RF18539007547034'],
  ['a SCOR with letters, lower case', 'rf84 inv2 041a', 'SCOR', 'RF84INV2041A'],
  ['a Belgian one, with its punctuation', '+++090/9337/55493+++', 'BBA', '090933755493'],
  ['a Belgian one, with asterisks', '***010/8068/17183***', 'BBA', '010806817183'],
] as const) {
  test(`creditor reference, ${what}: read as ${kind}`, () => {
    const bare = bareReference(text)
    assert.deepEqual([bare, referenceKind(bare)], [stored, kind])
    assert.equal(referenceFault(bare), undefined)
  })

  test(`creditor reference, ${what}, any digit changed: refused`, () => {
    for (const [i, digit] of Array.from(stored).entries()) {
      if (!/[0-9]/.test(digit)) continue
      const changed = stored.slice(0, i) + ((Number(digit) + 1) % 10) + stored.slice(i + 1)
      assert.match(referenceFault(changed) ?? '', /do not hold/, changed)
    }
  })
}

test('creditor reference of no known kind: refused', () => {
  for (const text of ['', 'Invoice 17', '0'.repeat(26), 'RF18', `RF18${'1'.repeat(22)}`, '1234']) {
    assert.match(referenceFault(text) ?? '', /Not a creditor reference/, text)
  }
  assert.match(referenceFault('0'.repeat(27)) ?? '', /do not hold/)
})

const QRR = '210000000003139471430009017'
const [QR_IBAN, OF_LI, PLAIN] = [
  'CH4431999123000889012',
  'LI6330000000000000000',
  'CH9300762011623852957',
]

for (const [what, reference, iban, fault] of [
  ['a QRR to a QR-IBAN', QRR, QR_IBAN, undefined],
  ['a QRR to a QR-IBAN of Liechtenstein', QRR, OF_LI, undefined],
  ['none to a QR-IBAN', '', QR_IBAN, /only with a QRR/],
  ['a SCOR to a QR-IBAN', 'RF18539007547034', QR_IBAN, /only with a QRR/],
  ['a QRR to an ordinary IBAN', QRR, PLAIN, /belongs to a QR-IBAN/],
  ['a QRR without an IBAN', QRR, '', /belongs to a QR-IBAN/],
  ['a SCOR to an ordinary IBAN', 'RF18539007547034', PLAIN, undefined],
  ['none to an ordinary IBAN', '', PLAIN, undefined],
] as const) {
  test(`creditor reference with an account, ${what}: ${fault === undefined ? 'accepted' : 'refused'}`, () => {
    if (fault === undefined) assert.equal(pairingFault(reference, iban), undefined)
    else assert.match(pairingFault(reference, iban) ?? '', fault)
  })
}
