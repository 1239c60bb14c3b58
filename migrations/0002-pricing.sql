-- Reference tables: the rate book and the fee schedule.

-- Mid rates: `mid` units of quote for one unit of base. One row a pair; a change replaces it.
create table rates (
  base text not null,
  quote text not null,
  mid numeric not null check (mid > 0 and mid < 'Infinity'),
  source text not null,
  as_of timestamptz not null,
  loaded_at timestamptz not null default clock_timestamp(),
  primary key (base, quote),
  check (base <> quote)
);

-- A null in a matching column means "any". The row with the most matching columns set wins; the
-- unique index makes two equally specific rows for the same request impossible to store twice.
create table fees (
  fee_id bigint generated always as identity primary key,
  payout_type text not null,
  payout_currency text,
  destination_country text,
  network text,
  charge_type text,
  fixed_amount bigint not null default 0 check (fixed_amount >= 0),
  fee_currency text not null,
  variable_bps integer not null default 0 check (variable_bps between 0 and 10000),
  minimum_amount bigint check (minimum_amount >= 0),
  maximum_amount bigint check (maximum_amount >= coalesce(minimum_amount, 0)),
  unique nulls not distinct
    (payout_type, payout_currency, destination_country, network, charge_type)
);

create trigger announce after insert or update or delete on rates
  for each statement execute function announce_reference_change();
create trigger announce after insert or update or delete on fees
  for each statement execute function announce_reference_change();
