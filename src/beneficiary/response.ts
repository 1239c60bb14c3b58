// Beneficiaries as callers see them.

import { Id, Literals, Timestamp, textOrNull } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Beneficiary } from './beneficiary.ts'
import { Address, Document, Phone } from './contact.ts'
import { BENEFICIARY_TYPES, DestinationDetails } from './request.ts'

export const BeneficiaryDetailsResponse = Type.Object(
  {
    address: Address,
    date_of_birth: Type.String(),
    destination: Type.String({ description: 'Id of the destination, `dst_…`.' }),
    destination_details: DestinationDetails,
    documents: Type.Array(Document),
    email: Type.String(),
    name: Type.String(),
    name_local: Type.String(),
    national_identification_number: Type.String(),
    party_classification: Type.String(),
    phone: Phone,
    registration_number: Type.String(),
    status: Literals(['active', 'erased'] as const, {
      description: '`erased`: its personal data is erased, and it cannot be paid any more.',
    }),
    tax_id: Type.String(),
    type: Literals(BENEFICIARY_TYPES),
  },
  { title: 'BeneficiaryDetailsShown' },
)

export const BeneficiaryResponse = Type.Object(
  {
    id: Id('bnf', 'Beneficiary id.'),
    object: Type.Literal('beneficiary'),
    ...BeneficiaryDetailsResponse.properties,
    status: Literals(['active', 'pending_approval', 'rejected', 'erased'] as const, {
      description:
        '`pending_approval` and `rejected`: no payout may go to the beneficiary until ' +
        'people have approved it. `erased`: its personal data is erased, and it cannot be ' +
        'paid any more.',
    }),
    archived_at: textOrNull({
      format: 'date-time',
      description:
        'Since when the beneficiary is archived and cannot be paid. Null: it is not archived.',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  {
    title: 'Beneficiary',
    description: 'Who receives payouts, and where.',
  },
)

export function presentBeneficiary(beneficiary: Beneficiary) {
  const { id, details, approval, archived_at, created_at, updated_at } = beneficiary
  const waits = approval === 'pending_approval' || approval === 'rejected'
  const status = waits && details.status === 'active' ? approval : details.status
  const times = { archived_at, created_at, updated_at }
  return { id, object: 'beneficiary', ...details, status, ...times }
}
