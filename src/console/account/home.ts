// The first screens: /console itself, and the home of an account.
import { mayRunInstallation } from '../../accounts/user/rules.ts'
import { type Html, html } from '../../values/text/html.ts'
import type { ListOf } from '../api.ts'
import { rows } from '../list.ts'
import type { Balance, Beneficiary, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { age, digits, mainLink, money, state, time } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'
import { limitsOf } from './limits.ts'
import { payoutColumns } from './payout-columns.ts'
import { balanceLines } from './reports.ts'

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
  const [balance, latest, processing, payees, ...waiting] = await Promise.all([
    api.get<Balance>('/v3/balance'),
    api.list<Payout>('/v3/payout', { limit: '10' }),
    payoutsIn('processing'),
    api.list<Beneficiary>('/v3/beneficiary', {
      status: 'pending_approval',
      limit: String(MAX_COUNTED),
    }),
    ...NEEDS.map(({ status }) => payoutsIn(status)),
  ])
  const { root } = visit
  const needed = [
    ...NEEDS.map(({ what, place }, i) => need(root + place, what, waiting[i], 'created_at')),
    need(
      `${root}/approvals`,
      'new or changed beneficiaries waiting for an approval',
      payees,
      'updated_at',
    ),
  ].filter(Boolean)
  const body = html`<div data-live-part>
${balances(root, balance)}
${needed.length > 0 && html`<h2>Needs attention</h2><ul class="plain needs">${needed}</ul>`}
${inTransit(root, processing)}
<h2>Latest payouts</h2>
${may(visit, 'maker') && mainLink(`${root}/payouts/new`, 'New payout')}
${rows({ ...LATEST, columns: payoutColumns(visit) }, latest.results)}
${await limitsOf(visit)}
<h2>Balances over 30 days</h2>${await balanceLines(visit, balance)}
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

function balances(root: string, { available, updated_at }: Balance): Html {
  return html`<div class="cards">${available.map(
    ({ amount, currency }) => html`<section class="card figure"><h2>${currency}</h2>
<a href="${root}/transactions?currency=${currency}">${digits(amount, currency)}</a></section>`,
  )}</div><p class="faint">Available, as of ${time(updated_at)}</p>`
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
