// The forms of an approver's decision, and the decisions so far. A decision sends the digest of the
// page, so nobody approves anything else.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { bodyOf, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type {
  Approval,
  BeneficiaryApproval,
  GroupApproval,
  WaitingGroup,
  WaitingTotal,
} from '../objects.ts'
import type { ScreenHandler, Screens } from '../screens.ts'
import { facts, money, state, time } from '../show.ts'
import { may, type Visit } from '../visit.ts'

type ShownApproval = Pick<Approval, 'digest'> &
  Pick<Approval | BeneficiaryApproval, 'made_by'> & {
    readonly decisions: readonly { readonly user: string }[]
  }

/** Below the root. */
type Place = 'payouts' | 'batches' | 'approvals' | 'beneficiaries'

/** Why this person may not decide: as the maker, without the role, or twice; else undefined. */
export function whyNotDecide(
  visit: Visit,
  { made_by, decisions }: Omit<ShownApproval, 'digest'>,
): keyof typeof WHY_NOT | undefined {
  const { user } = visit.person
  if ([made_by].flat().includes(user)) return 'made'
  if (!may(visit, 'approver')) return 'role'
  return decisions.some(decision => decision.user === user) ? 'decided' : undefined
}

const WHY_NOT = {
  made: 'You created or changed this, so somebody else must approve it.',
  role: 'An approver of this account must decide.',
  decided: 'You have decided. Somebody else must decide, too.',
} as const

/** The forms to approve and reject, or why this person may not decide. */
export function decisionForms(
  visit: Visit,
  id: string,
  approval: ShownApproval,
  place: Place,
): Html {
  const why = whyNotDecide(visit, approval)
  if (why !== undefined) return html`<p>${WHY_NOT[why]}</p>`
  const { digest } = approval
  const path = `${visit.root}/${place}/${id}`
  return html`<p class="faint">You decide about exactly what this page shows, with the digest
<code title="${digest}">${digest.slice(0, 16)}…</code></p><div class="side">
${postForm(visit, {
  action: `${path}/approve`,
  button: 'Approve',
  asksPassword: true,
  hidden: { digest },
  fields: [{ name: 'reason', label: 'Note (optional)' }],
})}
${postForm(visit, {
  action: `${path}/reject`,
  button: 'Reject',
  asksPassword: true,
  danger: true,
  hidden: { digest },
  fields: [{ name: 'reason', label: 'Why you reject it', required: true }],
})}</div>`
}

export function decisionsOf(decisions: Approval['decisions']): Html | '' {
  if (decisions.length === 0) return ''
  return html`<ul class="plain">${decisions.map(
    ({ user, decision, reason, decided_at }) =>
      html`<li><strong>${user}</strong> ${
        decision === 'approve' ? 'approved' : 'rejected'
      } it ${time(decided_at)}${reason && html`: ${reason}`}</li>`,
  )}</ul>`
}

type DecidedObject = 'payout' | 'payout_batch' | 'payout_import' | 'beneficiary'

/** After a refusal, `again` shows the object. */
export function decisionScreens(
  screens: Screens,
  object: DecidedObject,
  place: Place,
  again: ScreenHandler,
): void {
  const done = { approve: 'approved', reject: object === 'beneficiary' ? 'refused' : 'rejected' }
  for (const decision of ['approve', 'reject'] as const) {
    const sending = {
      to: `/v3/${object}/:id/${decision}`,
      body: ({ form }: Visit) => bodyOf(form, ['digest', 'reason']),
      next: `/${place}/:id?done=${done[decision]}`,
    }
    screens.send('account', `/${place}/:id/${decision}`, sending, again)
  }
}

/** '' when none waits. */
export async function waitingGroups(visit: Visit): Promise<Html | ''> {
  const { groups } = await visit.api.get<{ groups: readonly WaitingGroup[] }>('/v3/payout_group')
  if (groups.length === 0) return ''
  const table: Table<WaitingGroup> = {
    caption: 'Files and batches that are approved as one',
    empty: '',
    columns: [
      {
        name: 'File or batch',
        show: ({ id }) =>
          id.startsWith('pim_')
            ? html`<a href="${visit.root}/approvals/${id}">Payouts of a file</a>`
            : html`<a href="${visit.root}/batches/${id}">Batch</a>`,
      },
      { name: 'Payouts', number: true, show: ({ totals }) => countOf(totals) },
      { name: 'Payees get', number: true, show: ({ totals }) => sums(totals) },
      { name: 'Created by', show: ({ made_by }) => made_by.join(', ') },
      { name: 'Waiting since', show: ({ since }) => time(since) },
    ],
  }
  return html`<h2>Files and batches</h2>${rows(table, groups)}`
}

const countOf = (totals: readonly WaitingTotal[]) =>
  String(totals.reduce((sum, { payouts }) => sum + BigInt(payouts), 0n))

function sums(totals: readonly WaitingTotal[]): Content {
  return html`<ul class="plain">${totals.map(
    ({ amount, currency }) => html`<li>${money(amount, currency)}</li>`,
  )}</ul>`
}

export function groupApproval(
  visit: Visit,
  id: string,
  approval: GroupApproval,
  place: 'batches' | 'approvals',
): Html {
  const { waiting, totals, made_by, needed, expires_at, approved_by, further, ended } = approval
  const ends = ended.map(({ status, payouts }) => html`<li>${payouts} ${state(status)}</li>`)
  if (waiting === '0') {
    return html`<h2>Approval</h2><p>No payout waits for an approval.</p>
<ul class="plain">${ends}</ul>`
  }
  return html`<h2>Approval</h2>
${facts([
  ['Payouts that wait', waiting],
  ...totals.map(
    ({ currency, amount }) => [`Payees get in ${currency}`, money(amount, currency)] as const,
  ),
  ['Approvals needed', needed],
  ['Approved by', approved_by.join(', ')],
  ['Created by', made_by.join(', ')],
  ['Approval expires', expires_at && time(expires_at)],
  ['Already decided', ends.length > 0 && html`<ul class="plain">${ends}</ul>`],
])}
${
  (further ?? '0') !== '0' &&
  html`<p>${further} more payouts wait. They are shown once these are decided.</p>`
}
${decisionForms(
  visit,
  id,
  { digest: approval.digest, made_by, decisions: approved_by.map(user => ({ user })) },
  place,
)}`
}
