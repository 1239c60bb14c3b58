// The statements of beneficiaries. Writes run under the lock of the account's book.
import type { Sql, TransactionSql } from '../db/connect.ts'
import { findByKeys } from '../db/keys.ts'
import { byId } from '../db/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../db/page.ts'
import { inserter, updater } from '../db/rows.ts'
import type { Key } from '../id.ts'
import type { Beneficiary } from './beneficiary.ts'
import { BENEFICIARY_KINDS, type BeneficiaryRow, beneficiaryRow, detailsOf } from './columns.ts'

const insertRows = inserter<BeneficiaryRow & Screened>('beneficiaries', {
  ...BENEFICIARY_KINDS,
  approval: 'text',
  screened: 'bigint',
})

interface Screened {
  /** The version of the sanctions lists at which its payout found nobody; null: it is compared. */
  readonly screened: bigint | null
}

export function insertBeneficiaries(
  tx: TransactionSql,
  beneficiaries: readonly (Beneficiary & Screened)[],
) {
  return insertRows(tx, beneficiaries.map(beneficiaryRow))
}

/** Writes the columns that can change. */
export function updateBeneficiaries(tx: TransactionSql, beneficiaries: readonly Beneficiary[]) {
  return updateRows(tx, beneficiaries.map(beneficiaryRow))
}

const updateRows = updater<Omit<BeneficiaryRow, 'created_at'>>(
  'beneficiaries',
  ['account_id', 'id'],
  {
    account_id: 'text',
    id: 'text',
    details: 'json',
    approval: 'text',
    updated_at: 'timestamptz',
  },
)

/** Writes what people say of beneficiaries, whose records stay. */
export const updateApprovalStatus = updater<Pick<Beneficiary, 'account_id' | 'id' | 'approval'>>(
  'beneficiaries',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', approval: 'text' },
)

const COLUMNS: readonly (keyof Beneficiary)[] = [
  ...(Object.keys(BENEFICIARY_KINDS) as (keyof typeof BENEFICIARY_KINDS)[]),
  'approval',
]

/** Beneficiaries by (account, id), in no order; a key without a beneficiary has no row. */
export async function findBeneficiaries(
  sql: Sql | TransactionSql,
  keys: readonly Key[],
): Promise<Beneficiary[]> {
  const rows = await findByKeys<BeneficiaryRow>(sql, 'beneficiaries', COLUMNS, keys)
  return rows.map(beneficiaryOf)
}

const LISTED: Listed = {
  table: 'beneficiaries',
  columns: COLUMNS,
  order: byId('bnf'),
  filters: [
    { name: 'destination_type', by: 'destination_type', leads: 'never' },
    { name: 'type', by: 'type', leads: 'never' },
    { name: 'status', by: 'approval', leads: 'always' },
  ],
  kinds: ['type', 'destination_type'],
}

/** A page of the account's beneficiaries; undefined when its cursor names none of them. */
export async function listBeneficiaries(
  sql: Sql | TransactionSql,
  account_id: string,
  wanted: Wanted,
): Promise<Page<Beneficiary> | undefined> {
  const page = await findPage<BeneficiaryRow>(sql, LISTED, account_id, wanted)
  return page && { ...page, rows: page.rows.map(beneficiaryOf) }
}

function beneficiaryOf(row: BeneficiaryRow): Beneficiary {
  return { ...row, details: detailsOf(row.details, row.id) }
}
