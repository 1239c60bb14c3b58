// Writes the confirmation of a paid payout: one page of PDF that the account gives to its payee.
import type { Account } from '../../accounts/rules.ts'
import { BIC_NAMES } from '../../parties/beneficiary/bank-code.ts'
import type { BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import { dayAt } from '../../values/calendar/day.ts'
import { dayWords } from '../../values/calendar/words.ts'
import type { Instant } from '../../values/instant.ts'
import { groupedMajor } from '../../values/money/words.ts'
import { LEFT, RIGHT, Sheet } from '../../values/pdf/sheet.ts'
import { withAnswers } from '../action.ts'
import type { Payout } from '../payout.ts'
import { trackingOf } from '../response.ts'

export interface Confirmed {
  readonly payout: Payout
  readonly account: Pick<Account, 'account_id' | 'name' | 'sandbox'>
  /** The time zone of its day. */
  readonly zone: string
}

const VALUES = LEFT + 150

/** The file, with a character for each byte. */
export function confirmationPdf({ payout, account, zone }: Confirmed): string {
  // The last change of a payout that has succeeded is its success.
  const paid_at = payout.updated_at
  const sheet = new Sheet({
    title: 'Payment confirmation',
    created_at: paid_at,
    foot: `${account.name || account.account_id}, ${payout.id}`,
  })
  sheet.text(LEFT, RIGHT, 'Payment confirmation', { size: 18, bold: true })
  sheet.y += 34
  if (account.sandbox) {
    sheet.paragraph('Sandbox: this payment is a test, and no money has moved.', { bold: true })
    sheet.y += 8
  }
  const { amount, currency } = payout
  sheet.text(LEFT, RIGHT, `${groupedMajor(amount, currency)} ${currency}`, { size: 26, bold: true })
  sheet.y += 46
  sheet.rule()
  sheet.y += 14
  for (const [name, value] of factsOf({ payout, account, zone }, paid_at)) {
    if (value === '') continue
    sheet.text(LEFT, VALUES - 10, name, { size: 9, grey: true })
    sheet.text(VALUES, RIGHT, value, { size: 10 })
    sheet.y += 21
  }
  sheet.rule()
  sheet.y += 12
  sheet.paragraph(
    'The payment was reported as paid. When the money can be used is for the bank of the payee ' +
      'to say, and that bank may take charges of its own.',
    { grey: true },
  )
  return sheet.end()
}

function factsOf({ payout, account, zone }: Confirmed, paid_at: Instant): [string, string][] {
  const { particulars, beneficiary_details } = withAnswers(payout)
  const { destination_amount, destination_currency, currency } = payout
  const { tracking_number, tracking_type } = trackingOf(payout)
  const arriving = groupedMajor(destination_amount, destination_currency)
  const time = `${paid_at.slice(0, 10)} ${paid_at.slice(11, 16)} UTC`
  return [
    ['Paid on', `${dayWords(dayAt(zone, paid_at))} in ${zone} (${time})`],
    ['Paid by', account.name || account.account_id],
    ['On behalf of', particulars.ultimate_debtor?.name ?? ''],
    ['To', beneficiary_details.name],
    ['Also named', beneficiary_details.name_local],
    ...destinationOf(beneficiary_details),
    [
      'Converted to',
      destination_currency === currency ? '' : `${arriving} ${destination_currency}`,
    ],
    ['Description', particulars.transaction_description],
    ['Reference on the invoice', particulars.creditor_reference],
    ['Reference of the payer', particulars.reference_id],
    [tracking_type === 'uetr' ? 'UETR' : 'Reference of the bank', tracking_number],
    ['Payment', payout.id],
  ]
}

function destinationOf({ destination_details }: BeneficiaryDetails): [string, string][] {
  const { bank, wallet, local_payment_network: key, service_account } = destination_details
  const { iban, account_number, bank_name = '', bank_codes = {} } = bank ?? {}
  const bic = BIC_NAMES.map(name => bank_codes[name]).find(code => code !== undefined)
  return [
    [iban === undefined ? 'Account number' : 'IBAN', iban ?? account_number ?? ''],
    ['Bank', [bank_name, bic].filter(Boolean).join(', ')],
    ['Wallet', wallet?.deposit_address ?? ''],
    ['Key', key?.deposit_key ?? ''],
    ['Deposit address', service_account?.deposit_address ?? ''],
  ]
}
