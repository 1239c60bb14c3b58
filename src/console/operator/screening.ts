// Screens of screening: what it holds, and one of them with its matches and the forms to decide.
import { describeAge } from '../../values/text/age.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { anyOf, bodyOf, postForm, REASON, reasonOf } from '../form.ts'
import { countryWords } from '../labels.ts'
import { rows, showList, type Table } from '../list.ts'
import type { HeldByScreening, Lists, Match, Screening } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, state, time, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

const API = '/v3/operator/screening'

export function screeningScreens(screens: Screens): void {
  screens.show('installation', '/screening', heldScreen)
  screens.show('installation', '/screening/:id', show)
  const held = { to: `${API}/:id`, next: '/screening?done=saved', again: show }
  const decide = (visit: Visit) => ({ ...reasonOf(visit), ...bodyOf(visit.form, ['digest']) })
  screens.sendEach('installation', '/screening/:id', held, { clear: decide, confirm: decide })
}

async function heldScreen(visit: Visit): Promise<Screen> {
  const { root } = visit
  const held = await showList<HeldByScreening>(visit, '/screening', {
    api: API,
    caption: 'Payouts that screening holds, and parties that may be listed',
    columns: [
      { name: 'Held', show: ({ id, name }) => link(`${root}/screening/${id}`, name || id) },
      { name: 'Kind', show: ({ of }) => of },
      {
        name: 'May be',
        show: ({ listed_name, score }) =>
          score != null && html`${listed_name} <span class="faint">${score} of 1000</span>`,
      },
      {
        name: 'Screening',
        show: ({ screening, delisted }) =>
          html`${state(screening)}${delisted && html` <span class="state wait">delisted</span>`}`,
      },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Account', show: ({ account_id }) => account_id },
      { name: 'Since', show: ({ since }) => time(since) },
    ],
    filters: [
      { name: 'of', label: 'Kind', options: anyOf(['payout', 'entity', 'beneficiary']) },
      { name: 'state', label: 'Screening', options: anyOf(['waits', 'open', 'confirmed']) },
      { name: 'account_id', label: 'Account' },
    ],
    empty: 'Screening holds no payout and no party.',
  })
  const { lists } = await visit.api.get<Lists>('/v3/operator/screening_list')
  const body = html`${held}<h2>Lists</h2>${rows(LISTS, lists)}`
  return { title: 'Screening', body }
}

const LISTS: Table<Lists['lists'][number]> = {
  caption: 'Sanctions lists',
  columns: [
    { name: 'List', show: ({ title }) => title },
    { name: 'State', show: ({ state: is }) => state(is) },
    {
      name: 'Live payouts wait for it',
      show: ({ required }) => (required ? 'unless it is current' : 'no'),
    },
    { name: 'Published', show: ({ published_on }) => published_on },
    {
      name: 'Entries',
      number: true,
      show: ({ entries }) => entries?.replace(/\B(?=(\d{3})+$)/g, ','),
    },
    {
      name: 'Imported',
      show: ({ imported_at, age_s, imported_by }) =>
        age_s !== undefined &&
        html`${describeAge(Number(age_s))} ago by ${imported_by}, ${time(imported_at)}`,
    },
  ],
  empty: 'Corridor knows no list.',
}

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const found = await visit.api.get<Screening>(`${API}/${id}`)
  const forms = DECISIONS[found.screening]?.map(decision =>
    postForm(visit, {
      action: `${visit.root}/screening/${id}/${decision}`,
      asksPassword: true,
      button:
        decision === 'clear' ? 'Clear: it is somebody else' : 'Confirm: it is the listed party',
      danger: decision === 'confirm',
      hidden: { digest: found.digest },
      fields: [REASON],
    }),
  )
  const body = html`<p class="lead">${state(found.screening)}
${PAGES[found.of] && html`<a href="${visit.root}/${PAGES[found.of]}/${id}">The ${found.of}</a>`}</p>
${found.matches.map(match => matchOf(visit.root, match, found.parties))}
${forms && html`<h2>Decide</h2><div class="side">${forms}</div>`}`
  return { title: 'Held by screening', body }
}

/** By state. A person can clear what was confirmed by mistake. */
const DECISIONS: Readonly<Record<string, readonly ('clear' | 'confirm')[]>> = {
  open: ['clear', 'confirm'],
  confirmed: ['clear'],
}

/** '' for beneficiaries, as the installation has no such page. */
const PAGES = { payout: 'payouts', entity: 'entities', beneficiary: '' } as const

