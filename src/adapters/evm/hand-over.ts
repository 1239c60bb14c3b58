// Takes attempts: checks them, assigns wallets, refuses what can never be paid, and reserves nonces
// for the rest. What has no slot afterwards waits, and was never taken.
import { CANNOT_CARRY, faultWords } from '../../rails/carriage.ts'
import type { RailPayout, RailReport } from '../../rails/rail.ts'
import { readAtOnce } from '../../sql/confine.ts'
import { classify } from '../../sql/failure.ts'
import { accountsOf } from '../../sql/shard.ts'
import { type Assigned, assign, type Purse, type Wait } from './assign.ts'
import { type AssignedOrder, type Checked, checkOrders, type RefusedOrder } from './check.ts'
import { eachOf, type OpenEvmRail } from './open.ts'
import { capFault, keyOf, type Order, orderOf, TO_OURSELVES } from './order.ts'
import { readPurses } from './purses.ts'
import { type Refused, refuse, reserve } from './reserve.ts'
import { slotName } from './slot.ts'
import { countReverted, listTaken, transactHouse } from './slot-store.ts'
import { type NewTrouble, OF_HAND_OVER } from './trouble.ts'
import { noteTroubles } from './trouble-store.ts'
import { findWallets } from './wallet-store.ts'

/** A payout that waits for money, a cap or the token is tried again after this time. */
export const TROUBLED_MS = 20_000
/** One of which the providers say nothing clear, or that a signer has not signed. */
const UNCLEAR_MS = 5_000

type Waits = Map<string, RailReport>

/**
 * Hands over attempts that have no slot. Returns the reports of those that wait, by the id of the
 * attempt; the others have slots now, or are left alone because they wait for a person.
 */
export async function handOver(
  rail: OpenEvmRail,
  payouts: readonly RailPayout[],
): Promise<ReadonlyMap<string, RailReport>> {
  const waits: Waits = new Map()
  const unknown = await withoutSlot(rail, payouts)
  const orders = await ordersOf(rail, unknown)
  if (orders.length === 0) return waits
  const troubles: NewTrouble[] = []
  const wait = (order: Order, why: Wait['wait'], place = 0) => {
    waits.set(order.payout.attempt.id, waitReport(rail, why, place))
    if (why === 'unclear') troubles.push(...unclearFor(payouts, order))
    // What is unclear now does not cost it the place that it had.
    if (why === 'unclear' && first.has(order)) rail.queue.waits(order.token, ageOf(order.payout))
    if (typeof why !== 'object') return
    troubles.push(why)
    // A cap may concern this payout alone.
    if (why.kind !== 'cap') rail.queue.waits(order.token, ageOf(order.payout))
  }
  const first = new Set<Order>()
  for (const order of orders) {
    const { token, payout } = order
    if (rail.queue.passed(token, ageOf(payout))) first.add(order)
    rail.line.leave(ageOf(payout))
  }
  const isBehind = ({ token, payout }: Order) => rail.queue.isBehind(token, ageOf(payout))
  for (const order of orders.filter(isBehind)) wait(order, 'room')
  const in_turn = orders.filter(order => !isBehind(order))
  const { assigned, purses } = await assignOrders(rail, in_turn)
  const with_wallet = assigned.filter(one => 'wallet' in one)
  const no_room = assigned.flatMap(one => ('wait' in one && one.wait === 'room' ? one.order : []))
  const places = rail.line.join(
    no_room.map(({ payout }) => ageOf(payout)),
    place => roomIn(rail, place),
  )
  for (const one of assigned) {
    if ('wait' in one) wait(one.order, one.wait, places.get(ageOf(one.order.payout)))
  }
  const reverted = await revertedOf(rail, with_wallet)
  const gas = new Map(purses.map(({ address, gas_wei }) => [address, gas_wei]))
  const results = await checkOrders(rail, with_wallet, reverted, gas)
  for (const result of results) {
    if ('waiting' in result) wait(result.waiting.order, result.waiting.wait)
    if ('refused' in result) await refuseOrder(rail, result.refused)
  }
  const checked = results.flatMap(result => ('checked' in result ? result.checked : []))
  // An older one of the same token may wait since it was tried.
  const ready = checked.filter(({ order }) => !isBehind(order))
  for (const { order } of checked) if (isBehind(order)) wait(order, 'room')
  for (const order of await reserveAll(rail, ready, purses)) wait(order, 'unclear')
  const judged = judgedBy(troubles, ready.length > 0)
  if (judged.length > 0 || troubles.length > 0) {
    await noteTroubles(rail.sql, rail.name, judged, troubles)
  }
  return waits
}

