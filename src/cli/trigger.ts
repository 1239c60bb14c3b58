// corridor trigger: makes an event happen in a sandbox, by requests to the running service.
import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { didYouMean } from '../values/text/nearest.ts'
import { EVENT_TYPES } from '../webhooks/webhook.ts'
import { print } from './context.ts'
import { authorizationOf, type Exchange, findService, requireSuccess, send } from './demo-http.ts'
import { CommandFailed, UsageError } from './failure.ts'

/** `{id}` in its path is the id that the first step has made. */
type Step = Required<Exchange['request']>
type Steps = readonly Step[]

const bank = { account_number: '123456789012', country: 'HK', bank_codes: { bank_code: '004' } }

const beneficiary = {
  name: 'Harbour Trading Ltd',
  type: 'business',
  destination_details: { type: 'bank', bank },
}

/** The simulator leaves it alone, so it gets the status of the step. */
const UNMOVED_AMOUNT = 100_000

const PAYOUT = '/v3/payout'
const CURRENCY = 'HKD'

const payout: Step = {
  method: 'POST',
  path: PAYOUT,
  body: {
    amount: UNMOVED_AMOUNT,
    currency: CURRENCY,
    type: 'local',
    purpose: 'supplier_payment',
    transaction_description: 'Made by corridor trigger',
    beneficiary_details: beneficiary,
    allow_duplicate: true,
  },
}

const eachStatus = (path: string, statuses: readonly string[]): Steps =>
  statuses.map(status => ({ method: 'POST', path, body: { status } }))

const payoutBecomes = (...statuses: readonly string[]): Steps => [
  payout,
  ...eachStatus('/v3/sandbox/payout/{id}/transition', statuses),
]

/** The same person again would be a duplicate. */
const entity = (): Step => {
  const email = `${randomUUID()}@example.com`
  return { method: 'POST', path: '/v3/entity', body: { type: 'individual', name: 'Anna', email } }
}

const submission: Step = { method: 'POST', path: '/v3/entity/{id}/submit', body: {} }

const submittedEntity = (...statuses: readonly string[]): Steps => [
  entity(),
  submission,
  ...eachStatus('/v3/sandbox/entity/{id}/review', statuses),
]

const newBeneficiary: Step = { method: 'POST', path: '/v3/beneficiary', body: beneficiary }

const quote: Step = {
  method: 'POST',
  path: '/v3/payout/quote',
  body: {
    payout_info: { currency: CURRENCY, amount: UNMOVED_AMOUNT },
    destination_info: { currency: 'HKD', country: 'HK' },
  },
}

/** Other types need an operator, a person or a bank. */
const RECIPES: Readonly<Record<string, () => Steps>> = {
  'payout_quote.created': () => [quote],
  'payout.created': () => payoutBecomes(),
  'payout.requires_action': () => payoutBecomes('requires_action'),
  'payout.processing': () => payoutBecomes('requires_action', 'processing'),
  'payout.compliance_hold': () => payoutBecomes('compliance_hold'),
  'payout.succeeded': () => payoutBecomes('succeeded'),
  'payout.failed': () => payoutBecomes('failed'),
  'payout.reversed': () => payoutBecomes('succeeded', 'reversed'),
  'beneficiary.created': () => [newBeneficiary],
  'beneficiary.updated': () => [
    newBeneficiary,
    { method: 'PUT', path: '/v3/beneficiary/{id}', body: { ...beneficiary, name: 'Pier Ltd' } },
  ],
  'entity.created': () => [entity()],
  'entity.updated': () => [
    entity(),
    { method: 'PUT', path: '/v3/entity/{id}', body: { name: 'Anna Müller' } },
  ],
  'entity.approval_submitted': () => submittedEntity(),
  'entity.approval_approved': () => submittedEntity('approved'),
  'entity.approval_rejected': () => submittedEntity('rejected'),
  'entity.approval_requires_action': () => submittedEntity('requires_action'),
  'entity.approval_resubmitted': () => [...submittedEntity('requires_action'), submission],
  'balance_transaction.created': () => payoutBecomes(),
}

const HELP = `
The service must be running. Events that it makes:
${Object.keys(RECIPES)
  .map(type => `  ${type}`)
  .join('\n')}

Examples:
  corridor trigger payout.failed --key key_…:…
  corridor listen --forward-to http://localhost:3000/hook`

export function triggerCommand(command: Command): void {
  command
    .argument('<type>', 'the type of event, such as payout.failed')
    .requiredOption('--key <key>', 'id and secret of a key of a sandbox: key_…:…')
    .option('--url <url>', 'of the running service (default: of this machine)')
    .addHelpText('after', HELP)
    .action(trigger)
}

async function trigger(type: string, options: { key: string; url?: string }): Promise<void> {
  const recipe = Object.hasOwn(RECIPES, type) ? RECIPES[type] : undefined
  if (recipe === undefined) throw new UsageError(cannotMake(type))
  if (!/^[^:\s]+:\S+$/.test(options.key)) throw new UsageError('--key is id and secret: key_…:…')
  const url = await findService(options.url)
  const authorization = authorizationOf(options.key)
  // A payout of a live account would pay real money.
  const exchange = await send(url, authorization, { method: 'GET', path: '/v3/account' })
  const account = requireSuccess(exchange).response.body.data
  if (account.sandbox !== true) {
    throw new CommandFailed(`${account.id} is no sandbox: nothing was made`)
  }
  const requests: Exchange['request'][] = []
  let id = ''
  for (const step of recipe()) {
    const path = step.path.replace('{id}', id)
    const sendStep = path === PAYOUT ? sendPayout : send
    const { request, response } = requireSuccess(
      await sendStep(url, authorization, { ...step, path }),
    )
    requests.push(request)
    id ||= response.body?.data?.id ?? response.body?.id
  }
  const lines = requests.map(({ method, path }) => `${method} ${path}`)
  print({ type, object_id: id, requests }, `${lines.join('\n')}\n${type}  ${id}`)
}

function cannotMake(type: string): string {
  const isType = EVENT_TYPES.some(known => known === type)
  const why = isType
    ? `no request of a sandbox makes ${type}: it takes an operator, a person or a bank`
    : `no event has the type ${type}${didYouMean(type, Object.keys(RECIPES))}`
  return `${why}\n(corridor trigger --help lists what it makes)`
}

/**
 * If it is refused, tries each balance in turn. If none holds enough, returns the first refusal.
 */
async function sendPayout(
  url: string,
  authorization: string,
  request: Exchange['request'],
): Promise<Exchange> {
  const first = await send(url, authorization, request)
  const { status } = first.response
  if (status < 400 || status >= 500) return first
  const asked = await send(url, authorization, { method: 'GET', path: '/v3/balance' })
  const balances: readonly { currency: string; amount: string }[] =
    requireSuccess(asked).response.body.data.available
  for (const { currency } of balances.filter(({ amount }) => amount !== '0')) {
    const body = { ...request.body, holding_currency: currency }
    const next = await send(url, authorization, { ...request, body })
    if (next.response.status === 200) return next
  }
  return first
}
