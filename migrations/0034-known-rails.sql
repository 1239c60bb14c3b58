-- The rails that take payouts of live accounts: on any other, money is debited and nobody pays. The
-- migration that comes with a new rail names it here. Not validated: a route that names another one is
-- shown by corridor route list, and is to be removed there.
alter table routes add constraint taken_by_a_known_rail check (rail in ('manual')) not valid;
