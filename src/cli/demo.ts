// corridor demo: makes one payout over HTTP as a customer does, from quote to settlement. Then it
// adds up the account's ledger.
import type { Command } from 'commander'
import type { Journal } from '../ledger/rules.ts'
import { listJournals } from '../ledger/store.ts'
import { divideByRate, divideUp, formatMajor, parseDecimal } from '../values/money/decimal.ts'
import { amountToJson } from '../values/money/json.ts'
import { createFunded } from './account.ts'
import { printJson, running, withContext } from './context.ts'
import { demoBank } from './demo-bank.ts'
import { demoChain } from './demo-chain.ts'
import {
  type Answer,
  authorizationOf,
  type Exchange,
  findService,
  KEY_TIMEOUT_MS,
  printStep,
  requestLines,
  requireSuccess,
  send,
  statusWords,
  style,
  until,
} from './demo-http.ts'
import { CommandFailed } from './failure.ts'
import { jsonLines, major, money } from './table.ts'

/** The account starts with USD 10,000.00, and pays HKD 10,000.00. */
const FUNDED = 1_000_000n
const PAID = 1_000_000

/** The simulator settles after some 2 s (CORRIDOR_SIMULATOR_DELAY_MS). */
const SETTLE_TIMEOUT_MS = 15_000

type Journals = readonly ReturnType<typeof presentJournal>[]
type Sums = ReturnType<typeof addUp>

interface ExchangeStep extends Exchange {
  readonly step: 'opening_balance' | 'quote' | 'payout' | 'closing_balance' | 'balance_transaction'
}

/** One element of what --json prints. */
export type DemoStep =
  | ({ readonly step: 'account' } & Awaited<ReturnType<typeof makeAccount>>['shown'])
  | ExchangeStep
  | ({ readonly step: 'settlement'; readonly asked: number; readonly took_ms: number } & Exchange)
  | { readonly step: 'ledger'; readonly journals: Journals }
  | ({ readonly step: 'arithmetic' } & Sums)

export function demoCommand(command: Command): void {
  command
    .option('--url <url>', 'the running service (default: http://127.0.0.1:$PORT)')
    .option('--bank', 'pay through a test bank, and show every file')
    .option('--chain', 'pay a wallet on a chain of this machine, and show every step')
    .option('--json', 'print JSON: an array of steps')
    .addHelpText('after', DEMO_HELP)
    .action(demo)
}

const DEMO_HELP = `
Quotes and pays 10,000.00 HKD out of 10,000.00 USD, waits until the payout has
settled, and prints every request, every answer and every journal. It needs the
database of the service.

With --bank it starts a bank of its own, on this machine, and pays two payouts
of a live account through it by ISO 20022: one arrives, one is returned.

With --chain it starts a node of a chain of its own, on this machine, and pays
USDC to a wallet there. The service needs CORRIDOR_TEST_CHAINS=31337 as well.

An installation that has live accounts refuses both, because they book money
that does not exist.

Examples, with the service running in another terminal:
  corridor demo
  corridor demo --bank
  CORRIDOR_TEST_CHAINS=31337 corridor demo --chain`

async function demo(options: { url?: string; bank?: true; chain?: true }): Promise<void> {
  if (options.bank !== undefined) return demoBank(options.url)
  if (options.chain !== undefined) return demoChain(options.url)
  const url = await findService(options.url)
  const steps: DemoStep[] = []
  await runDemo(url, step => {
    steps.push(step)
    if (!running.json) printStep(steps.length, TITLES[step.step], ...linesOf(step, steps))
  })
  if (running.json) printJson(steps)
  const last = steps.at(-1)
  if (last?.step === 'arithmetic' && !last.adds_up) throw new CommandFailed('it does not add up')
}

