// Closes exceptions: a payout stands still until a person has judged what its rail said.
import type { Act } from '../audit/act.ts'
import { recordActs } from '../audit/store.ts'
import { transactConfined } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { closeException } from '../payout/wake-store.ts'
import type { RailException } from '../rail/attempt.ts'
import { accountIdOf } from './accounts.ts'

/** The most characters of a note about what the person has found. */
export const MAX_NOTE = 500

export function presentException(exception: RailException) {
  const { account_id: account, payout_id: payout, number, attempt, rail, kind } = exception
  const { message, opened_at } = exception
  return { account, payout, number, attempt, rail, kind, message, opened_at }
}

export interface Closing {
  readonly number: number
  readonly closed_by: string
  readonly note: string
}

/**
 * Closes an exception with the note of a person. Returns whether the service asks the payout's rail
 * again. Refuses (404) an exception that is not open.
 */
export async function closeOpenException(
  { audit, sql }: { readonly audit: Sql; readonly sql: Sql },
  payout_id: string,
  closing: Closing,
): Promise<boolean> {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  return transactConfined(sql, [account_id], async tx => {
    const asked = await closeException(tx, { account_id, id: payout_id }, closing)
    if (asked === undefined) {
      const message = `payout ${payout_id} has no open exception ${closing.number}`
      throw refusal('not_found', message)
    }
    await recordActs(tx, [closingAct(account_id, payout_id, closing)])
    return asked
  })
}

function closingAct(account_id: string, id: string, { number, note }: Closing): Act {
  const exception = String(number)
  return {
    table_name: 'rail_exceptions',
    reason: note,
    before: { account_id, id, exception, state: 'open' },
    after: { account_id, id, exception, state: 'closed' },
  }
}
