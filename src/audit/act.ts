// What an operator does to rows of accounts, as the audit log has it.

/** The tables whose changes acts are; triggers write the history of reference data and of files. */
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

/** Before and after name the row, and say what of it has changed. */
export interface Act {
  readonly table_name: ActedOn
  /** Why, in the words of whoever did it; '' when they gave none. */
  readonly reason: string
  /** Null: there was no row. */
  readonly before: Readonly<Record<string, string | null>> | null
  readonly after: Readonly<Record<string, string | null>>
}
