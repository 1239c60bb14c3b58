// The rounds of a rail on a chain whose answers are those of the test: what is signed and sent, what
// waits, and what a person is told.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Agreed, Block, Chain, Hex } from '../../src/adapters/evm/chain.ts'
import type { ChainTrouble } from '../../src/adapters/evm/chain-trouble.ts'
import { Leases } from '../../src/adapters/evm/lease.ts'
import type { OpenEvmRail } from '../../src/adapters/evm/open.ts'
import { Line, Queue } from '../../src/adapters/evm/queue.ts'
import { EvmRail } from '../../src/adapters/evm/rail.ts'
import type { Eip1559, Signer } from '../../src/adapters/evm/signer.ts'
import { addressOf, digestOf } from '../../src/adapters/evm/transaction.ts'
import { beginWallet, stopWallet } from '../../src/adapters/evm/wallet-store.ts'
import { Work } from '../../src/adapters/evm/work.ts'
import { updatePause } from '../../src/rails/row-store.ts'
import { openTold, toldSettings } from '../support/chain/told.ts'
import { walletPayout } from '../support/chain/world.ts'
import type { Client, TestService } from '../support/service/service.ts'
import { payAll, settleRound } from '../support/service/settling.ts'

const [RAIL, OTHER] = ['chain', 'other']
const KEY = secp256k1.utils.randomSecretKey()
const WALLET = addressOf(secp256k1.getPublicKey(KEY, false))
const THEIRS: Hex = `0x${'a7'.repeat(20)}`
const { settings: SETTINGS, config } = toldSettings(WALLET)
const CHAIN = config.chain.id

let service: TestService
let live: Client
before(async () => {
  ;({ service, live } = await openTold(SETTINGS, RAIL, OTHER))
})
after(() => service?.close())

const GWEI = 10n ** 9n
const BLOCK: Block = {
  ...{ number: 1_000n, hash: `0x${'f'.repeat(64)}`, base_fee: GWEI },
  at: '2026-11-30T00:00:00.000000Z',
}

/** What the chain says; each test changes some of it. */
let says: {
  tokens: bigint
  coins: bigint
  mined: bigint
  moves: () => Promise<Agreed<{ gas: bigint }>>
  troubles: readonly ChainTrouble[]
}
let broadcasts: Hex[]

const RECEIPT = {
  ...{ block: BLOCK.number, block_hash: BLOCK.hash, succeeded: true, transfers: [] },
  ...{ gas_used: 50_000n, cost_wei: 1n },
}

const agreed = <T>(value: T) => Promise.resolve({ agreed: value })

const chain = {
  head: () => agreed(BLOCK),
  final: () => agreed(BLOCK),
  settled: () => agreed(BLOCK),
  block: (number: bigint) => agreed({ ...BLOCK, number }),
  receipt: (hash: Hex) => agreed(says.mined === 0n ? null : { ...RECEIPT, hash }),
  nonce: () => agreed(says.mined),
  balance: (_: Hex, token: Hex | null) => agreed(token === null ? says.coins : says.tokens),
  frozen: () => agreed(false),
  isContract: () => agreed(false),
  simulate: () => says.moves(),
  market: () => agreed({ base_fee: GWEI, tip: 30n * GWEI }),
  transfers: () => agreed([]),
  broadcast: (raws: readonly Hex[]) => {
    broadcasts.push(...raws)
    return Promise.resolve(raws.map(() => ({ taken: 'taken', answers: 'taken' })))
  },
  troubles: () => Promise.resolve(says.troubles),
  providers: () => [],
} as unknown as Chain

const signer: Signer = {
  address: WALLET,
  sign(tx: Eip1559) {
    const options = { prehash: false, lowS: true, format: 'recovered' } as const
    const bytes = secp256k1.sign(digestOf(tx), KEY, options)
    const { r, s, recovery } = secp256k1.Signature.fromBytes(bytes, 'recovered')
    return Promise.resolve({ r, s, y: recovery === 1 ? 1 : 0 } as const)
  },
}
const broken: Signer = { address: WALLET, sign: () => Promise.reject(new Error('it is away')) }

