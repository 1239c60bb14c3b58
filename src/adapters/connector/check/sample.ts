// Sample orders for the checks, in a currency that the connector carries, and within its limits.
// Pure.
import { electronicForm } from '../../../parties/beneficiary/bank-code.ts'
import { ibanFault, otherIban, otherNumber } from '../../../parties/beneficiary/iban.ts'
import type { Order } from '../order.ts'
import type { Capabilities } from '../protocol.ts'

export interface Limits {
  readonly currency: string
  /** Minor units. */
  readonly min: bigint
  /** Minor units; null without a limit. */
  readonly max: bigint | null
}

export function limitsOf({ currencies }: Capabilities): readonly Limits[] {
  return currencies.map(({ currency, min = '1', max }) => {
    return { currency, min: BigInt(min), max: max === undefined ? null : BigInt(max) }
  })
}

/**
 * An amount above the minimum and above 1,000 minor units that ends in these two digits. Test
 * environments choose a payment's course by them (docs/connect-a-provider.md).
 */
export function amountEnding(ending: number, { min }: Limits): bigint {
  const least = min > 1000n ? min : 1000n
  return (least / 100n + 1n) * 100n + BigInt(ending)
}

/** An order of this amount. The members of `more` replace the sample's. */
export function sampleOrder(
  id: string,
  money: { readonly amount: bigint; readonly currency: string },
  more: Readonly<Record<string, unknown>>,
): Order {
  const [payout = '', attempt = ''] = id.split('-')
  const order = {
    payout,
    account: 'acc_checks00',
    attempt: Number(attempt),
    uetr: `00000000-0000-4000-8000-${Buffer.from(payout).toString('hex').slice(-12)}`,
    type: 'local',
    amount: money.amount.toString(),
    currency: money.currency,
    network: '',
    charge_type: '',
    purpose: 'supplier_payment',
    transaction_description: 'Invoice 2041',
    reference_id: '',
    creditor_reference: '',
    ultimate_debtor: null,
    beneficiary: {
      name: 'Test Beneficiary',
      type: 'individual' as const,
      destination_details: {
        type: 'bank' as const,
        bank: { iban: 'DE89370400440532013000', bank_codes: { swift_code: 'COBADEFF' } },
      },
      address: { line1: 'Teststrasse 1', city: 'Berlin', country: 'DE', postal_code: '10115' },
    },
    created_at: '2026-01-01T00:00:00.000000Z',
  }
  return { ...order, ...more }
}

const ACCOUNTS = ['iban', 'account_number', 'clabe', 'deposit_address', 'deposit_key']

/** The order, paid to another account of the same beneficiary. */
export function otherAccount(order: Order): Order {
  const destination = JSON.stringify(order.beneficiary.destination_details, (name, value) =>
    ACCOUNTS.includes(name) ? accountBeside(String(value)) : value,
  )
  const destination_details = JSON.parse(destination)
  return { ...order, beneficiary: { ...order.beneficiary, destination_details } }
}

/** Another account. An IBAN stays valid, so that a connector which checks IBANs can read it. */
function accountBeside(account: string): string {
  const iban = electronicForm(account)
  return ibanFault(iban) === undefined ? otherIban(iban) : otherNumber(account)
}
