-- For each asked payout another one that its bank reference has paid, in whatever account: a payment
-- of the bank pays one. As for funding (0033), whoever else asks about a reference waits until the
-- transaction ends, and the service's role sees what it has asked for and nothing else.
create function paid_elsewhere(payout_ids text[], bank_references text[])
returns table (asked_id text, account_id text, id text)
language plpgsql security definer set search_path = public, pg_temp as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(folded, 1)) from (
    select distinct fold_reference(asked) collate "C" as folded
    from unnest(bank_references) as r (asked) order by 1) ordered;
  return query
    select distinct on (a.asked_id) a.asked_id, p.account_id, p.id
    from unnest(payout_ids, bank_references) as a (asked_id, reference)
    join payouts p on fold_reference(p.rail_reference) = fold_reference(a.reference)
      and p.rail_reference <> '' and p.status = 'succeeded' and p.id <> a.asked_id
    order by a.asked_id, p.id;
end $$;
revoke execute on function paid_elsewhere(text[], text[]) from public;
grant execute on function paid_elsewhere(text[], text[]) to corridor_service;
