// A service with a rail to a chain of the test: anvil behind providers that may lie, hot wallets with
// money, and a live account whose wallet payouts go there. What was paid is judged by the chain alone.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { ANVIL_ID, type Anvil, type Hex, startAnvil } from '../../../examples/chain/anvil.ts'
import { type KeyFile, makeKeyFile } from '../../../examples/chain/keystore.ts'
import {
  type Moved,
  type Token,
  type TokenKind,
  tokenAt,
  transfersOn,
} from '../../../examples/chain/token.ts'
import type { KindName } from '../../../src/rails/kind.ts'
import { insertRail, updateRail } from '../../../src/rails/row-store.ts'
import type { TestDatabase } from '../database/database.ts'
import { type Listening, startListening } from '../service/listening.ts'
import { type Environment, until } from '../service/process.ts'
import { type Client, startTestService, type TestService } from '../service/service.ts'
import { payAll } from '../service/settling.ts'
import { type Provider, Rulebook, startProvider } from './proxy.ts'

/** The chain of the payouts; anvil stands in for it. */
export const NETWORK = 'polygon'
/** Its pace in the settings where blocks come by hand: how long the rail waits for one. */
const BLOCK_MS = 40
/** How far a provider may be behind the others. */
const LAG_BLOCKS = 3
/** The rail's name. */
export const RAIL = 'chain'

export type Currency = 'USDC' | 'USDT'

export interface ChainOptions {
  /** The places of both tokens; 6 by default. */
  readonly decimals?: number
  /** False: the node refuses a number whose predecessor it does not have. */
  readonly keeps_pending?: boolean
  /** 0: blocks come only by `mine`, and by those helpers that say so. */
  readonly block_time_s?: number
  /** How many newer blocks make a block final. */
  readonly finality?: number
  readonly wallets?: number
  readonly providers?: number
  readonly usdc?: TokenKind
  /** Settings of the rail in place of the usual ones. */
  readonly settings?: object
  /** Variables of the services. */
  readonly env?: Environment
}

/** A payout of the test and its payee, whom no other payout pays. */
export interface Made {
  readonly id: string
  readonly payee: Hex
  readonly amount: bigint
  readonly currency: Currency
}

export interface PayOptions {
  readonly currency?: Currency
  /** Minor units, by default 1.000000. */
  readonly amount?: bigint
  /** Instead of a new payee for each. */
  readonly payee?: Hex
}

/** Each wallet has so many whole tokens, and so many coins for gas. */
const WHOLE_TOKENS = 1_000_000n
const COINS = 10n ** 20n

export class ChainWorld {
  readonly service: TestService
  readonly live: Client
  /** The places of both tokens. */
  readonly decimals: number
  readonly anvil: Anvil
  readonly book: Rulebook
  readonly providers: readonly Provider[]
  readonly wallets: readonly KeyFile[]
  readonly tokens: Readonly<Record<Currency, Token>>
  /** The variables of a service on this database. */
  readonly env: Readonly<Record<string, string>> & { readonly DATABASE_URL: string }
  readonly made: Made[] = []
  readonly #settings: object
  #present: object
  readonly #folder: string
  readonly #running = new Set<Listening>()
  #payees = 0
  #left = false

  constructor(
    parts: Pick<ChainWorld, 'service' | 'live' | 'anvil' | 'book' | 'providers' | 'wallets'> &
      Pick<ChainWorld, 'decimals' | 'tokens' | 'env'> & {
        readonly folder: string
        readonly settings: object
      },
  ) {
    this.service = parts.service
    this.live = parts.live
    this.decimals = parts.decimals
    this.anvil = parts.anvil
    this.book = parts.book
    this.providers = parts.providers
    this.wallets = parts.wallets
    this.tokens = parts.tokens
    this.env = parts.env
    this.#settings = parts.settings
    this.#present = parts.settings
    this.#folder = parts.folder
  }

  get wallet(): KeyFile {
    return this.wallets[0] ?? assert.fail('no wallet')
  }

  /** Ends all sessions on the database, so that it can be copied. */
  async leave(): Promise<void> {
    this.#left = true
    await this.service.disconnect()
  }

