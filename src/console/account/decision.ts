// The decision of an approver. What is approved is what the page showed: its digest goes with the
// decision, and is shown.
import { type Html, html } from '../../text/html.ts'
import { bodyOf, deed } from '../form.ts'
import type { Approval, BeneficiaryApproval } from '../objects.ts'
import type { Screens, Show } from '../screens.ts'
import { time } from '../show.ts'
import { may, type Visit } from '../visit.ts'

type Shown = Pick<Approval, 'digest'> &
  Pick<Approval | BeneficiaryApproval, 'made_by'> & {
    readonly decisions: readonly { readonly user: string }[]
  }

/** The paths of pages with something to decide, under the root. */
type Place = 'payouts' | 'batches' | 'approvals' | 'beneficiaries'

export function decisionForms(
  visit: Visit,
  id: string,
  { digest, made_by, decisions }: Shown,
  place: Place,
): Html {
  if ([made_by].flat().includes(visit.person.user)) {
    return html`<p>You made it, so somebody else approves it.</p>`
  }
  if (!may(visit, 'approver')) return html`<p>It waits for an approver of this account.</p>`
  if (decisions.some(({ user }) => user === visit.person.user)) {
    return html`<p>You have decided. It waits for somebody else.</p>`
  }
  const path = `${visit.root}/${place}/${id}`
  return html`<p class="faint">You decide about exactly this, digest
<code title="${digest}">${digest.slice(0, 16)}…</code></p><div class="side">
${deed(visit, {
  action: `${path}/approve`,
  button: 'Approve',
  asksPassword: true,
  hidden: { digest },
  fields: [{ name: 'reason', label: 'Note (optional)' }],
})}
${deed(visit, {
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

type Decided = 'payout' | 'payout_batch' | 'payout_import' | 'beneficiary'

/**
 * Registers the decisions of approvers about such objects. After a refusal, `again` shows the
 * object.
 */
export function decisionScreens(
  screens: Screens,
  object: Decided,
  place: Place,
  again: Show,
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
