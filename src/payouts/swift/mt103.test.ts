// MT103s read back by a parser that has only the standard in common with the writer. It tests the
// form of each field, their order, the rules between them, and that each field has the payout's
// value.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacters } from '../../../test/support/given/any-characters.ts'
import { pickSeed } from '../../../test/support/service/process.ts'
import { share } from '../../../test/support/share.ts'
import { newId } from '../../values/id.ts'
import { CURRENCIES } from '../../values/money/currency.ts'
import { parseDecimal } from '../../values/money/decimal.ts'
import { type Mt103Facts, mt103Document, mt103Faults, mt103Of, TEST_BIC } from './mt103.ts'
import { senderReferenceOf, uetrOf } from './uetr.ts'

const X = "[A-Za-z0-9/\\-?:().,'+ ]"
/**
 * A line of a text: not blank, and without the first character of a field or of the message's end.
 */
const LINE = `(?![:\\-])(?! *(?:\\r|$))${X}{1,35}`
const PARTY = `(?:/${X}{1,34}\\r\\n)?`
const AMOUNT = '(?=[0-9,]{2,15}$)[0-9]+,[0-9]*'

/** Tags in the order of the standard, each with its form. */
const FORMS: readonly (readonly [tag: string, form: RegExp])[] = [
  ['20', new RegExp(`^(?!/)(?!.*//)(?!.*/$)${X}{1,16}$`)],
  ['23B', /^(?:CRED|CRTS|SPAY|SPRI|SSTD)$/],
  ['32A', new RegExp(`^[0-9]{6}[A-Z]{3}${AMOUNT}`)],
  ['33B', new RegExp(`^[A-Z]{3}${AMOUNT}`)],
  ['36', /^(?=[0-9,]{2,12}$)[0-9]+,[0-9]*$/],
  ['50K', new RegExp(`^${PARTY}${LINE}(?:\\r\\n${LINE}){0,3}$`)],
  ['57A', /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/],
  ['57C', new RegExp(`^/${X}{1,34}$`)],
  ['57D', new RegExp(`^${PARTY}${LINE}(?:\\r\\n${LINE}){0,3}$`)],
  ['59', new RegExp(`^/${X}{1,34}\\r\\n${LINE}(?:\\r\\n${LINE}){0,3}$`)],
  ['70', new RegExp(`^${LINE}(?:\\r\\n${LINE}){0,3}$`)],
  ['71A', /^(?:BEN|OUR|SHA)$/],
]
const MANDATORY = ['20', '23B', '32A', '33B', '50K', '59', '71A']

const BLOCKS =
  /^\{1:F01([A-Z0-9]{12})[0-9]{10}\}\{2:I103([A-Z0-9]{12})[NU]\}\{3:\{121:([^{}]*)\}\}\{4:\r\n([^{}]*)-\}$/
const UETR = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Checks the form of a message by the standard, and returns its fields by tag. */
function parse(message: string) {
  const [, sender = '', receiver = '', uetr = '', text = ''] =
    BLOCKS.exec(message) ?? assert.fail(`no blocks: ${JSON.stringify(message)}`)
  assert.match(uetr, UETR)
  assert.doesNotMatch(message.replaceAll('\r\n', ''), /[\r\n]/, 'line ends are CR LF')
  const lines = text.split('\r\n')
  assert.equal(lines.pop(), '', 'the text ends with a line end')
  const fields = new Map<string, string>()
  let tag = ''
  for (const line of lines) {
    const start = /^:([0-9]{2}[A-Z]?):(.*)$/.exec(line)
    if (start === null) {
      assert.match(line, /^[^:-]/)
      fields.set(tag, `${fields.get(tag)}\r\n${line}`)
      continue
    }
    tag = start[1] ?? ''
    assert.ok(!fields.has(tag), `${tag} stands once`)
    fields.set(tag, start[2] ?? '')
  }
  const order = FORMS.map(([name]) => name).filter(name => fields.has(name))
  assert.deepEqual([...fields.keys()], order, 'in the order of the standard')
  for (const [name, form] of FORMS) {
    const value = fields.get(name)
    if (value !== undefined) assert.match(value, form, name)
    else assert.ok(!MANDATORY.includes(name), `${name} is mandatory`)
  }
  const [settled, instructed] = [fields.get('32A') ?? '', fields.get('33B') ?? '']
  const differ = settled.slice(6, 9) !== instructed.slice(0, 3)
  assert.equal(fields.has('36'), differ, 'C1: 36 exactly when the currencies differ')
  assert.ok([...fields.keys()].filter(name => name.startsWith('57')).length <= 1)
  return { sender, receiver, uetr, fields, settled, instructed }
}

