-- without a transaction: indexes are built while the service writes
--
-- Lists, newest first. Only lists use these indexes: each is partial by a condition that a look-up
-- by key does not state, or a look-up planned while the table was small would take one for its own.
-- What stands behind the order are the columns that further filters judge within the index, some 15
-- million entries a second, instead of in the rows: one index for all filters, since each index
-- costs every payout three writes, one for each version of its row.

create index concurrently if not exists payouts_newest on payouts
  (account_id, created_at, id, status, currency, holding_currency, type, beneficiary_id)
  where created_at > '-infinity';
-- Most payouts succeed, and those that do leave the index.
create index concurrently if not exists payouts_by_status on payouts
  (account_id, status, created_at, id) where status <> 'succeeded';
-- Expressions and not columns, which would have to be filled by rewriting the table.
create index concurrently if not exists payouts_by_reference on payouts
  (account_id, (particulars ->> 'reference_id'), created_at, id)
  where (particulars ->> 'reference_id') <> '';
create index concurrently if not exists payouts_by_principal on payouts
  (account_id, (particulars ->> 'on_behalf_of'), created_at, id)
  where (particulars ->> 'on_behalf_of') <> '';

-- The primary keys anew, see 0008.
create unique index concurrently if not exists payouts_by_id on payouts (account_id, id);
create unique index concurrently if not exists balance_transactions_by_id on
  balance_transactions (account_id, id);

-- Whether an unused quote has expired is told by valid_until.
create index concurrently if not exists quotes_newest on quotes
  (account_id, created_at, id, status, valid_until, payout_type, entity_id)
  where created_at > '-infinity';

-- In the order of the book. The index of balances as of an instant has the same, by currency.
create index concurrently if not exists balance_transactions_newest on balance_transactions
  (account_id, created_at, journal_number, currency, type, operation_type)
  where created_at > '-infinity';

-- Events are listed by number, which their primary key has.
create index concurrently if not exists events_by_object on events
  (account_id, object_id, sequence) where object_id <> '';
-- Without the four types that an ordinary payout writes.
create index concurrently if not exists events_by_type on events
  (account_id, type, sequence) where type not in
    ('balance_transaction.created', 'payout.created', 'payout.succeeded', 'payout_quote.created');
-- Last, as of indexes that cost the same on an empty table the planner takes the newest.
create unique index concurrently if not exists event_id_once on events (account_id, id)
  where id <> '';
