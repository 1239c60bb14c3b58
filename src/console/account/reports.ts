// Reports about the payouts of a period, and the balances in it.
import { dayAt, endOfDay, isDay, plusDays, startOfDay } from '../../values/calendar/day.ts'
import { instantIn } from '../../values/id.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { barChart, lineChart, type Point } from '../charts.ts'
import { field } from '../form.ts'
import { dayFields } from '../list.ts'
import type { Balance, Event, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, money, words } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'

export function reportScreens(screens: Screens): void {
  screens.show('account', '/reports', show)
}

const BY_STATE = { title: 'By state', columns: ['State', 'Payouts'] } as const
const BY_RAIL = { title: 'Success rate, in percent', columns: ['Rail', 'Succeeded'] } as const
const TO_SUCCESS = {
  title: 'Seconds to success',
  columns: ['Share of payouts', 'At most'],
} as const

/** The most payouts, and the most events, that a report reads. */
const MAX_READ = 1000

const after = ({ id }: { readonly id: string }) => ({ starting_after: id })

interface Period {
  readonly from: string
  readonly to: string
}

/** The days of the address, both included; by default the last 30. */
function periodOf({ zone, query }: Visit): Period {
  const today = dayAt(zone, new Date().toISOString())
  const { from = '', to = '' } = query
  const last = isDay(to) && to < today ? to : today
  const first = isDay(from) && from <= last ? from : plusDays(last, 1 - DAYS)
  return { from: first, to: last }
}

async function show(visit: Visit): Promise<Screen> {
  const api = visit.api.unlisted()
  const { zone } = visit
  const period = periodOf(visit)
  const { from, to } = period
  const query = { 'created.gte': startOfDay(zone, from), 'created.lt': endOfDay(zone, to) }
  const [payouts, succeeded, balance] = await Promise.all([
    api.first<Payout>('/v3/payout', MAX_READ, query, after),
    api.first<Event>('/v3/event', MAX_READ, { ...query, type: 'payout.succeeded' }, after),
    visit.api.get<Balance>('/v3/balance'),
  ])
  const body = html`<form class="filters">${dayFields(visit).map(of =>
    field(visit, { ...of, value: of.name === 'from' ? from : to }),
  )}<div class="buttons"><button class="quiet">Show the period</button></div></form>
<p>${from} to ${to}: ${payouts.length} payouts${
    payouts.length === MAX_READ && html`, the newest; the statement has all of them`
  }. ${totalsOf(payouts)}</p>
<h2>Balances</h2>${await balanceLines(visit, balance, period)}
<h2>Volume by corridor</h2><div class="charts">${volumes(payouts)}</div>
<h2>Outcomes</h2><div class="charts">
${barChart({ ...BY_STATE, points: byStatus(payouts), total: payouts.length })}
${barChart({ ...BY_RAIL, points: paidByRail(payouts) })}
${barChart({ ...TO_SUCCESS, points: timesToSuccess(succeeded) })}
</div>`
  return { title: 'Reports', body }
}

/** What the payouts come to, by currency. */
function totalsOf(payouts: readonly Payout[]): Content {
  const sums = [...Map.groupBy(payouts, ({ currency }) => currency)].map(([currency, all]) =>
    money(String(sumOf(all)), currency),
  )
  return sums.length === 0 ? '' : html`Together ${sums.map((sum, i) => [i > 0 && ', ', sum])}.`
}

function sumOf(payouts: readonly Payout[]): bigint {
  return payouts.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
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
      const value = sumOf(some)
      return { name, value, shown: digits(String(value), currency) }
    })
    const largest = points.toSorted((a, b) => (a.value < b.value ? 1 : -1)).slice(0, MAX_BARS)
    return barChart({
      title: `Paid out in ${currency}`,
      columns: ['From', currency],
      points: largest,
      format: value => digits(String(value), currency),
      total: digits(String(sumOf(all)), currency),
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
    ['95 % (p95)', at(0.95)] as const,
    ['all', at(1)] as const,
  ].map(([name, s]) => ({ name, value: BigInt(Math.max(0, s)), shown: `${s} s` }))
}

const DAYS = 30
/** A balance is cached from this long after its instant on. */
const FINAL_AFTER_MS = 300_000

/** One entry for each account and day: some 10 MB. */
const MAX_CACHED = 20_000
const cache = new Map<string, Balance['available']>()

/** The most points of a line: of a longer period it has each n-th day. */
const MAX_POINTS = 60

/** The days of a period, the last one included. */
function daysOf({ from, to }: Period): string[] {
  const days: string[] = []
  for (let day = from; day <= to && days.length < MAX_DAYS; day = plusDays(day, 1)) days.push(day)
  const every = Math.ceil(days.length / MAX_POINTS)
  return days.filter((_, i) => (days.length - 1 - i) % every === 0)
}

/** Ten years: of a longer period the line has the first of them. */
const MAX_DAYS = 3_660

/** A chart for each currency whose balance was not 0 on every day; by default of 30 days. */
export async function balanceLines(visit: Visit, now: Balance, asked?: Period): Promise<Html> {
  const { zone } = visit
  const today = dayAt(zone, new Date().toISOString())
  const period = asked ?? { from: plusDays(today, 1 - DAYS), to: today }
  const days = daysOf(period)
  const past = await Promise.all(days.map(day => balancesAt(visit, day)))
  const isPast = period.to < today
  const series = isPast ? past : [...past, now.available]
  const charts = now.available.map(({ currency }) => {
    const points = series.map((balances, i) => {
      const amount = balances.find(one => one.currency === currency)?.amount ?? '0'
      const name = days[i]?.slice(5) ?? 'now'
      return { name, value: BigInt(amount), shown: digits(amount, currency) }
    })
    if (points.every(({ value }) => value === 0n)) return ''
    return lineChart({
      title: `${currency}, ${period.from} to ${period.to}`,
      columns: [`Beginning of the day (${zone})`, currency],
      points,
      format: value => digits(String(value), currency),
    })
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
