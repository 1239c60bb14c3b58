// The columns of beneficiaries, the stored form of their details, and the seal that their events
// carry.
import { sealOf } from '../../values/digest.ts'
import { withPrefix } from '../../values/id.ts'
import { completed, type NotSet, onlySet } from '../../values/omit-defaults.ts'
import type { Beneficiary, BeneficiaryDetails } from './beneficiary.ts'

export const BENEFICIARY_KINDS = {
  account_id: 'text',
  id: 'text',
  details: 'json',
  made_by: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

/** Members that are not set, in the order of answers. */
export const NO_DETAILS: NotSet<BeneficiaryDetails> = {
  address: {},
  date_of_birth: '',
  destination: null,
  destination_details: null,
  documents: [],
  email: '',
  metadata: {},
  name: null,
  name_local: '',
  national_identification_number: '',
  party_classification: '',
  phone: {},
  reference_id: '',
  registration_number: '',
  status: 'active',
  tax_id: '',
  type: null,
}

/** Details without members that are not set; payouts store them, too. */
export type StoredDetails = Partial<BeneficiaryDetails>

export function storedDetails(details: BeneficiaryDetails, id: string): StoredDetails {
  return onlySet(details, notSetOf(id))
}

export function detailsOf(stored: StoredDetails, id: string): BeneficiaryDetails {
  return completed(stored, notSetOf(id))
}

/** The id of a beneficiary's first destination. */
export function firstDestination(beneficiary_id: string): string {
  return withPrefix(beneficiary_id, 'dst')
}

function notSetOf(beneficiary_id: string): NotSet<BeneficiaryDetails> {
  return { ...NO_DETAILS, destination: firstDestination(beneficiary_id) }
}

export type BeneficiaryRow = Omit<Beneficiary, 'details'> & { readonly details: StoredDetails }

export function beneficiaryRow<Row extends Pick<Beneficiary, 'id' | 'details'>>(beneficiary: Row) {
  return { ...beneficiary, details: storedDetails(beneficiary.details, beneficiary.id) }
}

const SEAL = sealOf<BeneficiaryRow>(BENEFICIARY_KINDS)

export const BENEFICIARY_SEAL = {
  digest: (beneficiary: Beneficiary) => SEAL.digest(beneficiaryRow(beneficiary)),
  sql: SEAL.sql,
}
