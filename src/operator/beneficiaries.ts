// What operators do with beneficiaries of accounts: archive them, and take them back.
import type { ArchiveOutcome, ArchiveState } from '../beneficiary/archive.ts'
import { type ArchiveBeneficiary, archiveBeneficiary } from '../beneficiary/operations.ts'
import type { Key } from '../id.ts'
import type { Deed } from './deed.ts'

/** An operator archives a beneficiary, or takes it back. */
export function archiving(
  { account_id, id }: Key,
  archive: boolean,
  reason: string,
): Deed<ArchiveBeneficiary, ArchiveState, ArchiveOutcome> {
  return {
    operation: archiveBeneficiary,
    command: { account_id, id, archive },
    act: ({ beneficiary: { archived_at }, did }) => ({
      table_name: 'beneficiaries',
      reason,
      before: { account_id, id, archived: String((did === 'nothing') === archive) },
      after: { account_id, id, archived_at },
    }),
  }
}
