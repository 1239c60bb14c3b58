// corridor demo: one payout from quote to settlement over HTTP, as a customer of the running
// service would make it, and then the account's ledger, read from the database, added up. Only the
// demo's account is made past the API, because making accounts is the operator's affair.
import { type Command, Option } from 'commander'
import { readConfig } from '../config.ts'
import type { Journal } from '../ledger/rules.ts'
import { listJournals } from '../ledger/store.ts'
import { divideByRate, divideUp, parseDecimal } from '../money/decimal.ts'
import { amountToJson } from '../money/json.ts'
import { createAccount } from './account.ts'
import { CommandFailed, print, UsageError, withContext } from './context.ts'
import {
  type Answer,
  type Arithmetic,
  type DemoStep,
  describeStep,
  type Exchange,
  type PresentedJournal,
} from './demo-words.ts'

/** What the account starts with: USD 10,000.00; and what it pays: HKD 10,000.00. */
const FUNDED = 1_000_000n
const PAID = 1_000_000

/** The simulator settles after some 2 s (CORRIDOR_SIMULATOR_DELAY_MS). */
const SETTLE_TIMEOUT_MS = 15_000
const POLL_MS = 250
/** Every process knows a new key within a second (§access.revoke). */
const KEY_TIMEOUT_MS = 5_000
const REQUEST_TIMEOUT_MS = 10_000

interface DemoOptions {
  url?: string
  json?: boolean
}

export function demoCommand(program: Command): void {
  program
    .command('demo')
    .description('make an account and a payout on the running service, and add up its ledger')
    .addOption(new Option('--url <url>', 'the running service (default: http://127.0.0.1:$PORT)'))
    .option('--json', 'print JSON: an array of steps')
    .addHelpText('after', DEMO_HELP)
    .action(demo)
}

const DEMO_HELP = `
Quotes and pays 10,000.00 HKD out of 10,000.00 USD, waits until the payout has
settled, and prints every request, every answer and every journal. It needs the
database of the service.

Example, with the service running in another terminal:
  npx corridor demo`

async function demo(options: DemoOptions): Promise<void> {
  const url = readUrl(options.url)
  await findService(url)
  const steps: DemoStep[] = []
  await runDemo(url, step => {
    steps.push(step)
    if (options.json !== true) process.stdout.write(`${describeStep(step, steps)}\n`)
  })
  if (options.json === true) print(options, steps, '')
  const last = steps.at(-1)
  if (last?.step === 'arithmetic' && !last.adds_up) throw new CommandFailed('it does not add up')
}

function readUrl(text: string | undefined): string {
  const { port } = readConfig()
  if (text === undefined && port === 0) throw new UsageError('PORT is 0; name the service by --url')
  const url = text ?? `http://127.0.0.1:${port}`
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) throw new UsageError(`not a URL: ${url}`)
  return url.replace(/\/+$/, '')
}

/** Before anything is written: is the service there? */
async function findService(url: string): Promise<void> {
  const { response } = await send(url, '', { method: 'GET', path: '/healthz' })
  if (response.status === 200 && response.body?.status === 'ok') return
  throw new CommandFailed(`what answers at ${url} is not Corridor`)
}

async function runDemo(url: string, tell: (step: DemoStep) => void): Promise<void> {
  const { account_id, authorization } = await makeAccount(tell)
  const get = (path: string) => send(url, authorization, { method: 'GET', path })
  const post = (path: string, body: object) =>
    send(url, authorization, { method: 'POST', path, body })

  const opening = await until(KEY_TIMEOUT_MS, () => get('/v3/balance'), notYetKnown)
  if (opening.response.status === 401) {
    throw new CommandFailed(
      `the service at ${url} does not know the new account: it has another database`,
    )
  }
  tell({ step: 'opening_balance', ...succeeded(opening) })

  const quote = succeeded(await post('/v3/payout/quote', QUOTE))
  tell({ step: 'quote', ...quote })
  const quoted = quote.response.body

  const payout = succeeded(await post('/v3/payout', payoutBody(quoted.id)))
  tell({ step: 'payout', ...payout })
  const { id, balance_transaction } = payout.response.body.data

  tell(await settlement(() => get(`/v3/payout/${id}`)))
  const closing = succeeded(await get('/v3/balance'))
  tell({ step: 'closing_balance', ...closing })
  const path = `/v3/balance_transaction/${balance_transaction}`
  tell({ step: 'balance_transaction', ...succeeded(await get(path)) })

  const filter = { after: 0n, limit: 100 }
  const journals = await withContext(({ audit }) => listJournals(audit, account_id, filter))
  tell({ step: 'ledger', journals: journals.map(presentJournal) })
  tell({ step: 'arithmetic', ...addUp(opening, quoted, closing, journals) })
}

async function makeAccount(tell: (step: DemoStep) => void) {
  const currencies = ['USD', 'HKD']
  const fund = [{ currency: 'USD', amount: FUNDED }]
  const wanted = { name: 'Demo', currencies, primary_currency: 'USD', fund, sandbox: true }
  const { account, key_id, secret } = await withContext(context => createAccount(context, wanted))
  const { account_id, name } = account
  const funded = { currency: 'USD', amount: amountToJson(FUNDED) }
  tell({ step: 'account', account_id, name, currencies, funded })
  const authorization = `Basic ${Buffer.from(`${key_id}:${secret}`).toString('base64')}`
  return { account_id, authorization }
}

