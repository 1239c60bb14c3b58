-- without a transaction: rows are filled and indexes built while the service writes
--
-- Partial by conditions that no look-up by key states, and with what filters judge behind the order,
-- as in 0007 and 0009.
call fill_list_columns();
create index concurrently if not exists payouts_by_reference_id on payouts
  (account_id, reference_id, created_at, id) where reference_id <> '';
create index concurrently if not exists payouts_by_on_behalf_of on payouts
  (account_id, on_behalf_of, created_at, id) where on_behalf_of <> '';
create index concurrently if not exists beneficiaries_listed on beneficiaries
  (account_id, created_at, id, type, destination_type) where created_at > '-infinity';
drop index concurrently if exists payouts_by_reference;
drop index concurrently if exists payouts_by_principal;
drop index concurrently if exists beneficiaries_newest;
