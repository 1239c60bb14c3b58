// Payout requests for the reader of openapi.json, one for each payout type.
const common = { purpose: 'supplier_payment', transaction_description: 'Invoice 2041' }

export const payoutExamples = {
  local: {
    ...common,
    amount: 1000000,
    currency: 'HKD',
    type: 'local',
    holding_currency: 'USD',
    local: { fund_transfer_network: 'chats' },
    reference_id: 'INV-2041',
    beneficiary_details: {
      name: 'Harbour Trading Ltd',
      type: 'business',
      destination_details: {
        type: 'bank',
        bank: {
          account_number: '123456789012',
          bank_name: 'Harbour Bank',
          country: 'HK',
          currency: 'HKD',
          bank_codes: { swift_code: 'HSBCHKHH' },
        },
      },
    },
  },
  swift: {
    ...common,
    amount: 250000,
    currency: 'EUR',
    type: 'swift',
    charge_type: 'shared',
    beneficiary_details: {
      name: 'Anna Schmidt',
      type: 'individual',
      destination_details: {
        type: 'bank',
        bank: { iban: 'DE89370400440532013000', bank_name: 'Musterbank', country: 'DE' },
      },
    },
  },
  local_payment_network: {
    ...common,
    amount: 500000,
    currency: 'BRL',
    type: 'local_payment_network',
    beneficiary_details: {
      name: 'Joana Silva',
      type: 'individual',
      destination_details: {
        type: 'local_payment_network',
        local_payment_network: {
          type: 'pix',
          deposit_key_type: 'email',
          deposit_key: 'joana@example.com',
        },
      },
    },
  },
  wallet: {
    ...common,
    amount: 150000000,
    currency: 'USDC',
    type: 'wallet',
    beneficiary_details: {
      name: 'Ledger Labs',
      type: 'business',
      destination_details: {
        type: 'wallet',
        wallet: {
          deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7',
          type: 'ethereum',
          currency: 'USDC',
        },
      },
    },
  },
  service_account: {
    ...common,
    amount: 75000,
    currency: 'USD',
    type: 'service_account',
    beneficiary_details: {
      name: 'Sister Company',
      type: 'business',
      destination_details: {
        type: 'service_account',
        service_account: { deposit_address: 'dep_06c9zt8k4v0q3w5e7r9t' },
      },
    },
  },
}
