-- without a transaction: indexes are built while the service writes
--
-- Lists, newest first, as in 0007: partial by a condition that no look-up by id states, and with
-- what filters judge behind the order.
create index concurrently if not exists beneficiaries_newest on beneficiaries
  (account_id, created_at, id, (details ->> 'type'), (details #>> '{destination_details,type}'))
  where created_at > '-infinity';
