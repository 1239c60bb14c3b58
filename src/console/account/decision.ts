// The decision of an approver. What is approved is what the page showed: its digest goes with the
// decision, and is shown.
import { type Html, html } from '../../html.ts'
import { deed, field, post, said } from '../form.ts'
import type { Approval, BeneficiaryApproval } from '../objects.ts'
import { time } from '../show.ts'
import { may, rootOf, type Visit } from '../visit.ts'

type Shown = Pick<Approval, 'digest'> &
  Pick<Approval | BeneficiaryApproval, 'made_by'> & {
    readonly decisions: readonly { readonly user: string }[]
  }

const REJECTION = { name: 'reason', label: 'Why you reject it', required: true } as const

export function decisionForms(
  visit: Visit,
  id: string,
  { digest, made_by, decisions }: Shown,
  place: 'payouts' | 'batches' | 'approvals' | 'beneficiaries' = 'payouts',
): Html {
  if ([made_by].flat().includes(visit.person.user)) {
    return html`<p>You made it, so somebody else approves it.</p>`
  }
  if (!may(visit, 'approver')) return html`<p>It waits for an approver of this account.</p>`
  if (decisions.some(({ user }) => user === visit.person.user)) {
    return html`<p>You have decided. It waits for somebody else.</p>`
  }
  const path = `${rootOf(visit)}/${place}/${id}`
  const shown = html`<input type="hidden" name="digest" value="${digest}">`
  return html`<p class="faint">You decide about exactly this, digest
<code title="${digest}">${digest.slice(0, 16)}…</code></p><div class="side">
${deed(visit, {
  action: `${path}/approve`,
  button: 'Approve',
  asksPassword: true,
  body: html`${shown}${field(visit, { name: 'reason', label: 'Note (optional)' })}`,
})}
${deed(visit, {
  action: `${path}/reject`,
  button: 'Reject',
  asksPassword: true,
  danger: true,
  body: html`${shown}${field(visit, REJECTION)}`,
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

interface Decided {
  readonly object: 'payout' | 'payout_batch' | 'payout_import' | 'beneficiary'
  readonly id: string
  readonly decision: 'approve' | 'reject'
  /** The page to go to, under the root. */
  readonly back: string
}

/** Sends the decision; the path to go to. */
export async function decide(
  visit: Visit,
  { object, id, decision, back }: Decided,
): Promise<string> {
  const [reason, digest] = [said(visit, 'reason'), said(visit, 'digest')]
  const body = { ...(digest && { digest }), ...(reason && { reason }) }
  await post(visit, `/v3/${object}/${id}/${decision}`, body)
  const rejected = object === 'beneficiary' ? 'refused' : 'rejected'
  return `${rootOf(visit)}${back}?done=${decision === 'approve' ? 'approved' : rejected}`
}
