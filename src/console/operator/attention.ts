// What waits for an operator, the last proof of the books, and the last backup.
import { MANUAL } from '../../rails/rail.ts'
import { type Html, html } from '../../values/text/html.ts'
import type { ListOf } from '../api.ts'
import type {
  BooksReport,
  DatabaseClock,
  FailingEndpoint,
  HeldByScreening,
  Lists,
  NotificationState,
  OperatorAccount,
  OperatorEntity,
  OperatorFile,
  OperatorPayoutRow,
  OperatorRail,
  RailException,
  Rate,
  Safeguarding,
  TreasuryExceptions,
  UnreadFile,
  UpkeepRun,
} from '../objects.ts'
import type { Screens } from '../screens.ts'
import { age, state, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { placeOfPool } from './client-money.ts'
import { EXCEPTION_WORDS, placeOfCase } from './exception-words.ts'
import { SHARES } from './institution-shares.ts'
import { isPast } from './prices.ts'

export function attentionScreens(screens: Screens): void {
  screens.show('installation', '', show)
}

const MAX_COUNTED = '100'

interface Need {
  /** The words for one row, and for several. */
  readonly what: readonly [string, string]
  /** `100+` for more than are counted. */
  readonly count: string
  /** '' when the page shows no age. */
  readonly since: string
  /** Below the root. */
  readonly place: string
}

async function show(visit: Visit): Promise<Screen> {
  const [needs, lists, upkeep] = await Promise.all([
    Promise.all([paymentNeeds(visit), otherNeeds(visit), treasuryNeeds(visit)]),
    visit.api.get<Lists>('/v3/operator/screening_list'),
    upkeepOf(visit),
  ])
  const all = needs.flat().flatMap(found => found ?? [])
  const missing = lists.lists.flatMap(({ list, required, state }) =>
    required === true && (state === 'missing' || state === 'stale') ? [`${list} (${state})`] : [],
  )
  const listsAre = missing.length === 1 ? 'list is' : 'lists are'
  const listsNeed = html`<li><a href="${visit.root}/screening">${missing.length}</a> required
sanctions ${listsAre} missing or stale: ${missing.join(', ')}. Payouts of live accounts wait.</li>`
  const isEmpty = all.length === 0 && missing.length === 0
  const emptyNote = html`<p class="empty">Nothing needs attention.</p>`
  const body = html`<div data-live-part>${isEmpty && emptyNote}
<ul class="plain needs">${all.map(need => needItem(visit, need))}${
    missing.length > 0 && listsNeed
  }</ul>
${upkeep}</div>`
  return { title: 'Needs attention', body, live: '*' }
}

function listOf<T>({ api }: Visit, path: string, query = {}): Promise<ListOf<T>> {
  return api.list<T>(`/v3/operator/${path}`, { limit: MAX_COUNTED, ...query })
}

async function paymentNeeds(visit: Visit): Promise<(Need | undefined)[]> {
  const [held, exceptions, manual, waitingForAccount, reviews] = await Promise.all([
    listOf<HeldByScreening>(visit, 'screening', { state: 'open' }),
    listOf<RailException>(visit, 'exception'),
    listOf<OperatorPayoutRow>(visit, 'payout', { status: 'processing', rail: MANUAL }),
    listOf<OperatorPayoutRow>(visit, 'payout', { status: 'requires_action' }),
    listOf<OperatorEntity>(visit, 'entity'),
  ])
  return [
    need(
      [
        'payout or party may be on a sanctions list',
        'payouts and parties may be on sanctions lists',
      ],
      held,
      'screening',
      row => row.since,
    ),
    need(
      ['exception of a rail is open', 'exceptions of rails are open'],
      exceptions,
      'exceptions',
      row => row.opened_at,
    ),
    need(
      ['payout waits to be paid by hand', 'payouts wait to be paid by hand'],
      manual,
      `payouts?status=processing&rail=${MANUAL}`,
      row => row.payout.created_at,
    ),
    need(
      ['payout waits for an answer of its account', 'payouts wait for answers of accounts'],
      waitingForAccount,
      'payouts?status=requires_action',
      row => row.payout.created_at,
    ),
    need(
      ['entity waits for a review', 'entities wait for a review'],
      reviews,
      'entities',
      row => row.entity.updated_at,
    ),
  ]
}

async function otherNeeds(visit: Visit): Promise<(Need | undefined)[]> {
  const [files, unread, clock, endpoints, rates, rails, accounts] = await Promise.all([
    listOf<OperatorFile>(visit, 'bank_file', { state: 'sealed' }),
    listOf<UnreadFile>(visit, 'unread_file'),
    visit.api.get<DatabaseClock>('/v3/operator/clock'),
    listOf<FailingEndpoint>(visit, 'webhook_endpoint'),
    visit.api.list<Rate>('/v3/operator/rate'),
    visit.api.list<OperatorRail>('/v3/operator/rail'),
    listOf<OperatorAccount>(visit, 'account'),
  ])
  const sealed = filtered(files, file => file.needs_release)
  const quarantined = filtered(unread, file => file.state === 'quarantined')
  const jumps = { results: clock.jump === null ? [] : [clock.jump], has_more: false }
  const stale = filtered(rates, rate => !rate.pegged && !rate.sample && isPast(rate.good_until))
  const paused = filtered(rails, rail => rail.paused)
  const frozen = filtered(accounts, account => account.state === 'frozen')
  return [
    need(['jump of the clock stops all writes', ''], jumps, 'clock', () => ''),
    need(
      ['file from a bank cannot be read', 'files from banks cannot be read'],
      quarantined,
      'unread-files',
      row => row.received_at,
    ),
    need(
      ['file for a bank waits for its release', 'files for banks wait for their release'],
      sealed,
      'files?state=sealed',
      row => row.sealed_at,
    ),
    need(
      [
        'webhook endpoint is disabled or has dead deliveries',
        'webhook endpoints are disabled or have dead deliveries',
      ],
      endpoints,
      'deliveries',
      row => row.dead_since ?? '',
    ),
    need(
      ['rate is stale: payouts cannot use it', 'rates are stale: payouts cannot use them'],
      stale,
      'prices',
      row => row.as_of,
    ),
    need(['rail is paused', 'rails are paused'], paused, 'rails', () => ''),
    need(['account is frozen', 'accounts are frozen'], frozen, 'accounts', () => ''),
  ]
}

/** What finance looks at: one exception has its very row as place, several have their list. */
async function treasuryNeeds({ api }: Visit): Promise<Need[]> {
  const [{ counts, exceptions }, days, shares] = await Promise.all([
    api.get<TreasuryExceptions>('/v3/operator/nostro_exception'),
    api.list<Safeguarding>('/v3/operator/safeguarding'),
    api.get<BooksReport>(SHARES),
  ])
  const short = days.results.filter(day => day.state === 'shortfall')
  const shortfalls = short.map(day => ({
    what: [`shortfall of client money: ${day.pool} in ${day.currency}`, ''] as const,
    ...{ count: '1', since: '', place: placeOfPool(day) },
  }))
  const above = shares.rows.filter(row => row.state === 'above')
  const concentrated = need(
    [
      'institution holds more client money than the share that is set',
      'institutions hold more client money than the shares that are set',
    ],
    { results: above, has_more: false },
    'client-money#institutions',
    () => '',
  )
  const kinds = [...Map.groupBy(counts, ({ kind }) => kind)].map(([kind, all]) => {
    const count = String(all.reduce((sum, one) => sum + Number(one.count), 0))
    const only = count === '1' ? exceptions.find(one => one.kind === kind) : undefined
    const place = only === undefined ? `treasury?kind=${kind}#list` : placeOfCase(only)
    const since = `${all.map(({ oldest }) => oldest).sort()[0]}T00:00:00Z`
    return { what: EXCEPTION_WORDS[kind].what, count, since, place }
  })
  return [...shortfalls, ...(concentrated ? [concentrated] : []), ...kinds]
}

function filtered<T>({ results, has_more }: ListOf<T>, wanted: (row: T) => boolean): ListOf<T> {
  return { results: results.filter(wanted), has_more }
}

/** Undefined when there is no row. `since` is a row's time. */
function need<T>(
  what: Need['what'],
  { results, has_more }: ListOf<T>,
  place: string,
  since: (row: T) => string,
): Need | undefined {
  if (results.length === 0) return undefined
  const oldest = results.map(since).filter(Boolean).sort()[0] ?? ''
  return { what, count: `${results.length}${has_more ? '+' : ''}`, since: oldest, place }
}

function needItem(visit: Visit, { what, count, since, place }: Need): Html {
  return html`<li><a href="${visit.root}/${place}">${count}</a> ${what[count === '1' ? 0 : 1]}${
    since && html`, the oldest for ${age(since, new Date().toISOString())}`
  }</li>`
}

const UPKEEP = [
  ['verify', 'The books were verified'],
  ['backup', 'A backup was taken'],
] as const

/** The last runs of verify and backup. */
async function upkeepOf(visit: Visit): Promise<Html> {
  const [{ results }, { results: told }] = await Promise.all([
    visit.api.list<UpkeepRun>('/v3/operator/upkeep'),
    visit.api.list<NotificationState>('/v3/operator/notification'),
  ])
  const now = new Date().toISOString()
  return html`<h2>Upkeep</h2><ul class="plain">${UPKEEP.map(([kind, what]) => {
    const last = results.find(run => run.kind === kind)
    if (last === undefined) {
      return html`<li>${what}: never. Whoever runs the server can do it.</li>`
    }
    const { finished_at, well, told: report } = last
    return html`<li>${what} ${age(finished_at, now)} ago, ${time(finished_at)}:
${state(well ? 'in order' : 'not in order')} ${report}</li>`
  })}${notified(told)}</ul>`
}

const WAY_WORDS = { email: 'By e-mail', webhook: 'In your chat, by a webhook' } as const

function notified(states: readonly NotificationState[]): Html[] {
  if (states.length === 0) {
    return [
      html`<li>Nobody is notified of what needs attention: neither e-mail nor a chat is
set up.</li>`,
    ]
  }
  return [...Map.groupBy(states, ({ way }) => way)].map(([way, kinds]) => {
    const [failing] = kinds.filter(({ failing_since }) => failing_since !== null)
    const how = state(failing === undefined ? 'in order' : 'not in order')
    const why = failing && html` ${failing.last_error}, since ${time(failing.failing_since)}`
    return html`<li>${WAY_WORDS[way]} people are notified: ${how}${why}</li>`
  })
}
