// The reports of the house's books: tables of words, for people and for other programs. Each is a
// view of the same rows; none is stored.
import { EVM_CHAINS } from '../adapters/evm/chains.ts'
import type { Sql } from '../sql/connect.ts'
import type { Tag } from '../sql/sql.ts'
import { refusal } from '../values/errors.ts'
import type { Instant } from '../values/instant.ts'
import { findCurrency } from '../values/money/currency.ts'
import { formatMajor } from '../values/money/decimal.ts'
import { sumsOfAccounts, sumUnassigned, trialBalance } from './balance-store.ts'
import { readForecast } from './forecast-store.ts'
import { readShares } from './institution-store.ts'
import { caseId } from './match/case-id.ts'
import {
  listCosts,
  listFx,
  listGas,
  listIncome,
  listPostings,
  listSuspense,
  listTransit,
  type Period,
} from './report-store.ts'
import { daysOfMonth, monthRows } from './safeguarding-month.ts'
import { listSignedDays, listToSign } from './safeguarding-store.ts'
import { checkDerived, daysOfQuarter, daysOver, stateRows } from './state-liability.ts'
import { countAccountsBehind, listLiabilities, listStatePayouts } from './state-store.ts'

/** The most rows of a report. One that has more is refused: cut, it would add up to less. */
export const MAX_ROWS = 100_000
const ONE_MORE = MAX_ROWS + 1

/** `at`: an instant; journals at it or later do not count. */
export interface ReportQuery extends Period {
  readonly at: Instant
  /** Such as 2026-11. */
  readonly month: string
  /** Such as 2026Q4. */
  readonly quarter: string
  /** A day of UTC. */
  readonly today: string
}

/** Each row has the columns of its report. Amounts are in major units, as text. */
type Rows = readonly Readonly<Record<string, string>>[]

interface Report {
  /** A few words, for the help. */
  readonly title: string
  /** Which times it is asked for. */
  readonly asks: 'instant' | 'period' | 'present' | 'month' | 'quarter'
  readonly columns: readonly string[]
  rows(sql: Sql, query: ReportQuery): Promise<Rows>
}

/** Money of `amount` as the text of major units. */
function major(amount: bigint, currency: string): string {
  const exponent = findCurrency(currency)?.exponent
  return exponent === undefined ? String(amount) : formatMajor(amount, exponent)
}

/** The coin that pays for gas on a chain; `ETH` for a test chain that stands in for another one. */
function coinOf(chain_id: bigint): string {
  return EVM_CHAINS.find(({ id }) => id === chain_id)?.native ?? 'ETH'
}
const COIN_PLACES = 18

/** Makes text of a row: bigints are amounts in its currency, but for those that count. */
function worded<Row extends { readonly currency: string }>(
  row: Row,
  counts: readonly string[] = [],
): Readonly<Record<string, string>> {
  const textOf = ([name, value]: [string, unknown]) => [
    name,
    typeof value === 'bigint' && !counts.includes(name)
      ? major(value, row.currency)
      : String(value ?? ''),
  ]
  return Object.fromEntries(Object.entries(row).map(textOf))
}

