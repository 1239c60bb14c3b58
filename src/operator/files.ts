// Files for banks, as operators see them: each with the payments in it. An operator releases a file
// or takes it back only as the file was shown.
import { findFile, type RailFile, readBytes } from '../bank-file/file-store.ts'
import type { InboxFile } from '../bank-file/inbox-store.ts'
import { type FoundItem, listItemsOf } from '../bank-file/item-store.ts'
import { releaseFile, takeBackFile } from '../bank-file/resend.ts'
import type { Sql } from '../db/connect.ts'
import { refusal } from '../errors.ts'
import { amountToJson } from '../money/json.ts'
import { hashJson } from '../seal.ts'
import { known } from './deed.ts'

/** The file with this message id. Refuses (404) an unknown id. */
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

/** A file of a bank of which nothing is applied. */
export function presentUnread({ sha256, rail, name, size, received_at, state, reason }: InboxFile) {
  return { sha256, rail, name, bytes: Number(size), received_at, state, reason }
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

/** The digest of what a person sees: the hash of the bytes, the sums, and each payment. */
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

/** The file as the bank reads it; empty after an erasure. `sha256` is of the bytes when sealed. */
export async function showContent(audit: Sql, msg_id: string) {
  const { sha256 } = await fileNamed(audit, msg_id)
  const { bytes } = await readBytes(audit, msg_id)
  return { msg_id, sha256, content: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
}

interface Connections {
  readonly sql: Sql
  /** A connection that reads the items of all accounts. */
  readonly audit: Sql
}

/**
 * The hashes that the person was shown: of the bytes, or of bytes and payments (`digestOfFile`).
 */
interface ShownHashes {
  readonly sha256?: string | undefined
  readonly digest?: string | undefined
}

interface Releasing extends ShownHashes {
  readonly msg_id: string
  readonly person: string
  /** Whether to release it even if payouts in it have ended or have a later attempt. */
  readonly force: boolean
}

/** Releases a sealed file as it was shown, so that it is sent. */
export async function release(
  { sql, audit }: Connections,
  { msg_id, person, force, ...shown }: Releasing,
): Promise<RailFile> {
  const { file, items } = await asShown({ sql, audit }, msg_id, shown, 'released')
  if (file.state !== 'sealed') {
    throw refusal('invalid_transition', `file ${msg_id} is ${file.state}: it was released before`)
  }
  const fault = await releaseFile(sql, file, { force, items, person })
  if (fault !== undefined) throw refusal(fault.reason, fault.message)
  return fileNamed(sql, msg_id)
}

interface TakingBack extends ShownHashes {
  readonly msg_id: string
  /** Who takes it back, and why. */
  readonly note: string
}

/** What happened to the payments of a file that was taken back. */
export interface TakenBack {
  readonly file: string
  /** How many of them go into the next file. */
  readonly payments: number
  /** How many do not, as their payouts are over by now, or wait for a person. */
  readonly left_out: number
}

/** Takes back a file that was never offered to the bank. Its payments go into the next file. */
export async function takeBack(
  { sql, audit }: Connections,
  { msg_id, note, ...shown }: TakingBack,
): Promise<TakenBack> {
  const { file, items } = await asShown({ sql, audit }, msg_id, shown, 'taken back')
  if (items.length === 0) {
    throw refusal('invalid_transition', `file ${msg_id} has no payment any more`)
  }
  const done = await takeBackFile(sql, file, { note, items })
  if ('fault' in done) throw refusal('invalid_transition', done.fault)
  return { file: msg_id, payments: done.count, left_out: items.length - done.count }
}

/** The file and its payments. Refuses (409) a file that has changed since it was shown. */
async function asShown(
  { sql, audit }: Connections,
  msg_id: string,
  { sha256, digest }: ShownHashes,
  act: string,
): Promise<FileInFull> {
  const items = await listItemsOf(audit, msg_id)
  const file = await fileNamed(sql, msg_id)
  const present = { file, items }
  const isUnchanged =
    (sha256 === undefined || sha256 === file.sha256) &&
    (digest === undefined || digest === digestOfFile(present))
  if (isUnchanged) return present
  const message = `file ${file.msg_id} has another hash: nothing was ${act}; look at it`
  throw refusal('approval_outdated', message)
}
