// Requests of sandbox accounts and their answers for the reader of openapi.json. A test sends the
// requests to the service and compares what it answers.
export const clockExamples = { half_an_hour: { seconds: 1800 } }

export const clockAnswers = {
  half_an_hour: {
    object: 'sandbox_clock',
    now: '2026-11-21T00:33:13.167287Z',
    ahead_s: 1800,
  },
}

export const fundExamples = { dollars: { amount: 10000000, currency: 'USD' } }

export const transitionExamples = {
  failed: {
    status: 'failed',
    failure: { code: 'AC04', category: 'rail', message: 'The account is closed.' },
  },
  requires_action: {
    status: 'requires_action',
    description: 'Send the invoice that this pays.',
  },
}