async function runDemo(url: string, showStep: (step: DemoStep) => void): Promise<void> {
  const { authorization, shown } = await makeAccount()
  showStep({ step: 'account', ...shown })
  const isUnknown = ({ response }: Exchange) => response.status === 401
  const get = (path: string) => send(url, authorization, { method: 'GET', path })
  const post = (path: string, body: object) =>
    send(url, authorization, { method: 'POST', path, body })
  const opening = await until(KEY_TIMEOUT_MS, () => get('/v3/balance'), isUnknown)
  if (isUnknown(opening)) {
    throw new CommandFailed(
      `the service at ${url} does not know the new account: it has another database`,
    )
  }
  const show = (step: ExchangeStep['step'], exchange: Exchange): Answer => {
    showStep({ step, ...requireSuccess(exchange) })
    return exchange.response.body
  }
  const before = show('opening_balance', opening)
  const quote = show('quote', await post('/v3/payout/quote', QUOTE))
  const { data: payout } = show('payout', await post('/v3/payout', payoutBody(quote.id)))
  showStep(await awaitSettlement(() => get(`/v3/payout/${payout.id}`)))
  const after = show('closing_balance', await get('/v3/balance'))
  show('balance_transaction', await get(`/v3/balance_transaction/${payout.balance_transaction}`))

  const filter = { after: 0n, limit: 100 }
  const journals = await withContext(({ audit }) => listJournals(audit, shown.account_id, filter))
  showStep({ step: 'ledger', journals: journals.map(presentJournal) })
  showStep({ step: 'arithmetic', ...addUp(before, quote, after, journals) })
}

