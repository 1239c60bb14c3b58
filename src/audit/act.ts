// What an operator does to rows of accounts, as the audit log keeps it.

/** The tables that acts change. Triggers write the history of reference data and of files. */
type ActedOn =
  | 'payouts'
  | 'payout_approvals'
  | 'beneficiary_approvals'
  | 'balance_transactions'
  | 'beneficiaries'
  | 'entities'
  | 'events'
  | 'rail_exceptions'
  | 'screening_matches'

/** `before` and `after` name the row and hold its changed values. */
export interface Act {
  readonly table_name: ActedOn
  /** The reason, in the operator's own words; '' when they gave none. */
  readonly reason: string
  /** Null when there was no row. */
  readonly before: Readonly<Record<string, string | null>> | null
  readonly after: Readonly<Record<string, string | null>>
}
