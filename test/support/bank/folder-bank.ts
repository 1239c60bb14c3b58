// A bank that takes files from a folder, and a payout that its rail can pay.

/** The configuration of the rail; each box is a path. */
export function folderConfig(box: {
  readonly outbox: string
  readonly inbox: string
  readonly archive: string
}) {
  return {
    settlement_account: {
      ...{ name: 'Operating', holder: 'Corridor Ltd', iban: 'DE89370400440532013000' },
      ...{ bic: 'COBADEFFXXX', currency: 'USD', address: { town: 'Frankfurt', country: 'DE' } },
    },
    profile: { name: 'a', like: 'generic', address: 'any' },
    transport: { kind: 'folder', ...box },
    timetable: 'always_open',
    fetch_every_s: 1,
  }
}

export const FILE_PAYOUT = {
  amount: 1_000,
  currency: 'USD',
  type: 'local',
  local: { fund_transfer_network: 'ach' },
  purpose: 'supplier_payment',
  transaction_description: 'Invoice 1',
  beneficiary_details: {
    name: 'Ada Lovelace',
    type: 'individual',
    destination_details: {
      type: 'bank',
      bank: {
        ...{ account_number: '4400000001', bank_name: 'First Example Bank', country: 'US' },
        bank_codes: { routing_number: '021000021' },
      },
    },
    address: {
      ...{ line1: '1 Main St', city: 'Springfield', state: 'IL', country: 'US' },
      postal_code: '62701',
    },
  },
}
