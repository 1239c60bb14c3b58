// Beneficiaries as callers see them.
import { shownMaker } from '../../accounts/maker.ts'
import { SERVICE } from '../../accounts/user/user.ts'
import {
  Id,
  Literals,
  MadeBy,
  Metadata,
  optional,
  Timestamp,
  textOrNull,
} from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import { reasonOf } from '../../values/bank-format/reason.ts'
import type { Beneficiary } from './beneficiary.ts'
import { Address, Document, Phone } from './contact.ts'
import type { StoredNotice } from './notice.ts'
import { BENEFICIARY_TYPES, DestinationDetails } from './request.ts'

export const BeneficiaryDetailsResponse = Type.Object(
  {
    address: Address,
    date_of_birth: Type.String(),
    destination: Type.String({ description: 'Id of the destination, `dst_…`.' }),
    destination_details: DestinationDetails,
    documents: Type.Array(Document),
    email: Type.String(),
    metadata: Metadata,
    name: Type.String(),
    name_local: Type.String(),
    national_identification_number: Type.String(),
    party_classification: Type.String(),
    phone: Phone,
    reference_id: Type.String(),
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
    made_by: MadeBy,
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
  const status = shownStatus(approval, details.status)
  const made_by = shownMaker(beneficiary.made_by)
  const times = { archived_at, made_by, created_at, updated_at }
  return { id, object: 'beneficiary', ...details, status, ...times }
}

/** Only of an active beneficiary its approval is shown. */
export function shownStatus<Approval extends string, Status extends string>(
  approval: Approval,
  status: Status,
): Approval | Status {
  const waits = approval === 'pending_approval' || approval === 'rejected'
  return waits && status === 'active' ? approval : status
}

function NoticedValues(title: string, description: string) {
  const values = {
    name: Type.String(),
    account_number: Type.String(),
    routing_number: Type.String({ description: 'The routing number for ACH.' }),
    account_type: Literals(['checking', 'savings'] as const),
  }
  return Type.Object(optional(values), { title, description })
}

export const NoticeResponse = Type.Object(
  {
    object: Type.Literal('beneficiary_notice'),
    beneficiary: Id('bnf', 'Beneficiary id.'),
    payout: Id('pot', 'The payout that the bank notified of.'),
    number: Type.Integer({
      minimum: 1,
      description: 'The number of the notice in the payout. The payout and it name the notice.',
    }),
    code: Type.String({ description: 'The change code of the bank.', examples: ['C01'] }),
    meaning: Type.String({ description: 'What is wrong, in words.' }),
    was: NoticedValues('ValuesBefore', 'What the payment named.'),
    corrected: NoticedValues(
      'CorrectedValues',
      'What the bank names in its place. Empty: no value that a payee can take.',
    ),
    until: textOrNull({
      format: 'date',
      description: 'The day by which the bank expects the change; null: not known.',
    }),
    status: Literals(['open', 'accepted', 'closed'] as const, {
      description:
        '`accepted`: the account has taken the value over. `closed`: the operator has looked at ' +
        'it; the account can still accept it.',
    }),
    created_at: Timestamp,
    closed_at: textOrNull({ format: 'date-time', description: 'Null: it is open.' }),
  },
  {
    title: 'BeneficiaryNotice',
    description: 'A notice of a bank: what it asks to correct at a payee before the next payout.',
  },
)

export const NoticesResponse = Type.Object(
  {
    object: Type.Literal('beneficiary_notices'),
    beneficiary: Id('bnf', 'Beneficiary id.'),
    notices: Type.Array(NoticeResponse, { description: 'Those of the newest payouts first.' }),
    truncated: Type.Boolean({ description: 'Whether there are older notices.' }),
  },
  { title: 'BeneficiaryNotices', description: 'The newest 100 notices about a beneficiary.' },
)

export function presentNotice({ notice, ...stored }: StoredNotice) {
  const { payout_id: payout, number, opened_at: created_at, closed_at, closed_by } = stored
  const { beneficiary, code, until, was, corrected } = notice
  const named = Object.entries(was).filter(([name]) => Object.hasOwn(corrected, name))
  return {
    object: 'beneficiary_notice',
    ...{ beneficiary, payout, number, code },
    meaning: reasonOf('nacha', code)?.words ?? '',
    was: Object.fromEntries(named),
    corrected,
    until: until === '' ? null : until,
    status: statusOf(closed_by),
    ...{ created_at, closed_at },
  }
}

function statusOf(closed_by: string): 'open' | 'accepted' | 'closed' {
  if (closed_by === '') return 'open'
  return closed_by === SERVICE ? 'accepted' : 'closed'
}
