// The MT103 of a payout by SWIFT: the facts of the message, and the refusal of a payout that no
// message can carry. Pure: mt103.ts makes the text.
import { ownNames } from '../../parties/beneficiary/bank-code.ts'
import type { EntityDetails } from '../../parties/entity/entity.ts'
import { invalidField, type Problem, refuseIfAny } from '../../values/errors.ts'
import { nameOf } from '../../values/id.ts'
import type { Instant } from '../../values/instant.ts'
import { referenceOf } from '../create/reference.ts'
import type { Intent, PayoutState, PricedPayout, PrincipalAddress } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'
import { type Mt103Facts, type Mt103Fault, mt103Faults, mt103Of } from './mt103.ts'
import { uetrOf } from './uetr.ts'

type MessageState = Pick<PayoutState, 'principals' | 'sender_bic'>

interface SwiftPayout extends Omit<PricedPayout, 'routed'> {
  readonly id: string
  readonly now: Instant
}

/**
 * The MT103 of a payout, '' when it is not by SWIFT. Refuses (400) amounts of more than 14 digits,
 * currencies that are not of ISO 4217, and accounts that its fields cannot carry.
 */
export function writeMt103(state: MessageState, intent: Intent, made: SwiftPayout): string {
  if (made.quote.payout_type !== 'swift') return ''
  const facts = factsOf(state, intent, made)
  // Without a conversion both sides are the same, so their faults are reported once.
  const converted = facts.currency !== facts.destination_currency
  const faults = mt103Faults(facts).filter(
    ({ member }) => converted || !member.startsWith('destination_'),
  )
  refuseIfAny(faults.map(fault => problemOf(fault, intent.request)))
  return mt103Of(facts)
}

function factsOf(
  { principals, sender_bic }: MessageState,
  { account_id, account: { name }, request, on_behalf_of }: Intent,
  { id, now, beneficiary, quote, paid }: SwiftPayout,
): Mt103Facts {
  const principal = principals.get(nameOf({ account_id, id: on_behalf_of }))
  const { details } = beneficiary
  const { swift_code = '' } = ownNames(details.destination_details.bank?.bank_codes ?? {})
  return {
    payout_id: id,
    uetr: uetrOf(id),
    created_at: now,
    amount: quote.payout_amount,
    currency: quote.payout_currency,
    destination_amount: quote.destination_amount,
    destination_currency: quote.destination_currency,
    payout_to_destination: quote.payout_to_destination,
    charge_type: paid.charge_type,
    ordering_customer: {
      account: account_id,
      lines: principal === undefined ? [name] : linesOf(principal),
    },
    beneficiary_details: details,
    transaction_description: request.transaction_description ?? '',
    reference_id: request.reference_id ?? '',
    creditor_reference: referenceOf(request),
    sender_bic,
    // No correspondents are known here: the message goes to the beneficiary's own bank.
    receiver_bic: swift_code,
  }
}

function linesOf(principal: Pick<EntityDetails, PrincipalAddress | 'name'>): string[] {
  const address = principal.registration_address ?? principal.operating_address ?? {}
  const { line1, line2, city, state, country, postal_code } = address
  const street = [line1, line2].filter(Boolean).join(', ')
  const town = [postal_code, city, state, country].filter(Boolean).join(' ')
  return [principal.name, street, town].filter(Boolean)
}

/** The problem at the request's member that the message cannot carry. */
function problemOf({ member, message }: Mt103Fault, request: PayoutRequest): Problem {
  const inline = request.beneficiary === undefined
  const bank = inline ? 'beneficiary_details.destination_details.bank' : 'beneficiary'
  switch (member) {
    case 'currency':
      return { reason: 'currency', message, remarks: 'currency' }
    case 'destination_currency': {
      const known = inline ? `${bank}.currency` : bank
      const remarks = request.quote === undefined ? known : 'quote'
      return { reason: 'currency', message, remarks }
    }
    case 'account': {
      const iban = request.beneficiary_details?.destination_details.bank?.iban !== undefined
      const remarks = inline ? `${bank}.${iban ? 'iban' : 'account_number'}` : bank
      return invalidField(remarks, message)
    }
    default:
      return { reason: 'amount_out_of_range', message, remarks: 'amount' }
  }
}
