// Valid request bodies, of which a test changes one member.

/** Any bank account abroad, for local and swift payouts. */
export const bankBeneficiary = {
  name: 'Harbour Trading Ltd',
  type: 'business',
  destination_details: {
    type: 'bank',
    bank: {
      account_number: '123456789012',
      bank_name: 'Harbour Bank',
      country: 'HK',
      bank_codes: { swift_code: 'HSBCHKHH' },
    },
  },
  address: { line1: '1 Queen’s Road', city: 'Hong Kong', country: 'HK' },
}

/** A bank account in Japan, with the bank and branch codes of its networks. */
export const yenBank = {
  account_number: '1234567',
  country: 'JP',
  currency: 'JPY',
  bank_codes: { bank_code: '0005', branch_code: '001' },
}

/** A payout that needs nothing but a balance in its currency. */
export const localPayout = {
  amount: 10_000,
  currency: 'USD',
  type: 'local',
  purpose: 'supplier_payment',
  transaction_description: 'Invoice 2041',
  beneficiary_details: bankBeneficiary,
}

/** The same payout to a bank in Japan, in yen unless its caller says otherwise. */
export const inJapan = {
  ...localPayout,
  beneficiary_details: {
    ...bankBeneficiary,
    destination_details: { type: 'bank', bank: yenBank },
  },
}

/** What makes it go to Hong Kong over CHATS, paid from US dollars. */
export const overChats = {
  currency: 'HKD',
  holding_currency: 'USD',
  local: { fund_transfer_network: 'chats' },
}

/** A service_account payout to another account of the installation. */
export function internalPayout(deposit_address: string, amount = 10_000, currency = 'USD') {
  return {
    amount,
    currency,
    type: 'service_account',
    purpose: 'treasury',
    transaction_description: 'Between accounts',
    beneficiary_details: {
      name: 'Sister Company',
      type: 'business',
      destination_details: { type: 'service_account', service_account: { deposit_address } },
    },
  }
}

const office = {
  line1: '1 Queen’s Road',
  line2: 'Floor 12',
  city: 'Hong Kong',
  state: 'Central',
  country: 'HK',
  postal_code: '999077',
}

/** An entity with every member except `on_behalf_of`; the service keeps each text as it is here. */
export const fullEntity = {
  type: 'business',
  name: 'Harbour Trading Ltd',
  email: 'accounts@harbour.example',
  phone: { code: '+852', number: '2345 6789' },
  description: 'Freight',
  vertical: 'logistics',
  national_identification_number: { type: 'cr', number: '2041-7' },
  registration_number: '2041-7',
  registration_date: '2014-03-31',
  registration_address: office,
  operating_address: { ...office, line1: '2 Queen’s Road' },
  tax_id: 'T-1',
  purpose_of_use: 'Payments to suppliers',
  relationship: 'supplier',
  representatives: [
    {
      first_name: 'Mei',
      middle_name: 'Ling',
      last_name: 'Chan',
      date_of_birth: '1980-02-29',
      nationality: 'HK',
      ownership_percentage: '62.5',
      roles: ['director', 'owner'],
      address: office,
      email: 'mei@harbour.example',
      phone: { code: '+852', number: '1' },
      national_identification_number: { type: 'passport', number: 'K1' },
    },
    { first_name: 'Bo', ownership_percentage: '37.4061' },
  ],
  documents: [{ type: 'certificate', file_name: 'cr.pdf', url: 'https://files.example/cr.pdf' }],
  reference_id: 'supplier-118',
  metadata: { tier: 'gold' },
}

/** The smallest valid entity; without an identity, it is no duplicate of anything. */
export const plainEntity = { type: 'individual', name: 'Anna Müller' }