function matchOf(root: string, match: Match, parties: Screening['parties']): Html {
  const { list, entry_id, listed, score, state: is, earlier_decisions } = match
  return html`<section class="card sides"><h2>${roleOf(match.party)}: score ${score} of 1000</h2>
<p>${state(is)} ${!listed && html`<span class="state wait">no longer listed</span>`}
${match.party_changed && html`<span class="state wait">party changed since</span>`}
<code>${list} ${entry_id}</code>${decisionOf(match)}</p>
${rows(sidesOf(match.party), comparedOf(match, parties))}
<h3>How they fit</h3>${rows(PIECES, match.pieces)}
<h3>Earlier decisions about the same two</h3>${rows(earlierOf(root), earlier_decisions)}</section>`
}

const ROLES: Readonly<Record<string, string>> = {
  beneficiary: 'The payee',
  beneficiary_local: 'The payee by the native name',
  bank: 'The bank of the payee',
  entity: 'The entity',
}

const roleOf = (party: string) =>
  ROLES[party] ?? words(party).replace(/^./, first => first.toUpperCase())

function decisionOf({ decided_at, decided_by, reason }: Match): Content {
  return decided_at !== null && html`, decided by ${decided_by} ${time(decided_at)}: ${reason}`
}

/** One fact of both sides. */
interface Compared {
  readonly fact: string
  readonly party: Content
  readonly entry: Content
}

function sidesOf(party: string): Table<Compared> {
  return {
    caption: 'The party and the listed entry',
    columns: [
      { name: 'Fact', show: ({ fact }) => html`<strong>${fact}</strong>` },
      { name: roleOf(party), show: ({ party }) => party || UNKNOWN },
      { name: 'The listed entry', show: ({ entry }) => entry || UNKNOWN },
    ],
    empty: '',
  }
}

const UNKNOWN = html`<span class="faint">–</span>`

function comparedOf(match: Match, parties: Screening['parties']): Compared[] {
  const { entry, listed_name, list_title } = match
  const party = parties.find(({ party }) => party === match.party)
  const native = parties.find(({ party }) => party === 'beneficiary_local')
  const isPayee = match.party === 'beneficiary'
  const others = entry?.names.filter(({ text }) => text !== listed_name) ?? []
  const births = entry?.births.map(({ from, to }) => (from === to ? from : `${from} to ${to}`))
  return [
    {
      fact: 'Name',
      party: party?.name,
      entry: listed_name && html`<strong>${listed_name}</strong>`,
    },
    {
      fact: 'Other names',
      party: isPayee && native?.name,
      entry: lines(others.map(({ text, weak }) => (weak ? `${text} (weak alias)` : text))),
    },
    { fact: 'Kind', party: party?.kind, entry: entry?.kind },
    { fact: 'Born', party: party?.birth_date, entry: births?.join(' or ') },
    { fact: 'Countries', party: countriesOf(party), entry: countriesOf(entry) },
    { fact: 'Numbers', party: numbersOf(party), entry: numbersOf(entry) },
    { fact: 'Address', party: party?.address, entry: '' },
    { fact: 'List', party: '', entry: list_title },
    { fact: 'Programmes', party: '', entry: entry?.programmes.join(', ') },
    { fact: 'Remarks', party: '', entry: entry?.remarks },
  ]
}

type Known = Pick<Screening['parties'][number], 'countries' | 'ids'> | undefined | null

function countriesOf(known: Known): string | undefined {
  return known?.countries.map(countryWords).join(', ')
}

function numbersOf(known: Known): Content {
  const ids = known?.ids ?? []
  return lines(ids.map(({ kind, number, country }) => `${kind} ${number} ${country}`.trim()))
}

function lines(texts: readonly string[]): Content {
  return texts.length === 0
    ? undefined
    : texts.map((text, i) => html`${i > 0 && html`<br>`}${text}`)
}

const PIECES: Table<Match['pieces'][number]> = {
  caption: 'The steps of the score',
  columns: [
    { name: 'Compared', show: ({ text }) => text },
    { name: 'Score then', number: true, show: ({ score }) => score },
  ],
  empty: 'The data of this match are erased.',
}

function earlierOf(root: string): Table<Match['earlier_decisions'][number]> {
  return {
    caption: 'Earlier decisions about the same party and entry',
    columns: [
      { name: 'Of', show: ({ id }) => link(`${root}/screening/${id}`, html`<code>${id}</code>`) },
      { name: 'Decision', show: ({ state: is }) => state(is) },
      { name: 'By', show: ({ decided_by }) => decided_by },
      { name: 'At', show: ({ decided_at }) => time(decided_at) },
      { name: 'Reason', show: ({ reason }) => reason },
    ],
    empty: 'None in this account.',
  }
}
