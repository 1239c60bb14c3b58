// Judges now and then what keeps a rail from paying: providers, the chain, gas, a frozen wallet,
// and payments that no block takes.
import type { Instant } from '../../values/instant.ts'
import { firstFees } from './fees.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import type { OpenSlot } from './send.ts'
import { isUnmined } from './slot.ts'
import { type NewTrouble, OF_CHAIN, OF_WATCH } from './trouble.ts'
import { noteTroubles } from './trouble-store.ts'
import { noteGasLeft } from './wallet-store.ts'

/** The gas of a usual transfer of a token, for the count of payments that a balance pays. */
export const USUAL_GAS = 80_000n

/** How long something may be unclear before a person is told. */
const MOST_UNCLEAR_MS = 60_000

/** Since when something is unclear, by the clock of this process. */
export class Unclear {
  readonly #now: () => number
  #since: number | undefined

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Notes how it is now. Returns whether it has been unclear for too long. */
  note(is_unclear: boolean): boolean {
    this.#since = is_unclear ? (this.#since ?? this.#now()) : undefined
    return this.#since !== undefined && this.#now() - this.#since >= MOST_UNCLEAR_MS
  }
}

export async function judgeTroubles(
  rail: OpenEvmRail,
  open: readonly OpenSlot[],
  now: Instant,
  unclear: Unclear,
): Promise<void> {
  // Nobody waits for it: the node of a rail that is not used any more may be gone.
  if (rail.isPaused() && open.length === 0) {
    await noteTroubles(rail.sql, rail.name, OF_WATCH, [])
    return
  }
  const of_chain = await rail.chain.troubles()
  const is_told = of_chain.some(({ kind }) => OF_CHAIN.some(stops => stops === kind))
  const found = [
    ...of_chain.map(({ kind, message }): NewTrouble => ({ wallet: '', kind, message })),
    ...(await silenceOf(rail, unclear)).filter(() => !is_told),
    ...stuckOf(rail, open, now),
    ...(await frozenOf(rail)),
    ...(await gasOf(rail)),
  ]
  await noteTroubles(rail.sql, rail.name, OF_WATCH, found)
}

async function silenceOf({ chain }: OpenEvmRail, unclear: Unclear): Promise<NewTrouble[]> {
  const answers = await Promise.all([chain.head(), chain.final()])
  const [why] = answers.flatMap(answer => ('unclear' in answer ? answer.unclear : []))
  const is_long = unclear.note(why !== undefined)
  return is_long && why !== undefined ? [{ wallet: '', kind: 'no_quorum', message: why }] : []
}

/** The first payment of each wallet that waits for a block, or for its block to be final. */
export function stuckOf(
  { config }: Pick<OpenEvmRail, 'config'>,
  open: readonly Pick<OpenSlot, 'slot'>[],
  now: Instant,
): NewTrouble[] {
  const { chain, stuck_after_s } = config
  const most_s = { stuck: stuck_after_s, not_final: stuck_after_s + (4 * chain.final_ms) / 1000 }
  const found = new Map<string, NewTrouble>()
  for (const { slot } of open.toSorted((a, b) => (a.slot.nonce < b.slot.nonce ? -1 : 1))) {
    const { wallet, nonce, payout_id, made_at, state } = slot
    const kind = isUnmined(slot) ? 'stuck' : 'not_final'
    const age_s = (Date.parse(now) - Date.parse(made_at)) / 1000
    if (age_s < most_s[kind] || (kind === 'not_final' && state !== 'mined')) continue
    const message = `nonce ${nonce} of payout ${payout_id || 'of the house'}, since ${made_at}`
    const name = `${wallet} ${kind}`
    if (!found.has(name)) found.set(name, { wallet, kind, message })
  }
  return [...found.values()]
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
