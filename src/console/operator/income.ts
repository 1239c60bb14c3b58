// Screens of income: what an account, or all live accounts, have earned the installation in 30
// days, in fees and by conversions. The figures are by day, from the books.
import { type Html, html } from '../../text/html.ts'
import { lineChart } from '../charts.ts'
import type { Screens } from '../screens.ts'
import { digits, money, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import type { AccountIncome, AllIncome, DeskAccount, Income } from './objects.ts'

const API = '/v3/operator'

export function incomeScreens(screens: Screens): void {
  screens.show('installation', '/income', showAll)
  screens.show('installation', '/accounts/:id/income', show)
}

const KINDS = [
  ['fees', 'Fees'],
  ['fx', 'Income of conversions'],
] as const

async function showAll({ api }: Visit): Promise<Screen> {
  const { counted_at, results } = await api.get<AllIncome>(`${API}/income`)
  const whenCounted =
    counted_at === null
      ? 'This process has not counted yet; one that settles payouts counts every hour.'
      : html`Counted ${time(counted_at)}, every hour anew; the page of an account has its own up to
now.`
  const body = html`<p>Of all live accounts. What failed or came back has taken its fees back.
${whenCounted}</p>${charts(results)}`
  return { title: 'Income', body }
}

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const [account, { results, complete }] = await Promise.all([
    visit.api.get<DeskAccount>(`${API}/account/${id}`),
    visit.api.get<AccountIncome>(`${API}/account/${id}/income`),
  ])
  const body = html`<p>Of <a href="${visit.root}/accounts/${id}">${account.name || id}</a>${
    account.sandbox && ', a sandbox, whose money is none'
  }. What failed or came back has taken its fees back.</p>${
    !complete && html`<p class="note wait">It is still being summed up: look again in a moment.</p>`
  }${charts(results)}`
  return { title: 'Income', body }
}

function charts(results: readonly Income[]): Html {
  if (results.length === 0) return html`<p class="empty">Nothing was earned in 30 days.</p>`
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
        })}<p>In 30 days: <strong>${money(String(sum), currency)}</strong></p></div>`
      }),
  )}</div>`
}
