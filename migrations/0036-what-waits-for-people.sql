-- The finder counts what waits for people, by status, and says how long.
grant select (status, created_at) on payouts to corridor_finder;
