// Evidence of one payment of EUR 100.00, and the file that the payment is in.
import type { Evidence } from '../../../src/adapters/bank-file/evidence.ts'
import type { PaymentContext } from '../../../src/adapters/bank-file/interpret.ts'

export const item = { amount: 10_000n, currency: 'EUR' }
export const SEALED = '2026-11-23T09:00:00.000000Z'
export const SENT = '2026-11-23T10:00:00.000000Z'
export const RECEIVED_AT = '2026-11-24T10:00:00.000000Z'

export const FILE: NonNullable<PaymentContext['file']> = {
  sealed_at: SEALED,
  execution_date: '2026-11-24',
  state: 'sent',
  sent_at: SENT,
  updated_at: SENT,
}

/** A text is a status of the payment and its reasons: `RJCT/AC04`. */
export type EvidenceInput = Evidence | string

export const evidenceOf = (input: EvidenceInput): Evidence =>
  typeof input === 'string' ? status(input) : input

export const makeEvidence = (change: Partial<Evidence>): Evidence => ({
  level: 'transaction',
  code: '',
  reasons: [],
  text: '',
  amount: null,
  currency: '',
  is_credit: null,
  said_at: '2026-11-24',
  reference: '',
  received_at: RECEIVED_AT,
  ...change,
})

export const status = (text: string, change: Partial<Evidence> = {}) => {
  const [code = '', ...reasons] = text.split('/')
  return makeEvidence({ code, reasons, ...change })
}
export const group = (text: string) => status(text, { level: 'group' })
export const file = (text: string) => status(text, { level: 'file' })

/** What differs from the usual booking, or its reference alone. */
type Change = Partial<Evidence> | string

const booking = (usual: Partial<Evidence>, change: Change) => {
  const other = typeof change === 'string' ? { reference: change } : change
  return makeEvidence({ code: 'BOOK', ...item, ...usual, ...other })
}
const DEBIT = { level: 'booking', is_credit: false } as const
export const debit = (change: Change = {}) =>
  booking({ ...DEBIT, reference: 'D-1 camt.053 17 2026-11-24' }, change)
const RETURN = { level: 'return', is_credit: true, reasons: ['AC04'] } as const
export const returned = (change: Change = {}) =>
  booking({ ...RETURN, reference: 'C-1 camt.053 18 2026-11-25' }, change)
