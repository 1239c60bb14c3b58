-- without a transaction

-- A bank's reference funds, withdraws from or adjusts an account once.
create unique index concurrently if not exists balance_transactions_by_reference
  on balance_transactions (account_id, type, (metadata ->> 'reference'))
  where type in ('escrow', 'withdrawal', 'adjustment') and metadata ->> 'reference' is not null;
