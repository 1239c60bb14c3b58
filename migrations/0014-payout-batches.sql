-- Batches of payouts, and what became of each payout asked for. Both are written once, in the
-- transaction that makes the payouts.

create table payout_batches (
  account_id text collate "C" not null,
  id text collate "C" not null,
  mode text not null check (mode in ('all_or_nothing', 'best_effort')),
  reference_id text not null,
  metadata json,
  created integer not null check (created >= 0),
  held integer not null check (held >= 0),
  refused integer not null check (refused >= 0),
  -- What was taken of each balance, and what that left, as of the batch.
  totals json not null,
  created_at timestamptz not null,
  constraint nothing_refused_of_all check (mode = 'best_effort' or refused = 0)
);
create index payout_batches_newest on payout_batches (account_id, created_at, id, mode)
  where created_at > '-infinity';
create index payout_batches_by_reference on payout_batches
  (account_id, reference_id, created_at, id) where reference_id <> '';
-- The primary key last, see 0008.
alter table payout_batches add primary key (account_id, id);

-- One payout asked for, by its place in the request, from 0.
create table payout_batch_items (
  account_id text collate "C" not null,
  batch_id text collate "C" not null,
  position integer not null check (position >= 0),
  -- What became of it then; the payout says what has become of it since.
  status text not null check (status in ('created', 'held', 'refused')),
  -- '' of what was refused.
  payout_id text collate "C" not null,
  reference_id text not null,
  -- Why it was refused, as POST /v3/payout says it.
  problems json not null,
  constraint paid_unless_refused check ((status = 'refused') = (payout_id = ''))
);
create index payout_batch_items_refused on payout_batch_items (account_id, batch_id, position)
  where status = 'refused';
alter table payout_batch_items add primary key (account_id, batch_id, position);

create trigger append_only before update or delete or truncate on payout_batches
  for each statement execute function refuse_change();
create trigger append_only before update or delete or truncate on payout_batch_items
  for each statement execute function refuse_change();

grant select, insert on payout_batches, payout_batch_items to corridor_service;
