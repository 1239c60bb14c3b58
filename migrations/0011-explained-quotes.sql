-- What a quote's price was made from: the rows of the rate book and of the fee schedule that were
-- used, as they were then (quote/basis.ts). Null for quotes made before this column. The service
-- writes it with the quote and may never change it: its right to update names other columns.
alter table quotes add column basis json;
