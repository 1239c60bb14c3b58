// The personal data in each column of text, JSON, bytes or lists of integers. A test compares it
// with the schema, so that no column is forgotten. docs/privacy.md says how long each is kept, and
// what an erasure leaves.

/** Columns separated by blanks. A kind that a table does not name has none of its columns. */
interface Declared {
  /** Tells who somebody is, where they are paid or what for, or may tell it in free text. */
  readonly personal?: string
  /** A digest of data that is personal, or may be. */
  readonly digest?: string
  /** Names of the people who run the installation, and what they write. */
  readonly staff?: string
  /** Ids, codes, states, currencies, countries and digests of public data. */
  readonly none?: string
}

export const COLUMNS: Readonly<Record<string, Declared>> = {
  schema_migrations: { none: 'name hash' },
  reference_version: { none: 'change_head' },
  audit_log: { staff: 'changed_by via origin reason before after', none: 'table_name act hash' },
  users: { staff: 'name full_name email disabled_reason', none: 'role' },
  user_identities: { staff: 'issuer subject user_name' },
  invitations: {
    staff: 'email invited_by accepted_by',
    none: 'invitation_id secret_hash account_id roles',
  },
  login_attempts: { staff: 'network user_name', none: 'device means' },
  second_factors: { staff: 'user_name', none: 'secret' },
  recovery_codes: { staff: 'user_name', none: 'secret_hash' },
  second_factor_rules: { none: 'scope' },
  known_devices: { staff: 'user_name', none: 'secret_hash' },
  login_links: { staff: 'user_name', none: 'secret_hash' },
  sessions: { staff: 'user_name', none: 'secret_hash' },
  user_passwords: { staff: 'user_name', none: 'secret_hash' },
  user_keys: { staff: 'user_name name made_by', none: 'key_id secret_hash' },
  upkeep_runs: { none: 'kind told' },
  notifications: { none: 'kind way last_error' },
  account_roles: { staff: 'user_name', none: 'account_id role' },
  accounts: {
    staff: 'name state_reason',
    none: 'account_id currencies primary_currency deposit_address us_state state',
  },
  api_keys: { staff: 'name owner made_by', none: 'key_id account_id secret_hash scope' },
  means_given: { staff: 'user_name given_by', none: 'means' },
  api_key_uses: { none: 'key_id' },
  rates: { none: 'base quote source' },
  fees: {
    none: 'payout_type payout_currency destination_country network charge_type fee_currency',
  },
  pricing_policies: { none: 'account_id from_currency to_currency name value' },
  rails: { staff: 'paused_reason', none: 'name kind config secret' },
  routes: {
    none: 'payout_type network currency country account_id rail calendar cut_off zone',
  },
  books: { none: 'account_id head_hash event_head state' },
  balances: { none: 'account_id currency account_state' },
  journals: {
    // In bookings of operators: their name, their words and the reference of a bank.
    staff: 'metadata',
    none: 'account_id kind source currency codes currencies hash undoes fx_conversions',
  },
  funding_references: { none: 'account_id id reference' },
  events: {
    personal: 'data',
    digest: 'content kept hash',
    none: 'account_id told type object_id',
  },
  idempotency_keys: {
    personal: 'key body headers',
    digest: 'request_hash',
    none: 'account_id operation',
  },
  beneficiaries: {
    personal: 'details found_by',
    staff: 'made_by',
    none: 'account_id id type destination_type screening approval',
  },
  entities: {
    personal: 'reference_id details approval_status_description approval_history found_by',
    digest: 'email_key national_identification_key name_address_key registration_key import_key',
    staff: 'made_by',
    none: 'account_id id type on_behalf_of approval_status screening',
  },
  ended_reviews: { none: 'account_id entity_id' },
  quotes: {
    staff: 'made_by',
    none:
      'account_id id status payout_type holding_currency payout_currency destination_currency ' +
      'destination_country fund_transfer_network payment_network wallet_type wallet_network ' +
      'charge_type entity_id basis renewed_as',
  },
  conversions: {
    staff: 'made_by',
    none: 'account_id id quote_id holding_currency destination_currency',
  },
  payouts: {
    personal: 'beneficiary_details particulars reference_id mt103',
    digest: 'import_keys',
    staff: 'made_by',
    none:
      'account_id id quote_id type currency holding_currency destination_currency holding_fx_id ' +
      'payout_fx_id balance_transaction_id beneficiary_id on_behalf_of fund_transfer_network ' +
      'charge_type destination_country basis first_rail route',
  },
  open_payouts: {
    personal: 'status_description rail_reference answers failure metadata',
    staff: 'taken_by',
    none: 'account_id id status rail held_for screening awaits_funds_of',
  },
  payout_outcomes: {
    personal: 'status_description rail_reference answers failure metadata',
    staff: 'taken_by',
    none: 'account_id id status rail',
  },
  holds: { none: 'account_id entity_id payout_id' },
  entity_duplicates: { none: 'account_id entity_id rule differs' },
  payout_metadata: { digest: 'hashes', none: 'account_id first_id last_id' },
  search_blocks: { digest: 'bits', none: 'account_id listed after_id last_id' },
  payout_fingerprints: { digest: 'fingerprint', none: 'account_id payout_id' },
  payout_imports: { digest: 'import_key', none: 'account_id payout_id' },
  payout_batches: {
    personal: 'reference_id metadata',
    staff: 'made_by',
    none: 'account_id id mode totals hash',
  },
  payout_batch_items: {
    personal: 'reference_id problems',
    none: 'account_id batch_id status payout_id',
  },
  webhook_endpoints: {
    none: 'account_id id url description event_types status disabled_reason secret previous_secret',
  },
  webhook_deliveries: {
    none: 'account_id endpoint_id id event_id event_type object_id status',
  },
  webhook_attempts: { personal: 'answer', none: 'account_id delivery_id error' },
  payout_attempts: {
    personal: 'not_taken rail_references',
    none: 'account_id payout_id rail uetr ended_as route',
  },
  rail_evidence: {
    personal: 'reasons message reference detail',
    digest: 'same',
    none: 'account_id payout_id rail source position level code currency said_at',
  },
  rail_exceptions: {
    personal: 'message note notice',
    staff: 'closed_by',
    none: 'account_id payout_id rail kind',
  },
  rail_items: {
    personal: 'payment',
    none:
      'account_id payout_id end_to_end_id uetr rail currency msg_id payment_information_id ' +
      'instruction_id earlier_files',
  },
  rail_files: {
    personal: 'bytes envelope',
    staff: 'approved_by reason',
    none: 'msg_id name rail format settlement_account currency sha256 state',
  },
  rail_item_evidence: {
    personal: 'reasons text reference',
    digest: 'same',
    none: 'account_id payout_id level code currency said_at sha256 position',
  },
  evm_wallets: { none: 'address rail state stopped_as problem held_by read_hash' },
  evm_slots: {
    personal: 'payee calldata',
    staff: 'adopted_by void_by void_reason',
    none: 'account_id payout_id rail wallet uetr purpose currency token state void_as',
  },
  evm_transactions: { personal: 'raw', none: 'hash wallet kind block_hash last_answer' },
  evm_transfers: { personal: 'receiver', none: 'tx_hash block_hash token sender' },
  evm_sweeps: { staff: 'asked_by reason agreed_by', none: 'rail wallet payee currency' },
  evm_balances: { none: 'wallet token' },
  evm_troubles: { none: 'rail wallet kind message' },
  database_mark: { none: 'lineage system database timeline files' },
  rail_exchanges: { none: 'rail held_by problem' },
  rail_inbox: { staff: 'closed_by note', none: 'sha256 rail name state reason' },
  rail_inbox_bytes: { personal: 'bytes', none: 'sha256' },
  rail_inbox_lines: {
    personal: 'said reason',
    staff: 'closed_by note',
    none: 'sha256 position end_to_end_id msg_id payment',
  },
  // People whom governments list and publish.
  screening_imports: {
    staff: 'imported_by reason',
    none: 'list sha256 file_name format left_out',
  },
  screening_entries: { none: 'list entry_id digest content' },
  screening_settings: { staff: 'set_by reason', none: 'required' },
  matches: { staff: 'by note undone_by undo_note', none: 'nostro rule' },
  case_notes: { staff: 'by owner note', none: 'of proposes' },
  statement_files: { staff: 'by', none: 'sha256 name rail state reason account' },
  bank_statements: { none: 'sha256 nostro format statement_id sequence state' },
  bank_lines: {
    // References of payers may name somebody.
    personal: 'counterparty counterparty_name text end_to_end_id',
    none: 'same nostro currency code uetr instruction block file bank_reference own_account details',
  },
  screening_matches: {
    personal: 'pieces listed_name reason',
    digest: 'party_hash',
    staff: 'decided_by',
    none: 'account_id object_id party list entry_id entry_digest state',
  },
  screening_clears: {
    personal: 'reason',
    digest: 'party_hash',
    staff: 'cleared_by',
    none: 'account_id list entry_id entry_digest object_id',
  },
  screening_queue: { none: 'account_id party_id' },
  screening_pass: { none: 'after_account after_party' },
  book_proofs: { none: 'account_id walk hash balances' },
  verify_faults: { digest: 'mark', none: 'account_id table_name key' },
  nostros: {
    none: 'name kind currency institution account bic purpose pool rails settings',
  },
  account_cursors: { none: 'account_id' },
  account_days: { none: 'account_id currency code' },
  nostro_totals: { none: 'nostro side currency' },
  handed_over: { none: 'nostro' },
  open_days: { none: 'nostro currency' },
  house_journals: {
    staff: 'reference note by',
    none: 'kind codes currencies nostros hash',
  },
  nostro_items: {
    // The reference of a booking, as journals have it.
    staff: 'key',
    none: 'nostro currency kind account_id payout_id rail uetr instruction block file',
  },
  funding_keys: { staff: 'made_by', none: 'account_id kind value nostro currency' },
  closes: { staff: 'by', none: 'month cuts trial_balance positions sha256' },
  account_pools: { none: 'account_id pool' },
  safeguarding_shares: { none: 'pool currency' },
  safeguarding_days: { staff: 'action by', none: 'pool currency external state' },
  limits: { none: 'limit_id account_id key_id rail network each currency per zone' },
  limit_sums: { digest: 'subject', none: 'account_id limit_id' },
  limit_uses: { digest: 'subject', none: 'account_id payout_id limit_id' },
  limit_payees: { digest: 'payee', none: 'account_id' },
  approval_rules: {
    none:
      'rule_id subject account_id key_id payout_type network country currency ' +
      'at_least_currency',
  },
  payout_approvals: {
    digest: 'digest payee',
    staff: 'made_by',
    none: 'account_id payout_id key_id rules outcome',
  },
  approval_decisions: {
    personal: 'reason',
    digest: 'digest',
    staff: 'user_name',
    none: 'account_id payout_id decision',
  },
  beneficiary_approvals: {
    digest: 'digest',
    staff: 'made_by',
    none: 'account_id beneficiary_id key_id rules outcome',
  },
  beneficiary_decisions: {
    personal: 'reason',
    digest: 'digest',
    staff: 'user_name',
    none: 'account_id beneficiary_id decision',
  },
  approved_payees: { digest: 'payee', none: 'account_id payout_id' },
  // Masked when it is noted: test/api/request-log.test.ts.
  request_log: {
    none: 'account_id id request_id key_id method path outcome reason remarks',
  },
  privacy_settings: { staff: 'set_by reason' },
  erasures: {
    digest: 'was becomes',
    staff: 'erased_by reason',
    none: 'account_id party_id table_name key',
  },
  event_cuts: { digest: 'hash seals', staff: 'removed_by', none: 'account_id file' },
  archived_seals: { digest: 'content', none: 'account_id object_id' },
}
