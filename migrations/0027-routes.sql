-- Routes: which rail takes the payouts of live accounts. And payouts that people pay by hand.

-- A null is "any". Sandbox accounts have no routes: the simulator takes their payouts.
create table routes (
  payout_type text,
  network text,
  currency text,
  country text,
  account_id text collate "C" references accounts,
  -- Decides between routes that are equally specific: the higher number wins.
  priority integer not null default 0 check (priority between -1000 and 1000),
  rail text not null check (rail <> ''),
  constraint one_route_for_the_same unique nulls not distinct
    (account_id, payout_type, network, currency, country),
  -- Such a payout is a transfer inside the installation and goes to no rail.
  constraint network_of_a_type check (network is null or payout_type is not null),
  constraint transfers_have_no_route check (payout_type <> 'service_account'),
  constraint simulator_takes_no_live_payout check (rail <> 'simulator')
);
create function check_route() returns trigger language plpgsql as $$
begin
  if (select sandbox from accounts where account_id = new.account_id) then
    raise exception 'account % is a sandbox, which has no routes', new.account_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger live_accounts_only before insert or update on routes
  for each row execute function check_route();
create trigger announce after insert or update or delete on routes
  for each statement execute function announce_reference_change();
create trigger history after insert or update or delete on routes
  for each row execute function keep_history();
grant select, insert, update, delete on routes to corridor_service;
grant select on routes to corridor_auditor;

-- Fixed when the payout is made: `rail` is '' for transfers inside the installation, and for payouts of
-- before that were over by then; `route` is the route that led to it, null for sandbox accounts.
alter table payouts add column rail text not null default '',
  add column route json,
  -- The bank's reference of the payment, '' until somebody says it.
  add column rail_reference text not null default '',
  -- Who pays it by hand; '' while nobody does.
  add column taken_by text not null default '',
  add column taken_at timestamptz;

-- The simulator took payouts of all accounts before. It keeps those of sandboxes; those of live accounts
-- that are not over go to people, as nobody has paid them.
set local corridor.maintenance = 'on';
update payouts p
set rail = case when a.sandbox then 'simulator' else 'manual' end,
  ask_rail_at = case when a.sandbox then p.ask_rail_at end
from accounts a
where a.account_id = p.account_id and p.type <> 'service_account'
  and p.status in ('processing', 'requires_action', 'compliance_hold');
update payouts p
set rail = case when a.sandbox then 'simulator' else '' end,
  ask_rail_at = case when a.sandbox then p.ask_rail_at end
from accounts a
where a.account_id = p.account_id and p.ask_rail_at is not null and p.rail = '';
set local corridor.maintenance = 'off';

-- Not validated: rows of before have none of this.
alter table payouts
  add constraint people_are_not_asked check (rail <> 'manual' or ask_rail_at is null) not valid,
  add constraint paid_by_hand_with_reference check (
    rail <> 'manual' or status not in ('succeeded', 'reversed')
    or (rail_reference <> '' and taken_by <> '')) not valid,
  add constraint taken_by_hand check (
    (taken_by = '' or rail = 'manual') and (taken_by = '') = (taken_at is null)) not valid;

create function check_payout_rail() returns trigger language plpgsql as $$
declare
  is_sandbox boolean := (select sandbox from accounts where account_id = new.account_id);
begin
  if (new.type = 'service_account') <> (new.rail = '')
    or new.rail <> '' and (new.rail = 'simulator') <> is_sandbox
  then
    raise exception 'payout % of type % cannot go to rail "%": its account is % sandbox',
      new.id, new.type, new.rail, case when is_sandbox then 'a' else 'no' end
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger simulator_for_sandboxes before insert on payouts
  for each row execute function check_payout_rail();

grant update (rail_reference, taken_by, taken_at) on payouts to corridor_service;
grant select (rail) on payouts to corridor_finder;
grant select (account_id, sandbox) on accounts to corridor_finder;
