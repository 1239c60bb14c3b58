// Which payouts files to a bank of a shipped profile carry, by charges, network and country, and
// what the reason says to do.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detailsOf } from '../../parties/beneficiary/columns.ts'
import { type Carried, faultWords } from '../../rails/carriage.ts'
import { iso20022 } from '../iso20022/format.ts'
import { carriageFaults, carriedPayment } from './carriage.ts'
import type { FileRailConfig } from './config.ts'

function bankOf(profile: string): FileRailConfig {
  const { value } = iso20022.readProfile(profile)
  assert.ok(value)
  return {
    settlement_account: {
      name: 'main',
      holder: 'Payout Company Ltd',
      address: { street: '', town: 'Dublin', postcode: '', state: '', country: 'IE' },
      currency: 'EUR',
      iban: 'IE29AIBK93115212345678',
      account: '',
      bic: 'AIBKIE2D',
      clearing_code: '',
    },
    profile: value,
    transport: { kind: 'folder', outbox: '/a', inbox: '/b', archive: '/c' },
    timetable: null,
    pgp: null,
    fetch_every_s: 60,
  }
}

const ADDRESS = { city: 'Berlin', country: 'DE' }

type Address = Carried['beneficiary_details']['address']

function payoutTo(iban: string, more: Partial<Carried> = {}, address: Address = {}): Carried {
  return {
    beneficiary_details: detailsOf(
      {
        name: 'Harbour Trading Ltd',
        type: 'business',
        address,
        destination_details: { type: 'bank', bank: { iban } },
      },
      'bnf_00000000000000000000',
    ),
    answers: [],
    fund_transfer_network: '',
    charge_type: '',
    particulars: {
      purpose: 'supplier_payment',
      transaction_description: 'Invoice 17',
      reference_id: '',
      creditor_reference: '',
      ultimate_debtor: null,
    },
    destination_amount: 10_000n,
    destination_currency: 'EUR',
    ...more,
  }
}

const IBAN = 'DE89370400440532013000'
const IDS = { end_to_end_id: 'A1B2C3D4E5F6G7H', uetr: '8a562c67-ca16-48ba-b074-65581be6f001' }

for (const [what, more, bearer] of [
  ['no network and no charges', {}, 'SLEV'],
  ['shared charges', { charge_type: 'shared' }, 'SLEV'],
  ['network sepa', { fund_transfer_network: 'sepa' }, 'SLEV'],
  ['network sepa_instant', { fund_transfer_network: 'sepa_instant' }, 'SLEV'],
] as const) {
  test(`SEPA bank, EUR payout to an IBAN with ${what}: carried with ${bearer}, address not needed`, () => {
    const found = carriedPayment(iso20022, bankOf('sepa'), payoutTo(IBAN, more), IDS)
    assert.ok('payment' in found, JSON.stringify(found))
    assert.equal(found.payment.charge_bearer, bearer)
  })
}

for (const [charge_type, bearer] of [
  ['', 'SHAR'],
  ['shared', 'SHAR'],
  ['ours', 'DEBT'],
] as const) {
  test(`bank of no scheme, payout with charges "${charge_type}": carried with ${bearer}`, () => {
    const payout = payoutTo(IBAN, { charge_type }, ADDRESS)
    const found = carriedPayment(iso20022, bankOf('generic'), payout, IDS)
    assert.ok('payment' in found, JSON.stringify(found))
    assert.equal(found.payment.charge_bearer, bearer)
  })
}

for (const [what, payout, message, remedy] of [
  [
    'all charges for the payer',
    payoutTo(IBAN, { charge_type: 'ours' }),
    'SEPA has the charge bearer SLEV and not DEBT',
    /shared charges/,
  ],
  [
    'network target2',
    payoutTo(IBAN, { fund_transfer_network: 'target2' }),
    'the payout names network target2, and this bank gets SEPA files',
    /route this network/,
  ],
  [
    'another currency',
    payoutTo(IBAN, { destination_currency: 'USD' }),
    'SEPA carries EUR and no USD',
    /route its currency/,
  ],
  [
    'an IBAN outside SEPA',
    payoutTo('AE070331234567890123456'),
    'SEPA does not reach accounts of AE',
    /route its country/,
  ],
] as const) {
  test(`SEPA bank, payout with ${what}: not carried, for the operator to mend, with what would fit`, () => {
    const faults = carriageFaults(iso20022, bankOf('sepa'), payout)
    const [fault] = faults
    assert.deepEqual([faults.length, fault?.member, fault?.message], [1, null, message])
    assert.match(fault?.remedy ?? '', remedy)
    assert.equal(faultWords(faults), `${message}. What helps: ${fault?.remedy}`)
  })
}

test('bank that needs an address, payee without one: both members named once, each with its remedy', () => {
  const faults = carriageFaults(iso20022, bankOf('generic'), payoutTo(IBAN))
  assert.deepEqual(
    faults.map(({ member, remedy }) => [member, remedy]),
    [
      ['address.city', 'give the payee address.city'],
      ['address.country', 'give the payee address.country'],
    ],
  )
  assert.match(faultWords(faults), /no town; .*\. What helps: give the payee address\.city, and/)
})

test('SEPA file, address without a town: left out; with town and country: written', () => {
  const bank = bankOf('sepa')
  const written = (address: Address) => {
    const found = carriedPayment(iso20022, bank, payoutTo(IBAN, {}, address), IDS)
    assert.ok('payment' in found, JSON.stringify(found))
    const item = { ...IDS, amount: 10_000n, currency: 'EUR', ...found.payment }
    const { bytes } = iso20022.write({
      msg_id: 'M00000000000001A',
      created_at: '2026-11-23T09:30:00.123456Z',
      execution_date: '2026-11-24',
      settlement_account: bank.settlement_account,
      profile: bank.profile,
      items: [item],
    })
    return /<Cdtr>.*<\/Cdtr>/.exec(Buffer.from(bytes).toString('utf8'))?.[0] ?? ''
  }
  const bare = written({ line1: 'Kaiserstr. 1', country: 'DE' })
  assert.equal(bare, '<Cdtr><Nm>Harbour Trading Ltd</Nm></Cdtr>')
  assert.match(written({ line1: 'Kaiserstr. 1', ...ADDRESS }), /<TwnNm>Berlin<\/TwnNm>/)
})
