// Reports: the outcomes of the latest payouts, by corridor and by rail, and how long they took.
// They read a bounded number of payouts, and say how many.

import { instantIn } from '../../id.ts'
import { html } from '../../text/html.ts'
import { barChart, type Point } from '../charts.ts'
import type { Balance, Event, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { balanceLines } from './balance-line.ts'

export function reportScreens(screens: Screens): void {
  screens.show('account', '/reports', show)
}

const BY_RAIL = { title: 'Paid, of 100 that ended', columns: ['Rail', 'Paid'] } as const
const TO_SUCCESS = { title: 'Seconds to success', columns: ['Of them', 'At most'] } as const

/** Most payouts that a report reads, 100 a page. */
const MOST = 1000

const after = ({ id }: { readonly id: string }) => ({ starting_after: id })

async function show(visit: Visit): Promise<Screen> {
  const api = visit.api.quietly()
  const [payouts, ended, balance] = await Promise.all([
    api.first<Payout>('/v3/payout', MOST, {}, after),
    api.first<Event>('/v3/event', MOST, { type: 'payout.succeeded' }, after),
    visit.api.get<Balance>('/v3/balance'),
  ])
  const body = html`<p>Of the latest ${payouts.length} payouts${
    payouts.length === MOST && html`; the statement has all of them`
  }.</p>
<h2>Balances</h2>${await balanceLines(visit, balance)}
<h2>Volume by corridor</h2><div class="charts">${volumes(payouts)}</div>
<h2>How they end</h2><div class="charts">
${barChart({ title: 'By state', columns: ['State', 'Payouts'], points: states(payouts) })}
${barChart({ ...BY_RAIL, points: success(payouts) })}
${barChart({ ...TO_SUCCESS, points: times(ended) })}
</div>`
  return { title: 'Reports', body }
}

const MOST_BARS = 8

function states(payouts: readonly Payout[]): Point[] {
  return [...Map.groupBy(payouts, ({ status }) => words(status))].map(([name, { length }]) => {
    return { name, value: BigInt(length), shown: String(length) }
  })
}

/** A chart for each currency that was paid out, by the balance that paid and the type. */
function volumes(payouts: readonly Payout[]) {
  return [...Map.groupBy(payouts, ({ currency }) => currency)].map(([currency, all]) => {
    const corridor = (payout: Payout) => `${payout.holding_currency} ${words(payout.type)}`
    const points = [...Map.groupBy(all, corridor)].map(([name, some]) => {
      const value = some.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      return { name, value, shown: digits(String(value), currency) }
    })
    const largest = points.toSorted((a, b) => (a.value < b.value ? 1 : -1)).slice(0, MOST_BARS)
    return barChart({
      title: `Paid out in ${currency}`,
      columns: ['From', currency],
      points: largest,
    })
  })
}

function success(payouts: readonly Payout[]): Point[] {
  const over = payouts.filter(({ status }) => ['succeeded', 'failed', 'reversed'].includes(status))
  const rails = Map.groupBy(over, ({ rail }) => rail || 'between accounts')
  return [...rails].map(([name, all]) => {
    const paid = all.filter(({ status }) => status === 'succeeded').length
    const percent = Math.trunc((paid * 100) / all.length)
    return { name, value: BigInt(percent), shown: `${percent} % of ${all.length}` }
  })
}

/** How long half of them took at most, then 95 of 100, then the slowest. */
function times(events: readonly Event[]): Point[] {
  const seconds = events
    .map(({ object_id, created_at }) => {
      return Math.trunc((Date.parse(created_at) - Date.parse(instantIn(object_id))) / 1000)
    })
    .sort((a, b) => a - b)
  if (seconds.length === 0) return []
  const at = (part: number) => seconds[Math.ceil(seconds.length * part) - 1] ?? 0
  return [
    ['half (p50)', at(0.5)] as const,
    ['95 of 100 (p95)', at(0.95)] as const,
    ['all', at(1)] as const,
  ].map(([name, s]) => ({ name, value: BigInt(Math.max(0, s)), shown: `${s} s` }))
}
