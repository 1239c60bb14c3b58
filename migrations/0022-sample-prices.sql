-- Rates and fees that come with the product are for trying it: sandboxes are priced by them, live
-- accounts never are. Only what a first start loads is such a sample.

alter table rates add column sample boolean not null default false;
alter table fees add column sample boolean not null default false;

-- What earlier versions loaded at a first start: rates of one day, and seven rows of fees. An
-- operator who means to price live accounts by such a row says so by setting it again.
update rates set sample = true where base = 'EUR' and as_of = '2026-10-06T14:00:00Z';

update fees f set sample = true
from (values
  ('local', null, 100, 10, null, 2500),
  ('swift', null, 1500, 15, null, null),
  ('swift', 'shared', 1500, 15, null, null),
  ('swift', 'ours', 3000, 15, null, null),
  ('local_payment_network', null, 50, 20, null, null),
  ('wallet', null, 0, 25, 100, null),
  ('service_account', null, 0, 0, null, null)
) as shipped (payout_type, charge_type, fixed_amount, variable_bps, minimum_amount, maximum_amount)
where num_nonnulls(f.payout_currency, f.destination_country, f.network) = 0
  and f.fee_currency = 'USD'
  and (f.payout_type, f.fixed_amount, f.variable_bps)
    = (shipped.payout_type, shipped.fixed_amount, shipped.variable_bps)
  and f.charge_type is not distinct from shipped.charge_type
  and f.minimum_amount is not distinct from shipped.minimum_amount::bigint
  and f.maximum_amount is not distinct from shipped.maximum_amount::bigint;
