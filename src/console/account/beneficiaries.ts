// Screens of beneficiaries: the list, and one with its approval, notices of banks and payouts.
import { DESTINATION_TYPES } from '../../parties/beneficiary/request.ts'
import type { NoticesResponse } from '../../parties/beneficiary/response.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import type { Json, JsonObject, ListOf } from '../api.ts'
import { anyOf, countOf, fieldText, postForm } from '../form.ts'
import { csvOf, type ListPage, rows, type Table, textColumn } from '../list.ts'
import type { Beneficiary, BeneficiaryApproval, Event, Payout, Shown } from '../objects.ts'
import type { ScreenHandler, Screens } from '../screens.ts'
import { facts, idLink, link, mainLink, makerWords, state, time, words } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'
import { decisionForms, decisionScreens, decisionsOf } from './decision.ts'
import { payoutColumns } from './payout-columns.ts'
import { payeeFacts } from './terms.ts'

export function beneficiaryScreens(screens: Screens): void {
  screens.list('account', '/beneficiaries', beneficiaryList)
  screens.csv('account', '/beneficiaries', visit => csvOf(visit, beneficiaryList(visit)))
  screens.show('account', '/beneficiaries/:id', showBeneficiary)
  decisionScreens(screens, 'beneficiary', 'beneficiaries', showBeneficiary)
  noticeScreens(screens, showBeneficiary)
  for (const act of ['archive', 'unarchive']) {
    const sending = { to: `/v3/beneficiary/:id/${act}`, next: `/beneficiaries/:id?done=${act}d` }
    screens.send('account', `/beneficiaries/:id/${act}`, sending, showBeneficiary)
  }
}

async function showBeneficiary(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const shownApproval = await readApproval(visit, id)
  const beneficiary = await visit.api.get<Beneficiary>(`/v3/beneficiary/${id}`)
  const notices = await visit.api.get<Notices>(`/v3/beneficiary/${id}/notice`)
  const latest = await visit.api.list<Payout>('/v3/payout', { beneficiary: id, limit: '10' })
  const approval = beneficiaryApprovalOf(visit, beneficiary, shownApproval)
  const body = html`<div data-live-part>${
    may(visit, 'maker') && acts(visit, beneficiary, approval === '')
  }
${approval}
${noticesOf(visit, beneficiary, notices)}
<h2>Details</h2>${facts([...payeeFacts(beneficiary), ...recordFacts(beneficiary)])}
<h2>Latest payouts</h2>${rows(
    {
      columns: payoutColumns(visit),
      caption: 'Payouts to this beneficiary',
      empty: 'No payouts yet.',
    },
    latest.results,
  )}</div>`
  return { title: beneficiary.name, body, live: id }
}

/** What is not about the payee, but about its record. */
function recordFacts(beneficiary: Beneficiary) {
  const { id, status, made_by, created_at, updated_at, archived_at } = beneficiary
  return [
    ['State', status !== 'active' && state(status)],
    ['Id', html`<code>${id}</code>`],
    ['Made by', makerWords(made_by)],
    ['Created', time(created_at)],
    ['Changed', updated_at !== created_at && time(updated_at)],
    ['Archived', archived_at && time(archived_at)],
  ] as const
}

/** A person takes back an archived beneficiary before paying it. */
function acts(visit: Visit, { id, status, archived_at }: Beneficiary, isPayable: boolean): Html {
  const path = `${visit.root}/beneficiaries/${id}`
  const archive = { action: `${path}/archive`, button: 'Archive', danger: true, small: true }
  const pay = html`<a class="button" href="${visit.root}/payouts/new?to=${id}">Pay them</a>`
  const change = link(`${path}/edit`, 'Change')
  return html`<div class="acts">${
    archived_at === null
      ? html`${isPayable && pay}${status !== 'erased' && change}${postForm(visit, archive)}`
      : postForm(visit, { action: `${path}/unarchive`, button: 'Unarchive', small: true })
  }</div>`
}

