// What goes back to its payer, or into the books of the house, is in no book of an account.
import type { Tag } from '../../sql/sql.ts'
import { refusal } from '../../values/errors.ts'
import { caseId } from './case-id.ts'
import { hasItemOfItsKey, hasItemToCome, takeTurnOfIds } from './return-store.ts'

/**
 * Refuses (409) a credit with an id of an open item, or of one to come. Of open items, those that
 * it is matched with (`items`) do not count, nor does money that leaves.
 */
export async function checkUnbooked(
  sql: Tag,
  line: bigint,
  items?: readonly bigint[],
): Promise<void> {
  const id = caseId('line', line)
  await takeTurnOfIds(sql, line)
  if (await hasItemOfItsKey(sql, line, items)) {
    throw refusal('invalid_transition', `${id} has the key of an open item: match it with that.`)
  }
  if (await hasItemToCome(sql, line)) {
    const message = `${id} has the key of what was just booked: look again in a minute.`
    throw refusal('invalid_transition', message)
  }
}
