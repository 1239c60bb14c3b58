-- Beneficiaries that are changed by their account; payouts keep the details they were made with.
grant update (details, updated_at) on beneficiaries to corridor_service;

-- Of indexes that cost the same on an empty table the planner takes the newest, and keeps the plan:
-- a look-up by id must not walk all payouts of the account by another unique index.
alter table payouts drop constraint payouts_pkey,
  add constraint payouts_pkey primary key using index payouts_by_id;
alter table balance_transactions drop constraint balance_transactions_pkey,
  add constraint balance_transactions_pkey primary key using index balance_transactions_by_id;
