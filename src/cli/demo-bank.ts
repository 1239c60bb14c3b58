// corridor demo --bank: makes two payouts of a live account through an ISO 20022 rail and a test
// bank, and shows each file.
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { XMLBuilder, XMLParser } from 'fast-xml-parser'
import type { Started } from '../../examples/bank/start.ts'
import { printJson, running, withContext } from './context.ts'
import { type BankDemoSetUp, endBankDemo, setUpBankDemo } from './demo-bank-setup.ts'
import {
  type Exchange,
  findService,
  KEY_TIMEOUT_MS,
  listenForInterrupt,
  printStep,
  requestLines,
  requireSuccess,
  send,
  statusWords,
  style,
  until,
} from './demo-http.ts'
import { CommandFailed } from './failure.ts'
import { jsonLines, money, outline } from './table.ts'
import { visible } from './terminal.ts'

type ShownFile = Extract<BankDemoStep, { step: 'file' }>

/** One element of what --json prints. */
export type BankDemoStep =
  | { readonly step: 'bank'; readonly folder: string; readonly rail: object }
  | ({ readonly step: 'account' } & BankDemoSetUp['shown'])
  | ({ readonly step: 'payout' | 'status' | 'timeline' | 'balance' } & Exchange)
  | { readonly step: 'file'; readonly by: 'corridor' | 'bank'; name: string; content: string }
  | ({ readonly step: 'paid' } & ReturnType<typeof countPaid>)

/** The first payout arrives. The bank returns the other, as its amount ends in 92.07. */
const AMOUNTS = [10_000, 19_207] as const
const FEE = 35

/** The wait for the rail to seal, send or fetch files: seconds, and longer on a loaded machine. */
const STAGE_TIMEOUT_MS = 60_000
/** The wait for both payouts to go into one file. */
const GATHER_MS = 1_500

/** Without `service_url`, the service is the one of this machine. */
export async function demoBank(service_url: string | undefined): Promise<void> {
  const url = await findService(service_url)
  const folder = await mkdtemp(join(tmpdir(), 'corridor-demo-bank-'))
  const steps: BankDemoStep[] = []
  const showStep = (step: BankDemoStep) => {
    steps.push(step)
    if (!running.json) printStep(steps.length, ...linesOf(step))
  }
  const interrupt = listenForInterrupt('its route and its fee go away, its rail is paused')
  const { signal } = interrupt
  try {
    await runWithBank({ url, folder, signal }, showStep)
  } finally {
    interrupt.end()
  }
  if (running.json) printJson(steps)
}

interface DemoOptions {
  readonly url: string
  readonly folder: string
  readonly signal: AbortSignal
}

async function runWithBank(options: DemoOptions, showStep: (step: BankDemoStep) => void) {
  const files: ShownFile[] = []
  // The bank is an example, and no other command needs it.
  const { startBank } = await import('../../examples/bank/start.ts')
  const { validate } = await import('../../examples/bank/schema.ts')
  const started = await startBank({
    folder: options.folder,
    validate,
    tell: (what, name, bytes) => {
      if (what !== 'took' && what !== 'sent') throw new CommandFailed(`the bank has ${what}`)
      const content = Buffer.from(bytes).toString('utf8')
      files.push({ step: 'file', by: what === 'sent' ? 'bank' : 'corridor', name, content })
    },
  })
  try {
    const account = await withContext(context => setUpBankDemo(context, options.folder, FEE))
    try {
      showStep({ step: 'bank', folder: options.folder, rail: account.rail })
      showStep({ step: 'account', ...account.shown })
      const { authorization } = account
      await payThroughBank({ ...options, started, files, authorization, showStep })
    } finally {
      await withContext(context => endBankDemo(context, account))
    }
  } finally {
    await started.close()
  }
}

interface RunningDemo extends DemoOptions {
  readonly started: Started
  /** The files that no step has shown yet. */
  readonly files: ShownFile[]
  readonly authorization: string
  readonly showStep: (step: BankDemoStep) => void
}

/** Each round of the bank waits for the results of the round before. */
async function payThroughBank(demo: RunningDemo): Promise<void> {
  const { showStep, started } = demo
  const [first, second] = await pay(demo)
  await waitUntil(demo, 'the service has put a file into its outbox', () => started.bank.busy)
  await new Promise(resolve => setTimeout(resolve, GATHER_MS))
  await workRound(demo)
  await waitUntil(demo, 'the service has fetched the report', () => isFetched(demo))
  await workRound(demo)
  await awaitStatuses(demo, { [first]: 'succeeded', [second]: 'succeeded' })
  await workRound(demo)
  await awaitStatuses(demo, { [second]: 'reversed' })
  await workRound(demo)
  await waitUntil(demo, 'the service has fetched the statement', () => isFetched(demo))
  for (const id of [first, second]) {
    showStep({ step: 'timeline', ...(await get(demo, `/v3/payout/${id}/timeline`)) })
  }
  showStep({ step: 'balance', ...(await get(demo, '/v3/balance')) })
  const paid = countPaid(started)
  showStep({ step: 'paid', ...paid })
  if (paid.most !== 1) throw new CommandFailed('the bank has not paid each payment once')
}

