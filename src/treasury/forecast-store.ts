// The SQL statement of what is expected to move on accounts at banks.
import { sql as part, type Tag } from '../sql/sql.ts'
import { listPositions } from './balance-store.ts'
import { listCovers } from './cover-store.ts'
import { type Expected, type ForecastDay, forecastOf } from './forecast.ts'
import { CHOSEN } from './item-store.ts'
import { listNostros } from './nostro-store.ts'

/**
 * Open items on their value date, or today; and payouts that are not settled, on the day on which
 * they are expected to arrive, or else begin. Those that wait for people are expected too.
 */
function listExpected(sql: Tag): Promise<Expected[]> {
  return sql<Expected[]>`
    with chosen as materialized (${part.unsafe(CHOSEN)}),
    today as (select (statement_timestamp() at time zone 'UTC')::date as day)
    select nostro, day::text, sum(amount)::bigint as amount from (
      select i.nostro, greatest(i.value_on, today.day) as day, i.amount
      from nostro_items i cross join today where i.match is null and i.nostro <> ''
      union all
      select c.nostro, greatest(today.day,
          (coalesce(o.expected_at, o.execute_at, statement_timestamp()) at time zone 'UTC')::date),
        -p.destination_amount
      from open_payouts o join payouts p on p.account_id = o.account_id and p.id = o.id
      join books b on b.account_id = o.account_id and not b.sandbox
      join chosen c on c.currency = p.destination_currency and c.rail = o.rail
      cross join today
      where o.status <> 'succeeded') expected
    group by nostro, day order by nostro, day`
}

/** The forecast of each open nostro, by name. */
export async function readForecast(sql: Tag, today: string): Promise<ForecastDay[]> {
  const [nostros, positions, expected, covers] = await Promise.all([
    listNostros(sql),
    listPositions(sql),
    listExpected(sql),
    listCovers(sql),
  ])
  return positions.flatMap(({ nostro: name, bank }) => {
    const nostro = nostros.find(one => one.name === name)
    const waiting = covers.find(cover => cover.nostro === name)?.waiting
    return nostro === undefined ? [] : forecastOf(nostro, bank, expected, today, waiting)
  })
}
