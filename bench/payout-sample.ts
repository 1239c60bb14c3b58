// What is paid out, and payouts made one by one: the first, which makes the beneficiary, and the
// one whose rows are copied. Knows no load and no numbers.
import type { Caller } from './target.ts'

/** What is paid out, without its beneficiary; about 250 bytes with it. */
export const PAYOUTS = {
  'USD→USD': {
    amount: 10_000,
    currency: 'USD',
    type: 'local',
    purpose: 'supplier_payment',
    transaction_description: 'Invoice 2041 of March, second part',
    reference_id: 'INV-2041-2',
    metadata: { order: 'A-77120', cost_centre: 'treasury' },
  },
  'USD→HKD': {
    amount: 78_000,
    currency: 'HKD',
    holding_currency: 'USD',
    type: 'local',
    purpose: 'supplier_payment',
    transaction_description: 'Invoice 2041 of March, second part',
    reference_id: 'INV-2041-2',
    metadata: { order: 'A-77120', cost_centre: 'treasury' },
  },
} as const

export type PayoutName = keyof typeof PAYOUTS

/** The beneficiary is named by its id, as by whoever pays it every month. */
export function payoutBody(payout: PayoutName, beneficiary: string): object {
  return { ...PAYOUTS[payout], beneficiary }
}

/** One payout, so that its rows can be read; with a key unless told otherwise. */
export async function payOnce(
  caller: Caller,
  body: object,
  keyed = true,
): Promise<{ readonly id: string; readonly beneficiary: string }> {
  const idempotency_key = keyed ? crypto.randomUUID() : undefined
  const { status, text } = await caller.post('/v3/payout', body, idempotency_key)
  if (status !== 200 && status !== 201) {
    throw new Error(`a payout was answered ${status}: ${text}`)
  }
  return JSON.parse(text).data
}

/** By a first payout with the details inline; answers its id. */
export async function makeBeneficiary(caller: Caller): Promise<string> {
  const body = { ...PAYOUTS['USD→USD'], beneficiary_details: recipient(123_456_789_012) }
  return (await payOnce(caller, body)).beneficiary
}

/** Who has this account number. */
export function recipient(account_number: number): object {
  return {
    name: 'Harbour Trading Ltd',
    type: 'business',
    destination_details: {
      type: 'bank',
      bank: {
        account_number: String(account_number).padStart(12, '0'),
        bank_name: 'Harbour Bank',
        country: 'HK',
        bank_codes: { bank_code: '004' },
      },
    },
  }
}
