// Beneficiaries as pure functions: what their details must say, and which payout types reach them.
import { type Problem, refuseIfAny } from '../errors.ts'
import type { NewId } from '../id.ts'
import type { Instant } from '../instant.ts'
import { findCurrency } from '../money/currency.ts'
import { checkCountry, checkDate, checkEmail, invalid } from '../party/rules.ts'
import { canonicalDestination, checkCodes } from './destination.ts'
import {
  type BeneficiaryRequest,
  DESTINATION_TYPES,
  type DestinationDetails,
  type DestinationType,
} from './wire.ts'

/** The record as stored and as shown in a payout: every field present (service.md). */
export type BeneficiaryDetails = Required<BeneficiaryRequest> & {
  readonly destination: string
  readonly status: 'active'
}

export interface Beneficiary {
  readonly account_id: string
  readonly id: string
  readonly details: BeneficiaryDetails
  readonly created_at: Instant
  readonly updated_at: Instant
}

/**
 * Bank accounts take swift and local payouts; the others the payout type of their name (contract
 * 12).
 */
const PAYOUT_TYPES_BY_DESTINATION: Record<DestinationType, readonly string[]> = {
  bank: ['swift', 'local'],
  wallet: ['wallet'],
  local_payment_network: ['local_payment_network'],
  service_account: ['service_account'],
}

export function destinationTakes(type: DestinationType, payout_type: string): boolean {
  return PAYOUT_TYPES_BY_DESTINATION[type].includes(payout_type)
}

/** What is wrong with details of the right shape; paths start with `prefix`. */
export function checkDetails(request: BeneficiaryRequest, prefix: string): Problem[] {
  const { destination_details, address } = request
  return [
    ...checkDestination(destination_details, `${prefix}.destination_details`),
    ...checkCountry(address?.country, `${prefix}.address.country`),
    ...checkDate(request.date_of_birth, `${prefix}.date_of_birth`),
    ...checkEmail(request.email, `${prefix}.email`),
  ]
}

/** Exactly the member named after the type is present, and it says where the money goes. */
function checkDestination(details: DestinationDetails, path: string): Problem[] {
  const problems: Problem[] = []
  // A type that the schema has refused says nothing about the members.
  const members = DESTINATION_TYPES.includes(details.type) ? DESTINATION_TYPES : []
  for (const member of members) {
    if (member === details.type && details[member] === undefined) {
      problems.push(invalid(`${path}.${member}`, `${member} is required for this type.`))
    }
    if (member !== details.type && details[member] !== undefined) {
      problems.push({
        reason: 'type_mismatch',
        message: `${member} does not belong to a destination of type ${details.type}.`,
        remarks: `${path}.${member}`,
      })
    }
  }
  const { bank } = details
  if (bank !== undefined && (bank.account_number === undefined) === (bank.iban === undefined)) {
    problems.push(invalid(`${path}.bank`, 'Exactly one of account_number and iban must be sent.'))
  }
  return [
    ...problems,
    ...checkCountry(bank?.country, `${path}.bank.country`),
    ...checkDetailCurrency(bank?.currency, `${path}.bank.currency`),
    ...checkDetailCurrency(details.wallet?.currency, `${path}.wallet.currency`),
    ...checkCodes(details, path),
  ]
}

/**
 * The details with every field present: '' and {} stand for what is not set. The codes of the
 * destination are as their standards write them.
 */
export function completeDetails(request: BeneficiaryRequest, newId: NewId): BeneficiaryDetails {
  return {
    address: request.address ?? {},
    date_of_birth: request.date_of_birth ?? '',
    destination: newId('dst'),
    destination_details: canonicalDestination(request.destination_details),
    documents: request.documents ?? [],
    email: request.email ?? '',
    name: request.name,
    name_local: request.name_local ?? '',
    national_identification_number: request.national_identification_number ?? '',
    party_classification: request.party_classification ?? '',
    phone: request.phone ?? {},
    registration_number: request.registration_number ?? '',
    status: 'active',
    tax_id: request.tax_id ?? '',
    type: request.type,
  }
}

/** Refuses details with problems, else makes the beneficiary. */
export function makeBeneficiary(
  account_id: string,
  request: BeneficiaryRequest,
  now: Instant,
  newId: NewId,
): Beneficiary {
  refuseIfAny(checkDetails(request, 'beneficiary_details'))
  const details = completeDetails(request, newId)
  return { account_id, id: newId('bnf'), details, created_at: now, updated_at: now }
}

function checkDetailCurrency(code: string | undefined, remarks: string): Problem[] {
  if (code === undefined || findCurrency(code) !== undefined) return []
  return [{ reason: 'currency', message: 'Not a known currency code.', remarks }]
}
