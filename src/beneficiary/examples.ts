// Beneficiary requests and their answers for the reader of openapi.json. A test sends the requests
// to the service and compares what it answers.
export const beneficiaryExamples = {
  business: {
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
    email: 'accounts@harbour.example',
    address: { line1: '1 Queen’s Road', city: 'Hong Kong', country: 'HK' },
    registration_number: '2041-7',
  },
  individual: {
    name: 'Anna Schmidt',
    type: 'individual',
    destination_details: {
      type: 'bank',
      bank: { iban: 'DE89370400440532013000', bank_name: 'Musterbank', country: 'DE' },
    },
    date_of_birth: '1980-11-02',
  },
} as const

export const beneficiaryUpdateExamples = {
  destination: {
    destination_details: {
      type: 'wallet',
      wallet: {
        deposit_address: '0x52908400098527886E0F7030069857D2E4169EE7',
        type: 'ethereum',
        currency: 'USDC',
      },
    },
  },
  clear: { email: null },
} as const

/** Details of which nothing is set, in the order of the answer. */
export const unsetDetails = {
  address: {},
  date_of_birth: '',
  destination: '',
  destination_details: {},
  documents: [],
  email: '',
  name: '',
  name_local: '',
  national_identification_number: '',
  party_classification: '',
  phone: {},
  registration_number: '',
  status: 'active',
  tax_id: '',
  type: '',
}

const unset = {
  id: '',
  object: 'beneficiary',
  ...unsetDetails,
  created_at: '2026-10-06T09:30:00.123456Z',
  updated_at: '2026-10-06T09:30:00.123456Z',
}

export const beneficiaryAnswers = {
  business: {
    ...unset,
    ...beneficiaryExamples.business,
    id: 'bnf_01m7xpm2mfa8djvfwt85',
    destination: 'dst_01m7xpm2mfk898pankv4',
  },
  individual: {
    ...unset,
    ...beneficiaryExamples.individual,
    id: 'bnf_01m7xpm2mshast6xs3m7',
    destination: 'dst_01m7xpm2ms2c231a8b39',
  },
}
