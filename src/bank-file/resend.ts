// What a person does about a file that may not have arrived, or that the bank has refused.

import { confineTo } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { transact } from '../db/transact.ts'
import { type RailFile, sendAgain } from './file-store.ts'
import { type FoundItem, takeOut } from './item-store.ts'
import { waitingOf } from './waiting.ts'

interface Resending {
  /** Whether the bank has said that it does not have the file. */
  readonly force: boolean
  readonly note: string
}

/** Sends the same bytes again under the same name; returns why not. */
export async function resendFile(
  sql: Sql,
  file: RailFile,
  { force, note }: Resending,
): Promise<string | undefined> {
  const { msg_id, state, resend_is_safe } = file
  if (state !== 'unknown' && state !== 'sent') {
    const way = state === 'rejected' ? '; corridor file reseal puts its payments into another' : ''
    return `file ${msg_id} is ${state}: there is nothing to send again${way}`
  }
  if (!resend_is_safe && !force) {
    return (
      `the bank of file ${msg_id} may pay it twice, as its profile says: ask the bank, and say ` +
      '--force if it does not have the file'
    )
  }
  if (await sendAgain(sql, msg_id, note)) return undefined
  return `file ${msg_id} has changed at this moment: look at it`
}

/**
 * Puts the payments of a refused file into the next one, under their ids; returns how many. Those
 * whose payout is over stay out.
 */
export async function resealFile(sql: Sql, items: readonly FoundItem[]): Promise<number> {
  return transact(sql, async tx => {
    void confineTo(tx, [...new Set(items.map(({ account_id }) => account_id))])
    const waiting = await waitingOf(tx, items)
    await takeOut(
      tx,
      waiting.map(({ end_to_end_id }) => end_to_end_id),
    )
    return waiting.length
  })
}