async function pay(demo: RunningDemo): Promise<[string, string]> {
  const readBalance = () => ask(demo, { method: 'GET', path: '/v3/balance' })
  // The service answers 401 until it knows the new key.
  await until(KEY_TIMEOUT_MS, readBalance, ({ response }) => response.status === 401)
  const post = { method: 'POST', path: '/v3/payout' }
  const posted = AMOUNTS.map((amount, i) => ask(demo, { ...post, body: payoutBody(amount, i + 1) }))
  const exchanges = (await Promise.all(posted)).map(requireSuccess)
  for (const exchange of exchanges) demo.showStep({ step: 'payout', ...exchange })
  const [first = '', second = ''] = exchanges.map(({ response }) => response.body.data.id)
  return [first, second]
}

function ask({ url, signal, authorization }: RunningDemo, request: Exchange['request']) {
  signal.throwIfAborted()
  return send(url, authorization, request)
}

async function get(demo: RunningDemo, path: string): Promise<Exchange> {
  return requireSuccess(await ask(demo, { method: 'GET', path }))
}

async function workRound({ started, files, showStep }: RunningDemo): Promise<void> {
  await started.bank.work()
  for (const file of files.splice(0)) showStep(file)
}

async function isFetched({ folder }: RunningDemo): Promise<boolean> {
  return (await readdir(join(folder, 'from-bank'))).length === 0
}

/** `statuses` are by payout id. */
async function awaitStatuses(demo: RunningDemo, statuses: Readonly<Record<string, string>>) {
  for (const [id, status] of Object.entries(statuses)) {
    const isOther = ({ response }: Exchange) => response.body.data.status !== status
    const last = await until(STAGE_TIMEOUT_MS, () => get(demo, `/v3/payout/${id}`), isOther)
    if (isOther(last)) {
      const actual = last.response.body.data.status
      throw new CommandFailed(`payout ${id} is ${actual}, and not ${status}${HINT}`)
    }
    demo.showStep({ step: 'status', ...last })
  }
}

async function waitUntil(
  { signal }: RunningDemo,
  event: string,
  hasHappened: () => boolean | Promise<boolean>,
): Promise<void> {
  const check = async () => {
    signal.throwIfAborted()
    return hasHappened()
  }
  const has_happened = await until(STAGE_TIMEOUT_MS, check, happened => !happened)
  if (!has_happened) throw new CommandFailed(`not seen: ${event}${HINT}`)
}

const HINT =
  '; does the service run on this machine with CORRIDOR_SETTLE=on? its log says what the rail does'

function payoutBody(amount: number, number: number) {
  return {
    amount,
    currency: 'EUR',
    type: 'local',
    local: { fund_transfer_network: 'sepa' },
    purpose: 'supplier_payment',
    transaction_description: `Invoice ${number}`,
    beneficiary_details: {
      name: 'Alpenhandel GmbH',
      type: 'business',
      address: { line1: 'Ring 1', city: 'Wien', postal_code: '1010', country: 'AT' },
      destination_details: {
        type: 'bank',
        bank: { iban: 'AT611904300234573201', country: 'AT', currency: 'EUR' },
      },
    },
  }
}

/** `most`: how often the ledger has the most frequent payment. */
function countPaid({ bank }: Started) {
  const times = [...bank.ledger.timesPaid().values()]
  return { payments: times.length, most: Math.max(...times) }
}

function linesOf(step: BankDemoStep): string[] {
  switch (step.step) {
    case 'bank': {
      const title = 'A bank of our own, and a rail to it'
      return [title, `Its files stay in ${step.folder}`, ...jsonLines(step.rail)]
    }
    case 'account': {
      const { account_id, name, funded } = step
      const account = `${account_id} "${name}"`
      const words = outline({ account, funded: money(funded.currency, BigInt(funded.amount)) })
      return ['A live account, with a route to that rail', ...words]
    }
    case 'file': {
      const way = step.by === 'corridor' ? 'To the bank' : 'From the bank'
      return [`${way}: ${step.name}`, ...showXml(step.content)]
    }
    case 'payout': {
      const { id, status, created_at } = step.response.body.data
      const lines = jsonLines({ id, status, created_at })
      return ['A payout', ...requestLines(step), statusWords(step), ...lines]
    }
    case 'status': {
      const { amount, currency, ...rest } = step.response.body.data
      const { id, status, failure, tracking_details } = rest
      const title = `The payout of ${money(currency, BigInt(amount))} is ${status}`
      return [title, ...requestLines(step), ...jsonLines({ id, status, failure, tracking_details })]
    }
    case 'paid': {
      const { payments, most } = step
      const times = most === 1 ? 'each once' : `one ${most} times`
      return ['The bank’s own ledger', `${payments} payments, ${times}`]
    }
    default: {
      const title = step.step === 'timeline' ? 'How it went' : 'What is left'
      return [title, ...requestLines(step), statusWords(step), ...jsonLines(step.response.body)]
    }
  }
}

const XML = { preserveOrder: true, ignoreAttributes: false, parseTagValue: false } as const

/** One element a line, indented; tags are dimmed beside their text. */
function showXml(text: string): string[] {
  const options = { ...XML, format: true, indentBy: '  ', suppressEmptyNode: true }
  const laid_out: string = new XMLBuilder(options).build(new XMLParser(XML).parse(text))
  return laid_out
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => visible(line).replaceAll(/<[^>]+>/g, tag => style('dim', tag)))
}
