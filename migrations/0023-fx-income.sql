-- The margin of each exchange is income of the house. A quote knows it, and the payout's journal books
-- it under a code of its own, so that it can be summed and is given back with the payout.

-- Earlier quotes keep their margin in the fx position, as their journals do.
alter table quotes
  add column fx_income_holding bigint not null default 0 check (fx_income_holding >= 0),
  add column fx_income_destination bigint not null default 0 check (fx_income_destination >= 0);
alter table quotes
  alter column fx_income_holding drop default,
  alter column fx_income_destination drop default;

alter table journals drop constraint known_codes;
alter table journals add constraint known_codes check (
  array_position(codes, null) is null
  and codes <@ array['available', 'fees', 'funding', 'fx', 'fx_income', 'in_transit',
    'inter_account', 'settled']
);