/** An amount of a message in minor units. Checks that it has the currency's number of decimals. */
function minorUnits(text: string, currency: string): bigint {
  const [whole = '', decimals = ''] = text.split(',')
  assert.equal(decimals.length, CURRENCIES.get(currency)?.exponent, `${currency} ${text}`)
  return BigInt(whole + decimals)
}

const PAYOUT = 'pot_01m7xpm2mf68g5sr1x74'

const example: Mt103Facts = {
  payout_id: PAYOUT,
  uetr: uetrOf(PAYOUT),
  created_at: '2026-11-21T00:03:13.167287Z',
  amount: 1_234_550n,
  currency: 'USD',
  destination_amount: 9_641_836n,
  destination_currency: 'HKD',
  payout_to_destination: decimal('7.81'),
  charge_type: 'ours',
  ordering_customer: {
    account: 'acc_01m7xpkzz3hn6d4w0s2f',
    lines: ['Müller & Söhne GmbH', 'Straße 5', 'Berlin DE'],
  },
  beneficiary_details: {
    name: 'Harbour Trading Ltd',
    address: { line1: '1 Queen’s Road', city: 'Hong Kong', country: 'HK' },
    destination_details: {
      type: 'bank',
      bank: { account_number: '123456789012', bank_codes: { swift_code: 'HSBCHKHH' } },
    },
  },
  transaction_description: 'Invoice 2041 for the freight of October, second part',
  reference_id: 'INV-2041',
  creditor_reference: '',
  sender_bic: 'BANKDEFFXXX',
  receiver_bic: 'CITIUS33',
}

function decimal(text: string) {
  return parseDecimal(text) ?? assert.fail(text)
}

function withBank(bank: object): Mt103Facts {
  const destination_details = { type: 'bank', bank } as const
  return {
    ...example,
    beneficiary_details: { ...example.beneficiary_details, destination_details },
  }
}

const fieldOf = (facts: Mt103Facts, tag: string) => parse(mt103Of(facts)).fields.get(tag)

test('MT103, payout with conversion: equal to the stored message', () => {
  assert.deepEqual(mt103Of(example).split('\r\n'), [
    '{1:F01BANKDEFFAXXX0000000000}{2:I103CITIUS33XXXXN}{3:{121:b0691c66-873f-4209-9078-5dd66cc92084}}{4:',
    ':20:EQRJX4WDJQDVBYJ1',
    ':23B:CRED',
    ':32A:261121HKD96418,36',
    ':33B:USD12345,50',
    ':36:7,81',
    ':50K:/acc-01m7xpkzz3hn6d4w0s2f',
    'Muller + Sohne GmbH',
    'Strasse 5',
    'Berlin DE',
    ':57A:HSBCHKHH',
    ':59:/123456789012',
    'Harbour Trading Ltd',
    "1 Queen's Road",
    'Hong Kong HK',
    ':70:/ROC/INV-2041',
    'Invoice 2041 for the freight of',
    'October, second part',
    ':71A:OUR',
    '-}',
  ])
  parse(mt103Of(example))
})

test('MT103, operator without a BIC: sender is a test and training BIC without a country', () => {
  const { sender, receiver } = parse(mt103Of({ ...example, sender_bic: '', receiver_bic: '' }))
  assert.deepEqual([sender, receiver], ['CORRXXX0AXXX', 'CORRXXX0XXXX'])
  assert.equal(TEST_BIC.charAt(7), '0')
})

test('MT103, charges: SHA, or OUR where the payer takes all charges', () => {
  const code = (charge_type: string) => fieldOf({ ...example, charge_type }, '71A')
  assert.deepEqual(['shared', 'ours', ''].map(code), ['SHA', 'OUR', 'SHA'])
})