/** A process that works on a rail: its hand-over, and its rounds. */
function open(name: string, signs: Signer = signer, isPaused = () => false) {
  const { sql, log } = service.deps
  const rail = {
    ...{ name, config, chain, sql, log, queue: new Queue(1_000), line: new Line() },
    committed: () => {},
    signers: new Map([[WALLET, signs]]),
    leases: new Leases(sql, `${name} ${Math.random()}`),
    isPaused,
  } as unknown as OpenEvmRail
  const work = new Work(rail)
  return { rail: new EvmRail(rail, work), work }
}

beforeEach(async () => {
  const { owner } = service.database
  const tables = ['evm_transactions', 'evm_transfers', 'evm_slots', 'evm_wallets', 'evm_troubles']
  for (const table of tables) {
    await owner.unsafe(`alter table ${table} disable trigger user; delete from ${table};
      alter table ${table} enable trigger user`)
  }
  await owner`update open_payouts set ask_rail_at = null where ask_rail_at is not null`
  const moves = () => agreed({ gas: 50_000n })
  says = { tokens: 10n ** 12n, coins: 10n ** 20n, mined: 0n, moves, troubles: [] }
  broadcasts = []
  const place = { chain_id: CHAIN, address: WALLET, rail: RAIL, next_nonce: 0n }
  await beginWallet(service.deps.sql, place, BLOCK)
})

/** Payouts that their rail is asked about now. */
async function pay(count: number, payee: Hex = `0x${'d2'.repeat(20)}`): Promise<string[]> {
  const body = walletPayout({ payee, currency: 'USDC', amount: 1_000_000n })
  const outcomes = await payAll(
    service,
    live,
    Array.from({ length: count }, () => body),
  )
  return outcomes.map(({ outcome }) => outcome?.payout?.id ?? assert.fail('no payout'))
}

const slots = () => service.database.owner<{ payout_id: string; state: string }[]>`
  select payout_id, state from evm_slots order by nonce nulls last`

const troubles = async () => {
  const rows = await service.database.owner<{ kind: string }[]>`
    select kind from evm_troubles order by kind`
  return rows.map(({ kind }) => kind)
}

const states = async () => (await slots()).map(({ state }) => state)

test('payout: signed once it is handed over, sent in the next round', async () => {
  const { rail, work } = open(RAIL)
  await pay(2)
  await settleRound(service, { [RAIL]: rail })
  assert.deepEqual(await states(), ['signed', 'signed'])
  await work.once()
  assert.deepEqual([await states(), broadcasts.length], [['sent', 'sent'], 2])
})

test('two processes, money for one payout: one signed, the other one waits', async () => {
  says.tokens = 1_000_000n
  const both = Promise.withResolvers<void>()
  let trying = 0
  says.moves = async () => {
    trying += 1
    // Each has read the balance once both try their transfers.
    if (trying === 2) both.resolve()
    await both.promise
    return { agreed: { gas: 50_000n } }
  }
  await pay(2)
  await askBoth(open(RAIL).rail, open(RAIL).rail)
  assert.deepEqual(await states(), ['signed'])
})

/** Both rails are asked at once, each about one of the payouts. */
async function askBoth(...rails: readonly EvmRail[]): Promise<void> {
  let next = 0
  const asked = {
    ...{ name: RAIL, key_lifetime_ms: null, inquire: () => [] },
    submit: (payouts: Parameters<EvmRail['submit']>[0]) =>
      payouts.map(payout => {
        const [report] = (rails[next++ % rails.length] as EvmRail).submit([payout])
        return report as NonNullable<typeof report>
      }),
  }
  await settleRound(service, { [RAIL]: asked as unknown as EvmRail })
}

test('payee that is the wallet of another rail: refused, nothing signed', async () => {
  const place = { chain_id: CHAIN, address: THEIRS, rail: OTHER, next_nonce: 0n }
  await beginWallet(service.deps.sql, place, BLOCK)
  await pay(1, THEIRS)
  await settleRound(service, { [RAIL]: open(RAIL).rail })
  assert.deepEqual(await states(), ['refused'])
})

