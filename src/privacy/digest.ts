// The digest of an erasure and its rows, which its event carries. Pure.
import { hash } from 'node:crypto'
import type { ErasedRow, Erasure } from './privacy.ts'

export function digestOfErasure(erasure: Erasure, rows: readonly ErasedRow[]): string {
  const { account_id, party_id, erased_at, erased_by, reason } = erasure
  const lines = rows.map(({ table_name, key, was, becomes }) =>
    JSON.stringify([table_name, key, was, becomes]),
  )
  const head = JSON.stringify([account_id, party_id, erased_at, erased_by, reason])
  return hash('sha256', [head, ...lines.sort()].join('\n'), 'hex')
}
