// Quote requests and their answers for the reader of openapi.json, one for each payout type. A
// test sends the requests to the service and compares what it answers.
export const quoteExamples = {
  local: {
    payout_type: 'local',
    payout_info: { currency: 'HKD', amount: 1000000 },
    holding_info: { currency: 'USD' },
    destination_info: { currency: 'HKD', country: 'HK' },
    local: { fund_transfer_network: 'chats' },
  },
  swift: {
    payout_type: 'swift',
    payout_info: { currency: 'EUR', amount: 250000 },
    destination_info: { currency: 'EUR', country: 'DE' },
    swift: { charge_type: 'shared' },
  },
  local_payment_network: {
    payout_type: 'local_payment_network',
    payout_info: { currency: 'BRL', amount: 500000 },
    holding_info: { currency: 'USD' },
    local_payment_network: { type: 'pix' },
  },
  wallet: {
    payout_type: 'wallet',
    payout_info: { currency: 'USDC', amount: 150000000 },
    holding_info: { currency: 'USD' },
    wallet: { type: 'ethereum' },
  },
  service_account: {
    payout_type: 'service_account',
    payout_info: { currency: 'USD', amount: 75000 },
  },
}

/** Answers to the requests above, at rates of 6 October 2026 and the fees that the test sets. */
export const quoteAnswers = {
  local: {
    id: 'poq_01m7xpm2kyj94bggdx1c',
    object: 'payout_quote',
    payout_type: 'local',
    local: {
      fund_transfer_network: 'chats',
    },
    local_payment_network: {
      payment_network: '',
    },
    wallet: {},
    holding_info: {
      currency: 'USD',
      amount: 127423,
    },
    payout_info: {
      currency: 'HKD',
      amount: 1000000,
    },
    destination_info: {
      currency: 'HKD',
      amount: 1000000,
    },
    fee_info: {
      fixed: {
        in_holding_currency: 150,
        in_payout_currency: 1178,
      },
      variable: {
        in_holding_currency: 255,
        in_payout_currency: 2002,
      },
    },
    exchange_rates: {
      holding_to_payout: 7.84790132221,
      payout_to_destination: 1,
    },
    valid_until: '2026-11-21T00:33:13.149711+00:00',
    status: 'active',
    created_at: '2026-11-21T00:03:13.149711+00:00',
    updated_at: '2026-11-21T00:03:13.149711+00:00',
  },
  swift: {
    id: 'poq_01m7xpm2m4he8yzzrqhb',
    object: 'payout_quote',
    payout_type: 'swift',
    local: {
      fund_transfer_network: '',
    },
    local_payment_network: {
      payment_network: '',
    },
    wallet: {},
    holding_info: {
      currency: 'EUR',
      amount: 250000,
    },
    payout_info: {
      currency: 'EUR',
      amount: 250000,
    },
    destination_info: {
      currency: 'EUR',
      amount: 250000,
    },
    fee_info: {
      fixed: {
        in_holding_currency: 1332,
        in_payout_currency: 1332,
      },
      variable: {
        in_holding_currency: 250,
        in_payout_currency: 250,
      },
    },
    exchange_rates: {
      holding_to_payout: 1,
      payout_to_destination: 1,
    },
    valid_until: '2026-11-21T00:33:13.156230+00:00',
    status: 'active',
    created_at: '2026-11-21T00:03:13.156230+00:00',
    updated_at: '2026-11-21T00:03:13.156230+00:00',
  },
  local_payment_network: {
    id: 'poq_01m7xpm2m69hn7tha9y7',
    object: 'payout_quote',
    payout_type: 'local_payment_network',
    local: {
      fund_transfer_network: '',
    },
    local_payment_network: {
      payment_network: 'pix',
    },
    wallet: {},
    holding_info: {
      currency: 'USD',
      amount: 100633,
    },
    payout_info: {
      currency: 'BRL',
      amount: 500000,
    },
    destination_info: {
      currency: 'BRL',
      amount: 500000,
    },
    fee_info: {
      fixed: {
        in_holding_currency: 100,
        in_payout_currency: 497,
      },
      variable: {
        in_holding_currency: 202,
        in_payout_currency: 1004,
      },
    },
    exchange_rates: {
      holding_to_payout: 4.96858638743,
      payout_to_destination: 1,
    },
    valid_until: '2026-11-21T00:33:13.158659+00:00',
    status: 'active',
    created_at: '2026-11-21T00:03:13.158659+00:00',
    updated_at: '2026-11-21T00:03:13.158659+00:00',
  },
  wallet: {
    id: 'poq_01m7xpm2m9q35mh0mdzy',
    object: 'payout_quote',
    payout_type: 'wallet',
    local: {
      fund_transfer_network: '',
    },
    local_payment_network: {
      payment_network: '',
    },
    wallet: {
      type: 'ethereum',
      network: 'ERC20',
    },
    holding_info: {
      currency: 'USD',
      amount: 15000,
    },
    payout_info: {
      currency: 'USDC',
      amount: 150000000,
    },
    destination_info: {
      currency: 'USDC',
      amount: 150000000,
    },
    fee_info: {
      fixed: {
        in_holding_currency: 100,
        in_payout_currency: 1000000,
      },
      variable: {
        in_holding_currency: 8,
        in_payout_currency: 80000,
      },
    },
    exchange_rates: {
      holding_to_payout: 1,
      payout_to_destination: 1,
    },
    valid_until: '2026-11-21T00:33:13.160817+00:00',
    status: 'active',
    created_at: '2026-11-21T00:03:13.160817+00:00',
    updated_at: '2026-11-21T00:03:13.160817+00:00',
  },
  service_account: {
    id: 'poq_01m7xpm2mbbxmfrdxr00',
    object: 'payout_quote',
    payout_type: 'service_account',
    local: {
      fund_transfer_network: '',
    },
    local_payment_network: {
      payment_network: '',
    },
    wallet: {},
    holding_info: {
      currency: 'USD',
      amount: 75000,
    },
    payout_info: {
      currency: 'USD',
      amount: 75000,
    },
    destination_info: {
      currency: 'USD',
      amount: 75000,
    },
    fee_info: {
      fixed: {
        in_holding_currency: 0,
        in_payout_currency: 0,
      },
      variable: {
        in_holding_currency: 0,
        in_payout_currency: 0,
      },
    },
    exchange_rates: {
      holding_to_payout: 1,
      payout_to_destination: 1,
    },
    valid_until: '2026-11-21T00:33:13.162877+00:00',
    status: 'active',
    created_at: '2026-11-21T00:03:13.162877+00:00',
    updated_at: '2026-11-21T00:03:13.162877+00:00',
  },
}
