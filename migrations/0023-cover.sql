-- additive: the former version reads none of these columns, and runs on.
-- What an account at a bank still covers. Where the setting `gate` of a nostro says so, payouts beyond
-- it stay, the longest due first, until money comes in (docs/decisions/treasury.md).

alter table open_payouts
  -- The nostro that does not cover the payout, and since when it waits; null: it does not wait. A
  -- claim of the payout clears both.
  add column awaits_funds_of text collate "C",
  add column awaits_funds_since timestamptz,
  add constraint awaits_funds_since_a_time
    check ((awaits_funds_of is null) = (awaits_funds_since is null));
grant update (awaits_funds_of, awaits_funds_since) on open_payouts to corridor_service;
grant select (awaits_funds_of) on open_payouts to corridor_finder;

-- Without this, two nostros would each count the same payouts, and neither knows which ones leave it.
create function refuse_shared_gate() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  other text;
begin
  -- One change at a time: the next one sees the rails of this one.
  perform pg_advisory_xact_lock(hashtextextended('corridor gates', 0));
  select o.name into other from nostros o
  where o.name <> new.name and o.closed_at is null and o.currency = new.currency
    and o.rails && new.rails and (o.settings @> '{"gate":true}' or new.settings @> '{"gate":true}')
  limit 1;
  if found then
    raise exception 'nostros % and % have a rail in common, and one of them has a gate', new.name, other
      using errcode = 'check_violation', constraint = 'gate_of_one_nostro';
  end if;
  return null;
end $$;
create trigger gate_of_one_nostro after insert or update on nostros for each row
  when (new.closed_at is null) execute function refuse_shared_gate();

-- The payouts of live accounts that no bank has settled, and whether their rail, or a person, may
-- have them. The view reads as its owner, who sees the payouts of all accounts.
create view house_payouts as
select o.account_id, o.id, o.rail, p.destination_currency as currency,
  p.destination_amount as amount, p.created_at, o.status, b.state as account_state, o.execute_at,
  o.awaits_funds_of, o.awaits_funds_since,
  case when o.rail = 'manual' then o.taken_by <> '' else a.number is not null end as is_handed_over
from open_payouts o
join books b on b.account_id = o.account_id and not b.sandbox
join payouts p on p.account_id = o.account_id and p.id = o.id
-- One at most (one_open_attempt). As a condition it would be looked up for each payout alone.
left join payout_attempts a on a.account_id = o.account_id and a.payout_id = o.id
  and a.rail = o.rail and a.asked_at is not null and a.ended_as in ('', 'paid')
where o.status <> 'succeeded';

-- The finder of due payouts reads of them which ones leave from a nostro and are not handed over.
grant select (account_id, id, currency, is_handed_over) on house_payouts to corridor_finder;

-- What the nostro covers, in minor units: its books, without money whose value date is to come, less
-- what was handed over and is not settled, and less what has left accounts and is not derived yet.
-- Settlement, its item and the cursor of the account are read at one instant, so nothing counts
-- twice and nothing is missed.
create function nostro_cover(of text) returns bigint
language sql stable security definer set search_path to public, pg_temp as $$
  select (n.opening_balance
    + coalesce((select t.amount from nostro_totals t
        where t.nostro = n.name and t.side = 'book' and t.currency = n.currency), 0)
    - coalesce((select sum(i.amount) from nostro_items i
        where i.nostro = n.name and i.match is null and i.amount > 0
          and i.value_on > (statement_timestamp() at time zone 'UTC')::date), 0)
    - coalesce((select sum(h.amount) from house_payouts h
        where h.rail = any (n.rails) and h.currency = n.currency and h.is_handed_over), 0)
    - coalesce((select sum(p.amount) from books b
        left join account_cursors c on c.account_id = b.account_id
        join journals j on j.account_id = b.account_id and j.number > coalesce(c.number, 0)
        cross join lateral unnest(string_to_array(j.codes, ' '), string_to_array(j.currencies, ' '),
          j.amounts) as p (code, currency, amount)
        left join payout_outcomes o on o.account_id = j.account_id and o.id = j.source
        where not b.sandbox and b.journal_count > coalesce(c.number, 0)
          and p.currency = n.currency and p.amount > 0
          and (p.code = 'settled' and o.rail = any (n.rails)
            or p.code = 'funding' and coalesce(j.metadata ->> 'nostro', n.name) = n.name)), 0)
    )::bigint
  from nostros n where n.name = of
$$;

-- Those of these payouts that leave from the nostro.
create function payouts_of_nostro(of text, account_ids text[], ids text[])
returns table (account_id text, id text, amount bigint, is_handed_over boolean)
language sql stable security definer set search_path to public, pg_temp as $$
  select h.account_id, h.id, h.amount, h.is_handed_over
  from unnest(account_ids, ids) as k (account_id, id)
  join house_payouts h on h.account_id = k.account_id and h.id = k.id
  join nostros n on n.name = of and h.rail = any (n.rails) and h.currency = n.currency
$$;

-- What the nostro covers of a payout that people pay by hand, once each older one that waits has
-- gone: so that no small one passes a large one. What waits for a paused rail holds up nobody.
create function cover_by_hand(of text, of_account text, of_payout text) returns bigint
language sql stable security definer set search_path to public, pg_temp as $$
  select (nostro_cover(of) - coalesce((
    select sum(h.amount) from house_payouts h
    join nostros n on n.name = of and h.rail = any (n.rails) and h.currency = n.currency
    join payouts p on p.account_id = of_account and p.id = of_payout
    where not h.is_handed_over and h.status = 'processing'
      and (h.created_at, h.id) < (p.created_at, p.id)
      and (h.awaits_funds_of = of and not exists (
          select from rails r where r.name = h.rail and r.paused_reason <> '')
        or h.rail = 'manual' and h.account_state = 'active'
        and (h.execute_at is null or h.execute_at <= statement_timestamp()))), 0))::bigint
$$;

revoke execute on function nostro_cover(text), payouts_of_nostro(text, text[], text[]),
  cover_by_hand(text, text, text) from public;
grant execute on function nostro_cover(text) to corridor_service, corridor_auditor;
grant execute on function payouts_of_nostro(text, text[], text[]), cover_by_hand(text, text, text)
  to corridor_service;
grant select on house_payouts to corridor_auditor;
