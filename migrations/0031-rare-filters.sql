-- without a transaction: indexes are built while the service writes
--
-- For filters whose value few rows of an account have: the index of the whole list would be walked to
-- its end, and in that of quotes the entry of each used quote led to a row that is gone. What an
-- ordinary payout writes stays out where it can: its line is of type payout, its quote is used.
create index concurrently if not exists quotes_by_status on quotes
  (account_id, status, created_at, id, valid_until) where status <> 'used';
create index concurrently if not exists balance_transactions_by_type on balance_transactions
  (account_id, type, created_at, journal_number) where type <> 'payout';
-- No currency is common to all accounts.
create index concurrently if not exists payouts_by_currency on payouts
  (account_id, currency, created_at, id) where currency <> '';
