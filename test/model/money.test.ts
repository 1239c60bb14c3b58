// Money against a model: random histories of funding, quotes, payouts, settlement, failures, reversals,
// cancellations, expiry, transfers and repeated requests through the real service and database. The
// model (world.ts) says every answer and balance beforehand; after every step the six invariants of
// books.ts hold. A failure is shrunk and printed with the SEED that brings it back.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { connect, type Sql } from '../../src/sql/connect.ts'
import { verifyBooks } from '../support/assert/books.ts'
import { pickSeed } from '../support/service/process.ts'
import { type Client, startTestService, type TestService } from '../support/service/service.ts'
import { share } from '../support/share.ts'
import { anyCommand, RATES } from './commands.ts'
import { Driver, type Tally } from './driver.ts'
import { type FeeRow, PIVOT, SPREAD_BPS } from './price.ts'
import { RAIL_DELAY_S } from './rail.ts'
import { ACCOUNTS, type Real } from './step.ts'
import { QUOTE_VALID_S, type World } from './world.ts'

/** `RUNS=20` for a short look. */
const RUNS = Number(process.env.RUNS ?? share(4, 5_000))
/** A run has any number up to this of commands, on average half of it. */
const MAX_COMMANDS = share(200, 400)
/** Runs side by side, each in a database of its own: the settling worker works for all accounts. */
const POOLS = share(1, 4)
/** Runs whose accounts are opened together. */
const STOCK = 10
/** Of the five minutes that a test file has: after this no run begins, on a machine that is busy. */
const SEARCH_MS = share(170_000, Number.POSITIVE_INFINITY)
/** How long a failure is made smaller. */
const SHRINK_MS = share(90_000, 1_800_000)

const FEES: readonly FeeRow[] = [
  fee('local', null, 'USD', { fixed_amount: 25n, variable_bps: 35, maximum_amount: 5_000n }),
  fee('local', 'JPY', 'JPY', { fixed_amount: 90n, variable_bps: 10, minimum_amount: 20n }),
  fee('swift', null, 'USD', { fixed_amount: 1_500n, variable_bps: 12, minimum_amount: 100n }),
]

function fee(type: string, currency: string | null, of: string, part: Partial<FeeRow>): FeeRow {
  const none = { fixed_amount: 0n, variable_bps: 0, minimum_amount: null, maximum_amount: null }
  return { payout_type: type, payout_currency: currency, fee_currency: of, ...none, ...part }
}

/** `SEED=7`, or `SEED=7,12:0:1,AB:C` for one failure: its pool's seed and where it was found. */
const [seed = '', path = '', replayPath] = (process.env.SEED ?? String(pickSeed())).split(',')

/** The failure that was first; other pools have nothing to do any more. */
let first: { readonly pool: Pool; readonly until: number } | undefined
let search_until = Number.POSITIVE_INFINITY

class Pool {
  readonly #service: TestService
  readonly #sql: Sql
  readonly #tally: Tally
  #stock: Client[] = []
  #runs = 0
  #steps = 0

  constructor(service: TestService, tally: Tally) {
    this.#service = service
    this.#sql = connect(service.database.url, { max: 1, as: 'owner', look_ups: true })
    this.#tally = tally
  }