  /** The same chain with a copy of the database. */
  on(database: TestDatabase): ChainWorld {
    const service = { ...this.service, database }
    const env = { ...this.env, DATABASE_URL: database.url }
    const [settings, folder] = [this.#settings, this.#folder]
    const other = new ChainWorld({ ...this, service, env, settings, folder })
    other.made.push(...this.made)
    return other
  }

  /** Runs the service with its workers in this process. */
  async start(env: Environment = {}): Promise<Listening> {
    const listening = await startListening({ ...this.env, ...env })
    this.#running.add(listening)
    return {
      ...listening,
      close: async () => {
        if (this.#running.delete(listening)) await listening.close()
      },
    }
  }

  /** Gives the rail other settings, as an operator does, and waits until a service has them. */
  async set(settings: object): Promise<void> {
    const before = this.#timesOpened()
    const config = { ...this.#settings, ...settings }
    const row = { name: RAIL, kind: KIND, config, secret: secretOf(this.providers) }
    await updateRail(this.service.deps.sql, { ...row, paused_reason: '' })
    await this.service.deps.reference.refresh()
    const is_same = JSON.stringify(config) === JSON.stringify(this.#present)
    this.#present = config
    if (this.#running.size === 0 || is_same) return
    await until('the rail has its new settings', () => this.#timesOpened() > before)
  }

  /** A rail that is opened asks its providers for their chain; an open one does so each minute. */
  #timesOpened(): number {
    return this.providers[0]?.asked.get('eth_chainId') ?? 0
  }

  /** More blocks than a provider may be behind: whatever the rail asks is as of one of them. */
  async untilSeen(): Promise<void> {
    await this.anvil.mine(LAG_BLOCKS + 1)
  }

  /** An amount of the books in the smallest units of a token. */
  units(amount: bigint): bigint {
    return amount * 10n ** BigInt(this.decimals - 6)
  }

  /** An address that no other payout pays. */
  newPayee(): Hex {
    this.#payees += 1
    const seed = `payee ${this.#payees} of ${this.wallet.address}`
    return `0x${createHash('sha256').update(seed).digest('hex').slice(0, 40)}`
  }

  async pay(count = 1, options: PayOptions = {}): Promise<Made[]> {
    const made: Made[] = []
    while (made.length < count) {
      made.push(...(await this.#payAtOnce(Math.min(200, count - made.length), options)))
    }
    this.made.push(...made)
    return made
  }

  async #payAtOnce(count: number, options: PayOptions): Promise<Made[]> {
    const { currency = 'USDC', amount = 1_000_000n } = options
    const payees = Array.from({ length: count }, () => options.payee ?? this.newPayee())
    const bodies = payees.map(payee => walletPayout({ payee, currency, amount }))
    const outcomes = await payAll(this.service, this.live, bodies)
    return outcomes.map(({ outcome }, i) => {
      const { id } = outcome?.payout ?? assert.fail('no payout')
      return { id, payee: payees[i] ?? '0x', amount, currency }
    })
  }

  async payOne(options: PayOptions = {}): Promise<Made> {
    return (await this.pay(1, options))[0] ?? assert.fail('no payout')
  }

  async statuses(made: readonly Pick<Made, 'id'>[] = this.made): Promise<Map<string, string>> {
    const ids = made.map(({ id }) => id)
    const rows = await this.service.database.owner<{ id: string; status: string }[]>`
      select id, status from payout_states where id = any (${ids}::text[])`
    return new Map(rows.map(({ id, status }) => [id, status]))
  }

  async statusOf({ id }: Pick<Made, 'id'>): Promise<string> {
    return (await this.statuses([{ id }])).get(id) ?? 'none'
  }

  /** The rail is asked at once about payouts that nobody asks about now. */
  async hurry(): Promise<void> {
    await this.service.database.owner`
      with late as (
        select account_id, id from open_payouts
        where status <> 'succeeded' and (claimed_until is null
          or claimed_until <= statement_timestamp()) and ask_rail_at > statement_timestamp()
        for no key update skip locked)
      update open_payouts o set ask_rail_at = statement_timestamp()
      from late where o.account_id = late.account_id and o.id = late.id`
  }

  /** As if enough time had passed since the kill of every service: what they held is free. */
  async leasesRunOut(): Promise<void> {
    const { owner } = this.service.database
    await owner`update open_payouts set claimed_until = null where claimed_until is not null`
    await owner`update evm_wallets set held_until = '-infinity'`
    await owner`update rail_exchanges set held_until = '-infinity'`
  }

  /** Makes blocks, and asks, until the payouts have this status. */
  async untilStatus(status: string, made: readonly Made[] = this.made): Promise<void> {
    await this.whileMining(`all ${status}`, async () => {
      const now = await this.statuses(made)
      return made.every(({ id }) => now.get(id) === status)
    })
  }

  /** Makes a block and asks, again and again, until `done` is true. */
  async whileMining(what: string, done: () => Promise<boolean>): Promise<void> {
    await this.#until(what, done, () => this.anvil.mine())
  }

  /** As whileMining, without blocks. */
  async whileAsking(what: string, done: () => Promise<boolean>): Promise<void> {
    await this.#until(what, done, () => Promise.resolve())
  }

  async #until(what: string, done: () => Promise<boolean>, act: () => Promise<void>) {
    const step = async () => {
      if (await done()) return true
      await act()
      await this.hurry()
      return false
    }
    try {
      await until(what, step)
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${await this.#words()}`, { cause: error })
    }
  }

  /** What a hang is understood by. */
  async #words(): Promise<string> {
    const { owner } = this.service.database
    const rows = await owner`
      select s.payout_id, s.attempt, s.nonce, s.state, p.status, s.suspect_at, s.void_as,
        (select json_agg(json_build_array(t.number, t.kind, t.sends, t.block, t.last_answer))
         from evm_transactions t where t.chain_id = s.chain_id and t.wallet = s.wallet
           and t.nonce = s.nonce) as transactions
      from evm_slots s left join open_payouts p on p.id = s.payout_id
      where s.ended_at is null or p.id is not null order by s.id limit 10`
    const waiting = await owner`
      select id, status, rail, rail_attempts, ask_rail_at - statement_timestamp() as asked_in,
        claimed_until - statement_timestamp() as claimed_for
      from open_payouts where status <> 'succeeded' limit 5`
    const troubles = await owner`select wallet, kind, message from evm_troubles`
    const exceptions = await owner`
      select kind, message from rail_exceptions where closed_at is null limit 5`
    const wallets = await owner`select address, next_nonce, state, problem from evm_wallets`
    const head = await this.anvil.head()
    const all = { head, wallets, troubles, exceptions, waiting, slots: rows }
    return JSON.stringify(all, (_, value) => (typeof value === 'bigint' ? String(value) : value), 1)
  }

  /** The slots of the rail, in order of nonce. */
  async slots(): Promise<Slot[]> {
    return this.service.database.owner<Slot[]>`
      select payout_id, attempt, nonce::integer as nonce, wallet, state, purpose
      from evm_slots order by wallet, nonce nulls first, id`
  }

  async slotOf({ id }: Pick<Made, 'id'>): Promise<Slot | undefined> {
    const slots = (await this.slots()).filter(({ payout_id }) => payout_id === id)
    return slots.toSorted((a, b) => a.attempt - b.attempt).at(-1)
  }

  async untilSlot(made: Pick<Made, 'id'>, ...states: readonly string[]): Promise<void> {
    await this.whileAsking(`slot of ${made.id} is ${states.join(' or ')}`, async () => {
      return states.includes((await this.slotOf(made))?.state ?? '')
    })
  }

  /** The transactions that were signed for a payout, oldest first. */
  async transactionsOf({ id }: Pick<Made, 'id'>): Promise<Signed[]> {
    return this.service.database.owner<Signed[]>`
      select t.hash, t.kind, t.number::integer as number, t.max_fee::text as max_fee,
        t.tip::text as tip
      from evm_transactions t join evm_slots s
        on s.chain_id = t.chain_id and s.wallet = t.wallet and s.nonce = t.nonce
      where s.payout_id = ${id} order by s.attempt, t.number`
  }

  /** The open exceptions of a payout, by kind. */
  async exceptionsOf({ id }: Pick<Made, 'id'>): Promise<string[]> {
    const rows = await this.service.database.owner<{ kind: string }[]>`
      select kind from rail_exceptions where payout_id = ${id} and closed_at is null order by number`
    return rows.map(({ kind }) => kind)
  }

  async failureOf({ id }: Pick<Made, 'id'>): Promise<Failure | null> {
    const answer = await this.live.get(`/v3/payout/${id}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data.failure
  }

  /** All transfers of both tokens, as the chain has them now. */
  transfers(): Promise<Moved[]> {
    return transfersOn(
      this.anvil,
      Object.values(this.tokens).map(({ address }) => address),
    )
  }

  /** How often the chain has paid each payee of these payouts, and how much. */
  async chainPaid(made: readonly Made[] = this.made): Promise<Map<string, readonly bigint[]>> {
    const moved = Map.groupBy(await this.transfers(), ({ to }) => to)
    return new Map(made.map(({ id, payee }) => [id, (moved.get(payee) ?? []).map(m => m.units)]))
  }

  /**
   * Compares the chain with the books: those that succeeded are paid once and to the unit, the others
   * not at all; the numbers of each wallet have no gap.
   */
  async checkPaidOnce(made: readonly Made[] = this.made): Promise<void> {
    const [paid, now] = [await this.chainPaid(made), await this.statuses(made)]
    const wrong = made.filter(({ id, amount }) => {
      const units = paid.get(id) ?? []
      const should = now.get(id) === 'succeeded' ? [this.units(amount)] : []
      return JSON.stringify(units.map(String)) !== JSON.stringify(should.map(String))
    })
    assert.deepEqual(wrong, [], 'paid by the chain as the books say')
    await this.checkGaps()
  }

  /** No number of a wallet is left out, and the chain knows none that the books do not. */
  async checkGaps(): Promise<void> {
    const rows = await this.service.database.owner<Numbers[]>`
      select w.address as wallet, w.next_nonce::integer as next, min(s.nonce)::integer as first,
        count(s.nonce)::integer as used
      from evm_wallets w join evm_slots s on s.chain_id = w.chain_id and s.wallet = w.address
      group by w.chain_id, w.address`
    for (const { wallet, next, first, used } of rows) {
      const sent = Number(await this.anvil.ask('eth_getTransactionCount', [wallet, 'latest']))
      assert.equal(used, next - first, `numbers of ${wallet} from ${first} to ${next}`)
      assert.ok(sent <= next, `${wallet} has sent ${sent}, and the books know ${next}`)
    }
  }

  /** What keeps payments waiting, as `no_gas` for a wallet or the rail. */
  async troubles(): Promise<string[]> {
    const rows = await this.service.database.owner<{ kind: string }[]>`
      select distinct kind from evm_troubles where rail = ${RAIL} order by kind`
    return rows.map(({ kind }) => kind)
  }

  /** The troubles, a line each: `no_gas: low: …`. */
  async troubleWords(): Promise<string> {
    const rows = await this.service.database.owner<{ words: string }[]>`
      select concat(kind, ': ', message) as words from evm_troubles where rail = ${RAIL}
      order by kind, wallet`
    return rows.map(({ words }) => words).join('\n')
  }

  async untilTrouble(kind: string): Promise<void> {
    await this.whileAsking(`trouble ${kind}`, async () => (await this.troubles()).includes(kind))
  }

  /** The state of the first wallet, and why it is stopped. */
  async walletState(): Promise<string> {
    const rows = await this.service.database.owner<{ words: string }[]>`
      select concat_ws(' ', state, nullif(stopped_as, '')) as words from evm_wallets
      where address = ${this.wallet.address}`
    return rows[0]?.words ?? 'none'
  }

  /** Every byte that a provider was given was stored before: it is in the table. */
  async checkOnlyStored(): Promise<void> {
    const rows = await this.service.database.owner<{ raw: string }[]>`
      select raw from evm_transactions`
    const stored = new Set(rows.map(({ raw }) => raw))
    for (const { name, broadcasts } of this.providers) {
      const unknown = broadcasts.filter(raw => !stored.has(raw))
      assert.deepEqual(unknown, [], `bytes that ${name} was given`)
    }
  }

  async close(): Promise<void> {
    for (const listening of this.#running) await listening.close()
    await (this.#left ? this.service.database.drop().catch(() => {}) : this.service.close())
    await closeChain(this.providers, this.anvil)
    await rm(this.#folder, { recursive: true, force: true })
  }
}

export interface Slot {
  readonly payout_id: string
  readonly attempt: number
  readonly nonce: number | null
  readonly wallet: Hex
  readonly state: string
  readonly purpose: string
}

interface Numbers {
  readonly wallet: Hex
  /** The next one that the books give. */
  readonly next: number
  readonly first: number
  readonly used: number
}

export interface Signed {
  readonly hash: Hex
  readonly kind: string
  readonly number: number
  readonly max_fee: string
  readonly tip: string
}

export interface Failure {
  readonly code: string
  readonly category: string
  readonly message: string
}

const KIND = 'evm' as KindName

/** Without it no rail pays on anvil. */
const VARIABLES = { CORRIDOR_TEST_CHAINS: String(ANVIL_ID) }
// Kinds of rails read it, and have no settings of the service.
Object.assign(process.env, VARIABLES)

const secretOf = (providers: readonly Provider[]) =>
  providers.map(({ name, key }) => `${name}=${key}`).join('\n')

async function closeChain(providers: readonly Provider[], anvil: Anvil): Promise<void> {
  for (const provider of providers) await provider.close()
  await anvil.close()
}

/** A payout of this many minor units to an address of the chain. */
export function walletPayout({
  payee,
  currency,
  amount,
}: Pick<Made, 'payee' | 'currency' | 'amount'>) {
  return {
    ...{ amount: Number(amount), currency, type: 'wallet', purpose: 'supplier_payment' },
    transaction_description: 'Invoice 2041',
    beneficiary_details: {
      name: 'Harbour Trading Ltd',
      type: 'business',
      address: { line1: '1 Queen’s Road', city: 'Hong Kong', country: 'HK' },
      destination_details: {
        type: 'wallet',
        wallet: { deposit_address: payee, type: NETWORK, currency },
      },
    },
  }
}

/** The addresses of the tokens. On a test chain any are right. */
const USDC: Hex = `0x${'dc'.repeat(20)}`
const USDT: Hex = `0x${'d7'.repeat(20)}`

/** The settings of a rail to these providers with these wallets. */
export function settingsOf(
  { providers, wallets }: Pick<ChainWorld, 'providers' | 'wallets'>,
  { decimals = 6, keeps_pending = true, block_time_s = 0 }: ChainOptions = {},
) {
  const block_ms = block_time_s * 1_000 || BLOCK_MS
  return {
    chain: NETWORK,
    test_chain: { id: ANVIL_ID, block_ms, final_ms: 10 * block_ms, keeps_pending },
    tokens: { USDC: { address: USDC, decimals }, USDT: { address: USDT, decimals } },
    providers: providers.map(({ name, url }) => ({ name, url, per_second: 1_000 })),
    allow_private: true,
    wallets: wallets.map(({ address, path, passphrase_file }) => ({
      address,
      signer: { kind: 'keystore', path, passphrase_file },
    })),
    in_flight: 16,
    settles_on: 'finalized',
    bump_after_blocks: 8,
    lag_blocks: LAG_BLOCKS,
    fees: { max_fee_gwei: '1000', max_cost: '1' },
    max_payout: '250000',
    max_day: '2000000',
    gas_low: 200,
    gas_critical: 50,
    tag: true,
  }
}

const WORDS = ['one', 'two', 'three', 'four', 'five']

async function openChain(options: ChainOptions, folder: string) {
  const { block_time_s = 0, finality = 3, usdc = 'UsdcLike' } = options
  const { decimals = 6, keeps_pending = true } = options
  const anvil = await startAnvil({ block_time_s })
  const book = new Rulebook(anvil, finality)
  book.keeps_pending = keeps_pending
  const names = WORDS.slice(0, options.providers ?? 2)
  const providers = await Promise.all(names.map(name => startProvider(book, name)))
  const wallets: KeyFile[] = []
  for (let i = 0; i < (options.wallets ?? 1); i++) {
    wallets.push(await makeKeyFile(folder, `wallet-${i + 1}`))
  }
  const tokens = {
    USDC: await tokenAt(anvil, usdc, USDC, decimals),
    USDT: await tokenAt(anvil, 'UsdtLike', USDT, decimals),
  }
  for (const { address } of wallets) {
    await anvil.give(address, COINS)
    for (const token of Object.values(tokens)) {
      await token.mint(address, WHOLE_TOKENS * 10n ** BigInt(decimals))
    }
  }
  // The numbers of a wallet are taken once all heads agree.
  await anvil.mine(finality + 1)
  return { decimals, anvil, book, providers, wallets, tokens }
}

/** Opens a world; its rail is there, and no service runs yet. */
export async function openChainWorld(options: ChainOptions = {}): Promise<ChainWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-wallets-'))
  const chain = await openChain(options, folder)
  // The service that runs beside it works, and this one only writes.
  const service = await startTestService({ settle: false })
  await service.setFees([{ payout_type: 'wallet' }])
  const fund = { USDC: 10n ** 15n, USDT: 10n ** 15n }
  const currencies = Object.keys(fund)
  const live = await service.openAccount({ currencies, fund, sandbox: false })
  const settings = { ...settingsOf(chain, options), ...options.settings }
  const row = { name: RAIL, kind: KIND, config: settings, secret: secretOf(chain.providers) }
  assert.ok(await insertRail(service.deps.sql, { ...row, paused_reason: '' }))
  await service.deps.reference.refresh()
  await service.setRoutes([{ payout_type: 'wallet', rail: RAIL }])
  const pace = { CORRIDOR_SETTLE_POLL_MS: '50' }
  const env = { DATABASE_URL: service.database.url, ...VARIABLES, ...pace, ...options.env }
  return new ChainWorld({ ...chain, service, live, folder, settings, env })
}

/** Waits so many times the pace of the rail's polls, to see that nothing happens. */
export const POLLS_MS = 600
export const someTime = () => delay(POLLS_MS)
