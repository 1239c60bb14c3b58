// Reports about the latest payouts, and the balances of the last 30 days.
import { dayAt, plusDays, startOfDay } from '../../values/calendar/day.ts'
import { instantIn } from '../../values/id.ts'
import { type Html, html } from '../../values/text/html.ts'
import { barChart, lineChart, type Point } from '../charts.ts'
import type { Balance, Event, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, words } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'

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

/** By holding currency and payout type. */
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

/** Of payouts that are over, in percent rounded down. */
function paidByRail(payouts: readonly Payout[]): Point[] {
  const over = payouts.filter(({ status }) => ['succeeded', 'failed', 'reversed'].includes(status))
  const rails = Map.groupBy(over, ({ rail }) => rail || 'between accounts')
  return [...rails].map(([name, all]) => {
    const paid = all.filter(({ status }) => status === 'succeeded').length
    const percent = Math.trunc((paid * 100) / all.length)
    return { name, value: BigInt(percent), shown: `${percent} % of ${all.length}` }
  })
}

/** From making to success. */
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

const DAYS = 30
/** A balance is cached from this long after its instant on. */
const FINAL_AFTER_MS = 300_000

/** One entry for each account and day: some 10 MB. */
const MAX_CACHED = 20_000
const cache = new Map<string, Balance['available']>()

/** A chart for each currency whose balance was not 0 on every day. */
export async function balanceLines(visit: Visit, now: Balance): Promise<Html> {
  const { zone } = visit
  const today = dayAt(zone, new Date().toISOString())
  const days = Array.from({ length: DAYS }, (_, i) => plusDays(today, i + 1 - DAYS))
  const past = await Promise.all(days.map(day => balancesAt(visit, day)))
  const series = [...past, now.available]
  const charts = now.available.map(({ currency }) => {
    const points = series.map((balances, i) => {
      const amount = balances.find(one => one.currency === currency)?.amount ?? '0'
      const name = i < DAYS ? (days[i] ?? '').slice(5) : 'now'
      return { name, value: BigInt(amount), shown: digits(amount, currency) }
    })
    if (points.every(({ value }) => value === 0n)) return ''
    const title = `${currency}, 30 days`
    return lineChart({ title, columns: [`Beginning of the day (${zone})`, currency], points })
  })
  return html`<div class="charts">${charts}</div>`
}

async function balancesAt(visit: Visit, day: string): Promise<Balance['available']> {
  const as_of = startOfDay(visit.zone, day)
  const key = `${accountOf(visit).account_id} ${as_of}`
  const found = cache.get(key)
  if (found !== undefined) return found
  const { available } = await visit.api.unlisted().get<Balance>('/v3/balance', { as_of })
  // Just after midnight a journal of yesterday may still be committed.
  if (Date.now() - Date.parse(as_of) < FINAL_AFTER_MS) return available
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, available)
  return available
}
