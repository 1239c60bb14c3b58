// The columns of an entity's record, and the digest of it that its events carry.
import { sealOf } from '../seal.ts'
import type { Entity } from './record.ts'

/** What is written is what is read; the keys that duplicates are found by follow from it. */
export const ENTITY_KINDS = {
  account_id: 'text',
  id: 'text',
  type: 'text',
  details: 'json',
  approval_status: 'text',
  approval_status_description: 'text',
  approval_history: 'json',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

export const ENTITY_SEAL = sealOf<Entity>(ENTITY_KINDS)