async function makeAccount() {
  const currencies = ['USD', 'HKD']
  const fund = [{ currency: 'USD', amount: FUNDED }]
  const demo = { name: 'Demo', currencies, primary_currency: 'USD', fund, sandbox: true }
  const { account, key_id, secret } = await withContext(context => createFunded(context, demo))
  const { account_id, name } = account
  const funded = { currency: 'USD', amount: amountToJson(FUNDED) }
  const authorization = authorizationOf(`${key_id}:${secret}`)
  return { authorization, shown: { account_id, name, currencies, funded } }
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

/** Fails unless the payout has succeeded. */
async function awaitSettlement(get: () => Promise<Exchange>): Promise<DemoStep> {
  const started = performance.now()
  let asked = 0
  const ask = async () => {
    asked += 1
    return requireSuccess(await get())
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

function presentJournal({ number, kind, source, postings }: Journal) {
  const minor = postings.map(posting => ({ ...posting, amount: amountToJson(posting.amount) }))
  return { number: Number(number), kind, source, postings: minor }
}

/** Sums to check by hand, in minor units of USD. They do not use the engine's pricing. */
function addUp(before: Answer, quote: Answer, after: Answer, journals: readonly Journal[]) {
  const balance = ({ data }: Answer) =>
    BigInt(data.available.find((b: Answer) => b.currency === 'USD').amount)
  const holding_amount = BigInt(quote.holding_info.amount)
  const fixed_fee = BigInt(quote.fee_info.fixed.in_holding_currency)
  const variable_fee = BigInt(quote.fee_info.variable.in_holding_currency)
  const rate = quote.exchange_rates.holding_to_payout
  // A rate has 12 significant digits at most, so String gives the digits that the service sent.
  const exact = parseDecimal(String(rate))
  if (exact === undefined) throw new CommandFailed(`the rate ${rate} is no decimal`)
  const divided = divideByRate(BigInt(PAID), exact, 2, 2, divideUp)
  const ledger = journals
    .flatMap(({ postings }) => postings)
    .filter(({ code, currency }) => code === 'available' && currency === 'USD')
    .reduce((sum, { amount }) => sum + amount, 0n)
  const left = balance(before) - holding_amount - fixed_fee - variable_fee
  return {
    opening_balance: amountToJson(balance(before)),
    holding_amount: amountToJson(holding_amount),
    fixed_fee: amountToJson(fixed_fee),
    variable_fee: amountToJson(variable_fee),
    closing_balance: amountToJson(balance(after)),
    /** The sum of the ledger's postings. */
    ledger_balance: amountToJson(ledger),
    payout_amount: PAID,
    /** HKD for one USD. */
    rate: rate as number,
    /** payout_amount ÷ rate, rounded up to the minor unit. */
    payout_amount_divided: amountToJson(divided),
    adds_up: left === balance(after) && left === ledger && divided === holding_amount,
  }
}

const TITLES: Readonly<Record<DemoStep['step'], string>> = {
  account: 'An account',
  opening_balance: 'Its balance',
  quote: 'A quote for 10,000.00 HKD out of USD',
  payout: 'A payout at that quote',
  settlement: 'Settlement',
  closing_balance: 'The balance now',
  balance_transaction: 'The debit on the statement',
  ledger: 'The ledger: every journal sums to zero in each currency',
  arithmetic: 'It adds up by hand',
}

/** `steps` are all steps so far, this one last. */
function linesOf(step: DemoStep, steps: readonly DemoStep[]): string[] {
  switch (step.step) {
    case 'account': {
      const { account_id, name, currencies } = step
      const funded = money(step.funded.currency, BigInt(step.funded.amount))
      return [
        `${account_id} "${name}", ${currencies.join(' and ')}, funded with ${funded}`,
        'Requests and answers count in minor units: 1000000 is 10000.00.',
      ]
    }
    case 'settlement': {
      const created = steps.flatMap(s => (s.step === 'payout' ? [s.response.body.data] : []))[0]
      const seconds = `${formatMajor(BigInt(step.took_ms), 3).slice(0, -2)} s`
      return [
        ...requestLines(step),
        `asked ${step.asked} times in ${seconds}; ${statusWords(step)}, and this has changed:`,
        ...jsonLines(changedMembers(created, step.response.body.data)),
      ]
    }
    case 'ledger':
      return step.journals.flatMap(describeJournal).slice(0, -1)
    case 'arithmetic':
      return describeArithmetic(step)
    default:
      return [...requestLines(step), statusWords(step), ...jsonLines(step.response.body)]
  }
}

function changedMembers(
  before: Record<string, unknown> | undefined,
  after: Record<string, unknown>,
) {
  const differs = (name: string) => JSON.stringify(before?.[name]) !== JSON.stringify(after[name])
  return Object.fromEntries(Object.entries(after).filter(([name]) => differs(name)))
}

/** The sum of each currency is zero. */
function describeJournal({ number, kind, source, postings }: Journals[number]): string[] {
  const sums = [...Map.groupBy(postings, posting => posting.currency)].map(([currency, group]) => ({
    code: 'sum',
    currency,
    amount: group.reduce((sum, { amount }) => sum + amount, 0),
  }))
  const line = ({ code, currency, amount }: (typeof sums)[number]) =>
    `  ${code.padEnd(14)}${currency.padEnd(6)}${inMajor(amount, currency).padStart(14)}`
  return [
    `${style('cyan', `journal ${number}`)}  ${kind}  ${source}`,
    ...postings.map(line),
    ...sums.map(sum => style(sum.amount === 0 ? 'green' : 'red', line(sum))),
    '',
  ]
}

function describeArithmetic(sums: Sums): string[] {
  const usd = (sign: string, amount: number, words: string) =>
    `${sign}${inMajor(amount, 'USD').padStart(12)} USD  ${words}`
  const paid = inMajor(sums.payout_amount, 'HKD')
  const held = inMajor(sums.payout_amount_divided, 'USD')
  return [
    usd(' ', sums.opening_balance, 'opening balance'),
    usd('-', sums.holding_amount, 'holding amount of the quote'),
    usd('-', sums.fixed_fee, 'fixed fee'),
    usd('-', sums.variable_fee, 'variable fee'),
    usd('=', sums.closing_balance, 'closing balance, as GET /v3/balance says'),
    usd('=', sums.ledger_balance, 'postings on "available" in the ledger'),
    '',
    `${paid} HKD ÷ ${sums.rate} = ${held} USD, the holding amount`,
    '',
    sums.adds_up
      ? style('green', 'It adds up, to the last cent.')
      : style('red', 'It does not add up.'),
  ]
}

function inMajor(amount: number, currency: string): string {
  return major(currency, BigInt(amount))
}