const QUOTE = {
  payout_type: 'local',
  payout_info: { currency: 'HKD', amount: PAID },
  holding_info: { currency: 'USD' },
  local: { fund_transfer_network: 'chats' },
}

function payoutBody(quote: string) {
  return {
    amount: PAID,
    currency: 'HKD',
    quote,
    purpose: 'supplier_payment',
    transaction_description: 'Invoice 2041',
    beneficiary_details: {
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
    },
  }
}

function notYetKnown({ response }: Exchange): boolean {
  return response.status === 401
}

/** Asks until the payout is no longer processing, and refuses to go on unless it succeeded. */
async function settlement(get: () => Promise<Exchange>): Promise<DemoStep> {
  const started = performance.now()
  let asked = 0
  const ask = async () => {
    asked += 1
    return succeeded(await get())
  }
  const settled = await until(
    SETTLE_TIMEOUT_MS,
    ask,
    ({ response }) => response.body.data.status === 'processing',
  )
  const took_ms = Math.floor(performance.now() - started)
  const { id, status } = settled.response.body.data
  if (status === 'succeeded') return { step: 'settlement', asked, took_ms, ...settled }
  const after = `after ${Math.floor(took_ms / 1000)} s`
  const hint = status === 'processing' ? '; does a process with CORRIDOR_SETTLE=on run?' : ''
  throw new CommandFailed(`payout ${id} is ${status} ${after}${hint}`)
}

/** Repeats at a steady pace until the answer is not one to wait on, or the time is over. */
async function until(
  timeout_ms: number,
  ask: () => Promise<Exchange>,
  goesOn: (exchange: Exchange) => boolean,
): Promise<Exchange> {
  const deadline = performance.now() + timeout_ms
  for (;;) {
    const exchange = await ask()
    if (!goesOn(exchange) || performance.now() > deadline) return exchange
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

async function send(
  url: string,
  authorization: string,
  request: Exchange['request'],
): Promise<Exchange> {
  const { method, path, body } = request
  const headers: Record<string, string> = authorization === '' ? {} : { authorization }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  try {
    const init: RequestInit = { method, headers, signal }
    if (body !== undefined) init.body = JSON.stringify(body)
    const response = await fetch(`${url}${path}`, init)
    return { request, response: { status: response.status, body: parsed(await response.text()) } }
  } catch (error) {
    const reason = reasonOf(error)
    throw new CommandFailed(
      `no service answers at ${url} (${reason}); start it: npx corridor start`,
    )
  }
}

function parsed(text: string): Answer {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** fetch hides what went wrong in the cause. */
function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error
  if (name === 'TimeoutError') return `no answer in ${REQUEST_TIMEOUT_MS / 1000} s`
  const { code, message: hidden } = (cause ?? {}) as { code?: string; message?: string }
  return code ?? hidden ?? message
}

/** The exchange, or the service's own words for why not. */
function succeeded(exchange: Exchange): Exchange {
  const { request, response } = exchange
  if (response.status === 200) return exchange
  const reason = response.body?.errors?.[0]?.reason
  const hint = RATE_REASONS.has(reason) ? '; load rates: npx corridor rates import --help' : ''
  const words = response.body?.message ?? 'no JSON'
  throw new CommandFailed(
    `${request.method} ${request.path} was answered with ${response.status}: ${words}${hint}`,
  )
}

const RATE_REASONS = new Set(['rate_stale', 'rate_unavailable'])

function presentJournal({ number, kind, source, postings }: Journal): PresentedJournal {
  const minor = postings.map(posting => ({ ...posting, amount: amountToJson(posting.amount) }))
  return { number: Number(number), kind, source, postings: minor }
}

/** From what the API said, without asking the engine to compute it again. */
function addUp(
  opening: Exchange,
  quoted: Answer,
  closing: Exchange,
  journals: readonly Journal[],
): Arithmetic {
  const balance = ({ response }: Exchange) =>
    BigInt(response.body.data.available.find((b: Answer) => b.currency === 'USD').amount)
  const holding_amount = BigInt(quoted.holding_info.amount)
  const fixed_fee = BigInt(quoted.fee_info.fixed.in_holding_currency)
  const variable_fee = BigInt(quoted.fee_info.variable.in_holding_currency)
  const rate = quoted.exchange_rates.holding_to_payout
  // A rate of 12 significant digits prints as it was sent.
  const exact = parseDecimal(String(rate))
  if (exact === undefined) throw new CommandFailed(`the rate ${rate} is no decimal`)
  const divided = divideByRate(BigInt(PAID), exact, 2, 2, divideUp)
  const ledger = journals
    .flatMap(({ postings }) => postings)
    .filter(({ code, currency }) => code === 'available' && currency === 'USD')
    .reduce((sum, { amount }) => sum + amount, 0n)
  const left = balance(opening) - holding_amount - fixed_fee - variable_fee
  return {
    opening_balance: amountToJson(balance(opening)),
    holding_amount: amountToJson(holding_amount),
    fixed_fee: amountToJson(fixed_fee),
    variable_fee: amountToJson(variable_fee),
    closing_balance: amountToJson(balance(closing)),
    ledger_balance: amountToJson(ledger),
    payout_amount: PAID,
    rate,
    payout_amount_divided: amountToJson(divided),
    adds_up: left === balance(closing) && left === ledger && divided === holding_amount,
  }
}
