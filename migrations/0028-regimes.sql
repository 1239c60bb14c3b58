-- additive: the former version knows no shares of institutions, and runs on.
-- What single regimes ask of the money of clients.

-- The largest share of the money of a pool that one institution may hold, in percent: in one
-- currency, or with currency '' in all currencies together.
create table safeguarding_shares (
  pool text not null check (pool in ('payments', 'emoney')),
  currency text not null check (length(currency) <= 10),
  most_share integer not null check (most_share between 1 and 100),
  primary key (pool, currency)
);
create trigger kept before delete or truncate on safeguarding_shares
  for each statement execute function refuse_change();
create trigger history after insert or update on safeguarding_shares
  for each row execute function keep_history();
grant select, insert, update (most_share) on safeguarding_shares to corridor_service;
grant select on safeguarding_shares to corridor_auditor;
