-- The privileges of each role, table by table, and the accounts whose rows it sees. The migration
-- that creates a table grants its privileges and, if its rows belong to accounts, creates its
-- policies.

-- The service. It has no update and no delete on append-only tables. On other tables it may update
-- only the columns that change.
grant select on schema_migrations, reference_version, audit_log
  to corridor_service;

grant execute on function record_act(text, text, jsonb, jsonb) to corridor_service;

grant execute on function confirm_clock(timestamptz) to corridor_service;
grant select on clock_corrections to corridor_service, corridor_auditor;
grant select, insert, update on database_clock to corridor_service;
grant select on database_clock to corridor_auditor;

grant select, insert on accounts, api_keys, users to corridor_service;
grant update (role, email, disabled_at, disabled_reason) on users to corridor_service;
grant update (name, currencies, primary_currency, duplicate_window_s, daily_rows, daily_mb, state,
  state_reason)
  on accounts to corridor_service;
grant update (revoked_at) on api_keys to corridor_service;
grant select, insert, update on api_key_uses to corridor_service;
grant select, insert, update, delete on rates, fees, routes to corridor_service;
grant select, insert, delete, update (config, secret, paused_reason) on rails to corridor_service;
-- Without created_at, which a trigger sets.
grant select, delete on pricing_policies to corridor_service;
grant insert (account_id, from_currency, to_currency, name, value, effective_from)
  on pricing_policies to corridor_service;

grant select, insert on books, balances, journals, events, idempotency_keys
  to corridor_service;
grant update (journal_count, head_hash, event_count, event_head, last_written_at, clock_ahead, state,
  written_day, written_rows, written_bytes)
  on books to corridor_service;
grant update (available, updated_at, account_state) on balances to corridor_service;
grant update (request_hash, status, body, headers, created_at), delete on idempotency_keys
  to corridor_service;
revoke execute on function funded_elsewhere(text[], text[]), paid_elsewhere(text[], text[]),
  keep_reference(text, text, text, boolean), release_reference(text, text) from public;
grant execute on function funded_elsewhere(text[], text[]), paid_elsewhere(text[], text[])
  to corridor_service;

grant select, insert on beneficiaries, entities, entity_duplicates to corridor_service;
grant select, insert, delete on search_blocks to corridor_service;
grant update (details, found_by, updated_at, archived_at) on beneficiaries to corridor_service;
grant update (on_behalf_of, reference_id, details, approval_status, approval_status_description,
  approval_history, email_key, national_identification_key, name_address_key, registration_key,
  found_by, updated_at) on entities to corridor_service;
grant select, insert, delete, update (due_at) on ended_reviews to corridor_service;

grant select, insert on quotes, payouts, payout_batches, payout_batch_items to corridor_service;
grant update (status, updated_at, renewed_as), delete on quotes to corridor_service;
grant select on payout_states, scheduled_payouts to corridor_service;
grant select, insert, delete, update (status, status_description, failure, held_for, answers,
  ask_rail_at, claimed_until, rail_steps, rail_attempts, rail, rail_reference, taken_by, taken_at,
  taken_over_at, expected_at, metadata, updated_at) on open_payouts to corridor_service;
grant select, insert, update (status, status_description, failure, rail_steps, rail_attempts,
  rail_reference, taken_over_at, succeeded_at, metadata, updated_at) on payout_outcomes to corridor_service;
grant select, insert, delete on holds, payout_fingerprints to corridor_service;
grant select, insert, update (first_id, last_id, hashes) on payout_metadata to corridor_service;
grant select, insert, update (payout_id) on payout_imports to corridor_service;

grant select, insert, delete on webhook_endpoints, webhook_deliveries, webhook_attempts
  to corridor_service;
grant update (url, description, event_types, status, disabled_reason, secret, previous_secret,
  previous_secret_until, fanned_out, delivery_count, updated_at)
  on webhook_endpoints to corridor_service;
grant update (status, attempts, due_at, updated_at) on webhook_deliveries to corridor_service;

-- The finder reads what is due, and what waits for people, by status and for how long.
grant select (account_id, sandbox, event_count, clock_ahead, state) on books to corridor_finder;
grant select (account_id, created_at) on idempotency_keys, payout_fingerprints to corridor_finder;
grant select (account_id, entity_id, due_at) on ended_reviews to corridor_finder;
grant select (account_id, id, ask_rail_at, claimed_until, execute_at, rail, status)
  on open_payouts to corridor_finder;
grant select (account_id, id, status, fanned_out) on webhook_endpoints to corridor_finder;
grant select (account_id, id, endpoint_id, due_at, created_at) on webhook_deliveries
  to corridor_finder;

grant select on all tables in schema public to corridor_auditor;

-- The service sees and writes the rows of an account only in a transaction that names the account
-- in corridor.accounts (docs/decisions/row-level-security-and-seals.md). Without the setting it
-- sees no account. A policy reads the setting in a select of its own, which runs once for each
-- statement.
-- The policy is written so that PostgreSQL uses no index for it, and so that the planner expects it
-- to hold for nearly all rows. So the conditions of the statement alone decide its plan. The
-- policies hold for the owner of the tables too. The owner reads all rows as a member of the
-- auditor, and changes rows only with corridor.maintenance = on.
do $$
declare
  name text;
begin
  foreach name in array array[
    'books', 'balances', 'journals', 'events', 'beneficiaries', 'quotes',
    'payouts', 'open_payouts', 'payout_outcomes', 'idempotency_keys', 'entities', 'entity_duplicates', 'search_blocks', 'holds', 'ended_reviews', 'webhook_endpoints',
    'webhook_deliveries', 'webhook_attempts', 'payout_fingerprints', 'payout_metadata', 'payout_batches',
    'payout_batch_items', 'payout_imports'
  ] loop
    execute format('alter table %I enable row level security, force row level security', name);
    execute format($policy$
      create policy accounts_named on %I to corridor_service using (array_position(
        (select string_to_array(current_setting('corridor.accounts', true), ',')),
        account_id) is not null)
    $policy$, name);
    execute format('create policy audit on %I for select to corridor_auditor using (true)', name);
    execute format($policy$
      create policy maintenance on %I to %I
      using ((select current_setting('corridor.maintenance', true)) = 'on')
    $policy$, name, current_user);
  end loop;
  foreach name in array array['open_payouts', 'ended_reviews', 'books', 'webhook_endpoints',
    'webhook_deliveries', 'payout_fingerprints', 'idempotency_keys'
  ] loop
    execute format('create policy find on %I for select to corridor_finder using (true)', name);
  end loop;
end $$;
