-- without a transaction: the index is built while the service writes
--
-- What people are to pay. Partial by a condition that no look-up by key states.
create index concurrently if not exists payouts_by_hand on payouts
  (account_id, status, created_at, id) where rail = 'manual';
