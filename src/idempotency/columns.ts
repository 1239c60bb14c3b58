// The columns of kept answers, and the digest that the last event of the request carries.
import { sealOf } from '../seal.ts'
import type { KeptReply } from './kept-reply.ts'

/** What is written is what is read. */
export const KEPT_KINDS = {
  account_id: 'text',
  operation: 'text',
  key: 'text',
  request_hash: 'hex',
  status: 'integer',
  body: 'document',
  object_id: 'text',
  state: 'json',
  created_at: 'timestamptz',
} as const

export const KEPT_SEAL = sealOf<KeptReply>(KEPT_KINDS)
