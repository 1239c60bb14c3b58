-- Pegged currencies: rows of the rate book that say what the quote currency is pegged at to the base,
-- its anchor. A pair with a pegged currency is crossed through the anchor, so that no other rate
-- moves it.

alter table rates add column pegged boolean not null default false;
-- A currency has one anchor.
create unique index rates_one_anchor on rates (quote) where pegged;

-- What was shipped before was crossed once, with the euro of one day, and did not follow the anchor.
delete from rates where base = 'EUR' and quote in ('AED', 'BHD', 'QAR', 'SAR', 'USDC', 'USDT')
  and source like '% per USD x ECB EUR/USD';
update rates set pegged = true, sample = false where base = 'EUR' and quote in ('XAF', 'XOF')
  and source = 'Banque de France: fixed parity of the CFA franc';

-- Rows that an operator has set stay as they are. Jordan: the middle of 0.708 and 0.710. Oman: one
-- rial is 2.6008 dollars. Hong Kong's dollar moves in a band, 7.75 to 7.85, and is no peg here.
insert into rates (base, quote, mid, source, as_of, pegged)
select base, quote, mid, source, '2026-10-06T14:00:00Z', true
from (values
  ('USD', 'AED', 3.6725, 'Central Bank of the UAE: fixed parity'),
  ('USD', 'SAR', 3.75, 'Saudi Central Bank: fixed parity'),
  ('USD', 'QAR', 3.64, 'Qatar Central Bank: fixed parity'),
  ('USD', 'BHD', 0.376, 'Central Bank of Bahrain: fixed parity'),
  ('USD', 'OMR', 0.384497, 'Central Bank of Oman: fixed parity'),
  ('USD', 'JOD', 0.709, 'Central Bank of Jordan: fixed parity'),
  ('USD', 'USDC', 1, 'Circle: redeemable at par'),
  ('USD', 'USDT', 1, 'Tether: redeemable at par'),
  ('EUR', 'XAF', 655.957, 'Banque de France: fixed parity of the CFA franc'),
  ('EUR', 'XOF', 655.957, 'Banque de France: fixed parity of the CFA franc')
) as peg (base, quote, mid, source)
on conflict do nothing;
