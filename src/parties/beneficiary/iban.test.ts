// Tests IBANs by the registry's own examples, one for each country, and by every single mistake
// that the check digits promise to find.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacters } from '../../../test/support/given/any-characters.ts'
import { isCountry } from '../../values/network/country.ts'
import { electronicForm } from './bank-code.ts'
import { exampleIban, IBAN_COUNTRIES, ibanFault, ibanPattern, ibanServes } from './iban.ts'

/** "IBAN electronic format example" of the SWIFT IBAN registry, release 103. */
const EXAMPLES = `
  AD1200012030200359100100 AE070331234567890123456 AL47212110090000000235698741
  AT611904300234573201 AZ21NABZ00000000137010001944 BA391290079401028494 BE68539007547034
  BG80BNBG96611020345678 BH67BMAG00001299123456 BI4210000100010000332045181
  BR6699999A03000010009795493C1 BY13NBRB3600900000002Z00AB00 CH9300762011623852957
  CR05015202001026284066 CY17002001280000001200527600 CZ6508000000192000145399
  DE89370400440532013000 DJ2100010000000154000100186 DK5000400440116243
  DO28BAGR00000001212453611324 EE382200221020145685 EG380019000500000000263180002
  ES9121000418450200051332 FI2112345600000785 FK88SC123456789012 FO6264600001631634
  FR1420041010050500013M02606 GB29NWBK60161331926819 GE29NB0000000101904917
  GI75NWBK000000007099453 GL8964710001000206 GR1601101250000000012300695
  GT82TRAJ01020000001210029690 HN88CABF00000000000250005469 HR1210010051863000160
  HU42117730161111101800000000 IE29AIBK93115212345678 IL620108000000099999999
  IQ98NBIQ850123456789012 IS140159260076545510730339 IT60X0542811101000000123456
  JO94CBJO0010000000000131000302 KW81CBKU0000000000001234560101 KZ86125KZT5004100100
  LB62099900000001001901229114 LC55HEMM000100010012001200023015 LI21088100002324013AA
  LT121000011101001000 LU280019400644750000 LV80BANK0000435195001 LY83002048000020100120361
  MC5811222000010123456789030 MD24AG000225100013104168 ME25505000012345678951
  MK07250120000058984 MN121234123456789123 MR1300020001010000123456753
  MT84MALT011000012345MTLCAST001S MU17BOMM0101101030300200000MUR NI45BAPR00000013000003558124
  NL91ABNA0417164300 NO9386011117947 OM810180000001299123456 PK36SCBL0000001123456702
  PL61109010140000071219812874 PS92PALS000000000400123456702 PT50000201231234567890154
  QA58DOHB00001234567890ABCDEFG RO49AAAA1B31007593840000 RS35260005601001611379
  RU0304452522540817810538091310419 SA0380000000608010167519 SC18SSCB11010000000000001497USD
  SD2129010501234001 SE4550000000058398257466 SI56263300012039086 SK3112000000198742637541
  SM86U0322509800000000270100 SO211000001001000100141 ST23000100010051845310146
  SV62CENR00000000000000700025 TL380080012345678910157 TN5910006035183598478831
  TR330006100519786457841326 UA213223130000026007233566001 VA59001123000012345678
  VG96VPVG0000012345678901 XK051212012345678906 YE15CBYE0001018861234567891234`
  .trim()
  .split(/\s+/)

/**
 * "BBAN structure" of the same release: country, then n digits, a capital letters, c either.
 */
const FORMS = `
  AD8n12c AE19n AL8n16c AT16n AZ4a20c BA16n BE12n BG4a6n8c BH4a14c BI23n BR8c15n1a1c BY4c4n16c
  CH5n12c CR18n CY8n16c CZ20n DE18n DJ23n DK14n DO4c20n EE16n EG25n ES20n FI14n FK2a12n FO14n
  FR10n11c2n GB4a14n GE2a16n GI4a15c GL14n GR7n16c GT24c HN4a20n HR17n HU24n IE4a14n IL19n
  IQ4a15n IS22n IT1a10n12c JO4a4n18c KW4a22c KZ3n13c LB4n20c LC4a24c LI5n12c LT16n LU3n13c
  LV4a13c LY21n MC10n11c2n MD20c ME18n MK3n10c2n MN16n MR23n MT4a5n18c MU4a19n3a NI4a20n NL4a10n
  NO11n OM3n16c PK4a16c PL24n PS4a21c PT21n QA4a21c RO4a16c RS18n RU14n15c SA2n18c SC4a20n3a
  SD14n SE20n SI15n SK20n SM1a10n12c SO19n ST21n SV4a20n TL19n TN20n TR6n16c UA6n19c VA18n
  VG4a16n XK16n YE4a4n18c`
  .trim()
  .split(/\s+/)

