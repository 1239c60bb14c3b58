// A day of a chain as a statement: the transfers of a token from and to our wallets, and what the
// wallets have at the end of the day. The chain is a bank whose statement we write ourselves. Pure.
import type { KnownBalance, KnownTransfer } from '../../adapters/evm/transfer-store.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { plusDays } from '../../values/calendar/day.ts'
import type { Instant } from '../../values/instant.ts'
import { EMPTY_STATEMENT_LINE, type StatementLine, type StatementPart } from './statement.ts'

/** A wallet, with its balance at a final block behind the day. */
export interface DayWallet extends KnownBalance {
  /** Its transfers are known from then on. */
  readonly begun_at: Instant
}

export interface ChainDay {
  readonly day: IsoDate
  readonly currency: string
  /** The smallest units of the token in a minor unit of the currency. */
  readonly scale: bigint
  readonly wallets: readonly DayWallet[]
  /** From the beginning of the day on, up to the balances, in the order of the chain. */
  readonly transfers: readonly KnownTransfer[]
  /** Minor units: the closing balance of the day before; null for the first statement. */
  readonly opening: bigint | null
  readonly statement_id: string
}

/**
 * The statement of a day that is over for every wallet. Its closing balance is what the chain says,
 * and its opening balance what the last statement said: a unit that no transfer explains makes it
 * `sum_differs`. Minor units are those of the whole balance, rounded down, so that no fraction of a
 * token is lost or counted twice.
 */
export function chainDay(day: ChainDay): StatementPart[] {
  const { currency, scale, opening, statement_id } = day
  const { moves, end } = movesOf(day)
  let running = end - moves.reduce((sum, { units }) => sum + units, 0n)
  const start = running
  const lines = moves.flatMap(({ units, line }): StatementLine[] => {
    const before = running
    running += units
    const amount = running / scale - before / scale
    if (amount === 0n) return []
    const dates = { booked_on: day.day, value_on: day.day }
    return [{ ...EMPTY_STATEMENT_LINE, ...dates, currency, amount, ...line }]
  })
  return [
    { kind: 'head', format: 'chain', account: '', currency },
    ...lines,
    {
      ...{ kind: 'end', statement_id, sequence: '', is_final: true },
      ...{ opened_on: day.day, closed_on: day.day },
      opening: opening ?? start / scale,
      closing: end / scale,
    },
  ]
}

/** What moved the balance of our wallets, and in words of a line why. */
interface Move {
  readonly units: bigint
  readonly line: Partial<StatementLine>
}

function movesOf({ day, wallets, transfers, opening }: ChainDay): { moves: Move[]; end: bigint } {
  const [from, until] = [startOf(day), startOf(plusDays(day, 1))]
  const ours = wallets.filter(({ begun_at }) => begun_at < until)
  const deltas = ours.map(wallet => {
    const of = transfers.filter(one => deltaOf(one, wallet) !== 0n)
    const sum = (which: readonly KnownTransfer[]) =>
      which.reduce((units, one) => units + deltaOf(one, wallet), 0n)
    const at_end = wallet.units - sum(of.filter(({ at }) => at >= until))
    const at_begin = at_end - sum(of.filter(({ at }) => at < until))
    return { wallet, at_end, at_begin }
  })
  // What a wallet had when it joined the others came from nowhere that a transfer tells.
  const joined = deltas.flatMap(({ wallet, at_begin }): Move[] => {
    const is_new = opening !== null && wallet.begun_at >= from && at_begin !== 0n
    const text = `${wallet.wallet} had this when it became a wallet of the rail`
    return is_new ? [{ units: at_begin, line: { code: 'begin', text } }] : []
  })
  const moves = transfers
    .filter(({ at }) => at >= from && at < until)
    .map((one): Move => {
      const units = ours.reduce((sum, wallet) => sum + deltaOf(one, wallet), 0n)
      return { units, line: lineOf(one, units) }
    })
    .filter(({ units }) => units !== 0n)
  const end = deltas.reduce((sum, { at_end }) => sum + at_end, 0n)
  return { moves: [...joined, ...moves], end }
}

/** What a transfer adds to the wallet's balance, as far as the balance has it. */
function deltaOf(transfer: KnownTransfer, wallet: DayWallet): bigint {
  const { at, block, sender, receiver, units } = transfer
  if (at <= wallet.begun_at || block > wallet.block) return 0n
  const added = receiver === wallet.wallet ? units : 0n
  return sender === wallet.wallet ? added - units : added
}

function lineOf(transfer: KnownTransfer, units: bigint): Partial<StatementLine> {
  const { tx_hash, log_index, block, sender, receiver, uetr } = transfer
  return {
    ...{ code: 'transfer', uetr, bank_reference: `${tx_hash}-${log_index}` },
    ...{ counterparty: units < 0n ? receiver : sender, text: `block ${block}` },
  }
}

/** A day of a chain is one of UTC. */
export function startOf(day: IsoDate): Instant {
  return `${day}T00:00:00.000000Z` as Instant
}
