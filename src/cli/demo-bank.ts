// corridor demo --bank: two payouts of a live account through the rail of ISO 20022 and the test
// bank. It shows every file of theirs. One payout arrives, the other is returned.
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { XMLBuilder, XMLParser } from 'fast-xml-parser'
import type { Started } from '../../examples/bank/start.ts'
import { printJson, running, withContext } from './context.ts'
import { type BankDemoSetUp, endBankDemo, setUpBankDemo } from './demo-bank-setup.ts'
import {
  answered,
  type Exchange,
  findService,
  KEY_TIMEOUT_MS,
  request,
  send,
  style,
  succeeded,
  tellStep,
  until,
} from './demo-http.ts'
import { CommandFailed } from './failure.ts'
import { layOut, money, outline } from './table.ts'
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

/** A rail seals, sends and fetches within seconds; a loaded machine takes longer. */
const STAGE_TIMEOUT_MS = 60_000
/** Payouts that are made together go into one file. */
const GATHER_MS = 1_500

export async function demoBank(named_url: string | undefined, over_sftp: boolean): Promise<void> {
  const url = await findService(named_url)
  const folder = await mkdtemp(join(tmpdir(), 'corridor-demo-bank-'))
  const steps: BankDemoStep[] = []
  const tell = (step: BankDemoStep) => {
    steps.push(step)
    if (!running.json) tellStep(steps.length, ...told(step))
  }
  const interrupt = listenForInterrupt()
  const { signal } = interrupt
  try {
    await runWithBank({ url, folder, over_sftp, signal }, tell)
  } finally {
    interrupt.end()
  }
  if (running.json) printJson(steps)
}