  /** One history on fresh accounts, or none once that is of no use. Throws with all that was done. */
  async run(commands: Iterable<fc.AsyncCommand<World, Real, true>>): Promise<void> {
    const over = performance.now() > (first?.until ?? search_until)
    if (over || (first !== undefined && first.pool !== this)) return
    const clients = await this.#open()
    const driver = new Driver({ service: this.#service, sql: this.#sql }, clients, this.#tally)
    const model = worldOf(clients)
    try {
      await driver.start(model)
      await fc.asyncModelRun(() => ({ model, real: driver }), commands)
      await driver.finish(model)
    } catch (error) {
      first ??= { pool: this, until: performance.now() + SHRINK_MS }
      const steps = driver.transcript.map((line, i) => `${i + 1}. ${line}`).join('\n')
      throw new Error(`${error instanceof Error ? error.message : error}\n${steps}`, {
        cause: error,
      })
    }
    this.#runs += 1
    this.#steps += driver.transcript.length
  }

  get runs(): number {
    return this.#runs
  }

  get steps(): number {
    return this.#steps
  }

  /** All that all runs have left. */
  checkBooks() {
    return verifyBooks(this.#service.database.owner)
  }

  async close(): Promise<void> {
    await this.#sql.end()
    await this.#service.close()
  }

  async #open(): Promise<Client[]> {
    if (this.#stock.length === 0) {
      const options = Array.from({ length: STOCK }, () => ACCOUNTS).flat()
      const sandboxes = options.map(option => ({ ...option, sandbox: true }))
      this.#stock = await this.#service.openAccounts(sandboxes)
    }
    return this.#stock.splice(0, ACCOUNTS.length)
  }
}

function worldOf(clients: readonly Client[]): World {
  const accounts = clients.map(({ account }, i) => ({
    currencies: account.currencies,
    primary: account.primary_currency,
    deposit_address: account.deposit_address,
    balances: new Map(Object.entries(ACCOUNTS[i]?.fund ?? {})),
    ahead_s: 0,
  }))
  const none = { quotes: [], payouts: [], beneficiaries: [], bookings: [], kept: [] }
  return { accounts, ...none, fees: FEES, rates: RATES[0] ?? {} }
}

const pools: Pool[] = []
const tally: Tally = new Map()
before(async () => {
  const open = async () => {
    const service = await startTestService({
      lanes: 1,
      read_connections: 2,
      pricing: { pivot: PIVOT, spread_bps: SPREAD_BPS, quote_validity_s: QUOTE_VALID_S },
      simulator_delay_ms: RAIL_DELAY_S * 1000,
    })
    await service.setFees(FEES)
    pools.push(new Pool(service, tally))
  }
  await Promise.all(Array.from({ length: path === '' ? POOLS : 1 }, open))
})
after(() => Promise.all(pools.map(pool => pool.close())))

/** What must happen at least once in 4,000 steps, or the runs prove nothing of it. */
const MUST_HAPPEN = [
  ...[
    'sandbox/fund',
    'payout/quote',
    'payout',
    'payout/cancel',
    'sandbox/payout/transition',
  ].flatMap(kind => [`${kind}: done`, `${kind}: replayed`]),
  'payout/action: done',
  'settle: due',
  ...['succeeded', 'failed', 'reversed', 'compliance_hold'].map(status => `ended ${status}`),
  ...['amount_mismatch', 'rate_unavailable'].map(reason => `payout/quote: ${reason}`),
  ...[
    'quote_expired',
    'quote_used',
    'quote_mismatch',
    'insufficient_balance',
    'idempotency_key_reused',
    'deposit_address_not_found',
    'deposit_currency_not_accepted',
  ].map(reason => `payout: ${reason}`),
  'payout/cancel: payout_not_cancellable',
  'sandbox/payout/transition: invalid_transition',
]

/** Resolves to what a failure is to be printed as, undefined when there is none. */
async function search(pool: Pool, seed: number): Promise<string | undefined> {
  const commands = fc.commands([anyCommand], {
    maxCommands: MAX_COMMANDS,
    size: 'max',
    ...(replayPath !== undefined && { replayPath }),
  })
  const found = await fc.check(
    fc.asyncProperty(commands, all => pool.run(all)),
    { numRuns: RUNS / POOLS, seed, path },
  )
  if (!found.failed) return undefined
  const replay = /replayPath="([^"]*)"/.exec(String(found.counterexample))?.[1] ?? ''
  const again = `SEED=${found.seed},${found.counterexamplePath},${replay} npm test -- model`
  const error = found.errorInstance
  return `${again}\n${found.counterexample}\n${error instanceof Error ? error.message : error}`
}

test(`money model, ${RUNS} random runs of up to ${MAX_COMMANDS} commands: answers and balances equal the model's, six invariants hold after every step`, async t => {
  t.diagnostic(`SEED=${seed}`)
  const started = performance.now()
  search_until = started + SEARCH_MS
  const failures = await Promise.all(pools.map((pool, i) => search(pool, Number(seed) + i)))
  const seconds = (performance.now() - started) / 1000
  const runs = pools.reduce((sum, pool) => sum + pool.runs, 0)
  const steps = pools.reduce((sum, pool) => sum + pool.steps, 0)
  t.diagnostic(`${runs} runs, ${steps} steps in ${seconds.toFixed(1)} s`)
  for (const [name, count] of [...tally].sort()) t.diagnostic(`${name}: ${count}`)
  const found = failures.find((_, i) => pools[i] === first?.pool)
  if (found !== undefined) assert.fail(found)
  for (const pool of pools) await pool.checkBooks()
  const rare = MUST_HAPPEN.filter(name => (tally.get(name) ?? 0) < Math.floor(steps / 4_000))
  assert.deepEqual(rare, [], 'the runs do not reach this often enough')
})
