// The SQL statements of reports. Amounts are minor units.
import type { Tag } from '../sql/sql.ts'

/** Days of UTC, both included. */
export interface Period {
  readonly from: string
  readonly to: string
}

/** What each account and the house posted a day, for a general ledger elsewhere. */
export function listPostings(sql: Tag, { from, to }: Period, limit: number) {
  return sql<
    {
      day: string
      account: string
      nostro: string
      kind: string
      code: string
      currency: string
      amount: bigint
    }[]
  >`
    select day::text, account, nostro, kind, code, currency, amount::bigint from (
      select day, account_id as account, '' as nostro, 'accounts' as kind, code, currency, amount
      from account_days where day between ${from}::date and ${to}::date and amount <> 0
      union all
      select h.value_on, '', case when p.nostro = '-' then '' else p.nostro end, h.kind, p.code,
        p.currency, p.amount
      from house_journals h
      cross join unnest(string_to_array(h.codes, ' '), string_to_array(h.currencies, ' '),
        string_to_array(h.nostros, ' '), h.amounts) as p (code, currency, nostro, amount)
      where h.value_on between ${from}::date and ${to}::date) postings
    order by day, account, kind, nostro, code, currency limit ${limit}`
}

/** Fees and income of conversions, less those given back. */
export function listIncome(sql: Tag, { from, to }: Period, limit: number) {
  return sql<{ month: string; account: string; currency: string; fees: bigint; fx: bigint }[]>`
    select to_char(day, 'YYYY-MM') as month, account_id as account, currency,
      coalesce(sum(amount) filter (where code = 'fees'), 0)::bigint as fees,
      coalesce(sum(amount) filter (where code = 'fx_income'), 0)::bigint as fx
    from account_days
    where day between ${from}::date and ${to}::date and code in ('fees', 'fx_income')
    group by 1, 2, 3 order by 1, 2, 3 limit ${limit}`
}

/** Payouts whose money has left their balance and is not yet settled, oldest first. */
export function listTransit(sql: Tag, limit: number) {
  return sql<
    {
      since: string
      payout: string
      account: string
      status: string
      rail: string
      currency: string
      amount: bigint
      days: number
    }[]
  >`
    select p.created_at as since, p.id as payout, p.account_id as account, o.status, o.rail,
      p.destination_currency as currency, p.destination_amount as amount,
      extract(day from statement_timestamp() - p.created_at)::integer as days
    from open_payouts o join payouts p on p.account_id = o.account_id and p.id = o.id
    join books b on b.account_id = p.account_id and not b.sandbox
    order by p.created_at, p.id limit ${limit}`
}

/** The position of each currency from conversions of clients and from deals of the house. */
export function listFx(sql: Tag) {
  return sql<{ currency: string; clients: bigint; deals: bigint }[]>`
    select currency, sum(clients)::bigint as clients, sum(deals)::bigint as deals from (
      select currency, sum(amount) as clients, 0 as deals from account_days
      where code = 'fx' group by currency
      union all
      select p.currency, 0, sum(p.amount) from house_journals h
      cross join unnest(string_to_array(h.codes, ' '), string_to_array(h.currencies, ' '),
        h.amounts) as p (code, currency, amount)
      where p.code = 'fx' group by p.currency) positions
    group by currency order by currency`
}

/** What banks and providers took or paid, by month and nostro. */
export function listCosts(sql: Tag, { from, to }: Period, limit: number) {
  return sql<
    {
      month: string
      nostro: string
      kind: string
      currency: string
      amount: bigint
      journals: bigint
    }[]
  >`
    select to_char(h.value_on, 'YYYY-MM') as month, p.nostro, h.kind, p.currency,
      (-sum(p.amount))::bigint as amount, count(distinct h.number) as journals
    from house_journals h
    cross join unnest(string_to_array(h.codes, ' '), string_to_array(h.currencies, ' '),
      string_to_array(h.nostros, ' '), h.amounts) as p (code, currency, nostro, amount)
    where h.kind in ('cost', 'interest', 'write_off') and p.code = 'bank'
      and h.value_on between ${from}::date and ${to}::date
    group by 1, 2, 3, 4 order by 1, 2, 3, 4 limit ${limit}`
}

/**
 * What payments on chains have cost for gas, in wei, by the day of UTC on which they were final.
 * The reader sees every slot.
 */
export async function listGas(sql: Tag, { from, to }: Period, limit: number) {
  const rows = await sql<
    {
      day: string
      rail: string
      chain_id: bigint
      wallet: string
      state: string
      transactions: bigint
      wei: string
    }[]
  >`
    select to_char(s.ended_at at time zone 'UTC', 'YYYY-MM-DD') as day, s.rail, s.chain_id,
      s.wallet, s.state, count(*) as transactions, sum(t.cost_wei)::text as wei
    from evm_slots s join evm_transactions t on t.chain_id = s.chain_id and t.wallet = s.wallet
      and t.nonce = s.nonce and t.block is not null
    where s.ended_at >= ${from}::date::timestamp at time zone 'UTC'
      and s.ended_at < (${to}::date + 1)::timestamp at time zone 'UTC'
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5 limit ${limit}`
  return rows.map(({ wei, ...row }) => ({ ...row, wei: BigInt(wei) }))
}

/** Money that came in and is not credited: lines on accounts for clients, oldest first. */
export function listSuspense(sql: Tag, limit: number) {
  return sql<
    {
      line: bigint
      nostro: string
      booked_on: string
      currency: string
      amount: bigint
      payer: string
      text: string
      days: number
    }[]
  >`
    select l.id as line, l.nostro, l.booked_on::text, l.currency, l.amount,
      l.counterparty_name as payer, l.text,
      ((statement_timestamp() at time zone 'UTC')::date - l.booked_on) as days
    from bank_lines l join nostros n on n.name = l.nostro and n.purpose = 'client'
    where l.match is null and l.amount > 0 order by l.booked_on, l.id limit ${limit}`
}
