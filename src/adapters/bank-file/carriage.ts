// Finds the payment of a payout that a bank's file can carry, or why none can, which members of the
// payout are at fault, and what would make it fit. Pure.
import type { CarriageFault, Carried } from '../../rails/carriage.ts'
import type { BankFormat, FileItem } from '../../values/bank-format/bank-format.ts'
import type { FileRailConfig } from './config.ts'
import { networkFaults, type Payment, paymentOf } from './item.ts'

type Ids = Pick<FileItem, 'end_to_end_id' | 'uetr'>

/**
 * The payment of a payout, or why a file cannot carry it. If the bank cannot read the payee's name,
 * the payment has the payee's second name.
 */
export function carriedPayment(
  format: BankFormat,
  { settlement_account, profile }: FileRailConfig,
  payout: Carried,
  ids: Ids,
): { readonly payment: Payment } | { readonly messages: readonly string[] } {
  const { destination_amount: amount, destination_currency: currency } = payout
  const payment = paymentOf(payout, profile)
  if (payment === undefined) return { messages: ['it goes to no bank account'] }
  const unasked = networkFaults(payout, profile)
  if (unasked.length > 0) return { messages: unasked }
  const messagesOf = (payment: Payment) =>
    format.checkItem({ ...ids, amount, currency, ...payment }, settlement_account, profile)
  const messages = messagesOf(payment)
  if (messages.length === 0) return { payment }
  const name = payout.beneficiary_details.name_local.trim()
  const renamed = { ...payment, creditor: { ...payment.creditor, name } }
  return name !== '' && messagesOf(renamed).length === 0 ? { payment: renamed } : { messages }
}

/** Ids of the right form, for a payment that has none yet. */
const NO_IDS: Ids = {
  end_to_end_id: '0'.repeat(15),
  uetr: '00000000-0000-4000-8000-000000000000',
}

type Member = CarriageFault['member']

/**
 * By the words of a message: the member at fault, null for one of the operator, and what would make
 * the payout fit.
 */
const REMEDIES: readonly (readonly [message: RegExp, member: Member, remedy: string])[] = [
  [
    /^name of the creditor|^the creditor has no name/,
    'name',
    'give the payee a name that the bank reads, as name or name_local',
  ],
  [/^address of the creditor has no town/, 'address.city', 'give the payee address.city'],
  [/^address of the creditor has no country/, 'address.country', 'give the payee address.country'],
  [
    /^name of the ultimate debtor/,
    'on_behalf_of',
    'give the entity of on_behalf_of a name that the bank reads',
  ],
  [
    /^SEPA has the charge bearer/,
    null,
    'make it with shared charges, or route it to a rail that is not SEPA',
  ],
  [/^it goes to no bank account/, null, 'route its payout type to another rail'],
  [/^the payout names network/, null, 'route this network to another rail'],
  [/^SEPA needs an IBAN|ACH knows no IBAN/, null, 'route its country to another rail'],
  [/^SEPA does not reach|no routing number/, null, 'route its country to another rail'],
  [/^SEPA carries EUR|^ACH pays USD|has no currency/, null, 'route its currency to another rail'],
  [/the bank of the creditor has no BIC/, null, 'give the payee the BIC of the bank'],
  [/has more digits than|is more than an ACH entry/, null, 'route larger amounts to another rail'],
]

/** Why files of a rail with these settings cannot carry the payout; [] when they can. */
export function carriageFaults(format: BankFormat, config: FileRailConfig, payout: Carried) {
  const found = carriedPayment(format, config, payout, NO_IDS)
  return 'messages' in found ? faultsOf(found.messages) : []
}

/** One fault of a member is enough. */
export function faultsOf(messages: readonly string[]): readonly CarriageFault[] {
  const members = new Set<Member>()
  return messages.flatMap(message => {
    const [, member = null, remedy = ''] = REMEDIES.find(([words]) => words.test(message)) ?? []
    if (member !== null && members.has(member)) return []
    members.add(member)
    return [{ member, message, remedy }]
  })
}
