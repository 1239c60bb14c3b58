// The SQL statements of beneficiaries. Writes run under the lock of the account's book.
import type { TransactionSql } from '../../sql/connect.ts'
import { findIdsByText, narrowToText } from '../../sql/find-by-text.ts'
import { findByKeys } from '../../sql/keys.ts'
import { byId } from '../../sql/order.ts'
import { findPage, type Listed, type Page, type Wanted } from '../../sql/page.ts'
import { inserter, updater } from '../../sql/rows.ts'
import { dropOutdated } from '../../sql/search-blocks.ts'
import type { Tag } from '../../sql/sql.ts'
import type { Key } from '../../values/id.ts'
import { omitUndefined } from '../../values/omit-undefined.ts'
import { foundBy, partsOf } from '../../values/text/found-by.ts'
import type { Beneficiary } from './beneficiary.ts'
import { BENEFICIARY_KINDS, type BeneficiaryRow, beneficiaryRow, detailsOf } from './columns.ts'

const insertRows = inserter<Omit<FindableRow, 'archived_at'> & Screened>('beneficiaries', {
  ...BENEFICIARY_KINDS,
  approval: 'text',
  found_by: 'text',
  screened: 'bigint',
})

type FindableRow = BeneficiaryRow & { readonly found_by: string }

/** The text by which lists find a beneficiary of this record. */
export function foundByOf(details: Beneficiary['details']): string {
  const { name, name_local, email, reference_id, metadata, destination_details } = details
  const { bank, wallet, local_payment_network } = destination_details
  const account =
    bank?.iban ??
    bank?.account_number ??
    wallet?.deposit_address ??
    local_payment_network?.deposit_key
  const values = { email, account, reference: reference_id, metadata }
  return foundBy({ ...values, names: [name, name_local] })
}

function findableRow<B extends Beneficiary>(beneficiary: B) {
  return { ...beneficiaryRow(beneficiary), found_by: foundByOf(beneficiary.details) }
}

interface Screened {
  /**
   * The version of the sanctions lists at which its payout had no open match; null if it must still
   * be compared.
   */
  readonly screened: bigint | null
}

export function insertBeneficiaries(
  tx: TransactionSql,
  beneficiaries: readonly (Beneficiary & Screened)[],
) {
  return insertRows(tx, beneficiaries.map(findableRow))
}

/** Writes the columns that can change. */
export function updateBeneficiaries(tx: TransactionSql, beneficiaries: readonly Beneficiary[]) {
  const rows = beneficiaries.map(findableRow)
  return Promise.all([updateRows(tx, rows), ...dropOutdated(tx, 'beneficiaries', rows)])
}

const updateRows = updater<Omit<FindableRow, 'archived_at' | 'made_by' | 'created_at'>>(
  'beneficiaries',
  ['account_id', 'id'],
  {
    account_id: 'text',
    id: 'text',
    details: 'json',
    approval: 'text',
    found_by: 'text',
    updated_at: 'timestamptz',
  },
)

/** Writes the approval status of beneficiaries. Their records stay. */
export const updateApprovalStatus = updater<Pick<Beneficiary, 'account_id' | 'id' | 'approval'>>(
  'beneficiaries',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', approval: 'text' },
)

/** Writes the beneficiaries' `archived_at`. Their records stay. */
export const updateArchived = updater<Pick<Beneficiary, 'account_id' | 'id' | 'archived_at'>>(
  'beneficiaries',
  ['account_id', 'id'],
  { account_id: 'text', id: 'text', archived_at: 'timestamptz' },
)

const COLUMNS: readonly (keyof Beneficiary)[] = [
  ...(Object.keys(BENEFICIARY_KINDS) as (keyof typeof BENEFICIARY_KINDS)[]),
  'approval',
  'archived_at',
]

/** Beneficiaries by (account, id), in no order; a key without a beneficiary has no row. */
export async function findBeneficiaries(sql: Tag, keys: readonly Key[]): Promise<Beneficiary[]> {
  const rows = await findByKeys<BeneficiaryRow>(sql, 'beneficiaries', COLUMNS, keys)
  return rows.map(beneficiaryOf)
}

const LISTED = {
  table: 'beneficiaries',
  columns: COLUMNS,
  order: byId('bnf'),
  filters: [
    { name: 'destination_type', by: 'destination_type', leads: 'never' },
    { name: 'type', by: 'type', leads: 'never' },
    { name: 'status', by: 'approval', leads: 'always' },
  ],
  kinds: ['type', 'destination_type'],
  merged: 'archived_at is null',
  long: ['details'],
} as const satisfies Listed

/** The archived beneficiaries, which have an index of their own. */
const ARCHIVED = { ...LISTED, merged: 'archived_at is not null' } as const

/**
 * A page of the account's beneficiaries, archived or not as `archived` says; undefined when the
 * cursor names none of them.
 */
export async function listBeneficiaries(
  sql: Tag,
  account_id: string,
  { filters: { archived, status, ...others }, ...asked }: Wanted,
): Promise<Page<Beneficiary> | undefined> {
  const { name, email, account_number, reference_id: reference, metadata, ...kinds } = others
  const isArchived = archived?.[0] === 'true'
  const [listed, isListed] = isArchived
    ? [ARCHIVED, sql`and archived_at is not null`]
    : [LISTED, sql`and archived_at is null`]
  // Most beneficiaries are active, so a page of them walks the list. The others have an index.
  const wantsActive = status?.includes('active') === true
  const filters = wantsActive || status === undefined ? kinds : { ...kinds, status }
  const condition = wantsActive
    ? sql`${isListed} and (details ->> 'status') is distinct from 'erased'
        and approval = any (${['', 'approved', ...status]}::text[])`
    : isListed
  const parts = partsOf(omitUndefined({ name, email, account_number, reference, metadata }))
  const all = { ...asked, filters }
  const [found, wanted] = await narrowToText(sql, listed, account_id, all, parts)
  const page = await findPage<BeneficiaryRow>(sql, found, account_id, wanted, condition)
  return page && { ...page, rows: page.rows.map(beneficiaryOf) }
}

/** The ids of beneficiaries whose names contain these words, archived ones too, newest first. */
export function findNamed(sql: Tag, account_id: string, name: readonly string[], limit: number) {
  return findIdsByText(sql, 'beneficiaries', account_id, partsOf({ name }), limit)
}

function beneficiaryOf(row: BeneficiaryRow): Beneficiary {
  return { ...row, details: detailsOf(row.details, row.id) }
}