export const REPORTS = {
  'trial-balance': {
    title: 'the sum of each position before an instant',
    asks: 'instant',
    columns: ['currency', 'code', 'amount'],
    rows: async (sql, { at }) => (await trialBalance(sql, at)).map(row => worded(row)),
  },
  ledger: {
    title: 'postings of accounts and the house, by day',
    asks: 'period',
    columns: ['day', 'account', 'nostro', 'kind', 'code', 'currency', 'amount'],
    rows: async (sql, query) => (await listPostings(sql, query, ONE_MORE)).map(row => worded(row)),
  },
  income: {
    title: 'fees and income of conversions, by month and account',
    asks: 'period',
    columns: ['month', 'account', 'currency', 'fees', 'fx'],
    rows: async (sql, query) => (await listIncome(sql, query, ONE_MORE)).map(row => worded(row)),
  },
  transit: {
    title: 'payouts that are paid from a balance and not settled',
    asks: 'present',
    columns: ['since', 'payout', 'account', 'status', 'rail', 'currency', 'amount', 'days'],
    rows: async sql => (await listTransit(sql, ONE_MORE)).map(row => worded(row)),
  },
  fx: {
    title: 'the open position of each currency',
    asks: 'present',
    columns: ['currency', 'clients', 'deals', 'open'],
    rows: async sql =>
      (await listFx(sql)).map(row => worded({ ...row, open: row.clients + row.deals })),
  },
  suspense: {
    title: 'money that came in and is not credited',
    asks: 'present',
    columns: ['line', 'nostro', 'booked_on', 'currency', 'amount', 'payer', 'text', 'days'],
    rows: async sql =>
      (await listSuspense(sql, ONE_MORE)).map(row =>
        worded({ ...row, line: caseId('line', row.line) }),
      ),
  },
  costs: {
    title: 'costs and interest by month and bank',
    asks: 'period',
    columns: ['month', 'nostro', 'kind', 'currency', 'amount', 'journals'],
    rows: async (sql, query) =>
      (await listCosts(sql, query, ONE_MORE)).map(row => worded(row, ['journals'])),
  },
  gas: {
    title: 'what payments on chains have cost, by day and wallet',
    asks: 'period',
    columns: ['day', 'rail', 'wallet', 'outcome', 'transactions', 'coin', 'cost'],
    rows: async (sql, query) =>
      (await listGas(sql, query, ONE_MORE)).map(({ state: outcome, chain_id, wei, ...row }) => ({
        ...{ day: row.day, rail: row.rail, wallet: row.wallet, outcome },
        ...{ transactions: String(row.transactions), coin: coinOf(chain_id) },
        cost: formatMajor(wei, COIN_PLACES),
      })),
  },
  clients: {
    title: 'what is owed to each client',
    asks: 'instant',
    columns: ['account', 'currency', 'available', 'in_transit', 'owed'],
    rows: async (sql, { at }) => clientRows(sql, at),
  },
  safeguarding: {
    title: 'client money of a month, for the regulator',
    asks: 'month',
    columns: [
      ...['figure', 'day', 'pool', 'currency', 'number', 'institution', 'requirement', 'resource'],
      ...['entered', 'difference', 'd1_requirement', 'd1_resource', 'd1_difference', 'bank'],
      ...['state', 'action', 'signed_by'],
    ],
    rows: async (sql, { month, today }) => {
      const days = daysOver(daysOfMonth(month), today)
      const to_sign = days === undefined ? [] : await listToSign(sql, days)
      return monthRows(await listSignedDays(sql, month), to_sign).map(row => worded(row))
    },
  },
  'state-liability': {
    title: 'client money and payouts of a quarter, by state of the US',
    asks: 'quarter',
    columns: ['figure', 'us_state', 'currency', 'day', 'days', 'number', 'amount'],
    rows: async (sql, { quarter, today }) => {
      const days = daysOver(daysOfQuarter(quarter), today)
      if (days === undefined) return []
      checkDerived(days, await countAccountsBehind(sql, days))
      const liabilities = await listLiabilities(sql, days, ONE_MORE)
      const payouts = await listStatePayouts(sql, days)
      return stateRows(days, liabilities, payouts).map(row => worded(row))
    },
  },
  institutions: {
    title: 'what each institution holds of client money',
    asks: 'present',
    columns: [
      ...['pool', 'of', 'currency', 'institution', 'amount', 'share', 'most_share', 'state'],
    ],
    rows: async sql => (await readShares(sql)).map(row => worded(row)),
  },
  forecast: {
    title: 'what banks will have on the next five banking days',
    asks: 'present',
    columns: [
      ...['nostro', 'day', 'currency', 'moves', 'waits_for_funds', 'balance', 'state', 'missing'],
    ],
    rows: async (sql, { today }) => (await readForecast(sql, today)).map(row => worded(row)),
  },
  unassigned: {
    title: 'items that no account at a bank is known for',
    asks: 'present',
    columns: ['currency', 'rail', 'items', 'amount'],
    rows: async sql => (await sumUnassigned(sql)).map(row => worded(row, ['items'])),
  },
} as const satisfies Readonly<Record<string, Report>>

export type ReportName = keyof typeof REPORTS
export const REPORT_NAMES = Object.keys(REPORTS) as ReportName[]

export const isReportName = (text: string | undefined): text is ReportName =>
  text !== undefined && Object.hasOwn(REPORTS, text)

/** Refuses (422) a report of more than MAX_ROWS rows. */
export async function readReport(sql: Sql, name: ReportName, query: ReportQuery) {
  const { asks, columns, rows }: Report = REPORTS[name]
  const found = await rows(sql, query)
  if (found.length > MAX_ROWS) {
    const next = asks === 'period' ? 'ask for fewer days' : 'so many are not shown'
    throw refusal('object_full', `The report ${name} has more than ${MAX_ROWS} rows: ${next}.`)
  }
  return { report: name, columns: [...columns], rows: [...found] }
}

async function clientRows(sql: Tag, at: Instant): Promise<Rows> {
  const owed = new Map<string, { currency: string; account: string; sums: Map<string, bigint> }>()
  const codes = ['available', 'in_transit']
  for (const sum of await sumsOfAccounts(sql, at, codes, codes.length * ONE_MORE)) {
    const { account_id: account, currency, code, amount } = sum
    const key = `${account} ${currency}`
    const row = owed.get(key) ?? { currency, account, sums: new Map() }
    row.sums.set(code, amount)
    owed.set(key, row)
  }
  return [...owed.values()].map(({ account, currency, sums }) => {
    const available = sums.get('available') ?? 0n
    const in_transit = sums.get('in_transit') ?? 0n
    return worded({ account, currency, available, in_transit, owed: available + in_transit })
  })
}
