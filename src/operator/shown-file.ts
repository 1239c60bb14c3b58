// A file for a bank as people see it, with the payments in it.
import { FILE_STATES, findFile, type RailFile } from '../adapters/bank-file/file-store.ts'
import { type FoundItem, listItemsOf } from '../adapters/bank-file/item-store.ts'
import { Id, Literals, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { Sql } from '../sql/connect.ts'
import { hashJson } from '../values/digest.ts'
import { amountToJson } from '../values/money/json.ts'
import { known } from './operator-write.ts'
import { AccountId } from './request.ts'

/** The id by which the bank knows the file. */
export const MessageId = Type.String({
  pattern: '^C[0-9A-HJKMNP-TV-Z]{15}$',
  description: 'The message id of the file.',
  examples: ['C1M7XPM2M0C6HKD4'],
})

export const FilePath = Type.Object({ id: MessageId })

const timeOrNull = Type.Union([Timestamp, Type.Null()])

export const FILE = {
  msg_id: MessageId,
  name: Type.String({ description: 'The name of the file at the bank.' }),
  rail: Type.String(),
  format: Type.String({ examples: ['pain.001.001.09'] }),
  settlement_account: Type.String({ description: 'The account that the bank debits.' }),
  currency: Type.String(),
  execution_date: Type.String({ examples: ['2026-11-25'] }),
  item_count: Type.Integer(),
  control_sum: Type.String({ description: 'The sum of the payments, an exact decimal.' }),
  sha256: Type.String({
    description: 'SHA-256 of the bytes of the file, in hex, which `corridor file release` takes.',
  }),
  encrypted: Type.Boolean(),
  sealed_at: Timestamp,
  needs_release: Type.Boolean({
    description: 'Whether a person must release the file before it is sent.',
  }),
  resend_is_safe: Type.Boolean({ description: 'Whether the bank takes each file only once.' }),
  approved_by: Type.String({ description: 'Who has released the file; empty if nobody has.' }),
  approved_at: timeOrNull,
  state: Literals(FILE_STATES),
  reason: Type.String({ description: 'What the bank or a person has said about the file.' }),
  offered_at: timeOrNull,
  offers: Type.Integer({
    description:
      'How often the file was offered to the bank. After the first time, the bank may have it.',
  }),
  forced: Type.Boolean({ description: 'Whether it is sent although payouts in it have ended.' }),
  sent_at: timeOrNull,
  uploads: Type.Integer(),
  updated_at: Timestamp,
  bytes: Type.Integer({ description: 'The size of the file in bytes.' }),
}

export const FileResponse = Type.Object(FILE, {
  title: 'BankFile',
  description: 'A file for a bank.',
})

export const Sha256 = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'SHA-256 of the file.',
})

export const Digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'The `digest` of the file, as it was shown to you.',
})

export const FileInFullResponse = Type.Object(
  {
    ...FILE,
    digest: Type.String({
      description:
        'SHA-256 of the bytes and the payments, in hex, which a release or a withdrawal of ' +
        'the file takes.',
    }),
    payments: Type.Array(
      Type.Object({
        account_id: AccountId,
        payout: Id('pot', 'Payout id.'),
        attempt: Type.Integer(),
        end_to_end_id: Type.String(),
        uetr: Type.String(),
        amount: Type.Integer({ description: 'Minor units of the currency.' }),
        currency: Type.String(),
      }),
    ),
  },
  { title: 'BankFileInFull', description: 'A file for a bank, and the payments in it.' },
)

/** Refuses (404) an unknown id. */
export async function fileNamed(sql: Sql, msg_id: string): Promise<RailFile> {
  return known('file', msg_id, await findFile(sql, msg_id))
}

export interface FileInFull {
  readonly file: RailFile
  readonly items: readonly FoundItem[]
}

export async function showFile(audit: Sql, msg_id: string): Promise<FileInFull> {
  const file = await fileNamed(audit, msg_id)
  return { file, items: await listItemsOf(audit, msg_id) }
}

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

/** The digest of what a person sees: the hash of the bytes, the sums, and each payment. */
export function digestOfFile({ file, items }: FileInFull): string {
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
