// Answers for the reader of openapi.json: the creation of a payout and its end. A test compares the
// first with what the service answers.
export const eventAnswers = {
  payout_created: {
    id: 'evt_01m7xpm2mgk3qv5p8w2d',
    object: 'event',
    type: 'payout.created',
    created_at: '2026-11-21T00:03:13.167287Z',
    sequence: 10,
    object_id: 'pot_01m7xpm2mf68g5sr1x74',
    data: {
      id: 'pot_01m7xpm2mf68g5sr1x74',
      object: 'payout',
      status: 'processing',
      by: 'account',
      journals: [3],
    },
  },
  payout_failed: {
    id: 'evt_01m7xpm4kc9e1x7r5t0h',
    object: 'event',
    type: 'payout.failed',
    created_at: '2026-11-21T00:03:15.180442Z',
    sequence: 12,
    object_id: 'pot_01m7xpm2mf68g5sr1x74',
    data: {
      id: 'pot_01m7xpm2mf68g5sr1x74',
      object: 'payout',
      status: 'failed',
      previous_status: 'processing',
      failure: {
        code: 'PF000900',
        category: 'simulated',
        message: 'The simulator fails payouts of this amount.',
      },
      by: 'rail',
      journals: [4],
    },
  },
}
