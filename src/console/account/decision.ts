// The decision of an approver. What is approved is the payout as the page showed it: its digest
// goes with the decision.
import { type Html, html } from '../../html.ts'
import { deed, field } from '../form.ts'
import type { Approval } from '../objects.ts'
import { may, rootOf, type Visit } from '../visit.ts'

export function decisionForms(
  visit: Visit,
  id: string,
  { digest, made_by, decisions }: Pick<Approval, 'digest' | 'made_by' | 'decisions'>,
  place: 'payouts' | 'batches' = 'payouts',
): Html {
  if (made_by === visit.person.user) {
    return html`<p>You made it, so somebody else approves it.</p>`
  }
  if (!may(visit, 'approver')) return html`<p>It waits for an approver of this account.</p>`
  if (decisions.some(({ user }) => user === visit.person.user)) {
    return html`<p>You have decided. It waits for somebody else.</p>`
  }
  const path = `${rootOf(visit)}/${place}/${id}`
  const shown = html`<input type="hidden" name="digest" value="${digest}">`
  return html`<div class="side">
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
  body: html`${shown}${field(visit, { name: 'reason', label: 'Why', required: true })}`,
})}</div>`
}

/** Sends the decision; the path to go to. */
export async function decidePayout(
  visit: Visit,
  id: string,
  decision: 'approve' | 'reject',
  back: string,
  object: 'payout' | 'payout_batch' = 'payout',
): Promise<string> {
  const { form } = visit
  const reason = form.get('reason')?.trim() ?? ''
  const digest = form.get('digest') ?? ''
  const body = { ...(digest && { digest }), ...(reason && { reason }) }
  await visit.api.post(`/v3/${object}/${id}/${decision}`, body, form.get('key') ?? '')
  return `${rootOf(visit)}${back}?done=${decision === 'approve' ? 'approved' : 'rejected'}`
}
