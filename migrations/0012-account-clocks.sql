-- A clock for sandbox accounts: time for such an account is the database's plus what it was
-- advanced by. Accounts of production have none.

alter table accounts add column sandbox boolean not null default false;

-- In exact time, never in days or months, which depend on the time zone.
alter table books add column clock_ahead interval not null default '0'
  check (clock_ahead >= '0' and extract(day from clock_ahead) = 0
    and extract(month from clock_ahead) = 0 and extract(year from clock_ahead) = 0);

create function check_clock_ahead() returns trigger language plpgsql as $$
begin
  if new.clock_ahead <> '0' and not exists (
    select from accounts where account_id = new.account_id and sandbox
  ) then
    raise exception 'account % is no sandbox: its clock cannot be moved', new.account_id
      using errcode = 'check_violation';
  end if;
  if tg_op = 'UPDATE' and new.clock_ahead < old.clock_ahead then
    raise exception 'the clock of account % cannot go back', new.account_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger clock_of_a_sandbox before insert or update of clock_ahead on books
  for each row execute function check_clock_ahead();

grant update (clock_ahead) on books to corridor_service;
