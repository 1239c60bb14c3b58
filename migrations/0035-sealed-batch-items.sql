-- What became of each payout of a batch is vouched for with the batch: the change of it in the history
-- carries the digest of its items, in their order. Whoever reads which of them were refused sends those
-- again, so that an exchange of two would pay one twice.
create function keep_batch() returns trigger language plpgsql set timezone to 'UTC' as $$
begin
  insert into reference_changes (table_name, changed_at, changed_by, before, after)
  values (tg_table_name, clock_timestamp(),
    coalesce(nullif(current_setting('corridor.operator', true), ''), session_user), null,
    digest_row(to_jsonb(new), '{}') || jsonb_build_object('items', (
      select encode(sha256(convert_to(coalesce(string_agg(json_build_array(position, status,
        payout_id, reference_id, problems)::text, E'\n' order by position), ''), 'UTF8')), 'hex')
      from payout_batch_items
      where account_id = new.account_id and batch_id = new.id)));
  return null;
end $$;

-- At the end of the transaction, when all items are written.
drop trigger history on payout_batches;
create constraint trigger history after insert on payout_batches deferrable initially deferred
  for each row execute function keep_batch();