async function revertedOf(rail: OpenEvmRail, orders: readonly AssignedOrder[]) {
  const ids = orders.map(({ order }) => order.key.payout_id)
  return transactHouse(rail.sql, accountsOf(orders.map(ofKey)), tx =>
    countReverted(tx, rail.config.chain.id, ids),
  )
}

/** A payout that waits for so long is no matter of a moment. */
const MOST_UNCLEAR_MS = 600_000

function unclearFor(payouts: readonly RailPayout[], { payout }: Order): NewTrouble[] {
  const asked = payouts.find(({ attempt }) => attempt.id === payout.attempt.id)
  if (asked === undefined) return []
  const waits_ms = Date.parse(asked.asked_at) - Date.parse(asked.attempt.opened_at)
  if (waits_ms < MOST_UNCLEAR_MS) return []
  return [
    {
      wallet: '',
      kind: 'unclear',
      message: `payout ${payout.id}, since ${asked.attempt.opened_at}`,
    },
  ]
}

/** Orders payouts by their creation. */
const ageOf = ({ created_at, id }: Pick<RailPayout, 'created_at' | 'id'>) => `${created_at} ${id}`

const ofKey = ({ order }: { readonly order: Order }) => order.key

/**
 * The kinds that this hand-over has judged. One without any trouble may not have had the payouts
 * that wait, unless it pays some.
 */
function judgedBy(troubles: readonly NewTrouble[], pays: boolean) {
  if (troubles.length === 0) return pays ? OF_HAND_OVER : []
  return OF_HAND_OVER.filter(kind => troubles.some(trouble => trouble.kind === kind))
}

async function withoutSlot(rail: OpenEvmRail, payouts: readonly RailPayout[]) {
  const keys = payouts.map(keyOf)
  const taken = await readAtOnce(rail.sql, accountsOf(keys), tx => listTaken(tx, keys))
  return payouts.filter(payout => !taken.has(slotName(keyOf(payout))))
}

/** The orders, the oldest payout first. Refuses what this rail can never carry. */
async function ordersOf(rail: OpenEvmRail, payouts: readonly RailPayout[]): Promise<Order[]> {
  const in_order = payouts.toSorted((a, b) => (ageOf(a) < ageOf(b) ? -1 : 1))
  const orders = in_order.map(payout => ({ payout, order: orderOf(rail.config, payout) }))
  const payees = orders.flatMap(({ order }) => ('faults' in order ? [] : order.payee))
  // Another rail may have the wallet.
  const ours = await findWallets(rail.sql, rail.config.chain.id, payees)
  const read = orders.map(({ payout, order }) => {
    const is_ours = 'payee' in order && ours.some(({ address }) => address === order.payee)
    return { payout, order: is_ours ? { faults: [TO_OURSELVES] } : order }
  })
  await eachOf(read, async ({ payout, order }) => {
    if (!('faults' in order)) return
    const { destination_amount: amount, destination_currency: currency } = payout
    const message = faultWords(order.faults) || CANNOT_CARRY
    const content = { currency, amount, units: amount, token: '', payee: '', calldata: '' } as const
    const refused = { key: keyOf(payout), ...content, reason: 'cannot_carry', message } as const
    await refuseUnlessTaken(rail, refused)
  })
  return read.flatMap(({ order }) => ('faults' in order ? [] : [order]))
}

