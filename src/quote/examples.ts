// Quote requests for the reader of openapi.json, one for each payout type.
export const quoteExamples = {
  local: {
    payout_type: 'local',
    payout_info: { currency: 'HKD', amount: 1000000 },
    holding_info: { currency: 'USD' },
    destination_info: { currency: 'HKD', country: 'HK' },
    local: { fund_transfer_network: 'chats' },
  },
  swift: {
    payout_type: 'swift',
    payout_info: { currency: 'EUR', amount: 250000 },
    destination_info: { currency: 'EUR', country: 'DE' },
    swift: { charge_type: 'shared' },
  },
  local_payment_network: {
    payout_type: 'local_payment_network',
    payout_info: { currency: 'BRL', amount: 500000 },
    holding_info: { currency: 'USD' },
    local_payment_network: { type: 'pix' },
  },
  wallet: {
    payout_type: 'wallet',
    payout_info: { currency: 'USDC', amount: 150000000 },
    holding_info: { currency: 'USD' },
    wallet: { type: 'ethereum' },
  },
  service_account: {
    payout_type: 'service_account',
    payout_info: { currency: 'USD', amount: 75000 },
  },
}
