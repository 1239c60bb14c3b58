-- What the service's role may do. Append-only tables get no update and no delete; tables whose rows
-- live on get updates of exactly the columns that may change.

grant select on schema_migrations, accounts, api_keys, reference_version, rates, fees, books, balances,
  journals, balance_transactions, events, beneficiaries, quotes, payouts, payout_transitions,
  idempotency_keys to corridor_service;

grant insert, update, delete on rates, fees to corridor_service;
grant insert on accounts, api_keys to corridor_service;
grant update (revoked_at) on api_keys to corridor_service;
grant update (version) on reference_version to corridor_service;

grant insert on books, balances, journals, balance_transactions, events, beneficiaries, quotes, payouts,
  idempotency_keys to corridor_service;
grant update (journal_count, head_hash, event_count, last_written_at) on books to corridor_service;
grant update (available, updated_at) on balances to corridor_service;
grant update (status, updated_at) on quotes to corridor_service;
grant update (status, status_description, failure, rail_steps, rail_attempts, ask_rail_at, updated_at)
  on payouts to corridor_service;
grant update (request_hash, status, body, created_at), delete on idempotency_keys to corridor_service;
