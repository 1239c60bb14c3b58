// What corridor verify is not asked to see, each with its reason. Whoever adds a column either has it
// covered by a check or says here why an edit of it moves no money and tells nobody anything untrue.

/** By `table`, `table.column` or `table.column kind`. */
export const EXCEPTIONS: Readonly<Record<string, string>> = {
  schema_migrations: 'which files were applied: corridor migrate holds their hashes against them',
  api_key_uses: 'when a key was used last, to the minute: for people who tidy up keys',
  payout_attempts:
    'of live accounts on rails outside: test/live/attempts.test.ts has what verify names',
  event_cuts: 'where archives of events end: test/privacy/removed.test.ts has what verify names',
  archived_seals: 'what they leave: that too',
  rail_evidence: 'copies of what banks said, whose files are kept; it moves nothing by itself',
  rail_exceptions: 'what people are to look at, and what they found; moves nothing',
  rail_items: 'of live accounts whose bank takes files: what was paid is held against its payout',
  rail_item_evidence: 'copies of lines of files that are kept; it moves nothing by itself',
  rail_files: 'what a bank was sent, bytes under their digest; test/bank-file has what is refused',
  database_mark: 'which database this is; another one pauses all rails, and moves nothing',
  database_clock: 'what was last seen of the clock; it only stops writes, and moves nothing',
  rail_exchanges: 'which process exchanges files now, and what stopped it; moves nothing',
  rail_inbox: 'files of a bank, known by the digest of their bytes',
  rail_inbox_bytes: 'their bytes, which the digest proves when they are read',
  rail_inbox_lines: 'what of them was not applied, for people to look at; moves nothing',
  screening_imports: 'sanctions lists by the digest of their files; moves nothing',
  screening_entries: 'who is listed, each under a digest that a constraint proves',
  screening_matches: 'whom a payout may be for, and what people have said; moves nothing by itself',
  screening_queue: 'a worker’s list of what to compare; a new list compares the rest',
  screening_pass: 'how far a worker has come; a new list begins anew',
  'beneficiaries.screened': 'tells that its payout has compared it; moves nothing',
  screening_clears: 'who is not whom a list names: without it, a person is asked again',
  'reference_version.lists_version': 'tells processes that lists are newer; any number will do',
  'open_payouts.screened':
    'at which version of the lists nobody was found: screened again by others',
  'open_payouts.compared': 'with which version of the lists a held payout was compared: as above',
  'open_payouts.screening': 'what a held payout waits for; what a rail gets has its attempt',
  'payout_approvals.requested_at': 'when it was asked for: its payout says when it was made',
  'payout_approvals.expires_at':
    'until when people could approve: their decisions are held against it',
  'payout_approvals.made_by': 'who may not approve: held against those who have, who are others',
  'payout_approvals.key_id': 'by which key the payout was made: for people who read the approval',
  'payout_approvals.rules': 'which rules asked for it: how many must approve is held against those',
  'payout_approvals.ended_at': 'named with the payee whom the approval made known',
  'payout_approvals.payee': 'that too',
  'payout_approvals deleted': 'named with the decisions that are left of it',
  'beneficiary_approvals.requested_at': 'when it was asked for: for people who read the approval',
  'beneficiary_approvals.expires_at':
    'until when people could approve: their decisions are held against it',
  'beneficiary_approvals.made_by': 'who may not approve: held against those who have',
  'beneficiary_approvals.key_id': 'by which key it was made: for people who read the approval',
  'beneficiary_approvals.rules': 'which rules asked for it: how many must approve is held',
  'beneficiary_approvals.outcome': 'named with its beneficiary, which says what people have said',
  'beneficiary_approvals deleted': 'named with its beneficiary and with the decisions on it',
  'beneficiary_decisions deleted': 'named with the approval that it was part of',
  'beneficiary_approvals.ended_at': 'when: decisions are held against it',
  'beneficiary_decisions.reason': 'the words of a person; moves nothing',
  'beneficiary_decisions.decided_at': 'when: before it expired, and before it ended',
  'approval_decisions.reason': 'the words of a person; moves nothing',
  'approval_decisions deleted': 'named with the approval that it was part of',
  'approved_payees deleted': 'who is paid again is asked about once more',
  'sessions.last_seen_at': 'when a session was used last, by which it is over some time sooner',
  'second_factors.last_step': 'which code was taken last: it may be taken once more, for a minute',
  entity_duplicates:
    'which records an entity has answered, for people who review it; moves nothing',
  upkeep_runs: 'when verify and backup last ran, for people; moves nothing',
  notifications: 'how far people were notified; moves nothing',
  verify_turn: 'which process verifies now; moves nothing',
  book_proofs: 'how far the service has verified; a walk from the start begins without it',
  verify_faults: 'what the service has found, for people; corridor verify finds it itself',
  payout_metadata: 'hashes by which lists find a payout, whose own metadata is held',
  search_blocks: 'bits by which searches skip names; a worker makes them anew',
  known_devices: 'on which devices people have logged in, which opens nothing; moves nothing',
  login_attempts: 'who tried to log in, until it is forgotten; moves nothing',
  request_log: 'the last requests of sandboxes, for whoever builds against the API; moves nothing',
  payout_fingerprints: 'a guard against paying twice by mistake, forgotten after a week',
  ended_reviews: 'a worker’s list of what to do; a missing one is named where payouts still wait',
  webhook_deliveries:
    'copies of events on their way out, forgotten after 30 days; sent again by a replay',
  webhook_attempts: 'what receivers answered, forgotten after 30 days; moves nothing',
  'webhook_endpoints.fanned_out': 'how far a worker has come; a replay sends what it passed over',
  'webhook_endpoints.delivery_count': 'numbers deliveries, whose key is unique; moves nothing',
  limit_payees:
    'since when payees are known: test/live/limits.test.ts has what it refuses; moves nothing',
  'limit_sums.reached':
    'what a window came to when it let a payout through; what is in it now is held against it',
  'limit_sums.cap': 'the cap of then, which is held against what the window came to',
  'books.written_day': 'how much an account has written today, for its quota; moves nothing',
  'books.written_rows': 'that too',
  'books.written_bytes': 'that too',
  'books.has_limit_uses':
    'false of a book whose payouts count is named; true asks once more what they count',
  'reference_version.version': 'wakes processes to read reference rows anew; any number will do',
  'reference_version.price_version': 'tells processes that prices are newer; any number will do',
  'funding_references.split':
    'whether a payment may fund others besides; what it has funded is held against the lines',
  'rates.loaded_at': 'when the same rate was loaded again',
  'fees.fee_id': 'a number that nothing names',
  'entities.import_key': 'a row of a file that lost it is imported again, and found as a duplicate',
  'payout_outcomes.rail_attempts changed':
    'how often the rail was asked by the last step; what was asked and says it was not is named',
  'payout_outcomes.rail_attempts swapped': 'that too',
  'open_payouts.rail_attempts changed':
    'once more than it was asked: the next question waits longer, and none is left out',
  'open_payouts.rail_attempts swapped': 'that too; what was asked and says it was not is named',
  'open_payouts.expected_at':
    'a forecast, which the rail may change at any time: what has happened has its event',
  'payout_outcomes.expected_at': 'that too, as it was last',
  'open_payouts.claimed_until':
    'until when one worker asks; too soon, the rail is asked twice, which is one payment, or later',
  'open_payouts.ask_rail_at swapped': 'that too; of two the one that waits longer is named',
  'balances.updated_at swapped':
    'of balances that nothing has moved, held against their account to the minute; moved ones exactly',
  'books.last_written_at swapped':
    'of books in which nothing is written, held against their account to the minute; nobody is told',
  'books.clock_ahead changed':
    'the clock of a sandbox, whose money is none; of a live account named',
}
