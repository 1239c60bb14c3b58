// The screen of reports about the latest payouts: volume by corridor, outcomes by status and by
// rail, and times to success. It reads at most 1,000 payouts, and says how many.

import { instantIn } from '../../values/id.ts'
import { html } from '../../values/text/html.ts'
import { barChart, type Point } from '../charts.ts'
import type { Balance, Event, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { balanceLines } from './balance-line.ts'

export function reportScreens(screens: Screens): void {
  screens.show('account', '/reports', show)
}

const BY_RAIL = { title: 'Success rate, in percent', columns: ['Rail', 'Succeeded'] } as const
const TO_SUCCESS = {
  title: 'Seconds to success',
  columns: ['Share of payouts', 'At most'],
} as const

/** The most payouts, and the most events, that a report reads. */
const MAX_READ = 1000

const after = ({ id }: { readonly id: string }) => ({ starting_after: id })

async function show(visit: Visit): Promise<Screen> {
  const api = visit.api.unlisted()
  const [payouts, succeeded, balance] = await Promise.all([
    api.first<Payout>('/v3/payout', MAX_READ, {}, after),
    api.first<Event>('/v3/event', MAX_READ, { type: 'payout.succeeded' }, after),
    visit.api.get<Balance>('/v3/balance'),
  ])
  const body = html`<p>This report covers the latest ${payouts.length} payouts${
    payouts.length === MAX_READ && html`; the statement has all of them`
  }.</p>
<h2>Balances</h2>${await balanceLines(visit, balance)}
<h2>Volume by corridor</h2><div class="charts">${volumes(payouts)}</div>
<h2>Outcomes</h2><div class="charts">
${barChart({ title: 'By state', columns: ['State', 'Payouts'], points: byStatus(payouts) })}
${barChart({ ...BY_RAIL, points: paidByRail(payouts) })}
${barChart({ ...TO_SUCCESS, points: timesToSuccess(succeeded) })}
</div>`
  return { title: 'Reports', body }
}

const MAX_BARS = 8

function byStatus(payouts: readonly Payout[]): Point[] {
  return [...Map.groupBy(payouts, ({ status }) => words(status))].map(([name, { length }]) => {
    return { name, value: BigInt(length), shown: String(length) }
  })
}

/** A chart for each payout currency, by holding currency and payout type. */
function volumes(payouts: readonly Payout[]) {
  return [...Map.groupBy(payouts, ({ currency }) => currency)].map(([currency, all]) => {
    const corridor = (payout: Payout) => `${payout.holding_currency} ${words(payout.type)}`
    const points = [...Map.groupBy(all, corridor)].map(([name, some]) => {
      const value = some.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
      return { name, value, shown: digits(String(value), currency) }
    })
    const largest = points.toSorted((a, b) => (a.value < b.value ? 1 : -1)).slice(0, MAX_BARS)
    return barChart({
      title: `Paid out in ${currency}`,
      columns: ['From', currency],
      points: largest,
    })
  })
}

/** Of each rail's payouts that are over, the part that succeeded, in percent rounded down. */
function paidByRail(payouts: readonly Payout[]): Point[] {
  const over = payouts.filter(({ status }) => ['succeeded', 'failed', 'reversed'].includes(status))
  const rails = Map.groupBy(over, ({ rail }) => rail || 'between accounts')
  return [...rails].map(([name, all]) => {
    const paid = all.filter(({ status }) => status === 'succeeded').length
    const percent = Math.trunc((paid * 100) / all.length)
    return { name, value: BigInt(percent), shown: `${percent} % of ${all.length}` }
  })
}

/** The median, the 95th percentile and the longest time from making to success, in seconds. */
function timesToSuccess(events: readonly Event[]): Point[] {
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
