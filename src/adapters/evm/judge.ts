// Judges now and then what keeps a rail from paying: providers, the chain, gas, a frozen wallet,
// and payments that no block takes.
import type { Instant } from '../../values/instant.ts'
import { firstFees } from './fees.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import type { OpenSlot } from './send.ts'
import { isUnmined } from './slot.ts'
import { type NewTrouble, OF_WATCH } from './trouble.ts'
import { noteTroubles } from './trouble-store.ts'
import { noteGasLeft } from './wallet-store.ts'

/** The gas of a usual transfer of a token, for the count of payments that a balance pays. */
export const USUAL_GAS = 80_000n

export async function judgeTroubles(
  rail: OpenEvmRail,
  open: readonly OpenSlot[],
  now: Instant,
): Promise<void> {
  const of_chain = await rail.chain.troubles()
  const found = [
    ...of_chain.map(({ kind, message }): NewTrouble => ({ wallet: '', kind, message })),
    ...stuckOf(rail, open, now),
    ...(await frozenOf(rail)),
    ...(await gasOf(rail)),
  ]
  await noteTroubles(rail.sql, rail.name, OF_WATCH, found)
}

function stuckOf({ config }: OpenEvmRail, open: readonly OpenSlot[], now: Instant): NewTrouble[] {
  const age_s = (at: Instant) => (Date.parse(now) - Date.parse(at)) / 1000
  return open.flatMap(({ slot }): NewTrouble[] => {
    const { wallet, nonce, payout_id, made_at } = slot
    if (!isUnmined(slot) || age_s(made_at) < config.stuck_after_s) return []
    const message = `nonce ${nonce} of payout ${payout_id || 'of the house'}, since ${made_at}`
    return [{ wallet, kind: 'stuck', message }]
  })
}

async function frozenOf({ chain, config }: OpenEvmRail): Promise<NewTrouble[]> {
  const pairs = config.wallets.flatMap(({ address: wallet }) =>
    [...config.tokens].map(([currency, { address: token }]) => ({ wallet, currency, token })),
  )
  const found = await eachOf(pairs, async ({ wallet, currency, token }): Promise<NewTrouble[]> => {
    const frozen = await chain.frozen(wallet, token)
    const is_frozen = 'agreed' in frozen && frozen.agreed
    return is_frozen ? [{ wallet, kind: 'wallet_frozen', message: currency }] : []
  })
  return found.flat()
}

async function gasOf({ chain, config, sql }: OpenEvmRail): Promise<NewTrouble[]> {
  const market = await chain.market()
  if (!('agreed' in market)) return []
  const fees = firstFees(market.agreed, config, USUAL_GAS)
  // Above the caps nothing is paid, whatever the wallet has.
  const price = fees === 'too_dear' ? config.max_fee : fees.max_fee
  const found = await eachOf(config.wallets, async ({ address, draining }) => {
    const balance = await chain.balance(address, null, 'latest')
    if (!('agreed' in balance)) return []
    const left = balance.agreed / (USUAL_GAS * price)
    await noteGasLeft(sql, { chain_id: config.chain.id, address }, left)
    if (draining || left >= BigInt(config.gas_low)) return []
    const how = left < BigInt(config.gas_critical) ? 'critical' : 'low'
    const message = `${how}: its ${config.chain.native} pays for ${left} payments`
    return [{ wallet: address, kind: 'no_gas', message } as const]
  })
  return found.flat()
}
