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

/** What the dry run says of the examples above when they have been created. */
export const duplicateCheckAnswers = {
  business: {
    object: 'entity_duplicate_check',
    duplicate: true,
    entity: entityAnswers.business.id,
    rule: 'registration_number',
    rules: [
      {
        rule: 'registration_number',
        priority: 1,
        takes_part: true,
        missing: [],
        compared: { registration_number: '2041-7', 'registration_address.country': 'hk' },
        entity: entityAnswers.business.id,
        rejected: [],
      },
    ],
  },
  individual: {
    object: 'entity_duplicate_check',
    duplicate: true,
    entity: entityAnswers.individual.id,
    rule: 'email',
    rules: [
      {
        rule: 'email',
        priority: 1,
        takes_part: true,
        missing: [],
        compared: { email: 'anna.mueller@example.com' },
        entity: entityAnswers.individual.id,
        rejected: [],
      },
      {
        rule: 'national_identification_number',
        priority: 2,
        takes_part: true,
        missing: [],
        compared: {
          'national_identification_number.type': 'passport',
          'national_identification_number.number': 'c01x00t47',
        },
        entity: entityAnswers.individual.id,
        rejected: [],
      },
      {
        rule: 'name_and_address',
        priority: 3,
        takes_part: true,
        missing: [],
        compared: {
          name: 'anna müller',
          'registration_address.country': 'de',
          'registration_address.line1': 'lindenstrasse 4',
          'registration_address.city': 'berlin',
          'registration_address.state': '',
          'registration_address.postal_code': '10969',
          on_behalf_of: '',
          vertical: '',
        },
        entity: entityAnswers.individual.id,
        rejected: [],
      },
    ],
  },
}
