-- additive: the former version knows none of these functions, and runs on.
-- Lines of banks that find their item by the payee's account.

-- The account that a payout goes to, as its payee gave it; null for none.
create function payee_account(details json) returns text language sql immutable parallel safe as $$
  select coalesce(d #>> '{bank,iban}', d #>> '{bank,account_number}',
    d #>> '{wallet,deposit_address}', d #>> '{local_payment_network,deposit_key}',
    d #>> '{service_account,deposit_address}')
  from (select details -> 'destination_details') as t (d)
$$;
-- An account as it is compared: letters and digits alone, in capitals.
create function bare_account(account text) returns text language sql immutable parallel safe as $$
  select upper(regexp_replace(account, '[^[:alnum:]]', '', 'g'))
$$;
-- The accounts of the payees of these items, as they are compared; nothing else of their payouts.
create function payee_accounts(items bigint[]) returns table (item bigint, account text)
language sql stable security definer set search_path to public, pg_temp as $$
  select i.id, bare_account(payee_account(p.beneficiary_details))
  from nostro_items i join payouts p on p.account_id = i.account_id and p.id = i.payout_id
  where i.id = any (items) and i.payout_id <> ''
$$;
revoke execute on function payee_accounts(bigint[]) from public;
grant execute on function payee_accounts(bigint[]) to corridor_service;
