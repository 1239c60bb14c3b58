-- Each account's rows are shown to, and taken from, those transactions alone that name the account.
-- docs/decisions/0032 has the roles and what they see.

-- Finds what is due in any account; sees names and times, and changes nothing.
do $$
begin
  create role corridor_finder nologin;
exception when duplicate_object or unique_violation then null;
end $$;
-- Reads everything and changes nothing: the operator's lists, and corridor verify.
do $$
begin
  create role corridor_auditor nologin;
exception when duplicate_object or unique_violation then null;
end $$;
do $$
begin
  execute format('grant corridor_finder, corridor_auditor to %I', current_user);
exception when others then null; -- as in 0001
end $$;

grant select on all tables in schema public to corridor_auditor;
grant select (account_id, id, ask_rail_at) on payouts to corridor_finder;
grant select (account_id, entity_id, due_at) on ended_reviews to corridor_finder;
grant select (account_id, event_count) on books to corridor_finder;
grant select (account_id, id, status, fanned_out) on webhook_endpoints to corridor_finder;
grant select (account_id, id, endpoint_id, due_at, created_at) on webhook_deliveries
  to corridor_finder;
grant select (account_id, created_at) on payout_likenesses to corridor_finder;
grant select (account_id, created_at) on idempotency_keys to corridor_finder;

-- The setting is read once a statement, as it stands in a select of its own. Not set, it names nobody.
-- Written so that no index is asked for it, and that the planner takes it to hold of nearly all rows:
-- plans are those that the statements' own conditions lead to.
-- The owner of the tables is held to this as well: it reads all, being a member of the auditor, and
-- changes rows only when it says that this is maintenance.
do $$
declare
  name text;
begin
  foreach name in array array[
    'books', 'balances', 'journals', 'balance_transactions', 'events', 'beneficiaries', 'quotes',
    'payouts', 'idempotency_keys', 'entities', 'holds', 'ended_reviews', 'webhook_endpoints',
    'webhook_deliveries', 'webhook_attempts', 'payout_likenesses', 'payout_batches',
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
  foreach name in array array['payouts', 'ended_reviews', 'books', 'webhook_endpoints',
    'webhook_deliveries', 'payout_likenesses', 'idempotency_keys'
  ] loop
    execute format('create policy find on %I for select to corridor_finder using (true)', name);
  end loop;
end $$;
