// Files for banks, as operators see them: each with the payouts in it.
import { findFile, type RailFile } from '../bank-file/file-store.ts'
import { type FoundItem, listItemsOf } from '../bank-file/item-store.ts'
import type { Sql } from '../db/connect.ts'
import { amountToJson } from '../money/json.ts'
import { Unknown } from './deed.ts'

/** The file of this message id. Refuses an id that no file has. */
export async function fileNamed(sql: Sql, msg_id: string): Promise<RailFile> {
  const file = await findFile(sql, msg_id)
  if (file !== undefined) return file
  throw new Unknown('file', msg_id)
}

export interface FileInFull {
  readonly file: RailFile
  readonly items: readonly FoundItem[]
}

export async function showFile(audit: Sql, msg_id: string): Promise<FileInFull> {
  const file = await fileNamed(audit, msg_id)
  return { file, items: await listItemsOf(audit, msg_id) }
}

/** `bytes` is how many there are. */
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
  return { ...presentFile(file), payments }
}