test('MT103, fields 32A and 33B: decimals of each currency, at most 14 digits', () => {
  for (const { code, exponent } of CURRENCIES.values()) {
    const most = 10n ** 14n - 1n
    for (const amount of [1n, 10n ** BigInt(exponent), most]) {
      const facts = { ...example, amount, currency: code, destination_amount: amount }
      const both = { ...facts, destination_currency: code }
      const carried = code.length === 3
      assert.equal(mt103Of(both) !== '', carried, code)
      if (!carried) continue
      const { settled, instructed, fields } = parse(mt103Of(both))
      assert.equal(minorUnits(settled.slice(9), code), amount)
      assert.equal(minorUnits(instructed.slice(3), code), amount)
      assert.ok(!fields.has('36'))
      const [fault] = mt103Faults({ ...both, amount: most + 1n })
      assert.equal(fault?.member, 'amount')
      const [other] = mt103Faults({ ...both, destination_amount: most + 1n })
      assert.equal(other?.member, 'destination_amount')
      assert.equal(mt103Of({ ...both, amount: most + 1n }), '')
    }
  }
  const coins = { ...example, currency: 'USDC', destination_currency: 'USDT' }
  const members = mt103Faults(coins).map(({ member }) => member)
  assert.deepEqual(members, ['currency', 'destination_currency'])
})

test('MT103, field 36: as many decimals of the rate as fit 12 characters, rounded once', () => {
  const cases = [
    ['7.81', '7,81'],
    ['1', '1,'],
    ['150', '150,'],
    ['0.128040973111', '0,1280409731'],
    ['0.00000727272727273', '0,0000072727'],
    ['1234.56789012', '1234,5678901'],
    ['16384.5678901250', '16384,56789'],
    ['9.99999999999', '10,'],
    ['99999999999', '99999999999,'],
    ['99999999999.4', '99999999999,'],
    ['99999999999.5', undefined],
    ['123456789012', undefined],
    ['0.0000000001', '0,0000000001'],
    ['0.00000000005', '0,0000000001'],
    ['0.00000000004', undefined],
  ] as const
  for (const [rate, expected] of cases) {
    const facts = { ...example, payout_to_destination: decimal(rate) }
    if (expected !== undefined) {
      assert.equal(fieldOf(facts, '36'), expected, rate)
    } else {
      assert.deepEqual(
        mt103Faults(facts).map(({ member }) => member),
        ['rate'],
        rate,
      )
      assert.equal(mt103Of(facts), '')
    }
  }
})

test('MT103, field 57a: the BIC, else name and clearing code, else the code, else absent', () => {
  const account_number = '1'
  const cases: [bank: object, field: readonly [tag: string, value: string] | undefined][] = [
    [{ bank_codes: { swift_code: 'HSBCHKHHHKH' }, bank_name: 'X' }, ['57A', 'HSBCHKHHHKH']],
    [{ bank_codes: { bic: 'DEUTDEFF', sort_code: '601613' } }, ['57A', 'DEUTDEFF']],
    [{ bank_name: 'Harbour Bank', country: 'HK' }, ['57D', 'Harbour Bank\r\nHK']],
    [
      { bank_name: 'First Bank', country: 'US', bank_codes: { routing_number: '021000021' } },
      ['57D', '//FW021000021\r\nFirst Bank\r\nUS'],
    ],
    [{ bank_codes: { sort_code: '601613' } }, ['57C', '//SC601613']],
    [{ bank_codes: { bsb: '062000' } }, ['57C', '//AU062000']],
    [{ bank_codes: { ifsc: 'HDFC0000001' } }, ['57C', '//INHDFC0000001']],
    [{ bank_codes: { cnaps: '102100099996' } }, ['57C', '//CN102100099996']],
    [{ bank_codes: { aba: '021000021' } }, ['57C', '//FW021000021']],
    [{ country: 'HK', bank_codes: { bank_code: '004' } }, ['57C', '//HK004']],
    [{ country: 'ZA', bank_codes: { branch_code: '250655' } }, ['57C', '//ZA250655']],
    [{ country: 'CA', bank_codes: { routing_number: '000300002' } }, ['57C', '//CC000300002']],
    [
      { bank_codes: { institution_number: '003', transit_number: '00002' } },
      ['57C', '//CC000300002'],
    ],
    [{ country: 'JP', bank_codes: { bank_code: '0005', other: 'free' } }, undefined],
    [{}, undefined],
    [{ bank_name: '/12345/Not a code' }, ['57D', '.12345/Not a code']],
  ]
  for (const [bank, field] of cases) {
    const { fields } = parse(mt103Of(withBank({ account_number, ...bank })))
    const found = [...fields].find(([tag]) => tag.startsWith('57'))
    assert.deepEqual(found, field, JSON.stringify(bank))
  }
})

