// What a rail on a chain shows in metrics: its providers, and the tokens of its wallets.
import type { RailMeasures } from '../../rails/rail.ts'
import { currencyExponent } from '../../values/money/currency.ts'
import { pow10 } from '../../values/money/decimal.ts'
import { eachOf, type OpenEvmRail } from './open.ts'

/** Another process may have the work now: what this one saw longer ago is not shown. */
const FRESH_MS = 300_000

type Balances = RailMeasures['balances']

/** The balances that were read last. */
export class SeenBalances {
  #balances: Balances = []
  #at = Number.NEGATIVE_INFINITY

  /** Reads those of all wallets. Leaves out those that the providers do not agree about. */
  async read({ chain, config }: OpenEvmRail): Promise<void> {
    const pairs = config.wallets.flatMap(({ address }) =>
      [...config.tokens].map(([currency, token]) => ({ address, currency, token })),
    )
    const found = await eachOf(pairs, async ({ address, currency, token }): Promise<Balances> => {
      const units = await chain.balance(address, token.address, 'latest')
      if (!('agreed' in units)) return []
      const amount = units.agreed / pow10(token.decimals - currencyExponent(currency))
      return [{ wallet: address, currency, amount }]
    })
    this.#balances = found.flat()
    this.#at = performance.now()
  }

  fresh(): Balances {
    return performance.now() - this.#at > FRESH_MS ? [] : this.#balances
  }
}

export function measuresOf({ chain }: OpenEvmRail, balances: SeenBalances): RailMeasures {
  const providers = chain.providers().map(({ name, lag, left_out, other_answers }) => {
    return { name, lag, left_out: left_out !== '', other_answers }
  })
  return { providers, balances: balances.fresh() }
}
