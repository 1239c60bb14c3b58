// The deed by which an operator archives a beneficiary, or takes it back.
import { archiveBeneficiary } from '../parties/beneficiary/operations.ts'
import type { Key } from '../values/id.ts'
import { deedOf } from './deed.ts'

/** The deed that archives a beneficiary, or with `archive` false takes it back. */
export function archiveDeed({ account_id, id }: Key, archive: boolean, reason: string) {
  const command = { account_id, id, archive }
  return deedOf(archiveBeneficiary, command, ({ beneficiary: { archived_at }, did }) => ({
    table_name: 'beneficiaries',
    reason,
    before: { account_id, id, archived: String((did === 'nothing') === archive) },
    after: { account_id, id, archived_at },
  }))
}
