// The erased forms of rows: ids, times, amounts, country and state stay. PostgreSQL has the same
// forms (migrations/0014) and allows erased rows no other form. Pure.
import { hash } from 'node:crypto'
import type { Beneficiary, BeneficiaryDetails } from '../parties/beneficiary/beneficiary.ts'
import { NO_DETAILS } from '../parties/beneficiary/columns.ts'
import type { DestinationDetails } from '../parties/beneficiary/request.ts'
import type { Entity } from '../parties/entity/entity.ts'
import { NO_PARTICULARS } from '../payouts/columns.ts'
import type { Payout } from '../payouts/payout.ts'
import { completed } from '../values/omit-defaults.ts'
import type { ErasedRow, Erasure } from './privacy.ts'

/** Without the members that identify it and the place where it is paid. */
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

/** Keeps what a price depends on, and another account's address, which is not personal. */
function erasedDestination(destination: DestinationDetails): DestinationDetails {
  const { type, bank, wallet, local_payment_network: network, service_account } = destination
  return {
    type,
    ...(bank && { bank: onlyOf(bank, ['country', 'currency']) }),
    ...(wallet && { wallet: { deposit_address: '', ...onlyOf(wallet, ['type', 'currency']) } }),
    ...(network && { local_payment_network: { type: network.type } }),
    ...(service_account && { service_account }),
  }
}

function onlyOf<T extends object, Name extends keyof T>(value: T, names: readonly Name[]) {
  const members = names.filter(name => value[name] !== undefined).map(name => [name, value[name]])
  return Object.fromEntries(members) as Pick<T, Name>
}

/** Without what identifies payee and purpose, and without texts that people wrote about it. */
export function erasedPayout(payout: Payout): Payout {
  const { reference_id, on_behalf_of } = payout.particulars
  return {
    ...payout,
    beneficiary_details: erasedDetails(payout.beneficiary_details),
    particulars: { ...NO_PARTICULARS, reference_id, on_behalf_of },
    mt103: '',
    metadata: null,
    status_description: '',
    failure: payout.failure && { ...payout.failure, message: '' },
    answers: [],
  }
}

/** Without what identifies it, and without the reviewers' texts. */
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

/** An event's facts about its object are first in its data. */
export function erasedFact(type: string, object_id: string, fact: Fact): object {
  if (type === 'beneficiary.updated') return { updated_at: fact.updated_at, erased: true }
  if (type === 'entity.updated') return { steps: fact.steps, erased: true }
  if (type.startsWith('entity.approval')) {
    const { approval_status, previous_status, was, steps } = fact
    return { approval_status, previous_status, description: '', was, steps, erased: true }
  }
  if (!object_id.startsWith('pot_') || type === 'payout.erased') return fact
  const { reason: _, was_metadata: __, was, ...rest } = fact
  return { ...erasedState(rest), ...(isFact(was) && { was: erasedState(was) }), erased: true }
}

/** Without the texts of its rail, of people and of its account. */
function erasedState({ status_description: _, failure, ...rest }: Fact): object {
  if (failure === undefined) return rest
  return { ...rest, failure: isFact(failure) ? { ...failure, message: '' } : failure }
}

export type Fact = Readonly<Record<string, unknown>>

function isFact(value: unknown): value is Fact {
  return typeof value === 'object' && value !== null
}

/** SHA-256 in hex, which the erasure's event carries. */
export function digestOfErasure(erasure: Erasure, rows: readonly ErasedRow[]): string {
  const { account_id, party_id, erased_at, erased_by, reason } = erasure
  const lines = rows.map(({ table_name, key, was, becomes }) =>
    JSON.stringify([table_name, key, was, becomes]),
  )
  const head = JSON.stringify([account_id, party_id, erased_at, erased_by, reason])
  return hash('sha256', [head, ...lines.sort()].join('\n'), 'hex')
}
