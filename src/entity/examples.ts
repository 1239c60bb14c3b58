// Entity requests and their answers for the reader of openapi.json. A test sends the requests to
// the service and compares what it answers.
export const entityExamples = {
  business: {
    type: 'business',
    name: 'Harbour Trading Ltd',
    email: 'accounts@harbour.example',
    registration_number: '2041-7',
    registration_date: '2014-03-31',
    registration_address: { line1: '1 Queen’s Road', city: 'Hong Kong', country: 'HK' },
    purpose_of_use: 'Payments to suppliers',
    relationship: 'supplier',
    representatives: [
      {
        first_name: 'Mei',
        last_name: 'Chan',
        date_of_birth: '1980-11-02',
        nationality: 'HK',
        ownership_percentage: '62.5',
        roles: ['director'],
      },
    ],
    reference_id: 'supplier-118',
  },
  individual: {
    type: 'individual',
    name: 'Anna Müller',
    email: 'anna.mueller@example.com',
    national_identification_number: { type: 'passport', number: 'C01X00T47' },
    registration_address: {
      line1: 'Lindenstraße 4',
      city: 'Berlin',
      country: 'DE',
      postal_code: '10969',
    },
  },
} as const

export const entityUpdateExamples = {
  address: {
    registration_address: { line1: '8 Finance Street', city: 'Hong Kong', country: 'HK' },
  },
  clear: { description: null },
} as const

const EMPTY = {
  email: '',
  phone: {},
  description: '',
  vertical: '',
  on_behalf_of: '',
  national_identification_number: {},
  registration_number: '',
  registration_date: '',
  registration_address: {},
  operating_address: {},
  tax_id: '',
  purpose_of_use: '',
  relationship: '',
  representatives: [],
  documents: [],
  reference_id: '',
  metadata: null,
}

const CREATED = {
  approval_status: 'pending',
  approval_status_description: '',
  approval_history: [{ status: 'pending', description: '', at: '2026-10-06T09:30:00.123456Z' }],
  created_at: '2026-10-06T09:30:00.123456Z',
  updated_at: '2026-10-06T09:30:00.123456Z',
}

export const entityAnswers = {
  business: {
    id: 'ent_01m7xpm2kyj94bggdx1c',
    object: 'entity',
    ...EMPTY,
    ...entityExamples.business,
    ...CREATED,
  },
  individual: {
    id: 'ent_01m7xpm2kyh7y0v5t9ne',
    object: 'entity',
    ...EMPTY,
    ...entityExamples.individual,
    ...CREATED,
  },
}