test('MT103, field 59, account number that does not fit unchanged: refused, no message', () => {
  assert.match(fieldOf(withBank({ iban: 'DE89370400440532013000' }), '59') ?? '', /^\/DE89/)
  for (const account_number of ['1'.repeat(34), "a-b:1?(2).,'+ 3", '0/1']) {
    const [line] = (fieldOf(withBank({ account_number }), '59') ?? '').split('\r\n')
    assert.equal(line, `/${account_number}`)
  }
  for (const account_number of ['1'.repeat(35), '１２３', '12_3', '/1', '1//2', ' ', 'é']) {
    const facts = withBank({ account_number })
    assert.deepEqual(
      mt103Faults(facts).map(({ member }) => member),
      ['account'],
      account_number,
    )
    assert.equal(mt103Of(facts), '')
  }
})

test('MT103, field 59, long name and address: two lines of name, country never cut', () => {
  const beneficiary_details = {
    ...example.beneficiary_details,
    name: 'Gesellschaft für die Förderung des Überseehandels und der Schifffahrt mit sehr langem Namen',
    address: {
      line1: 'Am sehr langen Hafenkai der alten Speicherstadt 17',
      line2: 'Haus C',
      city: 'Hamburg an der Elbe und Umgebung',
      postal_code: '20457',
      country: 'DE',
    },
  }
  assert.deepEqual(fieldOf({ ...example, beneficiary_details }, '59')?.split('\r\n'), [
    '/123456789012',
    'Gesellschaft fur die Forderung des',
    'Uberseehandels und der Schifffahrt',
    'Am sehr langen Hafenkai der alten S',
    '20457 Hamburg an der Elbe und Um DE',
  ])
})

const SCRIPTS = [
  ...['abc XYZ 019', "/-?:().,'+", 'äöüßæøåłđþğıŠžñÇ', 'Жщґїћ', 'Ψωάς', '香港한국日本', '\r\n\t\0'],
  ...['{}[]:-/_&@#%"<>|\\', '\u200b\u202e\u0301', '😀', '\ud800'],
].flatMap(script => Array.from(script))

const anyText = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: fc.constantFrom(...SCRIPTS), maxLength }),
    fc.string({ unit: 'grapheme', maxLength }),
    anyCharacters(maxLength),
    // Long words, and lines that would begin with forbidden characters.
    fc
      .array(fc.constantFrom(':', '-', '-}', '/', '//', ' ', 'x'.repeat(34), ':20:A', '\r\n'), {
        maxLength: 12,
      })
      .map(parts => parts.join('').slice(0, maxLength)),
  )

const money = fc.oneof(fc.bigInt(1n, 10n ** 14n - 1n), fc.bigInt(1n, 9_999n))
const code = fc.constantFrom(...[...CURRENCIES.keys()].filter(name => name.length === 3))
const bic = fc.constantFrom('', 'BANKDEFF', 'BANKDEFFXXX', 'CITIUS33ABC')
const carriedAccount = fc
  .string({ unit: fc.constantFrom(..."ABCxyz0123456789-?:().,'+ "), minLength: 1, maxLength: 34 })
  .map(text => text.trim())
  .filter(text => text !== '')

