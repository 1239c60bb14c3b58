// A person's acts on a file: to release it, to withdraw it before the bank can have it, to send it
// again, or to put the payments of a refused file into another one. The transaction that changes
// the file also reads the bank's evidence and the state of the payouts.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { type Meaning, meaningOf } from '../iso20022/status.ts'
import { approve, noteResealed, type RailFile, sendAgain, withdrawFile } from './file-store.ts'
import { type FoundItem, itemName, listEvidence, takeOutOfFile } from './item-store.ts'
import { isRepetition } from './match.ts'
import { findStopReason, sortItems, transactMany } from './waiting.ts'

interface FileRequest {
  /** Whether the person has asked the bank, and wants it despite the message. */
  readonly force: boolean
  readonly note: string
  readonly items: readonly FoundItem[]
}

/**
 * Releases a sealed file by its hash; returns why it is not released, undefined when it is. `force`
 * overrides a likely mistake.
 */
export async function releaseFile(
  sql: Sql,
  file: RailFile,
  { force, items, person }: Omit<FileRequest, 'note'> & { readonly person: string },
): Promise<
  { readonly reason: 'likely_mistake' | 'invalid_transition'; readonly message: string } | undefined
> {
  return transactMany(sql, items, async tx => {
    const stopped = force ? undefined : await stopMessage(tx, file, items)
    if (stopped !== undefined) return { reason: 'likely_mistake', message: stopped }
    if (await approve(tx, file, person, force)) return undefined
    const message = `file ${file.msg_id} was released by somebody else at this moment`
    return { reason: 'invalid_transition', message }
  })
}

/** Why the file must not be sent, with advice; undefined when it may be sent. */
async function stopMessage(tx: TransactionSql, file: RailFile, items: readonly FoundItem[]) {
  const reason = await findStopReason(tx, file, items)
  if (reason === undefined) return undefined
  const advice =
    file.offers > 0
      ? 'say force to send it anyway'
      : 'withdraw it, and the other payouts go into another file; force sends it as it is'
  return `file ${file.msg_id} must not be sent: ${reason}; ${advice}`
}

/** Has the same bytes sent again under the same name; returns why not, undefined when it has. */
export async function resendFile(sql: Sql, file: RailFile, { force, note, items }: FileRequest) {
  const { msg_id, state, resend_is_safe } = file
  if (state !== 'unknown' && state !== 'sent') {
    const advice = state === 'rejected' ? '; reseal it, and its payments go into another' : ''
    return `file ${msg_id} is ${state}: there is nothing to send again${advice}`
  }
  return transactMany(sql, items, async tx => {
    // This message comes first, so that a person who uses force has read it.
    const stopped = force ? undefined : await stopMessage(tx, file, items)
    if (stopped !== undefined) return stopped
    if (!resend_is_safe && !force) {
      return (
        `the bank of file ${msg_id} may pay it twice, as its profile says: ask the bank, and say ` +
        'force if it does not have the file'
      )
    }
    if (await sendAgain(tx, msg_id, note, force)) return undefined
    return `file ${msg_id} has changed at this moment: look at it`
  })
}

type ResealResult = { readonly count: number } | { readonly fault: string }

/**
 * Withdraws a file that the bank cannot have. Its payments go into the next file, under their ids.
 * Payments that wait for a person go later. Payments of ended payouts never go.
 */
export async function takeBackFile(
  sql: Sql,
  { msg_id, state }: RailFile,
  { note, items }: Omit<FileRequest, 'force'>,
): Promise<ResealResult> {
  return transactMany(sql, items, async tx => {
    const { waiting, held } = await sortItems(tx, items)
    // Held payments leave the file, too: nobody looks at a withdrawn file.
    if (await withdrawFile(tx, msg_id, note)) return putBack(tx, msg_id, [...waiting, ...held])
    return { fault: `file ${msg_id} is ${state}, or is sent at this moment: it stays` }
  })
}

/**
 * Puts the payments of a refused file into the next one, under their ids. A payment stays behind if
 * its payout is over or waits for a person, or if the bank has accepted it by name. `force` takes
 * accepted payments, too.
 */
export async function resealFile(
  sql: Sql,
  { file, items, force, note }: FileRequest & { readonly file: RailFile },
): Promise<ResealResult> {
  const { msg_id, reason } = file
  if (isRepetition(file) && !force) {
    return {
      fault:
        `the bank takes file ${msg_id} for one that it has (${reason}): ask the bank, and say ` +
        'force if it pays none of it',
    }
  }
  return transactMany(sql, items, async tx => {
    const { waiting } = await sortItems(tx, items)
    const accepted = force ? new Set() : await findAccepted(tx, waiting)
    const leaving = waiting.filter(item => !accepted.has(itemName(item)))
    const done = await putBack(tx, msg_id, leaving)
    if (done.count > 0) await noteResealed(tx, msg_id, note)
    return done
  })
}

async function putBack(tx: TransactionSql, msg_id: string, items: readonly FoundItem[]) {
  return { count: await takeOutOfFile(tx, msg_id, items) }
}

/** The meanings that are no acceptance. A code without a meaning may be one. */
const NO_ACCEPTANCES: readonly Meaning[] = [
  'received',
  'pending',
  'rejected',
  'cancelled',
  'requires_action',
  'operator',
]

/** The payments that the bank may have accepted by name, by the standard meanings of its codes. */
async function findAccepted(tx: TransactionSql, items: readonly FoundItem[]) {
  const evidence = await listEvidence(tx, items)
  const accepted = evidence.filter(
    ({ level, code }) => level === 'transaction' && !NO_ACCEPTANCES.includes(meaningOf(code, {})),
  )
  return new Set(accepted.map(itemName))
}
