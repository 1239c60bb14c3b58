// What an account has brought in for 30 days: fees and the income of conversions, by day, from its
// book.
import { html } from '../../html.ts'
import { lineChart } from '../charts.ts'
import type { Screens } from '../screens.ts'
import { digits, money } from '../show.ts'
import { rootOf, type Screen, type Visit } from '../visit.ts'
import type { DeskAccount, Income } from './objects.ts'

const API = '/v3/operator/account'

export function incomeScreens(screens: Screens): void {
  screens.show('installation', '/accounts/:id/income', show)
}

const KINDS = [
  ['fees', 'Fees'],
  ['fx', 'Income of conversions'],
] as const

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const [account, { results }] = await Promise.all([
    visit.api.get<DeskAccount>(`${API}/${id}`),
    visit.api.list<Income>(`${API}/${id}/income`),
  ])
  const charts = [...Map.groupBy(results, ({ currency }) => currency)].flatMap(([currency, days]) =>
    KINDS.map(([kind, what]) => {
      const sum = days.reduce((all, day) => all + BigInt(day[kind]), 0n)
      const points = days.map(day => ({
        name: day.day.slice(5),
        // A day that gave back more than it earned stands at the bottom; its figure has the sign.
        value: BigInt(day[kind]) < 0n ? 0n : BigInt(day[kind]),
        shown: digits(day[kind], currency),
      }))
      return html`<div>${lineChart({
        title: `${what} in ${currency}`,
        columns: ['Day (UTC)', currency],
        points,
      })}<p>In 30 days: <strong>${money(String(sum), currency)}</strong></p></div>`
    }),
  )
  const nothing = html`<p class="empty">Nothing was earned in 30 days.</p>`
  const body = html`<p>Of <a href="${rootOf(visit)}/accounts/${id}">${account.name || id}</a>${
    account.sandbox && ', a sandbox, whose money is none'
  }. What failed or came back has taken its fees back.</p>
${charts.length === 0 && nothing}<div class="charts">${charts}</div>`
  return { title: 'Income', body }
}