const DIGITS = '0123456789'
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

test('IBAN, registry example of every country: valid', () => {
  assert.deepEqual(
    EXAMPLES.map(iban => iban.slice(0, 2)),
    [...IBAN_COUNTRIES],
  )
  for (const iban of EXAMPLES) assert.equal(ibanFault(iban), undefined, iban)
})

test('IBAN registry, form of every country: agrees with the form of its account numbers', () => {
  const classes: Readonly<Record<string, string>> = { n: '[0-9]', a: '[A-Z]', c: '[A-Z0-9]' }
  const patterns = FORMS.map(form => {
    const parts = Array.from(form.slice(2).matchAll(/(\d+)([nac])/g))
    const account = parts.map(([, count, letter = '']) => `${classes[letter]}{${count}}`).join('')
    return `^${form.slice(0, 2)}[0-9]{2}${account}$`
  })
  assert.deepEqual(IBAN_COUNTRIES.map(ibanPattern), patterns)
})

test('IBAN, letter where the registry allows letters: valid; letter in place of a digit: refused', () => {
  for (const form of FORMS) {
    const country = form.slice(0, 2)
    const places = Array.from(form.slice(2).matchAll(/(\d+)([nac])/g), ([, count, letter = '']) =>
      letter.repeat(Number(count)),
    ).join('')
    const account = places.replace(/[ac]/g, 'B').replace(/n/g, '7')
    assert.equal(ibanFault(withCheckDigits(country, account)), undefined, country)
    for (const [i, place] of Array.from(places).entries()) {
      const other = `${account.slice(0, i)}${place === 'n' ? 'B' : '7'}${account.slice(i + 1)}`
      const fault = ibanFault(withCheckDigits(country, other)) ?? ''
      if (place === 'c') assert.equal(fault, '', other)
      else assert.match(fault, /other places/, other)
    }
  }
})

test('IBAN, any character of an example replaced by another of its class: refused', () => {
  for (const iban of EXAMPLES) {
    for (const [i, character] of Array.from(iban).entries()) {
      for (const other of DIGITS.includes(character) ? DIGITS : LETTERS) {
        if (other === character) continue
        const changed = iban.slice(0, i) + other + iban.slice(i + 1)
        assert.notEqual(ibanFault(changed), undefined, changed)
      }
    }
  }
})

test('IBAN, two different neighbouring characters of an example swapped: refused', () => {
  for (const iban of EXAMPLES) {
    for (let i = 2; i + 1 < iban.length; i += 1) {
      const [a = '', b = ''] = iban.slice(i, i + 2)
      // A digit and a letter that change places also shift what stands before them.
      if (a === b || DIGITS.includes(a) !== DIGITS.includes(b)) continue
      const changed = iban.slice(0, i) + b + a + iban.slice(i + 2)
      assert.notEqual(ibanFault(changed), undefined, changed)
    }
  }
})

test('IBAN, a character added or removed anywhere in an example: refused', () => {
  for (const iban of EXAMPLES) {
    for (let i = 0; i < iban.length; i += 1) {
      assert.notEqual(ibanFault(iban.slice(0, i) + iban.slice(i + 1)), undefined)
      assert.notEqual(ibanFault(`${iban.slice(0, i)}0${iban.slice(i)}`), undefined)
    }
  }
})

/** The IBAN of an account number, with the check digits by ISO 13616. */
function withCheckDigits(country: string, account: string): string {
  const number = Array.from(`${account}${country}00`, c => Number.parseInt(c, 36)).join('')
  return `${country}${String(98n - (BigInt(number) % 97n)).padStart(2, '0')}${account}`
}

