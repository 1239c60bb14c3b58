// Fills an account with beneficiaries by SQL, among which one has a rare name, and adds the blocks
// for their search.
import { indexNames } from '../src/app/worker/index-names.ts'
import { connect } from '../src/sql/connect.ts'
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

/** Adds the blocks, as the worker of a service that settles payouts does. */
export async function indexPayees({ database_url, account_id }: Target): Promise<void> {
  const sql = connect(database_url, { max: 2, as: 'service' })
  try {
    await indexNames(sql, account_id)
  } finally {
    await sql.end({ timeout: 5 })
  }
}
