// The words of a payment, as tables: accounts that stay hidden, rates, arrivals, networks, and
// refusals without the names of members.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inWords, labelOf } from '../labels.ts'
import { accountWords, arrivalWords, networkWords, rateWords } from './terms.ts'

test('accountWords, each kind of destination: its last characters, at most half of it', () => {
  const rows: readonly [object, string][] = [
    [{ bank: { iban: 'DE89370400440532013000' } }, 'IBAN DE89 … 3000'],
    [{ bank: { account_number: '123456789012', bank_name: 'B' } }, 'Account … 9012 at B'],
    [{ bank: { account_number: '1234' } }, 'Account … 34'],
    [{ bank: { account_number: '1' } }, 'Account …'],
    [
      {
        wallet: { type: 'ethereum', deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7' },
      },
      'Wallet 0x5290 … 9EE7 on Ethereum',
    ],
    [{ local_payment_network: { type: 'pix', deposit_key: '52998224725' } }, 'Pix key … 4725'],
  ]
  for (const [details, words] of rows) assert.equal(accountWords({ ...details }), words)
})

test('rateWords: six significant digits, cut off and never rounded up; all digits in the title', () => {
  const rows = [
    ['7.84790132221', '7.84790'],
    ['0.9', '0.9'],
    ['0.000012345678', '0.0000123456'],
    ['1234567.8', '1234567'],
    ['17', '17'],
    ['1.2e-7', '1.2e-7'],
  ] as const
  for (const [rate, shown] of rows) {
    const { text } = rateWords(rate, 'USD', 'HKD')
    assert.equal(text, `<span title="1 USD = ${rate} HKD">1 USD = ${shown} HKD</span>`)
  }
})

test('arrivalWords: in seconds, minutes, hours, or the day in the zone of the reader', () => {
  const now = '2026-11-29T12:00:00Z'
  const rows = [
    ['2026-11-29T12:00:10Z', 'UTC', 'in seconds'],
    ['2026-11-29T12:30:00Z', 'UTC', 'within 30 minutes'],
    ['2026-11-29T13:00:00Z', 'UTC', 'within 1 hour'],
    ['2026-11-29T14:00:00.000001Z', 'UTC', 'within 2 hours'],
    ['2026-11-30T23:30:00Z', 'UTC', 'by Monday 30 November'],
    ['2026-11-30T23:30:00Z', 'Asia/Hong_Kong', 'by Tuesday 1 December'],
  ] as const
  for (const [at, zone, words] of rows) {
    assert.match(arrivalWords(at, now, zone).text, new RegExp(`>${words}</time>$`))
  }
  assert.equal(arrivalWords(null, now, 'UTC').text, 'on a day that the banks on the way decide')
})

test('networkWords: titles, with the abbreviation where people know the network by it', () => {
  const rows = [
    [{ type: 'local', currency: 'EUR', local: 'sepa_instant' }, 'SEPA Instant Credit Transfer'],
    [
      { type: 'local', currency: 'HKD', local: 'chats' },
      'CHATS – Clearing House Automated Transfer System',
    ],
    [{ type: 'local', currency: 'USD', local: 'ach' }, 'ACH – Automated Clearing House'],
    [{ type: 'local', currency: 'USD' }, 'Local bank transfer'],
    [
      { type: 'swift', currency: 'USD', charge_type: 'ours' },
      'SWIFT, you pay the charges of all banks',
    ],
    [{ type: 'local_payment_network', currency: 'BRL', payment_network: 'pix' }, 'Pix key'],
    [{ type: 'wallet', currency: 'USDC', chain: 'ethereum' }, 'Token transfer on Ethereum'],
  ] as const
  for (const [carried, words] of rows) assert.equal(networkWords(carried), words)
})

test("inWords, refusals of the API: no member's name, no path", () => {
  const rows = [
    [
      'destination_details.bank.bank_codes.swift_code: swift_code (or bic) is required: A BIC.',
      'SWIFT code (BIC) is required: A BIC.',
    ],
    ['iban is required: An IBAN of DE.', 'IBAN is required: An IBAN of Germany.'],
    ['The IBAN is of DE, the country is FR.', 'The IBAN is of Germany, the country is France.'],
    [
      'Exactly one of account_number and iban must be sent.',
      'Exactly one of account number and iban must be sent.',
    ],
    ['A name has a letter or a digit.', 'A name has a letter or a digit.'],
  ] as const
  for (const [message, words] of rows) assert.equal(inWords(message), words)
  assert.equal(labelOf('registration_address.postal_code'), 'Postal code')
  assert.equal(labelOf('representatives[3].first_name'), 'First name')
})
