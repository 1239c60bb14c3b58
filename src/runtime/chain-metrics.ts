// Prometheus metrics of rails on chains.
import { Counter, Gauge, type Registry } from 'prom-client'

export function chainMetrics(registers: Registry[]) {
  return { ...walletMetrics(registers), ...providerMetrics(registers) }
}

function walletMetrics(registers: Registry[]) {
  const labelNames = ['rail', 'wallet']
  return {
    walletGasPayments: new Gauge({
      name: 'corridor_wallet_gas_payments',
      help: 'Payments that the coin of a hot wallet pays gas for.',
      ...{ labelNames, registers },
    }),
    walletBalance: new Gauge({
      name: 'corridor_wallet_balance',
      help: 'What a hot wallet has of a token, in major units.',
      ...{ labelNames: [...labelNames, 'currency'], registers },
    }),
    walletOpenPayments: new Gauge({
      name: 'corridor_wallet_open_payments',
      help: 'Payments of a hot wallet that are not final yet.',
      ...{ labelNames, registers },
    }),
    walletOldestUnmined: new Gauge({
      name: 'corridor_wallet_unmined_oldest_seconds',
      help: 'Age of the oldest payment of a hot wallet that no block has; 0 for none.',
      ...{ labelNames, registers },
    }),
  }
}

function providerMetrics(registers: Registry[]) {
  const labelNames = ['rail', 'provider']
  return {
    providerLag: new Gauge({
      name: 'corridor_chain_provider_lag_blocks',
      help: 'Blocks that a provider of a chain is behind the highest head.',
      ...{ labelNames, registers },
    }),
    providerLeftOut: new Gauge({
      name: 'corridor_chain_provider_left_out',
      help: '1 while the answers of a provider do not count: it lags, fails, or has another chain.',
      ...{ labelNames, registers },
    }),
    providerOtherAnswers: new Counter({
      name: 'corridor_chain_provider_other_answers_total',
      help: 'Answers of a provider that differed from what enough others said.',
      ...{ labelNames, registers },
    }),
  }
}
