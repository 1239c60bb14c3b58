// The calls of a client that uses all that an account without approvers has: by the SDK, so that
// what it sends is what users send.
import { ApiError, type Corridor, type PayoutRequest } from '../../packages/sdk/src/index.ts'

const DETAILS: PayoutRequest['beneficiary_details'] = {
  name: 'Harbour Trading Ltd',
  type: 'business',
  destination_details: {
    type: 'bank',
    bank: {
      account_number: '123456789012',
      country: 'HK',
      currency: 'HKD',
      bank_codes: { bank_code: '004' },
    },
  },
}

const PAYOUT = {
  amount: 1_200_000,
  currency: 'HKD',
  type: 'local',
  purpose: 'supplier_payment',
  transaction_description: 'Invoice 2041',
  holding_currency: 'USD',
  allow_duplicate: true,
  local: { fund_transfer_network: 'chats' },
  beneficiary_details: DETAILS,
} satisfies PayoutRequest

const QUOTE = {
  payout_info: { currency: 'HKD', amount: 1_200_000 },
  holding_info: { currency: 'USD' },
  destination_info: { currency: 'HKD', country: 'HK' },
  local: { fund_transfer_network: 'chats' },
}

/** Calls, and reads what the calls have made. */
export async function callEverything(corridor: Corridor, hook: string): Promise<void> {
  await callPayouts(corridor)
  await callParties(corridor)
  await callWebhooks(corridor, hook)
  await callReferences(corridor)
}

async function callPayouts(corridor: Corridor): Promise<void> {
  const { payouts } = corridor
  const quote = await payouts.quotes.create(QUOTE, { query: { explain: true } })
  await payouts.quotes.retrieve(quote.id)
  await payouts.quotes.list({ limit: 2 })
  await payouts.create(PAYOUT, { query: { dry_run: true } })
  const payout = await payouts.create({ ...PAYOUT, quote: quote.id })
  await refused(payouts.create({ ...PAYOUT, quote: quote.id }))
  const slow = await payouts.create({ ...PAYOUT, amount: 100_000 })
  await payouts.retrieve(slow.id)
  await payouts.timeline(payout.id)
  await payouts.list({ status: 'processing', created: { gt: new Date(0) } })
  // Cancelled or refused, as the rail has it or not: both are documented.
  await Promise.allSettled([payouts.cancel(payout.id)])
  await payouts.requirements({ type: 'local', currency: 'HKD', country: 'HK' })
  await payouts.options({
    payout_info: QUOTE.payout_info,
    destination_info: { currency: 'HKD', country: 'HK' },
  })
  const batch = await corridor.payoutBatches.create({
    mode: 'best_effort',
    payouts: [PAYOUT, PAYOUT],
  })
  await corridor.payoutBatches.retrieve(batch.id)
  await corridor.payoutBatches.items.list(batch.id)
  await corridor.payoutBatches.list()
  const [line] = (await corridor.balanceTransactions.list({ limit: 1 })).results
  await corridor.balanceTransactions.retrieve(line?.id ?? '')
  await corridor.balanceTransactions.csv()
}

async function callParties({ beneficiaries, entities }: Corridor): Promise<void> {
  const { id } = await beneficiaries.create(DETAILS as never)
  await beneficiaries.update(id, { email: 'pay@example.com' })
  await beneficiaries.retrieve(id)
  await beneficiaries.list({ limit: 1 })
  const entity = {
    type: 'individual',
    name: 'Ada',
    email: `${crypto.randomUUID()}@example.com`,
  } as const
  await entities.duplicateCheck(entity)
  const made = await entities.create(entity)
  await entities.update(made.id, { reference_id: 'A-1' })
  await entities.submit(made.id)
  await entities.retrieve(made.id)
  await entities.list({ approval_status: 'submitted' })
  await refused(entities.create({ type: 'business' } as never))
}

async function callWebhooks({ webhookEndpoints, events }: Corridor, url: string): Promise<void> {
  const made = await webhookEndpoints.create({ url, event_types: ['payout.*'] })
  await webhookEndpoints.test(made.id)
  await webhookEndpoints.update(made.id, { description: 'books' })
  await webhookEndpoints.rotateSecret(made.id)
  await webhookEndpoints.replay(made.id, { sequence: { from: 1, to: 2 } })
  await webhookEndpoints.list()
  const [sent] = (await webhookEndpoints.deliveries.list(made.id)).results
  if (sent !== undefined) await webhookEndpoints.deliveries.retrieve(made.id, sent.id)
  await webhookEndpoints.delete(made.id)
  const [event] = (await events.list({ limit: 3 })).results
  await events.retrieve(event?.id ?? '')
}

async function callReferences(corridor: Corridor): Promise<void> {
  await corridor.account.retrieve()
  await corridor.balance.retrieve()
  await corridor.balance.retrieve({ as_of: new Date() })
  await corridor.rate.retrieve({ from: 'USD', to: 'HKD' })
  await corridor.sandbox.fund({ currency: 'USD', amount: 100 })
  await corridor.operations.health()
  await corridor.operations.readiness()
  await refused(corridor.payouts.retrieve('pot_00000000000000000000'))
}

/** Refusals have their schemas as well. */
async function refused(call: PromiseLike<unknown>): Promise<void> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof ApiError)) throw new Error('it was not refused', { cause: error })
}
