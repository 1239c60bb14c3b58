// An act: what an operator does to a row of an account, as the audit log keeps it.

/** The tables that acts change. For reference data and files, triggers write the audit log. */
type ActedOn =
  | 'payouts'
  | 'payout_approvals'
  | 'beneficiary_approvals'
  | 'balance_transactions'
  | 'beneficiaries'
  | 'entities'
  | 'events'
  | 'evm_slots'
  | 'evm_wallets'
  | 'rail_exceptions'
  | 'screening_matches'

/** `before` and `after` name the row and hold its changed values. */
export interface Act {
  readonly table_name: ActedOn
  /** The reason, in the operator's own words; '' when they gave none. */
  readonly reason: string
  /** Null for acts that record no values from before, such as imports and erasures. */
  readonly before: Readonly<Record<string, string | null>> | null
  readonly after: Readonly<Record<string, string | null>>
}
