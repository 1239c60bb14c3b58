-- Against paying twice: what recent payouts were like. And what accounts answer when a payout
-- requires action, and the message of payouts by SWIFT.

-- How long a payout like an earlier one is refused, in seconds; 0: never.
alter table accounts add column duplicate_window_s integer not null default 600
  check (duplicate_window_s between 0 and 604800);

-- One row a payout, forgotten when no window reaches back to it. A table and not a column, as an
-- index of payouts costs three writes a payout, and a row in here one.
create table payout_likenesses (
  account_id text collate "C" not null,
  -- SHA-256 of beneficiary, amount, currency and reference; payout/likeness.ts writes the recipe.
  likeness bytea not null check (octet_length(likeness) = 32),
  created_at timestamptz not null,
  payout_id text collate "C" not null,
  primary key (account_id, likeness, created_at, payout_id)
);
create index payout_likenesses_age on payout_likenesses (created_at);

-- What the account has answered while the payout required action, oldest first.
alter table payouts add column answers json not null default '[]';
-- As it was when the payout was made; '' for payouts that are not by SWIFT.
alter table payouts add column mt103 text not null default '';

-- An expired quote that a payout has renewed names the one that took its place; it is used, too, or
-- the same request could renew it again.
alter table quotes add column renewed_as text collate "C" not null default '',
  add constraint renewed_once check (renewed_as = '' or status = 'used') not valid;

grant update (renewed_as) on quotes to corridor_service;
grant select, insert, delete on payout_likenesses to corridor_service;
grant update (duplicate_window_s) on accounts to corridor_service;
grant update (answers) on payouts to corridor_service;