function beneficiaryList(visit: Visit): ListPage<Beneficiary> {
  return {
    title: 'Beneficiaries',
    above: may(visit, 'maker') && mainLink(`${visit.root}/beneficiaries/new`, 'New payee'),
    api: '/v3/beneficiary',
    caption: 'Beneficiaries, newest first',
    csv: true,
    columns: [
      {
        name: 'Name',
        show: ({ id, name }) => html`<a href="${visit.root}/beneficiaries/${id}">${name}</a>`,
        text: ({ name }) => name,
      },
      textColumn('Type', ({ type }) => type, words),
      textColumn('Destination', ({ destination_details: { type } }) => String(type), words),
      textColumn('State', ({ status }) => status, state),
      textColumn('Your reference', ({ reference_id }) => reference_id),
      textColumn('Made by', ({ made_by }) => made_by, makerWords),
      textColumn('Created', ({ created_at }) => created_at, time),
      { name: 'Id', text: ({ id }) => id },
    ],
    filters: [
      { name: 'name', label: 'Name' },
      { name: 'reference_id', label: 'Your reference' },
      { name: 'status', label: 'State', options: anyOf(['pending_approval', 'rejected']) },
      {
        name: 'archived',
        label: 'Show',
        options: { '': 'not archived', true: 'archived' },
      },
      { name: 'type', label: 'Type', options: anyOf(['individual', 'business']) },
      { name: 'destination_type', label: 'Destination', options: anyOf(DESTINATION_TYPES) },
    ],
    empty: 'No beneficiaries yet. Every payee that you pay is listed here.',
  }
}

const API = '/v3/beneficiary'

interface ShownApproval {
  readonly approval: BeneficiaryApproval
  readonly events: ListOf<Event>
}

/** Read before the beneficiary, so that its digest never covers more than the page shows. */
async function readApproval({ api }: Visit, id: string): Promise<ShownApproval | undefined> {
  const approval = await api.find<BeneficiaryApproval>(`${API}/${id}/approval`)
  if (approval === undefined || approval.status === 'approved') return undefined
  const events = await api.list<Event>('/v3/event', { object_id: id, limit: '100' })
  return { approval, events }
}

/** '' for a beneficiary that neither waits nor is rejected. */
function beneficiaryApprovalOf(
  visit: Visit,
  beneficiary: Beneficiary,
  shown: ShownApproval | undefined,
): Html | '' {
  const { id, status } = beneficiary
  if (shown === undefined || (status !== 'pending_approval' && status !== 'rejected')) return ''
  const { approval, events } = shown
  const { given, needed, made_by, expires_at } = approval
  return html`<h2>Approval</h2><p>${state(status)} No payout may go to this beneficiary.
${given} of ${needed} approvals given.
${status === 'pending_approval' && html`The approval expires ${time(expires_at)}.`}
${made_by.length > 0 && html`Created or changed by <strong>${made_by.join(', ')}</strong>.`}</p>
${decisionsOf(approval.decisions)}
${changesOf(beneficiary, events)}
${
  status === 'pending_approval'
    ? decisionForms(visit, id, approval, 'beneficiaries')
    : html`<p>This beneficiary can be approved after it is changed.</p>`
}`
}

/** '' when none waits. */
export async function waitingBeneficiaries(visit: Visit): Promise<Html | ''> {
  const waiting = await visit.api.list<Beneficiary>(API, {
    status: 'pending_approval',
    limit: '50',
  })
  if (waiting.results.length === 0) return ''
  const table: Table<Beneficiary> = {
    caption: 'Beneficiaries that wait for an approval',
    empty: '',
    columns: [
      { name: 'Name', show: ({ id, name }) => link(`${visit.root}/beneficiaries/${id}`, name) },
      { name: 'Type', show: ({ type }) => words(type) },
      { name: 'Destination', show: ({ destination_details: { type } }) => words(String(type)) },
      { name: 'Changed', show: ({ updated_at }) => time(updated_at) },
    ],
  }
  return html`<h2>Beneficiaries</h2>${rows(table, waiting.results)}
${
  waiting.has_more &&
  html`<p><a href="${visit.root}/beneficiaries?status=pending_approval">All beneficiaries that
wait</a></p>`
}`
}

/** The members that every change of a beneficiary changes. */
const ALWAYS_CHANGED = ['status', 'updated_at']

