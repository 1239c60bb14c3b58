// An answer for the reader of openapi.json: a payout that the rail failed, whose webhook got
// through at the second attempt.
const payout = 'pot_01m7xpm2mf68g5sr1x74'
const created = 'evt_01m7xpm2mgk3qv5p8w2d'
const failed = 'evt_01m7xpm4kc9e1x7r5t0h'

const told_of_failure = {
  kind: 'webhook_attempt',
  endpoint: 'whe_01m7xp1b6c2n9y4k8s0v',
  delivery: 'whd_01m7xpm4m1t5g8q2z7j4',
  event: failed,
  event_type: 'payout.failed',
  error: '',
}

export const timelineAnswers = {
  failed: {
    object: 'payout_timeline',
    payout,
    status: 'failed',
    truncated: false,
    items: [
      {
        at: '2026-11-21T00:03:13.167287Z',
        kind: 'state',
        status: 'processing',
        previous_status: null,
        by: 'account',
        status_description: '',
        failure: null,
        answer: null,
        by_hand: null,
        event: created,
        sequence: 10,
      },
      {
        at: '2026-11-21T00:03:13.167287Z',
        kind: 'route',
        rail: 'simulator',
        route: null,
        reason: 'The payouts of sandbox accounts go to the simulator.',
        event: created,
        sequence: 10,
      },
      {
        at: '2026-11-21T00:03:13.167287Z',
        kind: 'journal',
        event: created,
        journal_number: 3,
        journal_kind: 'payout',
        hash: '9f0c1d7e52a84b63c1f5e8d20b7a4936e1c85d0f7b2a49e36d8c015fa7b4e290',
        postings: [
          { code: 'available', currency: 'USD', amount: -127828 },
          { code: 'fees', currency: 'USD', amount: 405 },
          { code: 'fx', currency: 'USD', amount: 127423 },
          { code: 'fx', currency: 'HKD', amount: -1000000 },
          { code: 'in_transit', currency: 'HKD', amount: 1000000 },
        ],
        balance_transaction: 'btr_01m7xpm2mgmk83tphhg9',
        balance_after: '99872172',
      },
      {
        at: '2026-11-21T00:03:15.180442Z',
        kind: 'state',
        status: 'failed',
        previous_status: 'processing',
        by: 'rail',
        status_description: '',
        failure: {
          code: 'PF000900',
          category: 'simulated',
          message: 'The simulator fails payouts of this amount.',
        },
        answer: null,
        by_hand: null,
        event: failed,
        sequence: 12,
      },
      {
        at: '2026-11-21T00:03:15.180442Z',
        kind: 'journal',
        event: failed,
        journal_number: 4,
        journal_kind: 'failure',
        hash: '3b86d2f04c9a17e5d830b6f2a9c4718e05d7f3b1c62e9a84d01b7c5f38e6a92d',
        postings: [
          { code: 'available', currency: 'USD', amount: 127828 },
          { code: 'fees', currency: 'USD', amount: -405 },
          { code: 'fx', currency: 'USD', amount: -127423 },
          { code: 'fx', currency: 'HKD', amount: 1000000 },
          { code: 'in_transit', currency: 'HKD', amount: -1000000 },
        ],
        balance_transaction: 'btr_01m7xpm4kc7w3d9f2h6n',
        balance_after: '100000000',
      },
      {
        at: '2026-11-21T00:03:15.702116Z',
        ...told_of_failure,
        attempt: 1,
        status_code: 503,
        outcome: 'failed',
        retry_at: null,
        duration_ms: 38,
      },
      {
        at: '2026-11-21T00:03:20.958630Z',
        ...told_of_failure,
        attempt: 2,
        status_code: 200,
        outcome: 'delivered',
        retry_at: null,
        duration_ms: 21,
      },
    ],
  },
}
