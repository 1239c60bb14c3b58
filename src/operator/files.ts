// Files for banks, as operators see them: each with the payouts in it. Operators release a file, or
// take it back, as it was shown to them.
import { findFile, type RailFile, readBytes } from '../bank-file/file-store.ts'
import { type FoundItem, listItemsOf } from '../bank-file/item-store.ts'
import { releaseFile, takeBackFile } from '../bank-file/resend.ts'
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { amountToJson } from '../money/json.ts'
import { hashJson } from '../seal.ts'
import { known } from './deed.ts'

/** The file of this message id. Refuses an unknown id. */
export async function fileNamed(sql: Sql, msg_id: string): Promise<RailFile> {
  return known('file', msg_id, await findFile(sql, msg_id))
}

interface FileInFull {
  readonly file: RailFile
  readonly items: readonly FoundItem[]
}

export async function showFile(audit: Sql, msg_id: string): Promise<FileInFull> {
  const file = await fileNamed(audit, msg_id)
  return { file, items: await listItemsOf(audit, msg_id) }
}

/** The file; `bytes` is how many bytes it has. */
export function presentFile({ size, ...file }: RailFile) {
  return { ...file, bytes: size }
}

export function presentFileInFull({ file, items }: FileInFull) {
  const payments = items.map(item => ({
    account_id: item.account_id,
    payout: item.payout_id,
    attempt: item.attempt,
    end_to_end_id: item.end_to_end_id,
    uetr: item.uetr,
    amount: amountToJson(item.amount),
    currency: item.currency,
  }))
  return { ...presentFile(file), digest: digestOfFile({ file, items }), payments }
}

/** The digest of what a person looks at: the bytes, their sums, and the payouts that they pay. */
function digestOfFile({ file, items }: FileInFull): string {
  const { msg_id, sha256, rail, settlement_account, currency, execution_date } = file
  const { item_count, control_sum } = file
  return hashJson([
    ...[msg_id, sha256, rail, settlement_account, currency, execution_date],
    ...[item_count, control_sum],
    items.map(({ account_id, payout_id, attempt, end_to_end_id, amount, currency }) => [
      ...[account_id, payout_id, attempt, end_to_end_id, String(amount), currency],
    ]),
  ])
}

/** The file as the bank reads it. Its digest vouches for it, and tells whether it was erased. */
export async function showContent(audit: Sql, msg_id: string) {
  const { sha256 } = await fileNamed(audit, msg_id)
  const { bytes } = await readBytes(audit, msg_id)
  return { msg_id, sha256, content: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
}

interface Desks {
  readonly sql: Sql
  /** A connection that reads the items of all accounts. */
  readonly audit: Sql
}

/** What a person has looked at: only the bytes, or all that is shown. */
interface Seen {
  readonly sha256?: string | undefined
  readonly digest?: string | undefined
}

interface Releasing extends Seen {
  readonly msg_id: string
  readonly person: string
  /** Whether to release it even if payouts in it are over, or go another way. */
  readonly force: boolean
}

/** Releases a sealed file as it was shown, so that it is sent. */
export async function release(
  { sql, audit }: Desks,
  { msg_id, person, force, ...seen }: Releasing,
): Promise<RailFile> {
  const { file, items } = await asSeen({ sql, audit }, msg_id, seen, 'released')
  if (file.state !== 'sealed') {
    throw refusal('invalid_transition', `file ${msg_id} is ${file.state}: it was released before`)
  }
  const fault = await releaseFile(sql, file, { force, items, person })
  if (fault !== undefined) throw refusal(fault.reason, fault.message)
  return fileNamed(sql, msg_id)
}

interface TakingBack extends Seen {
  readonly msg_id: string
  /** Who takes it back, and why. */
  readonly note: string
}

/** What happened to the payments of a file that was taken back. */
export interface TakenBack {
  readonly file: string
  /** How many of them go into the next file. */
  readonly payments: number
  readonly left_out: number
}

/** Takes back a file that the bank has never been offered; its payments go into the next one. */
export async function takeBack(
  { sql, audit }: Desks,
  { msg_id, note, ...seen }: TakingBack,
): Promise<TakenBack> {
  const { file, items } = await asSeen({ sql, audit }, msg_id, seen, 'taken back')
  if (items.length === 0) {
    throw refusal('invalid_transition', `file ${msg_id} has no payment any more`)
  }
  const done = await takeBackFile(sql, file, { note, items })
  if ('fault' in done) throw refusal('invalid_transition', done.fault)
  return { file: msg_id, payments: done.count, left_out: items.length - done.count }
}

/** The file and its payments. Refuses (409) a file that has changed since it was seen. */
async function asSeen(
  { sql, audit }: Desks,
  msg_id: string,
  { sha256, digest }: Seen,
  what: string,
): Promise<FileInFull> {
  const items = await listItemsOf(audit, msg_id)
  const file = await fileNamed(sql, msg_id)
  const shown = { file, items }
  const isSeen =
    (sha256 === undefined || sha256 === file.sha256) &&
    (digest === undefined || digest === digestOfFile(shown))
  if (isSeen) return shown
  const message = `file ${file.msg_id} has another hash: nothing was ${what}; look at it`
  throw refusal('approval_outdated', message)
}
