-- without a transaction: the index is built while the service writes
--
-- Which payouts a bank's reference has paid, in all accounts.
create index concurrently if not exists payouts_by_bank_reference
  on payouts (fold_reference(rail_reference)) where rail_reference <> '';
