-- Conversions: an account changes money of one of its balances into another of its own currencies.
-- The former version does not know these kinds of journals, so operators cannot go back to it.

-- The price of a conversion is a row of quotes: what arrives is the payout amount. Its id has a
-- prefix of its own, so that no list of payout quotes has it and no payout names it.
alter table quotes add constraint conversion_of_two_balances check (
  (payout_type = 'conversion') = (left(id, 4) = 'coq_') and (payout_type <> 'conversion'
    or holding_currency <> payout_currency and destination_currency = payout_currency
      and destination_amount = payout_amount and fx_income_destination = 0 and entity_id = '')
) not valid;

-- A conversion as it was made. Its quote has its figures. Its two journals have this number and the
-- next one.
create table conversions (
  number positive not null,
  created_at timestamptz not null,
  account_id text collate "C" not null,
  id text collate "C" not null check (left(id, 4) = 'cnv_'),
  quote_id text collate "C" not null,
  -- Those of the quote, for filters of the list.
  holding_currency text not null,
  destination_currency text not null,
  made_by maker not null,
  primary key (account_id, id)
);
create unique index conversion_quote_used_once on conversions (account_id, quote_id);
create index conversions_by_kind on conversions (account_id, holding_currency,
  destination_currency, id);
create trigger append_only before update or delete or truncate on conversions
  for each statement execute function refuse_change();
select confine_to_accounts('conversions');
grant select, insert on conversions to corridor_service;
grant select on conversions to corridor_auditor;

-- The new kinds are added without a look at the rows that exist: they were checked when written.
alter domain journal_kind drop constraint known_kind;
alter domain journal_kind add constraint known_kind check (
  value in ('funding', 'payout', 'receipt', 'settlement', 'failure', 'reversal', 'withdrawal',
    'adjustment', 'funding_reversal', 'withdrawal_reversal', 'adjustment_reversal',
    'conversion_out', 'conversion_in')) not valid;

-- As in 0003-book.sql, with the directions of conversions.
create or replace function journal_is_sound(kind text, codes text, currencies text,
  amounts bigint[], currency text, amount bigint, fixed_fee bigint, variable_fee bigint,
  balance_after bigint, undoes text, fx_conversions json, metadata json) returns boolean
language plpgsql immutable parallel safe as $$
declare
  moved bigint := amount + fixed_fee + variable_fee;
  code_of text[] := string_to_array(codes, ' ');
  currency_of text[] := string_to_array(currencies, ' ');
  available integer := array_position(code_of, 'available');
  balances boolean;
  broken text;
begin
  if cardinality(amounts) in (2, 3) and 0 <> all (amounts) and currency_of[1] = all (currency_of)
  then
    -- Most journals have two or three postings in one currency. These are added without a query.
    balances := (amounts[1]::numeric + amounts[2]
      + case cardinality(amounts) when 2 then 0 else amounts[3] end = 0) is true;
  else
    -- Sums are numeric, so none overflows.
    balances := cardinality(amounts) > 1 and array_ndims(amounts) = 1
      and array_lower(amounts, 1) = 1 and not exists (
      select from unnest(currency_of, amounts) as posting (c, a) group by c
      having sum(a) <> 0 or bool_or(c is null or a is null or a = 0));
  end if;
  broken := case
    when not (balances and cardinality(code_of) = cardinality(amounts)
      and cardinality(currency_of) = cardinality(amounts)) then 'journal_sums_to_zero'
    when not case kind
      when 'settlement' then num_nonnulls(currency, amount, fixed_fee, variable_fee, balance_after,
        undoes, fx_conversions, metadata) = 0
      else num_nulls(currency, amount, fixed_fee, variable_fee, balance_after) = 0
    end then 'line_unless_settlement'
    -- The line's amount and fees sum to the journal's one posting on `available`, in the same
    -- currency.
    when not case
      when currency is null then available is null
      else (array_position(code_of, 'available', coalesce(available, 0) + 1) is null
        and amounts[available] = moved
        and currency_of[available] = currency) is true
    end then 'line_is_what_moved'
    when not case
      when kind in ('payout', 'withdrawal', 'funding_reversal', 'conversion_out') then moved < 0
      when kind in ('funding', 'receipt', 'failure', 'reversal', 'withdrawal_reversal',
        'conversion_in') then moved > 0
      else true
    end then 'direction_matches_kind'
    when (undoes is not null) <> (kind in ('failure', 'reversal', 'funding_reversal',
      'withdrawal_reversal', 'adjustment_reversal')) then 'undoes_if_it_gives_back'
    -- A line that only an operator books names its author and its reason.
    when kind in ('withdrawal', 'adjustment', 'funding_reversal', 'withdrawal_reversal',
        'adjustment_reversal')
      and not (coalesce(metadata ->> 'by', '') <> '' and coalesce(metadata ->> 'reason', '') <> ''
        and (kind not in ('withdrawal', 'adjustment')
          or coalesce(metadata ->> 'reference', '') <> '')) then 'booked_with_reason'
  end;
  if broken is null then return true; end if;
  raise exception 'new row for relation "journals" violates check constraint "%"', broken
    using errcode = 'check_violation', table = 'journals', constraint = broken;
