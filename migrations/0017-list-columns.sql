-- What lists of payouts and beneficiaries filter by, as columns. With row-level security an index of an
-- expression on JSON would not be used: it may only be asked what cannot tell of rows that are not
-- shown, and of the functions on JSON that is not known. Triggers fill them, so that they cannot
-- differ from what they are taken from, whoever writes.
alter table payouts add column reference_id text collate "C",
  add column on_behalf_of text collate "C";
create function take_out_references() returns trigger language plpgsql as $$
begin
  new.reference_id := new.particulars ->> 'reference_id';
  new.on_behalf_of := new.particulars ->> 'on_behalf_of';
  return new;
end $$;
create trigger references_of_particulars before insert on payouts
  for each row execute function take_out_references();

alter table beneficiaries add column type text collate "C",
  add column destination_type text collate "C";
create function take_out_types() returns trigger language plpgsql as $$
begin
  new.type := new.details ->> 'type';
  new.destination_type := new.details #>> '{destination_details,type}';
  return new;
end $$;
create trigger types_of_details before insert or update of details on beneficiaries
  for each row execute function take_out_types();

-- The rows of before, a few thousand at a time, each lot committed, so that nobody waits for them.
-- `set_columns` is what is done to those that lack `missing`.
create procedure fill_older_rows(table_name text, set_columns text, missing text)
language plpgsql as $$
declare
  last_account text := '';
  last_id text := '';
begin
  loop
    execute format($portion$
      with portion as materialized (
        select account_id, id from %1$I where (account_id, id) > ($1, $2)
        order by account_id, id limit 5000
      ), written as (
        update %1$I t set %2$s from portion
        where t.account_id = portion.account_id and t.id = portion.id and t.%3$I is null
      )
      select account_id, id from portion order by account_id desc, id desc limit 1
    $portion$, table_name, set_columns, missing) into last_account, last_id
    using last_account, last_id;
    exit when last_id is null;
    commit;
  end loop;
end $$;
create procedure fill_list_columns() language plpgsql as $$
begin
  call fill_older_rows('payouts', $set$ reference_id = t.particulars ->> 'reference_id',
    on_behalf_of = t.particulars ->> 'on_behalf_of' $set$, 'reference_id');
  call fill_older_rows('beneficiaries', $set$ type = t.details ->> 'type',
    destination_type = t.details #>> '{destination_details,type}' $set$, 'type');
end $$;