interface Place {
  readonly url: string
  readonly folder: string
  readonly over_sftp: boolean
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

/** The first Ctrl-C ends the demonstration in order, the second ends the process. */
function listenForInterrupt() {
  const stopping = new AbortController()
  const stop = () => {
    process.stderr.write('\nstopping: its route and its fee go away, its rail is paused\n')
    stopping.abort(new CommandFailed('the demonstration was stopped'))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const end = () => void process.off('SIGINT', stop).off('SIGTERM', stop)
  return { signal: stopping.signal, end }
}

async function runWithBank(place: Place, tell: (step: BankDemoStep) => void): Promise<void> {
  const files: ShownFile[] = []
  const sftp = { port: 0, user: 'corridor', password: crypto.randomUUID() }
  // The bank is an example, and no other command needs it.
  const { startBank } = await import('../../examples/bank/start.ts')
  const { validate } = await import('../../examples/bank/schema.ts')
  const started = await startBank({
    folder: place.folder,
    validate,
    tell: (what, name, bytes) => {
      if (what !== 'took' && what !== 'sent') throw new CommandFailed(`the bank has ${what}`)
      const content = Buffer.from(bytes).toString('utf8')
      files.push({ step: 'file', by: what === 'sent' ? 'bank' : 'corridor', name, content })
    },
    ...(place.over_sftp && { sftp }),
  })
  try {
    const bank = { folder: place.folder, server: started.sftp, ...sftp, fee: FEE }
    const account = await withContext(context => setUpBankDemo(context, bank))
    try {
      tell({ step: 'bank', folder: place.folder, rail: account.rail })
      tell({ step: 'account', ...account.shown })
      const { authorization } = account
      await payThroughBank({ ...place, started, files, authorization, tell })
    } finally {
      await withContext(context => endBankDemo(context, account, bank))
    }
  } finally {
    await started.close()
  }
}

interface Parts extends Place {
  readonly started: Started
  /** What the bank has taken and sent, but is not shown yet. */
  readonly files: ShownFile[]
  readonly authorization: string
  readonly tell: (step: BankDemoStep) => void
}

/** The bank works a round whenever the results of the round before have arrived. */
async function payThroughBank(parts: Parts): Promise<void> {
  const { tell, started } = parts
  const [first, second] = await pay(parts)
  await wait(parts, 'the service has put a file into its outbox', () => started.bank.busy)
  await new Promise(resolve => setTimeout(resolve, GATHER_MS))
  await work(parts)
  await wait(parts, 'the service has fetched the report', () => isFetched(parts))
  await work(parts)
  await tellStatuses(parts, { [first]: 'succeeded', [second]: 'succeeded' })
  await work(parts)
  await tellStatuses(parts, { [second]: 'reversed' })
  await work(parts)
  await wait(parts, 'the service has fetched the statement', () => isFetched(parts))
  for (const id of [first, second]) {
    tell({ step: 'timeline', ...(await get(parts, `/v3/payout/${id}/timeline`)) })
  }
  tell({ step: 'balance', ...(await get(parts, '/v3/balance')) })
  const paid = countPaid(started)
  tell({ step: 'paid', ...paid })
  if (paid.most !== 1) throw new CommandFailed('the bank has not paid each payment once')
}

async function pay(parts: Parts): Promise<[string, string]> {
  const known = () => ask(parts, { method: 'GET', path: '/v3/balance' })
  await until(KEY_TIMEOUT_MS, known, ({ response }) => response.status === 401)
  const post = { method: 'POST', path: '/v3/payout' }
  const posted = AMOUNTS.map((amount, i) =>
    ask(parts, { ...post, body: payoutBody(amount, i + 1) }),
  )
  const exchanges = (await Promise.all(posted)).map(succeeded)
  for (const exchange of exchanges) parts.tell({ step: 'payout', ...exchange })
  const [first = '', second = ''] = exchanges.map(({ response }) => response.body.data.id)
  return [first, second]
}

function ask({ url, signal, authorization }: Parts, request: Exchange['request']) {
  signal.throwIfAborted()
  return send(url, authorization, request)
}

async function get(parts: Parts, path: string): Promise<Exchange> {
  return succeeded(await ask(parts, { method: 'GET', path }))
}

/** One round of the bank, and its files. */
async function work({ started, files, tell }: Parts): Promise<void> {
  await started.bank.work()
  for (const file of files.splice(0)) tell(file)
}

async function isFetched({ folder }: Parts): Promise<boolean> {
  return (await readdir(join(folder, 'from-bank'))).length === 0
}

async function tellStatuses(parts: Parts, wanted: Readonly<Record<string, string>>) {
  for (const [id, status] of Object.entries(wanted)) {
    const isOther = ({ response }: Exchange) => response.body.data.status !== status
    const seen = await until(STAGE_TIMEOUT_MS, () => get(parts, `/v3/payout/${id}`), isOther)
    if (isOther(seen)) {
      const is = seen.response.body.data.status
      throw new CommandFailed(`payout ${id} is ${is}, and not ${status}${HINT}`)
    }
    parts.tell({ step: 'status', ...seen })
  }
}

async function wait(
  { signal }: Parts,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  const look = async () => {
    signal.throwIfAborted()
    return holds()
  }
  const seen = await until(STAGE_TIMEOUT_MS, look, is_seen => !is_seen)
  if (!seen) throw new CommandFailed(`not seen: ${what}${HINT}`)
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

/** How many payments the bank's own ledger has, and how often it has the most frequent one. */
function countPaid({ bank }: Started) {
  const times = [...bank.ledger.timesPaid().values()]
  return { payments: times.length, most: Math.max(...times) }
}

/** A title, and the lines below it. */
function told(step: BankDemoStep): string[] {
  switch (step.step) {
    case 'bank': {
      const title = 'A bank of our own, and a rail to it'
      return [title, `Its files stay in ${step.folder}`, ...layOut(step.rail)]
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
      return ['A payout', ...request(step), answered(step), ...layOut({ id, status, created_at })]
    }
    case 'status': {
      const { amount, currency, ...rest } = step.response.body.data
      const { id, status, failure, tracking_details } = rest
      const title = `The payout of ${money(currency, BigInt(amount))} is ${status}`
      return [title, ...request(step), ...layOut({ id, status, failure, tracking_details })]
    }
    case 'paid': {
      const { payments, most } = step
      const times = most === 1 ? 'each once' : `one ${most} times`
      return ['The bank’s own ledger', `${payments} payments, ${times}`]
    }
    default: {
      const title = step.step === 'timeline' ? 'How it went' : 'What is left'
      return [title, ...request(step), answered(step), ...layOut(step.response.body)]
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
