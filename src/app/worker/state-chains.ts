// Writes the statements of wallets on chains, a day at a time, once the day is final for each
// wallet. A nostro of kind `chain` names the rails whose wallets it is.
import { hash } from 'node:crypto'
import { type EvmConfig, readConfig } from '../../adapters/evm/config.ts'
import { transactHouse } from '../../adapters/evm/slot-store.ts'
import { findBalances, listTransfers } from '../../adapters/evm/transfer-store.ts'
import { listBegun } from '../../adapters/evm/wallet-store.ts'
import type { RailRow } from '../../rails/kind.ts'
import type { Deps } from '../../runtime/deps.ts'
import { isSpread } from '../../sql/shard.ts'
import type { Nostro } from '../../treasury/nostro.ts'
import { listNostros } from '../../treasury/nostro-store.ts'
import { chainDay, type DayWallet, startOf } from '../../treasury/statement/chain-day.ts'
import { importStatements } from '../../treasury/statement/import.ts'
import type { StatementPart } from '../../treasury/statement/statement.ts'
import { listStatements } from '../../treasury/statement/store.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { plusDays } from '../../values/calendar/day.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { pow10 } from '../../values/money/decimal.ts'
import { startWorker, type Worker, warned } from './worker.ts'

const LOOK_EVERY_MS = 60_000
/** The most days of a nostro that one round writes. */
const MOST_DAYS = 31

/** Does nothing on a spread database, which has only sandboxes. */
export function startStatingChains(deps: Deps): Worker {
  if (isSpread()) return { stop: () => Promise.resolve() }
  const failed = warned(deps, 'a day of a chain could not be stated', LOOK_EVERY_MS)
  return startWorker(() => stateChains(deps).then(() => LOOK_EVERY_MS, failed))
}

type Needs = Pick<Deps, 'sql' | 'log' | 'reference'>

/** Writes the days that are over. One nostro that fails stops no other. Returns the number. */
export async function stateChains(deps: Needs): Promise<number> {
  const { rails } = deps.reference.current()
  let stated = 0
  const failed: unknown[] = []
  for (const nostro of await listNostros(deps.sql)) {
    if (nostro.kind !== 'chain' || nostro.closed_at !== null) continue
    const purse = purseOf(nostro, rails)
    if (purse === undefined) continue
    await stateDays(deps, nostro, purse).then(
      days => {
        stated += days
      },
      error => failed.push(error),
    )
  }
  if (failed.length > 0) throw failed[0]
  return stated
}

/** The wallets of a nostro, as its rails have them in their settings. */
interface Purse {
  readonly rails: readonly string[]
  readonly chain_id: bigint
  readonly token: EvmConfig['chain']['tokens'][string]['address']
  readonly scale: bigint
  readonly wallets: ReadonlySet<string>
}

/** Undefined for a nostro of no rail of ours, or of rails with different contracts. */
function purseOf({ rails: names, currency }: Nostro, rails: readonly RailRow[]): Purse | undefined {
  const ours = rails.filter(({ kind, name }) => kind === 'evm' && names.includes(name))
  const configs = ours.flatMap(({ config }) => readConfig(config).value ?? [])
  const [first] = configs
  const token = first?.tokens.get(currency)
  if (first === undefined || token === undefined || configs.length < ours.length) return undefined
  const isSame = ({ chain, tokens }: EvmConfig) =>
    chain.id === first.chain.id && tokens.get(currency)?.address === token.address
  if (!configs.every(isSame)) return undefined
  return {
    rails: ours.map(({ name }) => name),
    chain_id: first.chain.id,
    token: token.address,
    scale: pow10(token.decimals - currencyExponent(currency)),
    wallets: new Set(configs.flatMap(({ wallets }) => wallets.map(({ address }) => address))),
  }
}

async function stateDays(deps: Needs, nostro: Nostro, purse: Purse): Promise<number> {
  for (let days = 0; days < MOST_DAYS; days++) {
    if (!(await stateNext(deps, nostro, purse))) return days
  }
  return MOST_DAYS
}

/** Writes the first day without a statement; false when it is not over yet. */
async function stateNext({ sql, log }: Needs, nostro: Nostro, purse: Purse): Promise<boolean> {
  const wallets = await walletsOf({ sql }, purse)
  if (wallets.length === 0) return false
  const [last] = await listStatements(sql, nostro.name, { until: undefined, limit: 1 })
  const day = last === undefined ? firstDay(nostro, wallets) : plusDays(last.closed_on, 1)
  const until = startOf(plusDays(day, 1))
  // A wallet that left the settings has no more transfers, and none is waited for.
  const isOver = ({ wallet, at }: DayWallet) => at >= until || !purse.wallets.has(wallet)
  if (!wallets.every(isOver) || wallets.length < purse.wallets.size) return false
  const of = { ...purse, wallets: wallets.map(({ wallet }) => wallet) }
  const transfers = await transactHouse(sql, [], tx => listTransfers(tx, of, startOf(day)))
  const [rail = ''] = purse.rails
  const parts = chainDay({
    ...{ day, currency: nostro.currency, scale: purse.scale, wallets, transfers },
    opening: last === undefined ? null : last.closing,
    statement_id: `${purse.rails.join(' ')} ${day}`.slice(-100),
  })
  const text = JSON.stringify([nostro.name, parts], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  await importStatements(sql, {
    ...{ sha256: hash('sha256', text, 'hex'), size: text.length, name: `${rail} ${day}` },
    ...{ rail, by: '', files: [], parts: partsIn(parts), nostro: nostro.name },
  })
  log.info({ nostro: nostro.name, day, lines: parts.length - 2 }, 'a day of a chain is stated')
  return true
}

/** The wallets that have begun, with their balances as far as they are known. */
async function walletsOf({ sql }: Pick<Needs, 'sql'>, purse: Purse): Promise<DayWallet[]> {
  const begun = await listBegun(sql, purse.chain_id, purse.rails)
  const of = { ...purse, wallets: begun.map(({ address }) => address) }
  const balances = new Map((await findBalances(sql, of)).map(one => [one.wallet, one]))
  return begun.flatMap(({ address, begun_at }) => {
    const balance = balances.get(address)
    return balance === undefined ? [] : [{ ...balance, begun_at }]
  })
}

/** The first day whose transfers are all known, from the opening of the nostro on. */
function firstDay({ opening_on }: Nostro, wallets: readonly DayWallet[]): IsoDate {
  const begun = wallets.map(({ begun_at }) => plusDays(begun_at.slice(0, 10), 1))
  return [opening_on, ...begun].toSorted().at(-1) ?? opening_on
}

async function* partsIn(parts: readonly StatementPart[]): AsyncGenerator<StatementPart> {
  yield* parts
}
