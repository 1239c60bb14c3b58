// The answers with all currencies and with networks.
import { Literals } from '../../http/schema.ts'
import { Type } from '../../http/type.ts'
import type { Currency } from '../../values/money/currency.ts'
import { NETWORK, presentNetwork } from '../requirement/response.ts'
import { NETWORK_TYPES } from './request.ts'
import type { KnownNetwork } from './rules.ts'

const CurrencyResponse = Type.Object(
  {
    object: Type.Literal('currency'),
    code: Type.String({ description: 'ISO 4217 code, USDC or USDT.', examples: ['JPY'] }),
    exponent: Type.Integer({
      minimum: 0,
      maximum: 6,
      description:
        'The number of decimals: an amount of this currency is an integer, in units of 10 to ' +
        'the power of minus the exponent. With 2, the amount 100 is 1.00.',
    }),
    name: Type.String({ description: 'The name in English, as ISO 4217 has it.' }),
  },
  { title: 'Currency' },
)

export const CurrenciesResponse = Type.Object(
  {
    object: Type.Literal('currencies'),
    currencies: Type.Array(CurrencyResponse, {
      description: 'By code: first those of ISO 4217, then the stablecoins.',
    }),
  },
  { title: 'Currencies', description: 'The currencies that Corridor knows.' },
)

export function presentCurrencies(currencies: readonly Currency[]) {
  const shown = currencies.map(currency => ({ object: 'currency', ...currency }))
  return { object: 'currencies', currencies: shown }
}

const NetworkResponse = Type.Object(
  {
    object: Type.Literal('network'),
    type: Literals(NETWORK_TYPES, { description: 'The payout type that names the network.' }),
    ...NETWORK,
  },
  { title: 'Network' },
)

export const NetworksResponse = Type.Object(
  {
    object: Type.Literal('networks'),
    networks: Type.Array(NetworkResponse, { description: 'By type, currency and name.' }),
  },
  { title: 'Networks', description: 'The networks by which a payout can go.' },
)

export function presentNetworks(networks: readonly KnownNetwork[]) {
  return {
    object: 'networks',
    networks: networks.map(({ type, ...network }) => ({
      object: 'network',
      type,
      ...presentNetwork(network),
    })),
  }
}