test('no wallet that may sign: the payout waits, and a person is told', async () => {
  const place = { chain_id: CHAIN, address: WALLET }
  await stopWallet(service.deps.sql, place, 'foreign_transaction', 'somebody else has the key')
  await pay(1)
  await settleRound(service, { [RAIL]: open(RAIL).rail })
  assert.deepEqual([await states(), await troubles()], [[], ['no_wallet']])
})

test('providers unclear about a transfer: the payout waits; for ten minutes: a person is told', async () => {
  says.moves = () => Promise.resolve({ unclear: 'one: timeout' })
  const [id = ''] = await pay(1)
  const { rail } = open(RAIL)
  await settleRound(service, { [RAIL]: rail })
  assert.deepEqual(await troubles(), [])
  const { owner } = service.database
  await owner.unsafe('alter table payout_attempts disable trigger user')
  await owner`update payout_attempts set opened_at = opened_at - interval '11 minutes'`
  await owner.unsafe('alter table payout_attempts enable trigger user')
  await owner`update open_payouts set ask_rail_at = statement_timestamp() where id = ${id}`
  await settleRound(service, { [RAIL]: rail })
  assert.deepEqual([await states(), await troubles()], [[], ['unclear']])
})

test('rail paused while its payment is signed, another rail with the same wallet: not sent; resumed: sent', async () => {
  await pay(1)
  await settleRound(service, { [RAIL]: open(RAIL).rail })
  await updatePause(service.deps.sql, RAIL, 'a doubt')
  const { work } = open(OTHER)
  await work.once()
  assert.deepEqual([await states(), broadcasts.length], [['signed'], 0])
  await updatePause(service.deps.sql, RAIL, '')
  await work.once()
  assert.deepEqual(await states(), ['sent'])
})

test('wallet whose signer is away when fees must rise: the round fails, and troubles are judged all the same', async () => {
  await pay(1)
  const { rail, work } = open(RAIL)
  await settleRound(service, { [RAIL]: rail })
  await work.once()
  const { owner } = service.database
  says.coins = 1n
  await owner.unsafe('alter table evm_transactions disable trigger user')
  await owner`update evm_transactions set first_sent_at = first_sent_at - interval '1 hour'`
  await owner.unsafe('alter table evm_transactions enable trigger user')
  await assert.rejects(open(RAIL, broken).work.once(), /it is away/)
  assert.ok((await troubles()).includes('no_gas'))
})

test('paused rail whose chain has a trouble: told while a payment is under way, and else to nobody', async () => {
  const message = 'no block since yesterday'
  says.troubles = [{ kind: 'chain_stopped', providers: [], message }]
  const round = () => open(RAIL, signer, () => true).work.once()
  await round()
  assert.deepEqual(await troubles(), [])
  await pay(1)
  says.troubles = []
  await settleRound(service, { [RAIL]: open(RAIL).rail })
  says.troubles = [{ kind: 'chain_stopped', providers: [], message }]
  await round()
  assert.deepEqual(await troubles(), ['chain_stopped'])
})

test('payment whose news cannot be written: the others are noted, sent and judged all the same', async t => {
  const [first = ''] = await pay(3)
  const { rail, work } = open(RAIL)
  await settleRound(service, { [RAIL]: rail })
  await work.once()
  const { owner } = service.database
  await owner.unsafe(`
    create function refuse_first() returns trigger language plpgsql as $$
    begin
      if new.payout_id = '${first}' then raise exception 'not this one'; end if;
      return new;
    end $$;
    create trigger refuse_first before insert on rail_evidence
      for each row execute function refuse_first()`)
  t.after(() => owner.unsafe('drop function refuse_first cascade'))
  Object.assign(says, { mined: 3n, coins: 1n })
  await assert.rejects(open(RAIL).work.once(), /not this one/)
  const found = await slots()
  assert.deepEqual(found.map(({ payout_id, state }) => [payout_id === first, state]).toSorted(), [
    [false, 'mined'],
    [false, 'mined'],
    [true, 'sent'],
  ])
  assert.ok((await troubles()).includes('no_gas'))
})
