// The columns of beneficiaries, and the digest of a beneficiary that its events carry.
import { sealOf } from '../seal.ts'
import type { Beneficiary } from './rules.ts'

/** What is written is what is read. */
export const BENEFICIARY_KINDS = {
  account_id: 'text',
  id: 'text',
  details: 'json',
  created_at: 'timestamptz',
  updated_at: 'timestamptz',
} as const

export const BENEFICIARY_SEAL = sealOf<Beneficiary>(BENEFICIARY_KINDS)
