// What needs an operator, with its age and where to go; nothing stands here while nothing does.
import { type Html, html } from '../../http/html.ts'
import { MANUAL } from '../../rail/rail.ts'
import type { ListOf } from '../api.ts'
import type { Screens } from '../screens.ts'
import { age } from '../show.ts'
import { rootOf, type Screen, type Visit } from '../visit.ts'
import type {
  DeskAccount,
  DeskEntity,
  DeskPayoutRow,
  DeskRail,
  FailingEndpoint,
  HeldByScreening,
  Lists,
  RailException,
  Rate,
} from './objects.ts'
import { isPast } from './prices.ts'

export function attentionScreens(screens: Screens): void {
  screens.show('installation', '', show)
}

/** Counting stops here. */
const COUNTED = '100'

interface Need {
  readonly what: string
  readonly count: string
  /** The oldest that was seen; '' when its age says nothing. */
  readonly since: string
  readonly place: string
}

async function show(visit: Visit): Promise<Screen> {
  const { api } = visit
  const of = <T>(path: string, query = {}) =>
    api.list<T>(`/v3/operator/${path}`, { limit: COUNTED, ...query })
  const [reviews, held, exceptions, stuck, byHand, endpoints, rates, rails, accounts, lists] =
    await Promise.all([
      of<DeskEntity>('entity'),
      of<HeldByScreening>('screening', { state: 'open' }),
      of<RailException>('exception'),
      of<DeskPayoutRow>('payout', { status: 'requires_action' }),
      of<DeskPayoutRow>('payout', { status: 'processing', rail: MANUAL }),
      of<FailingEndpoint>('webhook_endpoint'),
      api.list<Rate>('/v3/operator/rate'),
      api.list<DeskRail>('/v3/operator/rail'),
      of<DeskAccount>('account'),
      api.get<Lists>('/v3/operator/screening_list'),
    ])
  const stale = rates.results.filter(
    ({ pegged, sample, good_until }) => !pegged && !sample && isPast(good_until),
  )
  const needs = [
    need('payouts are held by screening', held, 'screening', row => row.updated_at),
    need('exceptions of rails are open', exceptions, 'exceptions', row => row.opened_at),
    need(
      'payouts wait to be paid by hand',
      byHand,
      'payouts?status=processing&rail=manual',
      row => row.payout.created_at,
    ),
    need('entities wait for a review', reviews, 'entities', row => row.entity.updated_at),
    need(
      'payouts wait for an answer of their account',
      stuck,
      'payouts?status=requires_action',
      row => row.payout.created_at,
    ),
    need('webhook endpoints get nothing', endpoints, 'deliveries', row => row.dead_since ?? ''),
    need(
      'rates are stale: nothing is converted by them',
      { results: stale, has_more: false },
      'prices',
      row => row.as_of,
    ),
    need(
      'rails are paused',
      only(rails, rail => rail.paused),
      'rails',
      () => '',
    ),
    need(
      'accounts are frozen',
      only(accounts, account => account.state === 'frozen'),
      'accounts',
      () => '',
    ),
  ].flatMap(found => found ?? [])
  const missing = lists.lists.flatMap(({ list, required, state }) =>
    required === true && state !== 'fresh' ? [`${list} (${state})`] : [],
  )
  const body = html`${
    needs.length === 0 && missing.length === 0
      ? html`<p class="empty">Nothing needs you. This page is the whole list.</p>`
      : html`<ul class="plain needs">${needs.map(one => needOf(visit, one))}${
          missing.length > 0 &&
          html`<li><a href="${rootOf(visit)}/screening">${missing.length}</a> sanctions lists are required
and not fresh: ${missing.join(', ')}. Live payouts are held.</li>`
        }</ul>`
  }<p class="faint">The books are proved by <code>corridor verify</code>, and kept by
<code>corridor backup</code>, on the machine.</p>`
  return { title: 'Needs attention', body }
}

function only<T>({ results, has_more }: ListOf<T>, wanted: (row: T) => boolean): ListOf<T> {
  return { results: results.filter(wanted), has_more }
}

function need<T>(
  what: string,
  { results, has_more }: ListOf<T>,
  place: string,
  since: (row: T) => string,
): Need | undefined {
  if (results.length === 0) return undefined
  const oldest = results.map(since).filter(Boolean).sort()[0] ?? ''
  return { what, count: `${results.length}${has_more ? '+' : ''}`, since: oldest, place }
}

function needOf(visit: Visit, { what, count, since, place }: Need): Html {
  return html`<li><a href="${rootOf(visit)}/${place}">${count}</a> ${what}${
    since && html`, the oldest since ${age(since, new Date().toISOString())}`
  }</li>`
}
