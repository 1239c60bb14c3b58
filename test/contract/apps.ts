// The first payout by two clients that are generated from openapi.json: what their users write,
// without a cast. Each prints the amount, and the reason of a refusal.

const ENV = `declare const process: { env: Record<string, string> }
const { AUTHORIZATION = '', ADDRESS: baseUrl = '' } = process.env
const headers = { authorization: AUTHORIZATION }
const body = {
  amount: 1_200_000,
  currency: 'HKD',
  type: 'local',
  purpose: 'supplier_payment',
  transaction_description: 'Invoice 2041',
  holding_currency: 'USD',
  allow_duplicate: true,
  beneficiary_details: {
    name: 'Harbour Trading Ltd',
    type: 'business',
    destination_details: {
      type: 'bank',
      bank: { account_number: '123456789012', country: 'HK', currency: 'HKD', bank_codes: { bank_code: '004' } },
    },
  },
} as const
`

export const OPENAPI_FETCH = `import createClient from 'openapi-fetch'
import type { components, paths } from './api'

${ENV}
async function main() {
const { GET, POST } = createClient<paths>({ baseUrl, headers })
const { data: made, error } = await POST('/v3/payout', { body })
if (made === undefined) throw new Error(error.errors[0]?.message)
if (made.data.object !== 'payout') throw new Error('a dry run')
const payout: components['schemas']['Payout'] = made.data
const details = payout.beneficiary_details.destination_details
const account = details.type === 'bank' ? details.bank.account_number : undefined
const path = { id: payout.id }
const { data: timeline } = await GET('/v3/payout/{id}/timeline', { params: { path } })
for (const item of timeline?.data.items ?? []) if (item.kind === 'state') item.status satisfies string
const { error: refused } = await GET('/v3/payout/{id}', { params: { path: { id: 'pot_00000000000000000000' } } })
const reason: 'not_found' | undefined = refused?.errors[0]?.reason === 'not_found' ? 'not_found' : undefined
console.log([payout.amount, account, reason].join())
}
void main()
`

export const HEY_API = `import { createPayout, getPayout, getPayoutTimeline, type Payout } from './hey'
import { client } from './hey/client.gen'

${ENV}
async function main() {
client.setConfig({ baseUrl, headers })
const { data: made, error } = await createPayout({ body })
if (made === undefined) throw new Error(error?.errors[0]?.message)
if (made.data.object !== 'payout') throw new Error('a dry run')
const payout: Payout = made.data
const details = payout.beneficiary_details.destination_details
const account = details.type === 'bank' ? details.bank.account_number : undefined
const { data: timeline } = await getPayoutTimeline({ path: { id: payout.id } })
for (const item of timeline?.data.items ?? []) if (item.kind === 'state') item.status satisfies string
const { error: refused } = await getPayout({ path: { id: 'pot_00000000000000000000' } })
const reason: 'not_found' | undefined = refused?.errors[0]?.reason === 'not_found' ? 'not_found' : undefined
console.log([payout.amount, account, reason].join())
}
void main()
`
