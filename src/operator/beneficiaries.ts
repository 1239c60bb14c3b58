// What operators do with beneficiaries of accounts: archive them, and take them back.
import { archiveBeneficiary } from '../beneficiary/operations.ts'
import type { Key } from '../id.ts'
import { deedOf } from './deed.ts'

/** An operator archives a beneficiary, or takes it back. */
export function archiving({ account_id, id }: Key, archive: boolean, reason: string) {
  const command = { account_id, id, archive }
  return deedOf(archiveBeneficiary, command, ({ beneficiary: { archived_at }, did }) => ({
    table_name: 'beneficiaries',
    reason,
    before: { account_id, id, archived: String((did === 'nothing') === archive) },
    after: { account_id, id, archived_at },
  }))
}
