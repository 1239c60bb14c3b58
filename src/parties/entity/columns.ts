// The columns of an entity's record, and the seal that its events carry.
import { sealOf } from '../../values/digest.ts'
import type { Entity } from './entity.ts'

/** The columns of the record. The other columns of the row are derived from them (store.ts). */
export const ENTITY_KINDS = {
  account_id: 'text',
  id: 'text',
  type: 'text',
  details: 'json',
  approval_status: 'text',
  approval_status_description: 'text',
  approval_history: 'json',
  made_by: 'text',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

export const ENTITY_SEAL = sealOf<Entity>(ENTITY_KINDS)
