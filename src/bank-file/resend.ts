// What a person does with a file: releases it, takes it back before the bank can have it, sends it
// again, or puts the payments of a refused file into another one. The transaction that changes the
// file also reads what the bank has said, and the state of the payouts.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { type Meaning, meaningOf } from '../iso20022/status.ts'
import { isRepetition } from './answer.ts'
import { listEvidence } from './evidence-store.ts'
import { approve, noteResealed, type RailFile, sendAgain, withdrawFile } from './file-store.ts'
import { type FoundItem, itemName, takeOut } from './item-store.ts'
import { sortWaiting, transactMany, whyNotSent } from './waiting.ts'

/** What a person says about a file. */
interface Saying {
  /** Whether the person has asked the bank and confirms. */
  readonly force: boolean
  readonly note: string
  readonly items: readonly FoundItem[]
}

/**
 * Releases a sealed file by its hash; returns why it is not released. A likely slip may be forced.
 */
export async function releaseFile(
  sql: Sql,
  file: RailFile,
  { force, items, person }: Omit<Saying, 'note'> & { readonly person: string },
): Promise<
  { readonly reason: 'likely_slip' | 'invalid_transition'; readonly message: string } | undefined
> {
  return transactMany(sql, items, async tx => {
    const fault = force ? undefined : await faultOf(tx, file, items)
    if (fault !== undefined) return { reason: 'likely_slip', message: fault }
    if (await approve(tx, file, person, force)) return undefined
    const message = `file ${file.msg_id} was released by somebody else at this moment`
    return { reason: 'invalid_transition', message }
  })
}

async function faultOf(
  tx: TransactionSql,
  file: RailFile,
  items: readonly FoundItem[],
): Promise<string | undefined> {
  const why = await whyNotSent(tx, file, items)
  if (why === undefined) return undefined
  const way =
    file.offers > 0
      ? 'say --force if the bank is to have it all the same'
      : 'corridor file withdraw puts the others into another file, and --force sends it as it is'
  return `file ${file.msg_id} must not go: ${why}; ${way}`
}

/** Sends the same bytes again under the same name; returns why they are not sent. */
export async function resendFile(
  sql: Sql,
  file: RailFile,
  { force, note, items }: Saying,
): Promise<string | undefined> {
  const { msg_id, state, resend_is_safe } = file
  if (state !== 'unknown' && state !== 'sent') {
    const way = state === 'rejected' ? '; corridor file reseal puts its payments into another' : ''
    return `file ${msg_id} is ${state}: there is nothing to send again${way}`
  }
  return transactMany(sql, items, async tx => {
    // Comes first, so that a person who says --force has read it.
    const fault = force ? undefined : await faultOf(tx, file, items)
    if (fault !== undefined) return fault
    if (!resend_is_safe && !force) {
      return (
        `the bank of file ${msg_id} may pay it twice, as its profile says: ask the bank, and say ` +
        '--force if it does not have the file'
      )
    }
    if (await sendAgain(tx, msg_id, note, force)) return undefined
    return `file ${msg_id} has changed at this moment: look at it`
  })
}

/** How many payments go into the next file, or why none does. */
type Resealed = { readonly count: number } | { readonly fault: string }

/**
 * Takes back a file that the bank cannot have. Its payments go into the next file, under their ids.
 * Payments that wait for a person go once they wait no more; those whose payout is over never go.
 */
export async function takeBackFile(
  sql: Sql,
  { msg_id, state }: RailFile,
  { note, items }: Omit<Saying, 'force'>,
): Promise<Resealed> {
  return transactMany(sql, items, async tx => {
    const { waiting, held } = await sortWaiting(tx, items)
    // Nobody looks at a file that was taken back, so its held payments wait outside it.
    if (await withdrawFile(tx, msg_id, note)) return putBack(tx, msg_id, [...waiting, ...held])
    return { fault: `file ${msg_id} is ${state}, or is sent at this moment: it stays` }
  })
}

/**
 * Puts the payments of a refused file into the next one, under their ids. A payment stays out if
 * its payout is over or waits for a person. It also stays out if the bank has accepted it by name,
 * unless the person has asked the bank.
 */
export async function resealFile(
  sql: Sql,
  { file, items, force, note }: Saying & { readonly file: RailFile },
): Promise<Resealed> {
  const { msg_id, reason } = file
  if (isRepetition(file) && !force) {
    return {
      fault:
        `the bank takes file ${msg_id} for one that it has (${reason}): ask the bank, and say ` +
        '--force if it pays none of it',
    }
  }
  return transactMany(sql, items, async tx => {
    const { waiting } = await sortWaiting(tx, items)
    await noteResealed(tx, msg_id, note)
    if (force) return putBack(tx, msg_id, waiting)
    const accepted = await acceptedOf(tx, waiting)
    return putBack(
      tx,
      msg_id,
      waiting.filter(item => !accepted.has(itemName(item))),
    )
  })
}

async function putBack(
  tx: TransactionSql,
  msg_id: string,
  items: readonly FoundItem[],
): Promise<Resealed> {
  const ids = items.map(({ end_to_end_id }) => end_to_end_id)
  return { count: await takeOut(tx, msg_id, ids) }
}

const NO_ACCEPTANCES: readonly Meaning[] = [
  'received',
  'pending',
  'rejected',
  'cancelled',
  'requires_action',
  'operator',
]

/** The payments that the bank may have accepted: one of its own codes may mean that. */
async function acceptedOf(
  tx: TransactionSql,
  items: readonly FoundItem[],
): Promise<ReadonlySet<string>> {
  const said = await listEvidence(tx, items)
  const accepted = said.filter(
    ({ level, code }) => level === 'transaction' && !NO_ACCEPTANCES.includes(meaningOf(code, {})),
  )
  return new Set(accepted.map(itemName))
}
