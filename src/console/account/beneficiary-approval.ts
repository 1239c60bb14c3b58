// Shows the approval of a beneficiary: the changes since the last approval, the decisions so far,
// and the forms to decide. People approve the whole record as the page showed it.
import { type Html, html } from '../../values/text/html.ts'
import type { Json, JsonObject, ListOf } from '../api.ts'
import { rows, type Table } from '../list.ts'
import type { Beneficiary, BeneficiaryApproval, Event } from '../objects.ts'
import { link, state, time, words } from '../show.ts'
import type { Visit } from '../visit.ts'
import { decisionForms, decisionsOf } from './decision.ts'

const API = '/v3/beneficiary'

interface ShownApproval {
  readonly approval: BeneficiaryApproval
  readonly events: ListOf<Event>
}

/**
 * The approval that a beneficiary needs, if any. It is read before the beneficiary, so that its
 * digest never covers more than the page shows.
 */
export async function readApproval({ api }: Visit, id: string): Promise<ShownApproval | undefined> {
  const approval = await api.find<BeneficiaryApproval>(`${API}/${id}/approval`)
  if (approval === undefined || approval.status === 'approved') return undefined
  const events = await api.list<Event>('/v3/event', { object_id: id, limit: '100' })
  return { approval, events }
}

/** The approval's part of the page; '' for a beneficiary that neither waits nor is rejected. */
export function beneficiaryApprovalOf(
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

/** The waiting beneficiaries, for the page of approvals; '' when none waits. */
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

/** The members that differ from the content that people approved last: before, and now. */
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
