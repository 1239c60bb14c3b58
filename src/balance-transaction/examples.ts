// Answers for the reader of openapi.json: the debit of a payout and what an account holds after it.
// A test compares them with what the service answers.
export const balanceTransactionAnswers = {
  payout: {
    id: 'btr_01m7xpm2mgmk83tphhg9',
    object: 'balance_transaction',
    amount: -127423,
    currency: 'USD',
    created_at: '2026-11-21T00:03:13.167287Z',
    description: 'pot_01m7xpm2mf68g5sr1x74',
    fee_details: [
      {
        amount: -150,
        currency: 'USD',
        type: 'fixed_fee',
      },
      {
        amount: -255,
        currency: 'USD',
        type: 'variable_fee',
      },
    ],
    fx_conversions: [
      {
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
    ],
    net: {
      amount: -127828,
      currency: 'USD',
    },
    metadata: {},
    operation_type: 'debit',
    source: 'pot_01m7xpm2mf68g5sr1x74',
    type: 'payout',
  },
}

export const balanceAnswers = {
  balance: {
    object: 'balance',
    available: [
      {
        currency: 'EUR',
        amount: '49748418',
      },
      {
        currency: 'USD',
        amount: '99681129',
      },
    ],
    updated_at: '2026-11-21T00:03:13.190957Z',
  },
}
