// The columns of payouts and of their states, and the digest of a payout that its events carry.
import { detailsOf, type StoredDetails, storedDetails } from '../parties/beneficiary/columns.ts'
import { routeTaken, type StoredRoute, storedRoute } from '../rails/stored-route.ts'
import { sealOf } from '../values/digest.ts'
import { completed, onlySet } from '../values/omit-defaults.ts'
import type { Particulars, Payout } from './payout.ts'

/** The columns of `payouts`, which are written once. */
export const PAYOUT_KINDS = {
  account_id: 'code',
  id: 'code',
  quote_id: 'code',
  type: 'code',
  amount: 'bigint',
  currency: 'code',
  holding_currency: 'code',
  holding_amount: 'bigint',
  fixed_fee: 'bigint',
  variable_fee: 'bigint',
  destination_currency: 'code',
  destination_amount: 'bigint',
  holding_to_payout: 'decimal',
  payout_to_destination: 'decimal',
  holding_fx_id: 'code',
  payout_fx_id: 'code',
  balance_transaction_id: 'code',
  beneficiary_id: 'code',
  beneficiary_details: 'json',
  particulars: 'json',
  reference_id: 'text',
  on_behalf_of: 'code',
  fund_transfer_network: 'text',
  charge_type: 'code',
  destination_country: 'code',
  basis: 'json',
  quote_validity_s: 'integer',
  first_rail: 'code',
  route: 'json',
  mt103: 'text',
  import_keys: 'text',
  made_by: 'text',
  created_at: 'timestamptz',
  execute_at: 'timestamptz',
} as const

/**
 * The columns of a payout's state. Its row is in `open_payouts`, and in `payout_outcomes` when the
 * payout is over.
 */
export const STATE_KINDS = {
  status: 'code',
  status_description: 'text',
  failure: 'json',
  rail_steps: 'integer',
  held_for: 'text',
  answers: 'json',
  rail: 'code',
  rail_reference: 'text',
  taken_by: 'text',
  taken_at: 'timestamptz',
  taken_over_at: 'timestamptz',
  expected_at: 'timestamptz',
  succeeded_at: 'timestamptz',
  updated_at: 'timestamptz',
  metadata: 'json',
} as const

/** The particulars of a request that sets none, in the order of the stored document. */
export const NO_PARTICULARS: Particulars = {
  purpose: '',
  transaction_description: '',
  reference_id: '',
  statement_descriptor: '',
  on_behalf_of: '',
  creditor_reference: '',
  ultimate_debtor: null,
  documents: [],
  logistics_tracking_details: [],
  metadata: null,
}

/** Particulars that lists filter by. They have columns of their own and are not in the document. */
type Columns = Pick<Particulars, 'reference_id' | 'on_behalf_of'>

/** A payout as its row stores it. */
export type StoredPayout = Omit<Payout, 'beneficiary_details' | 'particulars' | 'route'> &
  Columns & {
    readonly beneficiary_details: StoredDetails
    readonly particulars: Partial<Omit<Particulars, keyof Columns>>
    readonly route: StoredRoute | null
  }

type Documents = 'beneficiary_details' | 'particulars' | 'route'

/** The documents of a payout from its row, completed by the members that storage leaves out. */
export function documentsOf({
  beneficiary_id,
  beneficiary_details,
  particulars,
  reference_id,
  on_behalf_of,
  route,
}: Pick<StoredPayout, Documents | 'beneficiary_id' | keyof Columns>) {
  return {
    beneficiary_details: detailsOf(beneficiary_details, beneficiary_id),
    particulars: completed({ ...particulars, reference_id, on_behalf_of }, NO_PARTICULARS),
    route: routeTaken(route),
  }
}

/** The documents of a payout as text, which the row and the seal have in common. */
const DOCUMENTS = {
  beneficiary_details: 'json_text',
  particulars: 'json_text',
  basis: 'json_text',
  route: 'json_text',
} as const

export const WRITTEN_KINDS = { ...PAYOUT_KINDS, ...DOCUMENTS } as const

export type WrittenPayout = Omit<StoredPayout, keyof typeof DOCUMENTS> & {
  readonly [Name in keyof typeof DOCUMENTS]: string | null
}

/** The payout in the form of its row and its seal. */
export function writtenPayout(payout: Payout): WrittenPayout {
  const { beneficiary_id, beneficiary_details, basis } = payout
  const { reference_id, on_behalf_of, ...particulars } = payout.particulars
  const route = storedRoute(payout.route)
  return {
    ...payout,
    reference_id,
    on_behalf_of,
    beneficiary_details: JSON.stringify(storedDetails(beneficiary_details, beneficiary_id)),
    particulars: JSON.stringify(onlySet(particulars, NO_PARTICULARS)),
    basis: basis && JSON.stringify(basis),
    route: route && JSON.stringify(route),
  }
}

/**
 * The digest that approvers are shown and approve: of the payout's whole row. Migration 0013
 * computes the same digest.
 */
const WRITTEN_SEAL = sealOf<WrittenPayout>(WRITTEN_KINDS)
export const APPROVAL_SEAL = {
  digest: (payout: Payout) => WRITTEN_SEAL.digest(writtenPayout(payout)),
  digestRow: WRITTEN_SEAL.digest,
  sql: WRITTEN_SEAL.sql,
}

const SEAL = sealOf<WrittenPayout>({ ...WRITTEN_KINDS, ...STATE_KINDS }, [
  'rail_steps',
  'expected_at',
])

/**
 * The seal covers everything that a step fixes. It leaves out `rail_steps`, which `corridor verify`
 * compares with the steps, and `expected_at`, which the rail reports: both also change between
 * steps.
 */
export const PAYOUT_SEAL = {
  digest: (payout: Payout) => SEAL.digest(writtenPayout(payout)),
  digestRow: SEAL.digest,
  sql: SEAL.sql,
}
