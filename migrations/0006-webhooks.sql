-- Webhooks: endpoints, the deliveries to each, and every attempt. The worker makes deliveries from
-- events, apart from the transactions that write the events, so that an endpoint costs a payout
-- nothing.

create table webhook_endpoints (
  account_id text collate "C" not null,
  id text collate "C" not null,
  url text not null check (url <> ''),
  description text not null,
  -- The types of events to deliver, such as 'payout.failed', or 'payout.*'; empty: every type.
  event_types text[] not null check (array_position(event_types, null) is null),
  status text not null check (status in ('enabled', 'disabled')),
  -- Why it is disabled: by its account, or because it answered 410; '' when enabled.
  disabled_reason text not null check (disabled_reason in ('', 'account', 'gone')),
  -- Secrets are stored in plain text, because the service signs with them. The previous secret is
  -- valid until previous_secret_until.
  secret text not null check (secret <> ''),
  previous_secret text not null default '',
  previous_secret_until timestamptz,
  -- The number of the newest event of the account that deliveries were made from. Events are
  -- numbered without gaps under the lock of the book, so no event is added before it.
  fanned_out bigint not null check (fanned_out >= 0),
  -- How many deliveries were ever made. The next delivery takes the next number.
  delivery_count bigint not null default 0 check (delivery_count >= 0),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint disabled_for_a_reason check ((status = 'enabled') = (disabled_reason = '')),
  primary key (account_id, id)
) with (fillfactor = 50);
create trigger history_of_inserts after insert or delete on webhook_endpoints
  for each row execute function keep_digest('fanned_out', 'delivery_count');
create trigger history after update of url, description, event_types, status, disabled_reason,
  secret, previous_secret, previous_secret_until, created_at, updated_at on webhook_endpoints
  for each row execute function keep_digest('fanned_out', 'delivery_count');

-- One event for one endpoint. Every transaction that changes deliveries of an endpoint holds the
-- lock of the endpoint's row. So the transaction that ends a delivery also makes the next delivery
-- of the same object due.
create table webhook_deliveries (
  account_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  -- The order in which deliveries were made. Deliveries of one object are sent in this order.
  number bigint not null check (number > 0),
  id text collate "C" not null,
  event_id text collate "C" not null,
  event_sequence bigint not null,
  event_type text not null,
  object_id text collate "C" not null,
  status text not null check (status in ('pending', 'succeeded', 'dead', 'cancelled')),
  attempts integer not null default 0 check (attempts >= 0),
  -- When the delivery is sent next, by the database's clock and not the account's. The value
  -- identifies a claim. Null: the delivery is over, or waits for an earlier delivery of the same
  -- object to this endpoint.
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint due_while_pending check (due_at is null or status = 'pending'),
  -- The number comes before the endpoint: else a page of an endpoint's deliveries may be read along
  -- this index, all of them, and sorted.
  constraint webhook_delivery_number unique (account_id, number, endpoint_id)
) with (fillfactor = 80);
create index webhook_deliveries_due on webhook_deliveries (account_id, endpoint_id, due_at)
  where due_at is not null;
create index webhook_deliveries_waiting on webhook_deliveries
  (account_id, endpoint_id, object_id, number) where status = 'pending';
create index webhook_deliveries_dead on webhook_deliveries
  (account_id, endpoint_id, created_at, id) where status = 'dead';
create index webhook_deliveries_newest on webhook_deliveries
  (account_id, endpoint_id, created_at, id) where created_at > '-infinity';
create index webhook_deliveries_by_event on webhook_deliveries (account_id, event_id)
  where event_id <> '';
-- For look-ups by id. It comes last, as in beneficiaries.
alter table webhook_deliveries add primary key (account_id, id);

-- One row for each attempt, written when the attempt ends.
create table webhook_attempts (
  account_id text collate "C" not null,
  delivery_id text collate "C" not null,
  number integer not null check (number > 0),
  -- By the account's clock.
  created_at timestamptz not null,
  duration_ms integer not null check (duration_ms >= 0),
  -- The status of the answer; null: there was none, and `error` says why.
  status_code integer check (status_code between 100 and 599),
  error text not null,
  -- The beginning of the answer's body, as text.
  answer text not null,
  primary key (account_id, delivery_id, number)
);

-- On a distributed database rows of accounts are on other machines than audit_log, so no trigger of
-- theirs can write it. The service calls note_before and note_after around a change, which record
-- it in the same form. note_before keeps the digests in a setting of the transaction, because the
-- service sends its statements without waiting for their results.
create function digests_of(changed text, owner_id text, ids text[]) returns jsonb
language plpgsql set timezone to 'UTC' as $$
declare
  digests jsonb;
begin
  select jsonb_object_agg(e.id, digest_row(to_jsonb(e), array['fanned_out', 'delivery_count']))
  into digests from webhook_endpoints e where e.account_id = owner_id and e.id = any (ids);
  return coalesce(digests, '{}');
end $$;

create function keep_noted(changed text, before jsonb, after jsonb) returns void
language sql security definer set search_path to public, pg_temp as $$
  insert into audit_log (table_name, changed_at, changed_by, before, after)
  select changed, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user),
    keep_noted.before -> id, keep_noted.after -> id
  from jsonb_object_keys(keep_noted.before || keep_noted.after) as id
  where keep_noted.before -> id is distinct from keep_noted.after -> id
  order by id
$$;

create function note_before(changed text, owner_id text, ids text[]) returns void
language plpgsql as $$
begin
  perform set_config('corridor.noted_' || owner_id, digests_of(changed, owner_id, ids)::text, true);
end $$;

create function note_after(changed text, owner_id text, ids text[]) returns void
language plpgsql as $$
begin
  perform keep_noted(changed, current_setting('corridor.noted_' || owner_id)::jsonb,
    digests_of(changed, owner_id, ids));
end $$;
revoke execute on function keep_noted(text, jsonb, jsonb) from public;
