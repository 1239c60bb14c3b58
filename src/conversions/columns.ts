// The columns of conversions, and the seal that the event of a conversion carries.
import { sealOf } from '../values/digest.ts'
import type { Conversion } from './conversion.ts'

export const CONVERSION_KINDS = {
  account_id: 'code',
  id: 'code',
  quote_id: 'code',
  number: 'bigint',
  holding_currency: 'code',
  destination_currency: 'code',
  made_by: 'text',
  created_at: 'timestamptz',
} as const

export const CONVERSION_SEAL = sealOf<Conversion>(CONVERSION_KINDS)
