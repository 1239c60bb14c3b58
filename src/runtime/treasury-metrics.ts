// Prometheus metrics of the house's books.
import { Gauge, type Registry } from 'prom-client'

export function treasuryMetrics(registers: Registry[]) {
  return {
    ...coverMetrics(registers),
    journalsBehind: new Gauge({
      name: 'corridor_treasury_lag_journals',
      help: "Journals of live accounts that the house's books do not have yet.",
      registers,
    }),
    treasuryExceptions: new Gauge({
      name: 'corridor_treasury_exceptions',
      help: 'Open lines and items that finance has to look at, by nostro and kind.',
      labelNames: ['nostro', 'kind'] as const,
      registers,
    }),
    treasuryExceptionsSum: new Gauge({
      name: 'corridor_treasury_exceptions_sum',
      help: 'Their sum in major units of the currency of the nostro.',
      labelNames: ['nostro', 'kind'] as const,
      registers,
    }),
    treasuryExceptionsOldest: new Gauge({
      name: 'corridor_treasury_exceptions_oldest_seconds',
      help: 'Seconds since the day of the oldest of them.',
      labelNames: ['nostro', 'kind'] as const,
      registers,
    }),
    nostroForecast: new Gauge({
      name: 'corridor_nostro_forecast',
      help:
        'Accounts at banks whose forecast of the next banking days falls below a level, by ' +
        'state: low or critical.',
      labelNames: ['state'],
      registers,
    }),
    safeguardingShortfalls: new Gauge({
      name: 'corridor_safeguarding_shortfalls',
      help: 'Pools and currencies in which more is owed to clients than is held for them.',
      registers,
    }),
    safeguardingConcentrated: new Gauge({
      name: 'corridor_safeguarding_concentrated',
      help: 'Institutions that hold more of a pool of client money than the share that is set.',
      registers,
    }),
    statementLate: new Gauge({
      name: 'corridor_statement_late_seconds',
      help: 'Seconds since the statement of an account at a bank was due, by nostro.',
      labelNames: ['nostro'] as const,
      registers,
    }),
  }
}

function coverMetrics(registers: Registry[]) {
  return {
    payoutsAwaitingFunds: new Gauge({
      name: 'corridor_payouts_awaiting_funds',
      help: 'Payouts that wait until an account at a bank covers them, by nostro.',
      labelNames: ['nostro'] as const,
      registers,
    }),
    payoutsAwaitingFundsSum: new Gauge({
      name: 'corridor_payouts_awaiting_funds_sum',
      help: 'Their sum in major units of the currency of the nostro.',
      labelNames: ['nostro'] as const,
      registers,
    }),
    payoutsAwaitingFundsOldest: new Gauge({
      name: 'corridor_payouts_awaiting_funds_oldest_seconds',
      help: 'Seconds since the first of them began to wait.',
      labelNames: ['nostro'] as const,
      registers,
    }),
  }
}