/** Assigns wallets, unless a cap of the settings is below the payout. */
async function assignOrders(rail: OpenEvmRail, orders: readonly Order[]) {
  const none = { purses: [] as readonly Purse[] }
  const all = (why: Wait['wait']) => orders.map((order): Assigned<Order> => ({ order, wait: why }))
  const head = await rail.chain.head()
  if (!('agreed' in head)) return { ...none, assigned: all('unclear') }
  const tokens = [...new Set(orders.map(({ token }) => token))]
  const purses = await readPurses(rail, head.agreed, tokens)
  if (purses.length === 0) return { ...none, assigned: all(await whyNone(rail)) }
  const capped = orders.flatMap((order): (Assigned<Order> & Wait)[] => {
    const cap = capFault(rail.config, order.payout)
    const message = `payout ${order.key.payout_id}: ${cap}`
    return cap === '' ? [] : [{ order, wait: { wallet: '', kind: 'cap', message } }]
  })
  const below = orders.filter(order => capped.every(one => one.order !== order))
  return { purses, assigned: [...assign(below, purses, rail.config), ...capped] }
}

/** Why no wallet may sign. */
async function whyNone({ config, sql }: OpenEvmRail): Promise<Wait['wait']> {
  const { chain, wallets } = config
  const begun = await findWallets(
    sql,
    chain.id,
    wallets.map(({ address }) => address),
  )
  const states = wallets.map(({ address, draining }) => {
    const row = begun.find(wallet => wallet.address === address)
    if (row === undefined) return { address, state: 'has not begun' }
    return { address, state: draining ? 'is draining' : row.state }
  })
  if (states.some(({ state }) => state === 'active')) return 'unclear'
  const message = states.map(({ address, state }) => `${address} ${state}`).join(', ')
  return { wallet: '', kind: 'no_wallet', message }
}

async function refuseOrder(rail: OpenEvmRail, { order, ...why }: RefusedOrder): Promise<void> {
  await refuseUnlessTaken(rail, { ...order, ...why })
}

/** Another process may have reserved or refused the attempt since it was looked for. */
async function refuseUnlessTaken(rail: OpenEvmRail, refused: Refused): Promise<void> {
  await refuse(rail, refused).catch(error => {
    if ((error as { constraint_name?: string }).constraint_name !== 'one_slot_an_attempt')
      throw error
  })
}

/** Reserves by wallet. Returns the orders that have no slot, as far as this process knows. */
async function reserveAll(
  rail: OpenEvmRail,
  ready: readonly Checked[],
  purses: readonly Purse[],
): Promise<Order[]> {
  const by_wallet = [...Map.groupBy(ready, ({ wallet }) => wallet)]
  const left = await eachOf(by_wallet, async ([wallet, orders]) => {
    const purse = purses.find(({ address }) => address === wallet)
    if (purse === undefined) return orders
    try {
      const reserved = await reserve(rail, purse, orders)
      return orders.slice(reserved)
    } catch (error) {
      // The commit may have happened: what has a slot is found when it is asked about.
      const words = 'payments could not be reserved: those without a slot wait'
      rail.log.warn({ err: error, rail: rail.name, wallet, how: classify(error) }, words)
      return orders
    }
  })
  return left.flat().map(({ order }) => order)
}

/** `place`: how many wait before it for room. */
function waitReport(rail: OpenEvmRail, why: Wait['wait'], place: number): RailReport {
  const waits_ms = { room: roomIn(rail, place), unclear: UNCLEAR_MS }
  return {
    steps: [],
    ask_again_in_ms: typeof why === 'object' ? TROUBLED_MS : waits_ms[why],
  }
}

/** The milliseconds after which a payout may have room, with so many before it. */
function roomIn({ config }: OpenEvmRail, place: number): number {
  const room = Math.max(1, config.wallets.length * config.in_flight)
  const blocks = 1 + Math.floor(place / room)
  return Math.max(1_000, config.chain.block_ms) * blocks
}
