// What a person does about a file that may not have arrived, or that the bank has refused.

import { confineTo } from '../db/confine.ts'
import type { Sql } from '../db/connect.ts'
import { transact } from '../db/transact.ts'
import { approve, type RailFile, sendAgain } from './file-store.ts'
import { type FoundItem, takeOut } from './item-store.ts'
import { accountsOf, namesOf, notToBePaid, sortWaiting } from './waiting.ts'

interface Resending {
  /** Whether the bank has said that it does not have the file. */
  readonly force: boolean
  readonly note: string
  /** Its items. */
  readonly items: readonly FoundItem[]
}

/** Releases a sealed file by its hash; returns why not. */
export async function releaseFile(
  sql: Sql,
  file: RailFile,
  { force, items, person }: Omit<Resending, 'note'> & { readonly person: string },
): Promise<string | undefined> {
  const fault = force ? undefined : await overIn(sql, file, items)
  if (fault !== undefined) return fault
  if (await approve(sql, file, person)) return undefined
  return `file ${file.msg_id} was released by somebody else at this moment`
}

/** Why a file with payments that are over may not go. */
async function overIn(
  sql: Sql,
  { msg_id }: RailFile,
  items: readonly FoundItem[],
): Promise<string | undefined> {
  const over = await notToBePaid(sql, items)
  if (over.length === 0) return undefined
  return (
    `file ${msg_id} pays payouts that are over, or go another way: ${namesOf(over)}; say --force ` +
    'if the bank is to have it all the same'
  )
}

/** Sends the same bytes again under the same name; returns why not. */
export async function resendFile(
  sql: Sql,
  file: RailFile,
  { force, note, items }: Resending,
): Promise<string | undefined> {
  const { msg_id, state, resend_is_safe } = file
  if (state !== 'unknown' && state !== 'sent') {
    const way = state === 'rejected' ? '; corridor file reseal puts its payments into another' : ''
    return `file ${msg_id} is ${state}: there is nothing to send again${way}`
  }
  // First, as whoever says --force must have read it.
  const fault = force ? undefined : await overIn(sql, file, items)
  if (fault !== undefined) return fault
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
 * whose payout is over, or held by a person, stay out.
 */
export async function resealFile(sql: Sql, items: readonly FoundItem[]): Promise<number> {
  return transact(sql, async tx => {
    void confineTo(tx, accountsOf(items))
    const { waiting } = await sortWaiting(tx, items)
    await takeOut(
      tx,
      waiting.map(({ end_to_end_id }) => end_to_end_id),
    )
    return waiting.length
  })
}
