// The first screens: /console itself, and the home of an account.
import { mayRunInstallation } from '../../accounts/user/rules.ts'
import { dayAt, plusDays, startOfDay } from '../../values/calendar/day.ts'
import { type Html, html } from '../../values/text/html.ts'
import type { ListOf } from '../api.ts'
import { rows } from '../list.ts'
import type { Balance, Beneficiary, Delivery, Endpoint, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { age, digits, link, mainLink, money, state, time } from '../show.ts'
import { accountOf, may, type Screen, type Visit } from '../visit.ts'
import { limitsOf } from './limits.ts'
import { payoutColumns } from './payout-columns.ts'
import { balanceLines } from './reports.ts'
import { type Worth, worthOf } from './worth.ts'

export function homeScreens(screens: Screens): void {
  screens.show('person', '', async visit => {
    const [first] = visit.accounts
    if (first !== undefined) return `/console/${first.account_id}`
    if (mayRunInstallation(visit.person.role, 'read')) return '/console/installation'
    const body = html`<p>You have no role on any account yet. Ask an operator of this installation
to give <strong>${visit.person.user}</strong> one.</p>`
    return { title: `Welcome, ${visit.person.user}`, body }
  })
  screens.show('account', '', home)
}

/** Payouts that failed or came back are shown for so many days. */
const RECENT_DAYS = 7
const ENDED_BADLY = [
  { status: 'failed', what: 'failed' },
  { status: 'reversed', what: 'came back' },
] as const

/** The most webhook endpoints that are looked at, on the home page of an account. */
const MOST_ENDPOINTS = 10

/** In the order of the page. */
const NEEDS = [
  { status: 'pending_approval', what: 'waiting for an approval', place: '/approvals' },
  {
    status: 'requires_action',
    what: 'waiting for your answer',
    place: '/payouts?status=requires_action',
  },
  {
    status: 'compliance_hold',
    what: 'held for a review',
    place: '/payouts?status=compliance_hold',
  },
] as const

/** The most rows that are counted: nobody needs a greater exact number. */
const MAX_COUNTED = 100

async function home(visit: Visit): Promise<Screen> {
  const { api } = visit
  const payoutsIn = (status: string) =>
    api.list<Payout>('/v3/payout', { status, limit: String(MAX_COUNTED) })
  const [balance, ended, failing, latest, processing, payees, ...waiting] = await Promise.all([
    api.get<Balance>('/v3/balance'),
    endedBadly(visit),
    failingEndpoints(visit),
    api.list<Payout>('/v3/payout', { limit: '10' }),
    payoutsIn('processing'),
    api.list<Beneficiary>('/v3/beneficiary', {
      status: 'pending_approval',
      limit: String(MAX_COUNTED),
    }),
    ...NEEDS.map(({ status }) => payoutsIn(status)),
  ])
  const { root } = visit
  const [worth, limits, lines] = await Promise.all([
    worthOf(visit, balance),
    limitsOf(visit),
    balanceLines(visit, balance),
  ])
  const needed = [
    ...ended,
    ...NEEDS.map(({ what, place }, i) => need(root + place, what, waiting[i], 'created_at')),
    need(
      `${root}/approvals`,
      'new or changed beneficiaries waiting for an approval',
      payees,
      'updated_at',
    ),
    ...failing,
  ].filter(Boolean)
  const body = html`<div data-live-part>
${balances(root, balance, worth)}
${mainLink(`${root}/funding`, 'Add money')}
${
  may(visit, 'maker') &&
  accountOf(visit).currencies.length > 1 &&
  mainLink(`${root}/conversions/new`, 'Convert')
}
${needed.length > 0 && html`<h2>Needs attention</h2><ul class="plain needs">${needed}</ul>`}
${inTransit(root, processing)}
<h2>Latest payouts</h2>
${may(visit, 'maker') && mainLink(`${root}/payouts/new`, 'New payout')}
${rows({ ...LATEST, columns: payoutColumns(visit) }, latest.results)}
${limits}
<h2>Balances over 30 days</h2>${lines}
</div>`
  return { title: visit.account?.name || 'Home', body, live: 'pot_' }
}

/** '' for none. `since` names the time of a row. */
function need<Member extends string>(
  place: string,
  what: string,
  found: ListOf<{ readonly [name in Member]: string }> | undefined,
  since: Member,
): Html | '' {
  const { results = [], has_more = false } = found ?? {}
  const oldest = results.map(row => row[since]).sort()[0]
  if (oldest === undefined) return ''
  return html`<li><a href="${place}">${results.length}${has_more && '+'}</a> ${what},
the oldest for ${age(oldest, new Date().toISOString())}</li>`
}

/** Those of the last days, newest first. */
function endedBadly(visit: Visit): Promise<(Html | '')[]> {
  const { zone, root } = visit
  const first = plusDays(dayAt(zone, new Date().toISOString()), 1 - RECENT_DAYS)
  const query = { 'created.gte': startOfDay(zone, first), limit: String(MAX_COUNTED) }
  return Promise.all(
    ENDED_BADLY.map(async ({ status, what }) => {
      const found = await visit.api.unlisted().list<Payout>('/v3/payout', { status, ...query })
      const place = `${root}/payouts?${new URLSearchParams({ status, from: first })}`
      return need(place, `made in the last ${RECENT_DAYS} days ${what}`, found, 'created_at')
    }),
  )
}

/** Endpoints that get nothing, and those with events that were given up. */
async function failingEndpoints(visit: Visit): Promise<Html[]> {
  const api = visit.api.unlisted()
  const { results } = await api.list<Endpoint>('/v3/webhook_endpoint', {
    limit: String(MOST_ENDPOINTS),
  })
  const items = await Promise.all(
    results.map(async ({ id, url, status, disabled_reason }) => {
      const to = link(`${visit.root}/webhooks/${id}`, url)
      if (disabled_reason === 'gone') {
        return html`<li>${to} gets no events: it has answered that it is gone</li>`
      }
      if (status === 'disabled') return undefined
      const path = `/v3/webhook_endpoint/${id}/delivery`
      const { results } = await api.list<Delivery>(path, { limit: String(MAX_COUNTED) })
      // Newest first: an event that was sent again has a later delivery.
      const last = new Map(results.toReversed().map(one => [one.event, one.status]))
      const count = [...last.values()].filter(of => of === 'dead').length
      if (count === 0) return undefined
      return html`<li>${to} did not take ${count}
${count === 1 ? 'event' : 'events'}: send them again once it answers</li>`
    }),
  )
  return items.filter(item => item !== undefined)
}

/** Each with its worth in the primary currency, and what all are worth together. */
function balances(root: string, { available, updated_at }: Balance, worth: Worth): Html {
  const { primary, each, total, without } = worth
  const about = (value: bigint) => html`about ${money(String(value), primary)}`
  const cards = available.map(({ amount, currency }) => {
    const value = each.get(currency)
    return html`<section class="card figure"><h2>${currency}</h2>
<a href="${root}/transactions?currency=${currency}">${digits(amount, currency)}</a>${
      currency !== primary &&
      html`<p class="faint">${value === undefined ? 'no rate now' : about(value)}</p>`
    }</section>`
  })
  const sum = html`<section class="card figure"><h2>All together, in ${primary}</h2>
<strong>${digits(String(total), primary)}</strong><p class="faint">at the mid rates of now${
    without.length > 0 && `, without ${without.join(', ')}`
  }</p></section>`
  return html`<div class="cards">${cards}${available.length > 1 && sum}</div>
<p class="faint">Available, as of ${time(updated_at)}</p>`
}

const AGES: readonly (readonly [string, number])[] = [
  ['under an hour', 3_600_000],
  ['under a day', 86_400_000],
  ['under three days', 259_200_000],
  ['three days or more', Number.POSITIVE_INFINITY],
]

const LATEST = { caption: 'Latest payouts', empty: 'No payouts yet.' }

/** By age and currency; '' without one. */
function inTransit(root: string, page: ListOf<Payout>): Html | '' {
  if (page.results.length === 0) return ''
  const now = Date.now()
  const byAge = Map.groupBy(page.results, ({ created_at }) =>
    AGES.find(([, most]) => now - Date.parse(created_at) < most),
  )
  return html`<h2>In transit</h2>
<p><a href="${root}/payouts?status=processing">${page.results.length}${
    page.has_more && '+'
  } payouts</a> are ${state('processing')}</p>
<ul class="plain">${AGES.flatMap(age =>
    [...Map.groupBy(byAge.get(age) ?? [], ({ currency }) => currency)].map(([currency, all]) => {
      const sum = all.reduce((total, { amount }) => total + BigInt(amount), 0n)
      return html`<li>${money(String(sum), currency)} for ${age[0]}</li>`
    }),
  )}</ul>`
}
