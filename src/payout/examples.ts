// Payout requests and their answers for the reader of openapi.json, one for each payout type. A
// test sends the requests to the service and compares what it answers.
import { unsetDetails } from '../beneficiary/examples.ts'
import { mt103Document } from './swift/mt103.ts'

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
        bank: {
          iban: 'DE89370400440532013000',
          bank_name: 'Musterbank',
          country: 'DE',
          bank_codes: { swift_code: 'COBADEFF' },
        },
      },
      address: {
        line1: 'Unter den Linden 1',
        city: 'Berlin',
        country: 'DE',
        postal_code: '10117',
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

/** What a payout shows when nothing was set, in the order of the answer. */
const unset = {
  id: '',
  object: 'payout',
  amount: 0,
  currency: '',
  holding_currency: '',
  balance_transaction: '',
  beneficiary: '',
  beneficiary_details: {},
  charge_type: '',
  confirmation_documents: [],
  documents: [],
  created_at: '',
  holding_fx_quote: '',
  holding_fx_transaction: {},
  payout_fx_transaction: {},
  local: {
    fund_transfer_network: '',
  },
  logistics_tracking_details: [],
  metadata: null,
  mt103: '',
  on_behalf_of: '',
  purpose: 'supplier_payment',
  quote: '',
  reference_id: '',
  statement_descriptor: '',
  status: 'processing',
  status_description: '',
  failure: null,
  tracking_details: {
    tracking_number: '',
    tracking_type: '',
  },
  transaction_description: 'Invoice 2041',
  type: '',
}

const SWIFT_ID = 'pot_01m7xpm2msg8hg37cas9'
const SWIFT_UETR = 'd9a1f935-447d-49b9-9814-de8c73dacd63'
const MT103 = [
  `{1:F01CORRXXX0AXXX0000000000}{2:I103COBADEFFXXXXN}{3:{121:${SWIFT_UETR}}}{4:`,
  ':20:4TNZDXHTHYY1B8Z7',
  ':23B:CRED',
  ':32A:261121EUR2500,00',
  ':33B:EUR2500,00',
  ':50K:/acc-01m7xpm1tq5x0k8c2h3v',
  'Test',
  ':57A:COBADEFF',
  ':59:/DE89370400440532013000',
  'Anna Schmidt',
  'Unter den Linden 1',
  '10117 Berlin DE',
  ':70:Invoice 2041',
  ':71A:SHA',
  '-}',
].join('\r\n')

/** Answers to the requests above, at rates of 6 October 2026 and the fees that the test sets. */
export const payoutAnswers = {
  local: {
    ...unset,
    id: 'pot_01m7xpm2mf68g5sr1x74',
    amount: 1000000,
    currency: 'HKD',
    holding_currency: 'USD',
    balance_transaction: 'btr_01m7xpm2mgmk83tphhg9',
    beneficiary: 'bnf_01m7xpm2mfa8djvfwt85',
    beneficiary_details: {
      ...unsetDetails,
      destination: 'dst_01m7xpm2mfk898pankv4',
      destination_details: {
        type: 'bank',
        bank: {
          account_number: '123456789012',
          bank_name: 'Harbour Bank',
          country: 'HK',
          currency: 'HKD',
          bank_codes: {
            swift_code: 'HSBCHKHH',
          },
        },
      },
      name: 'Harbour Trading Ltd',
      type: 'business',
    },
    created_at: '2026-11-21T00:03:13.167287Z',
    holding_fx_quote: 'poq_01m7xpm2mf5z43ge72gp',
    holding_fx_transaction: {
      id: 'fx_01m7xpm2mg7brd05dga7',
      object: 'fx_transaction',
      exchange_rate: 7.84790132221,
      initial: {
        amount: 127423,
        currency: 'USD',
      },
      final: {
        amount: 1000000,
        currency: 'HKD',
      },
    },
    local: {
      fund_transfer_network: 'chats',
    },
    quote: 'poq_01m7xpm2mf5z43ge72gp',
    reference_id: 'INV-2041',
    type: 'local',
  },
  swift: {
    ...unset,
    id: SWIFT_ID,
    amount: 250000,
    currency: 'EUR',
    holding_currency: 'EUR',
    balance_transaction: 'btr_01m7xpm2msfbm4j2jtj1',
    beneficiary: 'bnf_01m7xpm2mshast6xs3m7',
    beneficiary_details: {
      ...unsetDetails,
      address: payoutExamples.swift.beneficiary_details.address,
      destination: 'dst_01m7xpm2ms2c231a8b39',
      destination_details: {
        type: 'bank',
        bank: {
          iban: 'DE89370400440532013000',
          bank_name: 'Musterbank',
          country: 'DE',
          bank_codes: { swift_code: 'COBADEFF' },
        },
      },
      name: 'Anna Schmidt',
      type: 'individual',
    },
    charge_type: 'shared',
    confirmation_documents: [mt103Document(SWIFT_ID, MT103)],
    created_at: '2026-11-21T00:03:13.177204Z',
    mt103: MT103,
    tracking_details: { tracking_number: SWIFT_UETR, tracking_type: 'uetr' },
    quote: 'poq_01m7xpm2msbrsd1aw7ns',
    type: 'swift',
  },
  local_payment_network: {
    ...unset,
    id: 'pot_01m7xpm2mx2krfd10ewy',
    amount: 500000,
    currency: 'BRL',
    holding_currency: 'USD',
    balance_transaction: 'btr_01m7xpm2mxdb8e8te909',
    beneficiary: 'bnf_01m7xpm2mxqycqamt0tv',
    beneficiary_details: {
      ...unsetDetails,
      destination: 'dst_01m7xpm2mxhxxwzh9wwr',
      destination_details: {
        type: 'local_payment_network',
        local_payment_network: {
          type: 'pix',
          deposit_key_type: 'email',
          deposit_key: 'joana@example.com',
        },
      },
      name: 'Joana Silva',
      type: 'individual',
    },
    created_at: '2026-11-21T00:03:13.181625Z',
    holding_fx_quote: 'poq_01m7xpm2mx2sr2eyykme',
    holding_fx_transaction: {
      id: 'fx_01m7xpm2mxzh02wa8mkm',
      object: 'fx_transaction',
      exchange_rate: 4.96858638743,
      initial: {
        amount: 100633,
        currency: 'USD',
      },
      final: {
        amount: 500000,
        currency: 'BRL',
      },
    },
    quote: 'poq_01m7xpm2mx2sr2eyykme',
    type: 'local_payment_network',
  },
  wallet: {
    ...unset,
    id: 'pot_01m7xpm2n2dd7ey9yh5j',
    amount: 150000000,
    currency: 'USDC',
    holding_currency: 'USD',
    balance_transaction: 'btr_01m7xpm2n2n2dp6va1w2',
    beneficiary: 'bnf_01m7xpm2n2zvcf724vhs',
    beneficiary_details: {
      ...unsetDetails,
      destination: 'dst_01m7xpm2n2qzxsvcbj1c',
      destination_details: {
        type: 'wallet',
        wallet: {
          deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7',
          type: 'ethereum',
          currency: 'USDC',
        },
      },
      name: 'Ledger Labs',
      type: 'business',
    },
    created_at: '2026-11-21T00:03:13.185909Z',
    holding_fx_quote: 'poq_01m7xpm2n2zw5mw4f8s1',
    holding_fx_transaction: {
      id: 'fx_01m7xpm2n28d1zg2gsnk',
      object: 'fx_transaction',
      exchange_rate: 1,
      initial: {
        amount: 15000,
        currency: 'USD',
      },
      final: {
        amount: 150000000,
        currency: 'USDC',
      },
    },
    quote: 'poq_01m7xpm2n2zw5mw4f8s1',
    type: 'wallet',
  },
  service_account: {
    ...unset,
    id: 'pot_01m7xpm2n7bht2vdjng9',
    amount: 75000,
    currency: 'USD',
    holding_currency: 'USD',
    balance_transaction: 'btr_01m7xpm2n7en4p5n9374',
    beneficiary: 'bnf_01m7xpm2n7syh9q934hj',
    beneficiary_details: {
      ...unsetDetails,
      destination: 'dst_01m7xpm2n74r8xp4sjkt',
      destination_details: {
        type: 'service_account',
        service_account: {
          deposit_address: 'dep_06c9zt8k4v0q3w5e7r9t',
        },
      },
      name: 'Sister Company',
      type: 'business',
    },
    created_at: '2026-11-21T00:03:13.190957Z',
    quote: 'poq_01m7xpm2n710qsrnj51z',
    status: 'succeeded',
    type: 'service_account',
  },
}

/** The first of them, cancelled at once. */
export const cancelAnswers = {
  cancelled: {
    ...payoutAnswers.local,
    status: 'failed',
    failure: {
      code: 'PF000100',
      category: 'cancelled',
      message: 'Cancelled before the rail took it.',
    },
  },
}

export const actionExamples = {
  action: {
    documents: [
      { type: 'invoice', file_name: 'INV-2041.pdf', url: 'https://files.example/INV-2041.pdf' },
    ],
    beneficiary_details: { registration_number: '2041-7' },
    note: 'The invoice that this pays.',
  },
}

/** The first payout, back with the rail after that. */
export const actionAnswers = {
  answered: {
    ...payoutAnswers.local,
    documents: actionExamples.action.documents,
    beneficiary_details: {
      ...payoutAnswers.local.beneficiary_details,
      ...actionExamples.action.beneficiary_details,
    },
  },
}