test('IBAN, letters in place of digits, check digits recomputed: refused', () => {
  assert.equal(ibanFault(withCheckDigits('DE', '370400440532013000')), undefined)
  assert.match(ibanFault(withCheckDigits('DE', '37040044053201300A')) ?? '', /other places/)
  assert.match(ibanFault(withCheckDigits('GB', 'NWB160161331926819')) ?? '', /other places/)
})

test('IBAN, generated example of a country: valid, digits all 1', () => {
  for (const country of IBAN_COUNTRIES) {
    assert.equal(ibanFault(exampleIban(country)), undefined, country)
    assert.match(exampleIban(country), /^[A-Z]{2}[0-9]{2}[1A]+$/)
  }
})

test('IBAN, check digits 97 higher or lower: refused, as ISO 13616 never makes them', () => {
  const made = new Set<string>()
  for (let n = 0; made.size < 97; n += 1) {
    const iban = withCheckDigits('DE', String(n).padStart(18, '0'))
    assert.equal(ibanFault(iban), undefined, iban)
    made.add(iban.slice(2, 4))
    const check = Number(iban.slice(2, 4))
    for (const other of [check - 97, check + 97].filter(digits => digits >= 0 && digits <= 99)) {
      const changed = `DE${String(other).padStart(2, '0')}${iban.slice(4)}`
      assert.match(ibanFault(changed) ?? '', /check digits/, changed)
    }
  }
})

for (const [what, iban, fault] of [
  ['of a country without IBANs', withCheckDigits('US', '021000021123456789'), /US has no IBANs/],
  ['of a territory that uses French ones', withCheckDigits('GF', '20041010050500013M02606'), /GF/],
  ['of an unknown country', withCheckDigits('ZZ', '370400440532013000'), /ZZ has no IBANs/],
  ['too short', 'DE8937040044053201300', /has 22 characters, this one 21/],
  ['of only a country code', 'DE', /two check digits/],
  ['nothing', '', /two check digits/],
  ['in lower case', 'de89370400440532013000', /two check digits/],
  ['in print form', 'DE89 3704 0044 0532 0130 00', /two check digits/],
  ['with digits of another script', 'DE8937040044053201300٠', /two check digits/],
  ['with a line after it', 'DE89370400440532013000\n', /two check digits/],
] as const) {
  test(`IBAN, ${what}: refused with the reason`, () => assert.match(ibanFault(iban) ?? '', fault))
}

test('electronicForm, IBAN with spaces or in lower case: the electronic form', () => {
  for (const iban of EXAMPLES) {
    const print = iban.replace(/.{4}/g, '$& ')
    for (const sent of [print, iban.toLowerCase(), `\u200e${print.replaceAll(' ', '\u00a0')}\n`]) {
      assert.equal(electronicForm(sent), iban)
    }
  }
})

test('electronicForm, characters that only Unicode folding turns into ASCII: unchanged', () => {
  // Dotless i, long s, kelvin, angstrom, sharp s, a ligature, a wide zero, a Cyrillic letter.
  for (const character of '\u0131\u017f\u212a\u212b\u00df\ufb01\uff10\u0430') {
    assert.equal(electronicForm(character), character)
  }
})

test("countriesServed, IBAN: its country and the country's territories only", () => {
  const served = (iban: string) => countriesServed(iban).join(' ')
  assert.equal(served('DE89370400440532013000'), 'DE')
  assert.equal(served('GB29NWBK60161331926819'), 'GB GG IM JE')
  assert.equal(served('FI2112345600000785'), 'AX FI')
  assert.equal(served('FR1420041010050500013M02606'), 'BL FR GF GP MF MQ NC PF PM RE TF WF YT')
  assert.deepEqual(
    IBAN_COUNTRIES.filter(code => !isCountry(code)),
    [],
  )
})

function countriesServed(iban: string): string[] {
  const pairs = Array.from(LETTERS).flatMap(a => Array.from(LETTERS, b => `${a}${b}`))
  return pairs.filter(code => isCountry(code) && ibanServes(iban, code))
}

test('IBAN, random texts: a result, no exception', () => {
  fc.assert(
    fc.property(anyCharacters(50), text => {
      const fault = ibanFault(electronicForm(text))
      assert.ok(fault === undefined || fault.length > 0)
    }),
  )
})
