// corridor demo --chain: pays a wallet by a rail of kind evm on a node of this machine, and shows
// each step, what the chain says of it, and that it was paid once.
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Hex } from '../../examples/chain/anvil.ts'
import type { Moved } from '../../examples/chain/token.ts'
import type { Evidence } from '../rails/evidence.ts'
import { findEvidence } from '../rails/evidence-store.ts'
import { type Context, printJson, running, withContext } from './context.ts'
import {
  type ChainDemoSetUp,
  type DemoChain,
  endChainDemo,
  NETWORK,
  requireTestChain,
  setUpChainDemo,
  startDemoChain,
} from './demo-chain-setup.ts'
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
  until,
} from './demo-http.ts'
import { CommandFailed } from './failure.ts'
import { jsonLines, money, outline } from './table.ts'

/** One element of what --json prints. */
export type ChainDemoStep =
  | { readonly step: 'chain'; readonly node: string; readonly rail: object }
  | ({ readonly step: 'account' } & ChainDemoSetUp['shown'])
  | ({ readonly step: 'payout' | 'status' | 'timeline' | 'balance' } & Exchange)
  | ({ readonly step: 'seen' } & ReturnType<typeof presentEvidence>)
  | { readonly step: 'paid'; readonly payee: string; times: number; units: string }

/** The chain id of the node, which no chain with real money has. */
const CHAIN_ID = 31_337
/** USDC 25.000000 */
const AMOUNT = 25_000_000
/** The wait for the payment to be final: seconds, and longer on a loaded machine. */
const FINAL_TIMEOUT_MS = 60_000

/** Without `service_url`, the service is the one of this machine. */
export async function demoChain(service_url: string | undefined): Promise<void> {
  requireTestChain(CHAIN_ID)
  const url = await findService(service_url)
  const folder = await mkdtemp(join(tmpdir(), 'corridor-demo-chain-'))
  const steps: ChainDemoStep[] = []
  const showStep = (step: ChainDemoStep) => {
    steps.push(step)
    if (!running.json) printStep(steps.length, ...linesOf(step))
  }
  const interrupt = listenForInterrupt('its route and its fee go away, its rail is paused')
  const { signal } = interrupt
  try {
    const chain = await startDemoChain(folder)
    try {
      await withContext(context => runOnChain({ url, signal, chain, context, showStep }))
    } finally {
      await chain.close()
    }
  } finally {
    interrupt.end()
    await rm(folder, { recursive: true, force: true })
  }
  if (running.json) printJson(steps)
}

interface DemoOptions {
  readonly url: string
  readonly signal: AbortSignal
  readonly chain: DemoChain
  readonly context: Context
  readonly showStep: (step: ChainDemoStep) => void
}

async function runOnChain(options: DemoOptions): Promise<void> {
  const { context, chain, showStep } = options
  const demo = await setUpChainDemo(context, chain, CHAIN_ID)
  try {
    showStep({ step: 'chain', node: chain.anvil.url, rail: demo.rail })
    showStep({ step: 'account', ...demo.shown })
    await payWallet(options, demo)
  } finally {
    await endChainDemo(context, demo)
  }
}

async function payWallet(options: DemoOptions, demo: ChainDemoSetUp): Promise<void> {
  const { url, signal, chain, showStep } = options
  const { authorization, shown } = demo
  const ask = (request: Exchange['request']) => {
    signal.throwIfAborted()
    return send(url, authorization, request)
  }
  const get = async (path: string) => requireSuccess(await ask({ method: 'GET', path }))
  const readBalance = () => ask({ method: 'GET', path: '/v3/balance' })
  // The service answers 401 until it knows the new key.
  await until(KEY_TIMEOUT_MS, readBalance, ({ response }) => response.status === 401)
  const payee = payeeOf(shown.account_id)
  const post = { method: 'POST', path: '/v3/payout', body: payoutBody(payee) }
  const made = requireSuccess(await ask(post))
  showStep({ step: 'payout', ...made })
  const { id } = made.response.body.data
  const look = await followEvidence(options, { account_id: shown.account_id, id })
  const isOpen = ({ response }: Exchange) => response.body.data.status === 'processing'
  const askNow = async () => {
    await look()
    return get(`/v3/payout/${id}`)
  }
  const last = await until(FINAL_TIMEOUT_MS, askNow, isOpen)
  await look()
  const { status } = last.response.body.data
  if (status !== 'succeeded') throw new CommandFailed(`payout ${id} is ${status}${HINT}`)
  showStep({ step: 'status', ...last })
  showStep({ step: 'timeline', ...(await get(`/v3/payout/${id}/timeline`)) })
  showStep({ step: 'balance', ...(await get('/v3/balance')) })
  const paid = countPaid(await transfersTo(chain, payee), payee)
  showStep({ step: 'paid', ...paid })
  if (paid.times !== 1 || paid.units !== String(AMOUNT)) {
    throw new CommandFailed('the chain has not paid the payee once')
  }
}

