// The statements of events. Append-only.
import { inserter } from '../db/rows.ts'
import type { Event } from './rules.ts'

export const insertEvents = inserter<Event>('events', {
  account_id: 'text',
  sequence: 'bigint',
  id: 'text',
  type: 'text',
  object_id: 'text',
  data: 'json',
  created_at: 'timestamptz',
})
