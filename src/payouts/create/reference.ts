// The particulars of a payout, which its message to the bank says besides the money: the creditor
// reference, the entity that it is made for, and texts. Pure.

import { electronicForm } from '../../parties/beneficiary/bank-code.ts'
import type { BeneficiaryDetails } from '../../parties/beneficiary/beneficiary.ts'
import type { UltimateDebtor } from '../../values/bank-format/bank-format.ts'
import { invalidField, type Problem, refuseIfAny } from '../../values/errors.ts'
import { nameOf } from '../../values/id.ts'
import {
  bareReference,
  pairingFault,
  referenceFault,
} from '../../values/network/creditor-reference.ts'
import type { Intent, Particulars, PayoutState, Principal } from '../payout.ts'
import type { PayoutRequest } from '../request.ts'

/** The creditor reference in its stored form; '' for none. */
export function referenceOf({ creditor_reference = '' }: PayoutRequest): string {
  return bareReference(creditor_reference)
}

/**
 * The problems of the creditor reference: its form and check digits, and whether the payee's
 * account takes it. `details` is undefined while they are not known.
 */
export function referenceProblems(
  request: PayoutRequest,
  details: Pick<BeneficiaryDetails, 'destination_details'> | undefined,
): Problem[] {
  const reference = referenceOf(request)
  const fault = request.creditor_reference ? referenceFault(reference) : undefined
  const unfit = details && accountFault(reference, details)
  return [fault ?? unfit]
    .filter(message => message !== undefined)
    .map(message => invalidField('creditor_reference', message))
}

function accountFault(
  reference: string,
  { destination_details: { type, bank } }: Pick<BeneficiaryDetails, 'destination_details'>,
): string | undefined {
  if (type === 'bank') return pairingFault(reference, electronicForm(bank?.iban ?? ''))
  return reference === '' ? undefined : 'A creditor reference goes to bank accounts alone.'
}

/** The members of the request that the service stores, and never computes with. */
export function particularsOf(
  { principals }: Pick<PayoutState, 'principals'>,
  { account_id, request, on_behalf_of }: Intent,
): Particulars {
  return {
    purpose: request.purpose,
    transaction_description: request.transaction_description ?? '',
    reference_id: request.reference_id ?? '',
    statement_descriptor: request.statement_descriptor ?? '',
    on_behalf_of,
    creditor_reference: referenceOf(request),
    ultimate_debtor: debtorOf(principals.get(nameOf({ account_id, id: on_behalf_of }))),
    documents: request.documents ?? [],
    logistics_tracking_details: request.logistics_tracking_details ?? [],
    metadata: request.metadata ?? null,
  }
}

/** Refuses (400) a creditor reference that the account of a stored payee does not take. */
export function checkReference(request: PayoutRequest, details: BeneficiaryDetails): void {
  refuseIfAny(referenceProblems(request, details))
}

/** The ultimate debtor of a payout for this entity; null for none. */
export function debtorOf(principal: Principal | undefined): UltimateDebtor | null {
  if (principal === undefined) return null
  const { name, type, registration_number, national_identification_number } = principal
  const id = type === 'business' ? registration_number : national_identification_number?.number
  return { name, type, id: id ?? '' }
}
