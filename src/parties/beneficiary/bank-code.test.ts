// Tests the codes of banks: published codes of real banks, and forms that differ a little from
// them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bankCode, bankCodeFault } from './bank-code.ts'

type Row = readonly [name: string, code: string, country?: string]

/** Codes published by the banks themselves, or by the bodies that issue the codes. */
const VALID: readonly Row[] = [
  ['swift_code', 'HSBCHKHH'],
  ['swift_code', 'HSBCHKHHHKH'],
  ['bic', 'DEUTDEFF500'],
  ['bic', 'CHASUS33', 'DE'],
  ['bic', 'NCBVXKPR'],
  ['bic', 'BNPAGFGX'],
  ['aba', '021000021'],
  ['aba', '011000015'],
  ['aba', '026009593'],
  ['aba', '111000025'],
  ['aba', '121000248'],
  ['aba', '121000358'],
  ['aba', '322271627'],
  ['routing_number', '021000021'],
  ['routing_number', '021000021', 'US'],
  ['routing_number', '021502011', 'PR'],
  ['routing_number', '000300002', 'CA'],
  ['sort_code', '601613', 'GB'],
  ['ifsc', 'SBIN0000001', 'IN'],
  ['ifsc', 'HDFC0CBANKX'],
  ['bsb', '062000', 'AU'],
  ['cnaps', '102100099996', 'CN'],
  ['transit_number', '00002', 'CA'],
  ['institution_number', '003', 'CA'],
  ['clabe', '032180000118359719', 'MX'],
  ['clabe', '002010077777777771', 'MX'],
  ['ispb', '00000000', 'BR'],
  ['ispb', '60701190', 'BR'],
  ['ispb', '99999A03', 'BR'],
  ['bank_code', '004', 'HK'],
  ['branch_code', '123', 'HK'],
  ['bank_code', '7171', 'SG'],
  ['branch_code', '001', 'SG'],
  ['bank_code', '0005', 'JP'],
  ['branch_code', '001', 'JP'],
  ['bank_code', '341', 'BR'],
  ['bank_code', '004', 'KR'],
  ['bank_code', '7010', 'LK'],
  ['branch_code', '660', 'LK'],
  ['bank_code', '002', 'TH'],
  ['bank_code', '822', 'TW'],
  ['branch_code', '0015', 'TW'],
  ['branch_code', '250655', 'ZA'],
]

test("bank code in its standard's form: accepted unchanged", () => {
  for (const [name, code, country] of VALID) {
    assert.equal(bankCodeFault(name, code, country), undefined, `${name} ${code}`)
    assert.equal(bankCode(name, code, country), code)
  }
})

test('bank code, a character added, removed or replaced by one of another class: refused', () => {
  for (const [name, code, country] of VALID) {
    // A BIC of 8 and one of 11 are three apart, so that one character never makes the other.
    for (let i = 0; i < code.length; i += 1) {
      for (const other of ['', `${code[i]}0`, '*', 'é', '٣']) {
        const changed = code.slice(0, i) + other + code.slice(i + 1)
        assert.notEqual(bankCodeFault(name, changed, country), undefined, `${name} ${changed}`)
      }
    }
  }
})

test('bank code with a check digit, any digit changed: refused', () => {
  const checked = VALID.filter(
    ([name, , country]) =>
      ['aba', 'clabe'].includes(name) || (name === 'routing_number' && country !== 'CA'),
  )
  assert.ok(checked.length >= 12)
  for (const [name, code, country] of checked) {
    for (const [i, digit] of Array.from(code).entries()) {
      for (const other of '0123456789'.replace(digit, '')) {
        const changed = code.slice(0, i) + other + code.slice(i + 1)
        assert.notEqual(bankCodeFault(name, changed, country), undefined, changed)
      }
    }
  }
})

for (const [what, name, code, country] of [
  ['of an unknown country', 'bic', 'DEUTZZFF'],
  ['with a digit for the bank', 'swift_code', 'D3UTDEFF'],
  ['of 9 characters', 'bic', 'DEUTDEFF5'],
  ['of 10 characters', 'bic', 'DEUTDEFF50'],
  ['of zeros', 'aba', '000000000'],
  // The digits pass the sum; no district has 13 or 99.
  ['of an unknown district', 'aba', '130000006'],
  ['of an unknown district', 'aba', '990000000'],
  ['without its zero', 'ifsc', 'SBIN1000001'],
  ['without its leading zero', 'routing_number', '100300002', 'CA'],
  ['of 7 digits', 'sort_code', '6016133'],
  ['that is empty', 'bsb', ' '],
  ['of dashes', 'bsb', '---'],
  ['with a dash outside', 'bsb', '-062000'],
  ['with a dash', 'bic', 'DEUT-DEFF'],
] as const) {
  test(`bank code, ${name} ${what}: refused`, () => {
    assert.notEqual(bankCodeFault(name, code, country), undefined)
  })
}

for (const [name, sent, kept, country] of [
  ['sort_code', '60-16-13', '601613'],
  ['sort_code', '60 16 13', '601613'],
  ['bsb', '062-000', '062000'],
  ['swift_code', ' deut de ff 500 ', 'DEUTDEFF500'],
  ['ifsc', 'sbin0000001', 'SBIN0000001'],
  ['aba', '0210-0002-1', '021000021'],
  ['clabe', '032 180 00011835971 9', '032180000118359719'],
  ['bank_code', '\u200e004\u00a0', '004', 'HK'],
] as const) {
  test(`bank code, ${name} sent as "${sent}": stored as ${kept}`, () => {
    assert.equal(bankCodeFault(name, sent, country), undefined)
    assert.equal(bankCode(name, sent, country), kept)
  })
}

for (const [name, sent, country] of [
  ['bank_code', 'A b-1'],
  ['bank_code', 'A b-1', 'DE'],
  ['branch_code', '1234-5', 'BR'],
  ['routing_number', '12 34', 'BD'],
  ['chips_uid', 'any thing'],
  ['constructor', 'any thing'],
] as const) {
  test(`bank code, ${name} of ${country ?? 'no country'}: free text, stored as sent`, () => {
    assert.equal(bankCodeFault(name, sent, country), undefined)
    assert.equal(bankCode(name, sent, country), sent)
  })
}
