// The history of a payout, in order: states, journals, its route, and webhooks.
import { type Content, type Html, html } from '../../text/html.ts'
import type { JsonObject } from '../api.ts'
import type { Failure } from '../objects.ts'
import { digits, idLink, state, time, words } from '../show.ts'
import type { Visit } from '../visit.ts'

interface Timeline {
  readonly truncated: boolean
  readonly under_review: boolean
  readonly items: readonly Item[]
}

interface Item extends JsonObject {
  readonly at: string
  readonly kind: string
}

export async function timelineOf(visit: Visit, payout: string): Promise<Html> {
  const { items, truncated } = await visit.api.get<Timeline>(`/v3/payout/${payout}/timeline`)
  return html`<ol class="timeline">${items.map(
    item =>
      html`<li><span class="at">${time(item.at)}</span>
<div>${said(visit.root, item)}</div></li>`,
  )}</ol>${truncated && html`<p>There is more than is shown here.</p>`}`
}

function said(root: string, item: Item): Content {
  const text = (name: string) => (typeof item[name] === 'string' ? (item[name] as string) : '')
  const failure = item.failure as Failure | null | undefined
  switch (item.kind) {
    case 'state':
      return html`${state(text('status'))} <span class="faint">by ${words(text('by'))}</span>
${failure && html` ${failure.message} <code>${failure.code}</code>`}`
    case 'route':
      return html`Goes by <strong>${text('rail')}</strong>. ${text('reason')}`
    case 'attempt': {
      const release = text('release_at') && html`, its rail gets it ${time(text('release_at'))}`
      return html`Attempt ${text('number')} by <strong>${text('rail')}</strong>:
${words(text('state'))}${release}${failure && html`. ${failure.message}`}
${text('uetr') && html`<br><span class="faint">UETR <code>${text('uetr')}</code></span>`}`
    }
    case 'journal':
      return html`<details><summary>Booked: ${words(text('journal_kind'))}, journal
${text('journal_number')}</summary>${postings(item)}</details>`
    case 'webhook_attempt':
      return told(root, item)
    case 'approval':
      return html`<strong>${nameIn(item)}</strong> ${
        text('decision') === 'approve' ? 'approved' : 'rejected'
      } it: ${text('given')} of ${text('needed')} given.`
    case 'handling':
      return html`<strong>${nameIn(item)}</strong> ${
        text('action') === 'taken' ? 'took it, to pay it by hand' : 'gave it back unpaid'
      }.`
    default:
      return html`${words(item.kind)} ${rest(root, item)}`
  }
}

/** An attempt to tell an endpoint, with a link to the whole delivery. */
function told(root: string, item: Item): Html {
  const { endpoint, delivery, outcome, event_type, attempt, status_code, error, retry_at } = item
  const page = `${root}/webhooks/${endpoint}/deliveries/${delivery}`
  const answered = typeof status_code === 'string' ? `answered ${status_code}` : String(error)
  const isDone = outcome === 'delivered'
  const took = `${item.duration_ms} ms`
  return html`<span class="state ${isDone ? 'good' : 'bad'}">webhook ${
    isDone ? 'delivered' : 'not delivered'
  }</span> <code>${String(event_type)}</code> to ${idLink(root, String(endpoint))},
attempt ${String(attempt)}: ${answered}, <a href="${page}">${took}</a>${
    typeof retry_at === 'string' && html`. Again ${time(retry_at)}`
  }`
}

function nameIn({ by_hand }: Item): string {
  return String((by_hand as JsonObject | null)?.operator ?? '')
}

function postings({ postings: booked, hash }: Item): Html {
  const lines = booked as readonly { code: string; currency: string; amount: string }[]
  return html`<table><thead><tr><th scope="col">Account</th>
<th scope="col" class="number">Amount</th>
</tr></thead><tbody>${lines.map(
    ({ code, currency, amount }) =>
      html`<tr><td>${words(code)}</td>
<td class="number">${digits(amount, currency)} ${currency}</td></tr>`,
  )}</tbody></table><p class="faint">Seal <code>${String(hash).slice(0, 16)}…</code></p>`
}

/** The members of an item that this file does not know. */
function rest(root: string, item: Item): Content {
  const known = ['at', 'kind', 'event', 'sequence']
  const set = Object.entries(item).filter(([name, value]) => !known.includes(name) && value)
  return set.map(([name, value]) =>
    typeof value === 'string'
      ? html` ${words(name)}: ${/^[a-z]{3}_/.test(value) ? idLink(root, value) : value}.`
      : '',
  )
}
