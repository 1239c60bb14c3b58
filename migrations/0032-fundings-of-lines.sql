-- without a transaction: the index is built while the service writes.
-- additive: the former version reads no fundings of lines, and runs on.
-- The fundings of a bank's line, and their reversals, over all accounts.

create index concurrently if not exists fundings_of_lines on journals (source)
  where kind in ('funding', 'funding_reversal') and source like 'esc\_line%';
