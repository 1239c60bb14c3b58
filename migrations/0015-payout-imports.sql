-- What was paid from files, kept for ever: idempotency keys are forgotten after a day, and a file may
-- be run again after a year. Written in the transaction of the payout.

-- Two rows a payout: the row of the file it was made from, and the payment that the row asked for.
create table payout_imports (
  account_id text collate "C" not null,
  -- Hashes; payout/import.ts writes the recipe.
  import_key bytea not null check (octet_length(import_key) = 32),
  payout_id text collate "C" not null,
  primary key (account_id, import_key)
);

grant select, insert, update (payout_id) on payout_imports to corridor_service;