const HINT =
  `; does the service run on this machine with CORRIDOR_SETTLE=on and ` +
  `CORRIDOR_TEST_CHAINS=${CHAIN_ID}? its log says what the rail does`

/** Shows what the rail has seen since the call before. */
async function followEvidence(
  { context, showStep }: DemoOptions,
  key: { readonly account_id: string; readonly id: string },
): Promise<() => Promise<void>> {
  let shown = 0
  return async () => {
    const evidence = await findEvidence(context.audit, [key])
    for (const row of evidence.slice(shown)) showStep({ step: 'seen', ...presentEvidence(row) })
    shown = evidence.length
  }
}

function presentEvidence({ code, source, position, reference, message }: Evidence) {
  return { code, source, position, reference, message }
}

/** An address that nobody has the key of. */
function payeeOf(account_id: string): Hex {
  return `0x${createHash('sha256').update(account_id).digest('hex').slice(0, 40)}`
}

async function transfersTo({ anvil, token }: DemoChain, payee: Hex): Promise<Moved[]> {
  const { transfersOn } = await import('../../examples/chain/token.ts')
  return (await transfersOn(anvil, [token.address])).filter(({ to }) => to === payee)
}

function countPaid(moved: readonly Moved[], payee: Hex) {
  const units = moved.reduce((sum, one) => sum + one.units, 0n)
  return { payee, times: moved.length, units: String(units) }
}

function payoutBody(payee: Hex) {
  return {
    amount: AMOUNT,
    currency: 'USDC',
    type: 'wallet',
    purpose: 'supplier_payment',
    transaction_description: 'Invoice 2041',
    beneficiary_details: {
      name: 'Harbour Trading Ltd',
      type: 'business',
      address: { line1: '1 Queen’s Road', city: 'Hong Kong', country: 'HK' },
      destination_details: {
        type: 'wallet',
        wallet: { deposit_address: payee, type: NETWORK, currency: 'USDC' },
      },
    },
  }
}

const SEEN: Readonly<Record<string, string>> = {
  sent: 'Signed, stored, and sent to the providers',
  mined: 'In a block, which the chain may still take back',
  reorged: 'Its block was taken back',
  replaced: 'Sent again with higher fees',
  final: 'Final: no reorganization takes it back',
  reverted: 'The token has refused it, and that is final',
}

function linesOf(step: ChainDemoStep): string[] {
  switch (step.step) {
    case 'chain': {
      const title = 'A chain of our own, and a rail to it'
      return [title, `A node at ${step.node}, a block each second`, ...jsonLines(step.rail)]
    }
    case 'account': {
      const { account_id, name, funded } = step
      const account = `${account_id} "${name}"`
      const words = outline({ account, funded: money(funded.currency, BigInt(funded.amount)) })
      return ['A live account, with a route to that rail', ...words]
    }
    case 'seen': {
      const { step: _, code, ...rest } = step
      return [SEEN[code] ?? `Seen: ${code}`, ...jsonLines(rest)]
    }
    case 'payout': {
      const { id, status, created_at } = step.response.body.data
      const lines = jsonLines({ id, status, created_at })
      return ['A payout to a wallet', ...requestLines(step), statusWords(step), ...lines]
    }
    case 'status': {
      const { id, status, tracking_details } = step.response.body.data
      const title = `The payout is ${status}`
      return [title, ...requestLines(step), ...jsonLines({ id, status, tracking_details })]
    }
    case 'paid': {
      const { payee, times, units } = step
      const words = times === 1 ? 'one transfer' : `${times} transfers`
      return ['The chain itself', `${words} to ${payee}, ${money('USDC', BigInt(units))}`]
    }
    default: {
      const title = step.step === 'timeline' ? 'How it went' : 'What is left'
      return [title, ...requestLines(step), statusWords(step), ...jsonLines(step.response.body)]
    }
  }
}
