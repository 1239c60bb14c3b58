// Screens of income from one account, or from all live accounts: by month for a year, and by day
// for 30 days.
import { type Html, html } from '../../values/text/html.ts'
import { barChart, lineChart } from '../charts.ts'
import type { AccountIncome, Income, MonthIncome, OperatorAccount } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, money } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

const API = '/v3/operator'

export function incomeScreens(screens: Screens): void {
  screens.show('installation', '/income', showAll)
  screens.show('installation', '/accounts/:id/income', show)
}

const KINDS = [
  ['fees', 'Fees'],
  ['fx', 'Income from conversions'],
] as const

async function showAll({ api }: Visit): Promise<Screen> {
  const { results, months } = await api.get<AccountIncome>(`${API}/income`)
  const body = html`<p>Income from all live accounts up to now. Fees of payouts that failed or came
back are subtracted.</p>${byMonth(months)}${charts(results)}`
  return { title: 'Income', body }
}

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const [account, { results, months }] = await Promise.all([
    visit.api.get<OperatorAccount>(`${API}/account/${id}`),
    visit.api.get<AccountIncome>(`${API}/account/${id}/income`),
  ])
  const body = html`<p>Income from
<a href="${visit.root}/accounts/${id}">${account.name || id}</a>${
    account.sandbox && ', a sandbox: its money is not real'
  }. Fees of payouts that failed or came back are subtracted.</p>
${byMonth(months)}${charts(results)}`
  return { title: 'Income', body }
}

/** Fees and conversions together. */
function byMonth(months: readonly MonthIncome[]): Html | '' {
  if (months.length === 0) return ''
  const byCurrency = [...Map.groupBy(months, ({ currency }) => currency)]
  return html`<h2>By month</h2><div class="charts">${byCurrency.map(([currency, all]) => {
    const values = all.map(({ fees, fx }) => BigInt(fees) + BigInt(fx))
    const total = values.reduce((sum, value) => sum + value, 0n)
    return barChart({
      title: `Income in ${currency}`,
      columns: ['Month (UTC)', currency],
      points: all.map(({ month }, i) => {
        const value = values[i] ?? 0n
        return {
          name: month,
          value: value < 0n ? 0n : value,
          shown: digits(String(value), currency),
        }
      }),
      format: value => digits(String(value), currency),
      total: digits(String(total), currency),
    })
  })}</div><h2>By day</h2>`
}

function charts(results: readonly Income[]): Html {
  if (results.length === 0) return html`<p class="empty">No income in the last 30 days.</p>`
  return html`<div class="charts">${[...Map.groupBy(results, ({ currency }) => currency)].flatMap(
    ([currency, days]) =>
      KINDS.map(([kind, what]) => {
        const sum = days.reduce((all, day) => all + BigInt(day[kind]), 0n)
        const points = days.map(day => ({
          name: day.day.slice(5),
          // The bar of a day that gave back more than it earned is empty; its figure has the sign.
          value: BigInt(day[kind]) < 0n ? 0n : BigInt(day[kind]),
          shown: digits(day[kind], currency),
        }))
        return html`<div>${lineChart({
          title: `${what} in ${currency}`,
          columns: ['Day (UTC)', currency],
          points,
          format: value => digits(String(value), currency),
        })}<p>In 30 days: <strong>${money(String(sum), currency)}</strong></p></div>`
      }),
  )}</div>`
}
