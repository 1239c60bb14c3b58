// Shows the forms of an approver's decision, and the decisions so far. A decision sends the digest
// of what the page showed, so nobody approves anything else.
import { type Html, html } from '../../values/text/html.ts'
import { bodyOf, postForm } from '../form.ts'
import type { Approval, BeneficiaryApproval } from '../objects.ts'
import type { ScreenHandler, Screens } from '../screens.ts'
import { time } from '../show.ts'
import { may, type Visit } from '../visit.ts'

type ShownApproval = Pick<Approval, 'digest'> &
  Pick<Approval | BeneficiaryApproval, 'made_by'> & {
    readonly decisions: readonly { readonly user: string }[]
  }

/** The paths below the root of the pages that have a decision. */
type Place = 'payouts' | 'batches' | 'approvals' | 'beneficiaries'

/** The forms to approve and reject, or why this person may not decide. */
export function decisionForms(
  visit: Visit,
  id: string,
  { digest, made_by, decisions }: ShownApproval,
  place: Place,
): Html {
  if ([made_by].flat().includes(visit.person.user)) {
    return html`<p>You created or changed this, so somebody else must approve it.</p>`
  }
  if (!may(visit, 'approver')) return html`<p>An approver of this account must decide.</p>`
  if (decisions.some(({ user }) => user === visit.person.user)) {
    return html`<p>You have decided. Somebody else must decide, too.</p>`
  }
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

/** Registers approving and rejecting for a kind of object. After a refusal, `again` shows it. */
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
