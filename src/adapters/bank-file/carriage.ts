// Finds the payment of a payout that a bank's file can carry, or why none can, and which members of
// the payout are at fault. Pure.
import type { CarriageFault, Carried } from '../../rails/carriage.ts'
import type { BankFormat, FileItem } from '../../values/bank-format/bank-format.ts'
import type { FileRailConfig } from './config.ts'
import { type Payment, paymentOf } from './item.ts'

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
  const payment = paymentOf(payout)
  if (payment === undefined) return { messages: ['it goes to no bank account'] }
  const faultsOf = (payment: Payment) =>
    format.checkItem({ ...ids, amount, currency, ...payment }, settlement_account, profile)
  const messages = faultsOf(payment)
  if (messages.length === 0) return { payment }
  const name = payout.beneficiary_details.name_local.trim()
  const renamed = { ...payment, creditor: { ...payment.creditor, name } }
  return name !== '' && faultsOf(renamed).length === 0 ? { payment: renamed } : { messages }
}

/** Ids of the right form, for a payment that has none yet. */
const NO_IDS: Ids = {
  end_to_end_id: '0'.repeat(15),
  uetr: '00000000-0000-4000-8000-000000000000',
}

/** The members that are at fault, by the words of `checkItem`. Other faults are the operator's. */
const MEMBERS: readonly (readonly [message: RegExp, member: CarriageFault['member']])[] = [
  [/^name of the creditor|^the creditor has no name/, 'name'],
  [/^address of the creditor has no town/, 'address.city'],
  [/^address of the creditor has no country/, 'address.country'],
  [/^name of the ultimate debtor/, 'on_behalf_of'],
]

/** Which members keep files of a rail with these settings from carrying the payout. */
export function carriageFaults(format: BankFormat, config: FileRailConfig, payout: Carried) {
  const found = carriedPayment(format, config, payout, NO_IDS)
  if (!('messages' in found)) return []
  // One fault of a member is enough.
  return MEMBERS.flatMap(([words, member]) => {
    const message = found.messages.find(message => words.test(message))
    return message === undefined ? [] : [{ member, message }]
  })
}