/** Since the content that people approved last. */
function changesOf(beneficiary: Beneficiary, { results, has_more }: ListOf<Event>): Html {
  const approved = results.findIndex(({ type }) => type === 'beneficiary.approved')
  if (approved === -1) {
    return has_more
      ? html`<p>This beneficiary was changed too often to show what people approved last:
check all of its details.</p>`
      : html`<p>Nobody has approved this beneficiary before: check all of its details.</p>`
  }
  // Events come newest first. A member's oldest change after the approval has its approved value.
  const before: Record<string, Json> = {}
  for (const { previous_attributes } of results.slice(0, approved)) {
    Object.assign(before, previous_attributes)
  }
  const was = new Map(Object.entries(before).flatMap(([name, value]) => leaves(value, name)))
  const present: JsonObject = beneficiary
  const now = new Map(Object.keys(before).flatMap(name => leaves(present[name], name)))
  const differing = [...new Set([...was.keys(), ...now.keys()])].filter(
    name => was.get(name) !== now.get(name) && !ALWAYS_CHANGED.includes(name),
  )
  return html`<h3>What was changed</h3><dl class="facts">${differing.map(
    name => html`<div><dt>${words(name)}</dt><dd><del>${was.get(name) ?? 'not set'}</del></dd>
<dd><ins>${now.get(name) ?? 'not set'}</ins></dd></div>`,
  )}</dl>`
}

/** The set values inside `value`, each with its path. Leaves out inner members named `id`. */
function leaves(value: Json | undefined, path: string): [string, string][] {
  if (value === undefined || value === null || value === '' || path.endsWith(' id')) return []
  if (typeof value !== 'object') return [[path, String(value)]]
  return Object.entries(value as JsonObject).flatMap(([name, inner]) =>
    leaves(inner, `${path} ${name}`),
  )
}

type Notices = Shown<typeof NoticesResponse>
type Notice = Notices['notices'][number]

/** The page shows the newest ones. */
const MOST = 20

function noticeScreens(screens: Screens, show: ScreenHandler): void {
  const accepting = {
    to: '/v3/beneficiary/:id/accept_notice',
    body: (visit: Visit) => ({
      payout: fieldText(visit, 'payout'),
      number: countOf(visit, 'number'),
    }),
    next: '/beneficiaries/:id?done=saved',
  }
  screens.send('account', '/beneficiaries/:id/accept_notice', accepting, show)
}

/** '' without any. */
function noticesOf(visit: Visit, beneficiary: Beneficiary, { notices }: Notices): Html | '' {
  if (notices.length === 0) return ''
  return html`<h2>Notices of banks</h2>
${notices.slice(0, MOST).map(notice => card(visit, beneficiary, notice))}`
}

/** A card and no row of a table: on a narrow screen its form must not be out of sight. */
function card(visit: Visit, beneficiary: Beneficiary, notice: Notice): Html {
  const { code, meaning, was, corrected, payout, until, status } = notice
  const before: Readonly<Record<string, string>> = { ...was }
  const changes = Object.entries(corrected).map(([name, value]): [string, Content] => [
    words(name),
    html`<del>${before[name] || 'not set'}</del> <ins>${value}</ins>`,
  ])
  const read = 'The notice names no value to take over: read the timeline of the payout.'
  return html`<section class="card"><p><strong>${code}</strong> ${meaning} ${state(status)}</p>
${changes.length === 0 && html`<p>${read}</p>`}
${facts([
  ...changes,
  ['Payout', idLink(visit.root, payout)],
  ['The bank expects the change by', until],
])}${decision(visit, beneficiary, notice)}</section>`
}

/** The form is folded: opening it and sending it are two acts. */
function decision(visit: Visit, { archived_at }: Beneficiary, notice: Notice): Html | '' {
  const { payout, number, corrected, status } = notice
  const is_done = status === 'accepted' || Object.keys(corrected).length === 0
  if (is_done || archived_at !== null || !may(visit, 'maker')) return ''
  return postForm(visit, {
    action: `${visit.root}/beneficiaries/${visit.params.id}/accept_notice`,
    under: 'Accept the corrected value',
    button: 'Change the beneficiary',
    hidden: { payout, number },
    body: html`<p>The beneficiary gets the corrected value for payouts that are still to be made.
Ask the payee first if you did not expect it.</p>`,
  })
}
