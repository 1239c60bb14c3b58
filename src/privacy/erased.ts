// The erased forms of rows: ids, times, amounts, country and state stay. PostgreSQL has the
// same forms (migrations/0014) and lets personal data go to no other. Pure.
import type { Beneficiary, BeneficiaryDetails } from '../beneficiary/beneficiary.ts'
import { NO_DETAILS } from '../beneficiary/columns.ts'
import type { DestinationDetails } from '../beneficiary/request.ts'
import type { Entity } from '../entity/entity.ts'
import { completed } from '../only-set.ts'

/** A beneficiary without what says who it is and where it is paid. */
export function erasedBeneficiary(beneficiary: Beneficiary): Beneficiary {
  return { ...beneficiary, details: erasedDetails(beneficiary.details) }
}

function erasedDetails(details: BeneficiaryDetails): BeneficiaryDetails {
  const { destination, destination_details, type } = details
  return completed<BeneficiaryDetails>(
    {
      address: countryOf(details.address),
      destination,
      destination_details: erasedDestination(destination_details),
      name: '',
      status: 'erased',
      type,
    },
    NO_DETAILS,
  )
}

function erasedDestination({ type, bank }: DestinationDetails): DestinationDetails {
  if (type !== 'bank') return { type }
  const { country, currency } = bank ?? {}
  return { type, bank: { ...(country && { country }), ...(currency && { currency }) } }
}

/** An entity without what says who it is, and without what reviewers wrote of it. */
export function erasedEntity(entity: Entity): Entity {
  const { on_behalf_of, registration_address } = entity.details
  const address = countryOf(registration_address ?? {})
  return {
    ...entity,
    details: {
      name: '',
      ...(on_behalf_of !== undefined && { on_behalf_of }),
      ...(address.country !== undefined && { registration_address: address }),
    },
    approval_status_description: '',
    approval_history: entity.approval_history.map(step => ({ ...step, description: '' })),
  }
}

function countryOf({ country }: { readonly country?: string | undefined }): { country?: string } {
  return country === undefined ? {} : { country }
}

/** What an event says of its object, first in its data, once it is erased. */
export function erasedFact(type: string, fact: object): object {
  if (type === 'beneficiary.updated' || type === 'entity.updated') {
    return { previous: {}, erased: true }
  }
  if (!type.startsWith('entity.approval')) return fact
  const { approval_status, previous_status } = fact as { [name: string]: unknown }
  return { approval_status, previous_status, description: '', erased: true }
}
