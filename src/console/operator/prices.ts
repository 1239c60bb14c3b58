// Rates with their age, fees and spreads: what payouts are priced by.
import { html } from '../../text/html.ts'
import { deed, said } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { Screens } from '../screens.ts'
import { digits, state, time, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import type { Fee, Rate } from './objects.ts'

export function priceScreens(screens: Screens): void {
  screens.show('installation', '/prices', show)
  const setting = { to: '/v3/operator/rate', body: rateOf, next: '/prices?done=saved' }
  screens.send('installation', '/prices/rate', setting, show)
}

function rateOf(visit: Visit): object {
  return {
    base: said(visit, 'base').toUpperCase(),
    quote: said(visit, 'quote').toUpperCase(),
    mid: said(visit, 'mid'),
    source: said(visit, 'source'),
  }
}

const OF_MID = '7.8501, the mid-market rate without your spread'

async function show(visit: Visit): Promise<Screen> {
  const [rates, fees] = await Promise.all([
    visit.api.list<Rate>('/v3/operator/rate'),
    visit.api.list<Fee>('/v3/operator/fee'),
  ])
  const body = html`<h2>Rates</h2>${rows(RATES, rates.results)}
${deed(visit, {
  action: `${visit.root}/prices/rate`,
  under: 'Set a rate',
  button: 'Set the rate',
  asksPassword: true,
  fields: [
    { name: 'base', label: 'One unit of', required: true, hint: 'USD' },
    { name: 'quote', label: 'is worth, in', required: true, hint: 'HKD' },
    { name: 'mid', label: 'so many', required: true, hint: OF_MID },
    { name: 'source', label: 'By whom', required: true },
  ],
})}
<h2>Fees</h2>${rows(FEES, fees.results)}`
  return { title: 'Rates and fees', body }
}

const SAMPLE = html`<span class="state wait">sample</span>`

const RATES: Table<Rate> = {
  caption: 'Rates',
  empty: 'No rates: nothing can be converted.',
  columns: [
    {
      name: 'Pair',
      show: ({ base, quote }) =>
        html`<a href="/console/installation/prices/${base}/${quote}">${base}/${quote}</a>`,
    },
    { name: 'Mid', number: true, show: ({ mid }) => mid },
    { name: 'Source', show: ({ source, sample }) => html`${source} ${sample && SAMPLE}` },
    { name: 'As of', show: ({ as_of }) => time(as_of) },
    {
      name: 'Good until',
      show: ({ good_until, pegged }) =>
        pegged ? 'pegged' : html`${isPast(good_until) && state('stale')} ${time(good_until)}`,
    },
  ],
}

export function isPast(at: string | null): boolean {
  return at !== null && Date.parse(at) < Date.now()
}

const FEES: Table<Fee> = {
  caption: 'Fees',
  empty: 'No fees: no payout can be priced.',
  columns: [
    { name: 'Of', show: ({ payout_type }) => words(payout_type) },
    {
      name: 'Where',
      show: ({ payout_currency, destination_country, network, charge_type }) =>
        [payout_currency, destination_country, network, charge_type].filter(Boolean).join(' ') ||
        'anywhere',
    },
    {
      name: 'Fixed',
      number: true,
      show: ({ fixed_amount, fee_currency }) =>
        `${digits(fixed_amount, fee_currency)} ${fee_currency}`,
    },
    { name: 'Variable', number: true, show: ({ variable_bps }) => `${variable_bps} bp` },
    { name: '', show: ({ sample }) => sample && SAMPLE },
  ],
}
