// Valid request bodies, which tests change in one place.

/** Any bank account abroad, for local and swift payouts. */
export const bankBeneficiary = {
  name: 'Harbour Trading Ltd',
  type: 'business',
  destination_details: {
    type: 'bank',
    bank: { account_number: '123456789012', bank_name: 'Harbour Bank', country: 'HK' },
  },
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
