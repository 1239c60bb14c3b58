// Draws an account's balances of the last 30 days: at the start of each day in UTC, and now. A past
// balance does not change, so each process reads it once.
import { DAY_MS } from '../../values/instant.ts'
import { type Html, html } from '../../values/text/html.ts'
import { lineChart } from '../charts.ts'
import type { Balance } from '../objects.ts'
import { digits } from '../show.ts'
import { accountOf, type Visit } from '../visit.ts'

const DAYS = 30
/** A balance is cached from this long after its instant on. */
const FINAL_AFTER_MS = 300_000

/** The most entries of the cache, one for each account and day: some 10 MB. */
const MAX_CACHED = 20_000
const cache = new Map<string, Balance['available']>()

/** A chart for each currency whose balance was not 0 on every day. */
export async function balanceLines(visit: Visit, now: Balance): Promise<Html> {
  const today = Math.trunc(Date.now() / DAY_MS) * DAY_MS
  const days = Array.from({ length: DAYS }, (_, i) => today - (DAYS - 1 - i) * DAY_MS)
  const past = await Promise.all(days.map(day => balancesAt(visit, day)))
  const series = [...past, now.available]
  const charts = now.available.map(({ currency }) => {
    const points = series.map((balances, i) => {
      const amount = balances.find(one => one.currency === currency)?.amount ?? '0'
      const name = i < DAYS ? new Date(days[i] ?? 0).toISOString().slice(5, 10) : 'now'
      return { name, value: BigInt(amount), shown: digits(amount, currency) }
    })
    if (points.every(({ value }) => value === 0n)) return ''
    const title = `${currency}, 30 days`
    return lineChart({ title, columns: ['Day (UTC)', currency], points })
  })
  return html`<div class="charts">${charts}</div>`
}

async function balancesAt(visit: Visit, day: number): Promise<Balance['available']> {
  const as_of = new Date(day).toISOString()
  const key = `${accountOf(visit).account_id} ${as_of}`
  const found = cache.get(key)
  if (found !== undefined) return found
  const { available } = await visit.api.unlisted().get<Balance>('/v3/balance', { as_of })
  // Just after midnight a journal of yesterday may still be committed.
  if (Date.now() - day < FINAL_AFTER_MS) return available
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, available)
  return available
}
