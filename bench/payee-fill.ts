// Fills an account with beneficiaries by SQL, among which one has a rare name, and waits until the
// service has blocks for their search.
import { setTimeout } from 'node:timers/promises'
import { BLOCK_ROWS } from '../src/sql/search-blocks.ts'
import { asOwner } from './database.ts'
import { fillTables, timePartOfIds } from './fill.ts'
import { NUMBER_DIGITS } from './load.ts'
import type { Target } from './target.ts'

/** Words of the name of one beneficiary alone. */
export const RARE_NAME = 'zwingli quetzal'

/** Most beneficiaries share their first word with others; the second is nearly unique. */
const FAMILIES = 2_000

/**
 * Adds `count` beneficiaries. Their rows have the columns that a search reads, and the least
 * details. Nothing compares them with the sanctions lists.
 */
export async function fillPayees(target: Target, count: number): Promise<void> {
  const insert = `
    insert into beneficiaries
      (made_by, account_id, id, details, created_at, updated_at, found_by, screened)
    select 'key_1', '${target.account_id}', 'bnf_${timePartOfIds()}' || digits,
      json_build_object('name', name, 'type', 'business', 'destination_details',
        json_build_object('type', 'bank', 'bank', json_build_object('account_number', digits))),
      now(), now(), E'\\n#' || digits || E'\\n ' || name, 0
    from (
      select lpad(n::text, ${NUMBER_DIGITS}, '0') as digits,
        case n when ${Math.ceil(count / 2)} then '${RARE_NAME}' else
          translate(left(md5((n % ${FAMILIES})::text), 7), '0123456789', 'ghijklmnop') || ' ' ||
          translate(left(md5(n::text), 9), '0123456789', 'qrstuvwxyz') end as name
      from (select generate_series(1, ${count}) as n) counted
      offset 0
    ) payee`
  await fillTables(target.database_url, [{ table: 'beneficiaries', insert }])
}

/** Resolves when each full block of rows is there. The account's events have to be as many. */
export async function untilIndexed(target: Target, count: number): Promise<void> {
  await asOwner(target.database_url, async owner => {
    for (let seconds = 0; seconds < 300; seconds += 1) {
      const [row] = await owner<{ blocks: number }[]>`
        select count(*)::integer as blocks from search_blocks
        where account_id = ${target.account_id} and listed = 'beneficiaries'`
      if ((row?.blocks ?? 0) >= Math.floor(count / BLOCK_ROWS)) return
      await setTimeout(1_000)
    }
    throw new Error('the service adds no blocks of names')
  })
}
