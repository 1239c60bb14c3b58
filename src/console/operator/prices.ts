// Screens of rates and fees, and the history of one rate from the audit log.
import { fees } from '../../operator/fees.ts'
import { html } from '../../values/text/html.ts'
import type { Json } from '../api.ts'
import { lineChart } from '../charts.ts'
import { fieldText, postForm } from '../form.ts'
import { actionTable, rows, type Table } from '../list.ts'
import type { AuditedChange, Rate } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, state, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

export function priceScreens(screens: Screens): void {
  screens.show('installation', '/prices', show)
  const setting = { to: '/v3/operator/rate', body: rateOf, next: '/prices?done=saved' }
  screens.send('installation', '/prices/rate', setting, show)
  screens.show('installation', '/prices/:base/:quote', showRate)
}

function rateOf(visit: Visit): object {
  return {
    base: fieldText(visit, 'base').toUpperCase(),
    quote: fieldText(visit, 'quote').toUpperCase(),
    mid: fieldText(visit, 'mid'),
    source: fieldText(visit, 'source'),
  }
}

const MID_HINT = 'Units of the quote currency for one of the base, without your spread: 7.8501'

async function show(visit: Visit): Promise<Screen> {
  const [rates, schedule] = await Promise.all([
    visit.api.list<Rate>('/v3/operator/rate'),
    actionTable(visit, fees, { caption: 'Fees', empty: 'No fees: no payout can be priced.' }),
  ])
  const body = html`<h2>Rates</h2>${rows(RATES, rates.results)}
${postForm(visit, {
  action: `${visit.root}/prices/rate`,
  under: 'Set a rate',
  button: 'Set the rate',
  asksPassword: true,
  fields: [
    { name: 'base', label: 'Base currency', required: true, hint: 'USD' },
    { name: 'quote', label: 'Quote currency', required: true, hint: 'HKD' },
    { name: 'mid', label: 'Mid-market rate', required: true, hint: MID_HINT },
    { name: 'source', label: 'Source', required: true },
  ],
})}
<h2>Fees</h2>${schedule}`
  return { title: 'Rates and fees', body }
}

const GAP = html`<span class="state wait">differs from others</span>`
const SAMPLE = html`<span class="state wait">sample</span>`

const RATES: Table<Rate> = {
  caption: 'Rates',
  empty: 'No rates: nothing can be converted.',
  columns: [
    {
      name: 'Pair',
      show: ({ base, quote }) =>
        link(`/console/installation/prices/${base}/${quote}`, `${base}/${quote}`),
    },
    { name: 'Mid-market rate', number: true, show: ({ mid, gap }) => html`${mid} ${gap && GAP}` },
    { name: 'Source', show: ({ source, sample }) => html`${source} ${sample && SAMPLE}` },
    { name: 'As of', show: ({ as_of }) => time(as_of) },
    {
      name: 'Valid until',
      show: ({ good_until, pegged }) =>
        pegged ? 'pegged' : html`${isPast(good_until) && state('stale')} ${time(good_until)}`,
    },
  ],
}

export function isPast(at: string | null): boolean {
  return at !== null && Date.parse(at) < Date.now()
}

/** The feed of rates writes some 30 changes a day. */
const MAX_READ = 2000

async function showRate(visit: Visit): Promise<Screen> {
  const { base = '', quote = '' } = visit.params
  const api = visit.api.unlisted()
  const latest = await api.first<AuditedChange>('/v3/operator/audit', MAX_READ, {}, last => ({
    before: last.change_id,
  }))
  const changes = latest.filter(({ table_name, before, after }) => {
    const row = after ?? before
    return table_name === 'rates' && row?.base === base && row.quote === quote
  })
  const points = changes.toReversed().flatMap(({ changed_at, after }) => {
    const mid = text(after?.mid)
    const value = scaled(mid)
    return value === undefined ? [] : [{ name: changed_at.slice(0, 10), value, shown: mid }]
  })
  const title = `1 ${base} in ${quote}`
  const body = html`${lineChart({ title, columns: ['Set on', quote], points })}
<h2>Changes</h2>${rows(CHANGES, changes)}`
  return { title, body }
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** Times 10^12, for up to 12 places; undefined for other text. */
function scaled(mid: string): bigint | undefined {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(mid)
  return match === null ? undefined : BigInt(`${match[1]}${(match[2] ?? '').padEnd(12, '0')}`)
}

const CHANGES: Table<AuditedChange> = {
  caption: 'Changes of the rate, newest first',
  empty: 'The rate was not changed lately.',
  columns: [
    { name: 'When', show: ({ changed_at }) => time(changed_at) },
    { name: 'Who', show: ({ changed_by }) => changed_by },
    { name: 'Before', number: true, show: ({ before }) => text(before?.mid) },
    { name: 'After', number: true, show: ({ after }) => text(after?.mid) },
    { name: 'Source', show: ({ after }) => text(after?.source) },
  ],
}