const facts: fc.Arbitrary<Mt103Facts> = fc
  .record({
    amount: money,
    destination_amount: money,
    currencies: fc.oneof(
      fc.tuple(code, code),
      code.map(c => [c, c] as const),
    ),
    rate: fc.tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.nat(20)),
    charge_type: fc.constantFrom('', 'shared', 'ours'),
    account: anyText(50),
    lines: fc.array(anyText(80), { maxLength: 6 }),
    name: anyText(255),
    address: fc.record(
      {
        line1: anyText(255),
        line2: anyText(255),
        city: anyText(128),
        state: anyText(128),
        postal_code: anyText(32),
        country: fc.constantFrom('HK', 'DE', ''),
      },
      { requiredKeys: [] },
    ),
    bank: fc.record(
      {
        bank_name: anyText(255),
        country: fc.constantFrom('US', 'HK', 'GB'),
        bank_codes: fc.dictionary(
          fc.constantFrom('swift_code', 'bic', 'aba', 'sort_code', 'bank_code'),
          fc.oneof(anyText(64), fc.constantFrom('HSBCHKHH', '004', '601613')),
        ),
      },
      { requiredKeys: [] },
    ),
    account_number: carriedAccount,
    transaction_description: anyText(500),
    reference_id: anyText(128),
    creditor_reference: fc.constantFrom('', '', 'RF18539007547034'),
    sender_bic: bic,
    receiver_bic: bic,
    day: fc.date({ min: new Date('2020-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
  })
  .map(
    ({
      currencies,
      rate: [digits, scale],
      account,
      lines,
      name,
      address,
      bank,
      account_number,
      day,
      ...rest
    }) => {
      const payout_id = newId('pot')
      return {
        ...rest,
        payout_id,
        uetr: uetrOf(payout_id),
        created_at: `${day.toISOString().slice(0, 19)}.000000Z`,
        currency: currencies[0],
        destination_currency: currencies[1],
        payout_to_destination: { digits, scale },
        ordering_customer: { account, lines },
        beneficiary_details: {
          name,
          address,
          destination_details: { type: 'bank', bank: { ...bank, account_number } },
        },
      } as Mt103Facts
    },
  )

const RUNS = share(300, 3_000)

test("MT103, random payouts: every field valid by the standard, with the payout's data", () => {
  const seed = pickSeed()
  console.log(`SEED=${seed}`)
  let written = 0
  let longest = 0
  const property = fc.property(facts, one => {
    const faults = mt103Faults(one)
    const message = mt103Of(one)
    assert.equal(message === '', faults.length > 0)
    for (const { member } of faults) {
      assert.deepEqual([member, one.currency === one.destination_currency], ['rate', false])
    }
    if (message === '') return
    written += 1
    const { uetr, fields, settled, instructed } = parse(message)
    assert.equal(uetr, one.uetr)
    assert.equal(fields.get('20'), senderReferenceOf(one.payout_id))
    assert.equal(`20${settled.slice(0, 6)}`, one.created_at.slice(0, 10).replaceAll('-', ''))
    assert.equal(settled.slice(6, 9), one.destination_currency)
    assert.equal(instructed.slice(0, 3), one.currency)
    assert.equal(minorUnits(settled.slice(9), one.destination_currency), one.destination_amount)
    assert.equal(minorUnits(instructed.slice(3), one.currency), one.amount)
    const { bank } = one.beneficiary_details.destination_details
    const [account, ...party] = (fields.get('59') ?? '').split('\r\n')
    assert.equal(account, `/${bank?.account_number}`)
    for (const line of party) assert.match(line, /^[^/]/)
    for (const line of (fields.get('50K') ?? '').split('\r\n').slice(1)) assert.match(line, /^[^/]/)
    const document = mt103Document(one.payout_id, message)
    const [, base64 = ''] = document.url.split(',')
    assert.equal(Buffer.from(base64, 'base64').toString('latin1'), message)
    assert.ok(document.url.length <= 2048 && document.file_name.length <= 255)
    longest = Math.max(longest, message.length)
  })
  fc.assert(property, { seed, numRuns: RUNS })
  assert.ok(written > (2 * RUNS) / 3, `${written} of ${RUNS} could be written`)
  console.log(`${written} messages, the longest of ${longest} characters`)
})