end $$;

-- What a journal posts on one code.
create function posted_on(j journals, code text) returns numeric language sql stable as $$
  select coalesce(sum(p.amount), 0) from unnest(string_to_array(j.codes, ' '), j.amounts)
    as p (code, amount) where p.code = $2
$$;

-- When its transaction ends, a conversion was made at an active quote of the account, which it has
-- used, and has both journals with the amounts of the quote. The sum of a journal is zero, so two
-- positions determine the others.
create function check_conversion() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
declare
  q quotes;
  sold journals;
  bought journals;
begin
  select * into q from quotes where account_id = new.account_id and id = new.quote_id;
  select * into sold from journals where account_id = new.account_id and number = new.number;
  select * into bought from journals where account_id = new.account_id and number = new.number + 1;
  if (q.payout_type, q.status, q.updated_at, q.holding_currency, q.destination_currency)
      is distinct from ('conversion', 'used', new.created_at, new.holding_currency,
        new.destination_currency)
    or new.created_at < q.created_at or new.created_at >= q.valid_until
  then
    raise exception 'conversion % is not made at quote %', new.id, new.quote_id
      using errcode = 'check_violation', constraint = 'conversion_at_its_quote';
  end if;
  if (sold.kind, sold.source, sold.created_at, sold.currency, sold.amount, sold.fixed_fee,
      sold.variable_fee) is distinct from ('conversion_out', new.id, new.created_at,
      q.holding_currency, -q.holding_amount, -q.fixed_fee_holding, -q.variable_fee_holding)
    or not string_to_array(sold.codes, ' ') <@ array['available', 'fees', 'fx', 'fx_income']
    or posted_on(sold, 'fees') <> q.fixed_fee_holding + q.variable_fee_holding
    or posted_on(sold, 'fx_income') <> q.fx_income_holding
    or (bought.kind, bought.source, bought.created_at, bought.currency, bought.amount,
      bought.fixed_fee, bought.variable_fee) is distinct from ('conversion_in',
      'cni' || substr(new.id, 4), new.created_at, q.destination_currency, q.destination_amount,
      0, 0)
    or not string_to_array(bought.codes, ' ') <@ array['available', 'fx']
  then
    raise exception 'the journals of conversion % are not those of its quote', new.id
      using errcode = 'check_violation', constraint = 'conversion_moves_what_was_quoted';
  end if;
  -- A conversion cannot wait for people. The rule may be newer than the rules that the process has in
  -- memory; the process reads them again. As with payouts, the service judges the other conditions.
  if exists (select from api_keys where key_id = new.made_by and makes_only) or exists (
    select from approval_rules r
    where r.subject = 'payout' and (r.account_id is null or r.account_id = new.account_id)
      and (r.key_id is null or r.key_id = new.made_by) and r.at_least is null and not r.new_payee
      and r.payout_type is null and r.network is null and r.country is null
      and (r.currency is null or r.currency = new.destination_currency))
  then
    raise exception 'people approve what conversion % moves', new.id
      using errcode = 'serialization_failure', constraint = 'conversion_without_approval';
  end if;
  return null;
end $$;
create constraint trigger conversion_is_whole after insert on conversions
  deferrable initially deferred for each row execute function check_conversion();

-- No journal of a conversion is without it.
create function check_conversion_journal() returns trigger language plpgsql
security definer set search_path to public, pg_temp as $$
begin
  if not exists (select from conversions c
    where c.account_id = new.account_id and c.id = 'cnv' || substr(new.source, 4)
      and c.number = new.number - case new.kind when 'conversion_in' then 1 else 0 end)
  then
    raise exception 'journal % of % is of no conversion', new.number, new.account_id
      using errcode = 'check_violation', constraint = 'journal_of_a_conversion';
  end if;
  return null;
end $$;
create constraint trigger journal_of_a_conversion after insert on journals
  deferrable initially deferred for each row
  when (new.kind in ('conversion_out', 'conversion_in'))
  execute function check_conversion_journal();

-- Both lines of a conversion name it.
create or replace view balance_transactions with (security_invoker = true) as
select account_id, numbered_id('btr', account_id, created_at, number) as id,
  number as journal_number,
  case kind
    when 'funding' then 'escrow'
    when 'receipt' then 'payout'
    when 'failure' then 'payout_failure'
    when 'reversal' then 'payout_reversal'
    when 'funding_reversal' then 'escrow_reversal'
    else kind
  end as type,
  case when amount + fixed_fee + variable_fee > 0 then 'credit' else 'debit' end as operation_type,
  currency, amount, fixed_fee, variable_fee, amount + fixed_fee + variable_fee as net_amount,
  balance_after, coalesce(fx_conversions, '[]') as fx_conversions,
  case kind when 'conversion_in' then 'cnv' || substr(source, 4) else source end as description,
  coalesce(undoes, case kind when 'conversion_in' then 'cnv' || substr(source, 4) else source end)
    as source,
  coalesce(metadata, '{}') as metadata, created_at
from journals where currency is not null;
