// A rail with a long past: questions about payouts cost what the payouts asked about cost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transferData } from '../../src/adapters/evm/abi.ts'
import { EVM } from '../../src/adapters/evm/kind.ts'
import type { RailPayout } from '../../src/rails/rail.ts'
import { type ChainWorld, openChainWorld, RAIL, settingsOf } from '../support/chain/world.ts'
import { promised, share } from '../support/share.ts'

const SLOTS = share(2_000, 100_000)
const ASKED = 500
const WITHIN_MS = 20

const idOf = (i: number) => `pot_${String(i).padStart(20, '0')}`

/** Slots of a wallet that has paid for months, each with its transaction. */
async function fill({ service, wallet, tokens, live }: ChainWorld): Promise<void> {
  const { owner } = service.database
  const place = [31_337, wallet.address] as const
  const [account_id, payee] = [live.account.account_id, `0x${'9'.repeat(40)}`] as const
  const calldata = transferData(payee, 1_000_000n)
  await owner`
    insert into evm_wallets (chain_id, address, rail, next_nonce, read_block, read_hash, begun_at)
    values (${place[0]}, ${place[1]}, ${RAIL}, ${SLOTS}, 0, ${`0x${'0'.repeat(64)}`}, now())`
  await owner`
    insert into evm_slots (chain_id, wallet, nonce, rail, purpose, account_id, payout_id, attempt,
      currency, amount, units, token, payee, calldata, to_contract, state)
    select ${place[0]}, ${place[1]}, i, ${RAIL}, 'pay', ${account_id},
      'pot_' || lpad(i::text, 20, '0'), 1, 'USDC', 1000000, 1000000, ${tokens.USDC.address},
      ${payee}, ${calldata}, false, 'signed'
    from generate_series(0, ${SLOTS - 1}) as i`
  await owner.unsafe('alter table evm_transactions disable trigger fits_its_slot')
  await owner`
    insert into evm_transactions (chain_id, wallet, nonce, number, gas, max_fee, tip, hash, kind, raw)
    select ${place[0]}, ${place[1]}, i, 1, 60000, 2, 1, '0x' || lpad(to_hex(i), 64, '0'), 'pay',
      ${`0x${'cd'.repeat(180)}`}
    from generate_series(0, ${SLOTS - 1}) as i`
  await owner.unsafe('alter table evm_transactions enable trigger fits_its_slot')
  await owner.unsafe('vacuum analyze evm_slots, evm_transactions')
}

function payoutOf(account_id: string, i: number): RailPayout {
  const now = new Date().toISOString().replace('Z', '000Z')
  const id = idOf(i)
  const attempt = { id: `${id}-1`, number: 1, rail: RAIL, uetr: '', opened_at: now }
  return { account_id, id, attempt, asked_at: now, status: 'processing' } as unknown as RailPayout
}

test(`inquire about ${ASKED} payouts among ${SLOTS} slots: each found, within ${WITHIN_MS} ms`, async t => {
  const world = await openChainWorld()
  t.after(() => world.close())
  await fill(world)
  const { deps } = world.service
  const config = settingsOf(world)
  const secret = world.providers.map(({ name, key }) => `${name}=${key}`).join('\n')
  const row = { name: RAIL, kind: 'evm', config, secret, paused_reason: '' } as const
  const { sql, finder, log } = deps
  const rail = EVM.open(row, { sql, finder, log, isPaused: () => false })
  t.after(() => rail.close())
  const account_id = world.live.account.account_id
  const step = Math.floor(SLOTS / ASKED)
  const payouts = Array.from({ length: ASKED }, (_, i) => payoutOf(account_id, i * step))
  const took: number[] = []
  for (let round = 0; round < 7; round++) {
    const began_at = performance.now()
    const reports = await Promise.all(rail.inquire(payouts))
    took.push(performance.now() - began_at)
    assert.ok(reports.every(report => report !== undefined))
  }
  const best = Math.min(...took)
  promised(
    t,
    `inquire about ${ASKED} of ${SLOTS} slots, the best of ${took.length}`,
    best,
    WITHIN_MS,
  )
})
