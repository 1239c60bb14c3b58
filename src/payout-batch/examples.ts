// Batches of payouts and their answers for the reader of openapi.json. A test sends the requests to
// the service and compares what it answers.
function invoice(number: number, amount: number) {
  return {
    amount,
    currency: 'USD',
    type: 'local',
    purpose: 'supplier_payment',
    transaction_description: `Invoice ${number}`,
    reference_id: `INV-${number}`,
    beneficiary_details: {
      name: 'Harbour Trading Ltd',
      type: 'business',
      destination_details: {
        type: 'bank',
        bank: {
          account_number: '123456789012',
          bank_name: 'Harbour Bank',
          country: 'HK',
          bank_codes: { bank_code: '004' },
        },
      },
    },
  }
}

/** Sent in this order by an account that has 25,000.00 USD, with no fees. */
export const batchExamples = {
  dry_run: {
    mode: 'best_effort',
    dry_run: true,
    payouts: [invoice(2041, 1_500_000), invoice(2042, 2_000_000)],
  },
  best_effort: {
    mode: 'best_effort',
    reference_id: 'invoices-2026-47',
    payouts: [invoice(2041, 1_500_000), invoice(2042, 2_000_000)],
  },
  all_or_nothing: { payouts: [invoice(2043, 250_000), invoice(2044, 250_000)] },
} as const

const errors = [
  {
    code: 20201,
    reason: 'insufficient_balance',
    message:
      'The payout needs 2000000 USD minor units including fees (20000.00) and 1000000 are ' +
      'available (10000.00).',
    remarks: 'amount',
  },
]

const made = {
  object: 'payout_batch_item',
  position: 0,
  status: 'created',
  payout: 'pot_01m7xpm2mf68g5sr1x74',
  reference_id: 'INV-2041',
  errors: [],
}

const refused = {
  object: 'payout_batch_item',
  position: 1,
  status: 'refused',
  payout: '',
  reference_id: 'INV-2042',
  errors,
}

export const itemAnswers = { made, refused }

const total = {
  currency: 'USD',
  payouts: 1,
  amount: '1500000',
  fixed_fee: '0',
  variable_fee: '0',
  total_debit: '1500000',
  available_after: '1000000',
}

const bestEffort = {
  id: 'pob_01m7xpm2me3x9k4tq0bw',
  object: 'payout_batch',
  mode: 'best_effort',
  dry_run: false,
  status: 'completed',
  counts: { payouts: 2, created: 1, held: 0, refused: 1 },
  totals: [total],
  refused: [refused],
  reference_id: 'invoices-2026-47',
  metadata: null,
  created_at: '2026-11-21T06:00:00.123456Z',
}

/** Answers to the requests above. */
export const batchAnswers = {
  best_effort: bestEffort,
  all_or_nothing: {
    ...bestEffort,
    id: 'pob_01m7xpm2mh7c2v8rz5ne',
    mode: 'all_or_nothing',
    counts: { payouts: 2, created: 2, held: 0, refused: 0 },
    totals: [
      {
        ...total,
        payouts: 2,
        amount: '500000',
        total_debit: '500000',
        available_after: '500000',
      },
    ],
    refused: [],
    reference_id: '',
  },
  dry_run: {
    ...bestEffort,
    id: '',
    dry_run: true,
    status: 'would_complete',
    payouts: [
      {
        position: 0,
        outcome: 'would_create',
        reference_id: 'INV-2041',
        holding_currency: 'USD',
        total_debit: '1500000',
        errors: [],
      },
      {
        position: 1,
        outcome: 'would_refuse',
        reference_id: 'INV-2042',
        holding_currency: '',
        total_debit: '',
        errors,
      },
    ],
    reference_id: '',
  },
}
