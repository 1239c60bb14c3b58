-- additive: the former version knows neither shares of institutions nor states, and runs on.
-- What single regimes ask of the money of clients.

-- The largest share of the money of a pool that one institution may hold, in percent: in one
-- currency, or with currency '' in all currencies together.
create table safeguarding_shares (
  pool text not null check (pool in ('payments', 'emoney')),
  currency text not null check (length(currency) <= 10),
  most_share integer not null check (most_share between 1 and 100),
  primary key (pool, currency)
);
create trigger kept before delete or truncate on safeguarding_shares
  for each statement execute function refuse_change();
create trigger history after insert or update on safeguarding_shares
  for each row execute function keep_history();
grant select, insert, update (most_share) on safeguarding_shares to corridor_service;
grant select on safeguarding_shares to corridor_auditor;

-- The state of the US whose law on money transmission counts the account, as ISO 3166-2 names it
-- after `US-`; `none` for no state. The audit log has each change with its time, and so the state of
-- every day: what is said later changes no day before.
alter table accounts
  add column us_state text not null default 'none',
  add constraint known_us_state check (us_state = any (string_to_array(
    'none AK AL AR AS AZ CA CO CT DC DE FL GA GU HI IA ID IL IN KS KY LA MA MD ME MI MN MO MP MS '
    'MT NC ND NE NH NJ NM NV NY OH OK OR PA PR RI SC SD TN TX UM UT VA VI VT WA WI WV WY', ' ')));
grant update (us_state) on accounts to corridor_service;
