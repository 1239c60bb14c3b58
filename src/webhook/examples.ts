// Requests about webhooks and their answers for the reader of openapi.json. A test sends the
// requests to the service and compares what it answers.
export const endpointExamples = {
  everything: { url: 'https://example.com/webhooks' },
  some: {
    url: 'https://example.com/webhooks/payouts',
    description: 'Payouts, for the shop',
    event_types: ['payout.*', 'balance_transaction.created'],
  },
} as const

export const endpointUpdateExamples = {
  types: { event_types: ['payout.succeeded', 'payout.failed'] },
  everything: { description: null, event_types: null },
  disable: { status: 'disabled' },
  enable: { status: 'enabled' },
} as const

export const rotationExamples = {
  day: {},
  at_once: { overlap_seconds: 0 },
} as const

export const replayExamples = {
  event: { event: 'evt_01m7xpm4kc9e1x7r5t0h' },
  time: {
    created: { gte: '2026-11-20T00:00:00Z', lt: '2026-11-21T00:00:00Z' },
    event_types: ['payout.*'],
  },
  sequence: { sequence: { from: 1, to: 500 } },
  dead: { status: 'dead' },
} as const

const unset = {
  object: 'webhook_endpoint',
  description: '',
  event_types: [],
  status: 'enabled',
  disabled_reason: '',
  previous_secret_until: null,
  created_at: '2026-11-21T00:03:13.167287Z',
  updated_at: '2026-11-21T00:03:13.167287Z',
}

const everything = { id: 'whe_01m7xpm2mf68g5sr1x74', ...unset, ...endpointExamples.everything }
const some = { id: 'whe_01m7xpm2ms2c231a8b39', ...unset, ...endpointExamples.some }

export const endpointAnswers = { everything, some }

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwYh0bNn6cmEA='

export const secretAnswers = {
  everything: { ...everything, secret },
  some: { ...some, secret },
  rotated: {
    ...everything,
    previous_secret_until: '2026-11-22T00:05:00.000000Z',
    updated_at: '2026-11-21T00:05:00.000000Z',
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDk1Ks0YnEZ6Q=',
  },
}

export const deletedAnswers = {
  deleted: { id: everything.id, object: 'webhook_endpoint', deleted: true },
}

const failing = {
  id: 'whd_01m7xpm4kd3f9a2b6c8e',
  object: 'webhook_delivery',
  endpoint: everything.id,
  event: 'evt_01m7xpm4kc9e1x7r5t0h',
  event_type: 'payout.failed',
  object_id: 'pot_01m7xpm2mf68g5sr1x74',
  status: 'pending',
  attempt_count: 1,
  next_attempt_at: '2026-11-21T00:03:20.591204Z',
  created_at: '2026-11-21T00:03:15.230118Z',
  updated_at: '2026-11-21T00:03:15.391204Z',
}

const succeeded = {
  ...failing,
  id: 'whd_01m7xpm2mh7k2m4n6p8q',
  event: 'evt_01m7xpm2mgk3qv5p8w2d',
  event_type: 'payout.created',
  status: 'succeeded',
  next_attempt_at: null,
  created_at: '2026-11-21T00:03:13.301774Z',
  updated_at: '2026-11-21T00:03:13.402663Z',
}

export const deliverySummaries = { pending: failing, succeeded }

export const deliveryAnswers = {
  pending: {
    ...failing,
    attempts: [
      {
        number: 1,
        created_at: '2026-11-21T00:03:15.301774Z',
        duration_ms: 87,
        status_code: 503,
        error: '',
        answer: 'try again soon',
      },
    ],
  },
}

export const replayAnswers = {
  all: {
    object: 'webhook_replay',
    endpoint: everything.id,
    deliveries: 412,
    has_more: false,
    next: null,
    last: null,
  },
  part: {
    object: 'webhook_replay',
    endpoint: everything.id,
    deliveries: 10_000,
    has_more: true,
    next: 10_001,
    last: 25_310,
  },
}
