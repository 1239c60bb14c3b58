// Shows the timeline of a payout.
import { makerName } from '../../accounts/maker.ts'
import type { MakersResponse } from '../../controls/maker/response.ts'
import type { TimelineResponse } from '../../history/timeline/response.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import type { Shown } from '../objects.ts'
import { digits, idLink, link, pageOf, state, time, words } from '../show.ts'
import type { Visit } from '../visit.ts'

type Timeline = Shown<typeof TimelineResponse>
export type Item = Timeline['items'][number]
type ItemOf<Kind extends Item['kind']> = Extract<Item, { readonly kind: Kind }>

/** The names of the account's keys, by id. */
export async function keyNames({ api }: Visit): Promise<ReadonlyMap<string, string>> {
  const { makers } = await api.get<Shown<typeof MakersResponse>>('/v3/maker')
  return new Map(makers.map(({ id, name }) => [id, name]))
}

export async function timelineOf(
  visit: Visit,
  payout: string,
  key_names: ReadonlyMap<string, string>,
): Promise<Html> {
  const { items, truncated } = await visit.api.get<Timeline>(`/v3/payout/${payout}/timeline`)
  return html`${itemList(visit.root, items, key_names)}${
    truncated && html`<p>The timeline has more entries than this page shows.</p>`
  }`
}

export function itemList(
  root: string,
  items: readonly Item[],
  key_names: ReadonlyMap<string, string>,
): Html {
  return html`<ol class="timeline">${items.map(
    item =>
      html`<li><span class="at">${time(item.at)}</span>
<div>${shownItem(root, item, key_names)}</div></li>`,
  )}</ol>`
}

function shownItem(root: string, item: Item, names: ReadonlyMap<string, string>): Content {
  switch (item.kind) {
    case 'state':
      return html`${state(item.status)} <span class="faint">by ${
        item.made_by ? makerName(item.made_by, names) : words(item.by ?? '')
      }</span>
${item.failure && html` ${item.failure.message} <code>${item.failure.code}</code>`}`
    case 'route':
      return html`Routed to <strong>${item.rail}</strong>. ${item.reason}`
    case 'attempt':
      return railAttempt(item)
    case 'journal':
      return html`<details><summary>Booked: ${words(item.journal_kind)}, journal
${item.journal_number}</summary>${postings(item)}</details>`
    case 'webhook_attempt':
      return webhookAttempt(root, item)
    case 'approval':
      return html`<strong>${item.by_hand.operator}</strong> ${
        item.decision === 'approve' ? 'approved' : 'rejected'
      } it: ${item.given} of ${item.needed} approvals given.`
    case 'handling':
      return html`<strong>${item.by_hand.operator}</strong> ${
        item.action === 'taken' ? 'took it, to pay it by hand' : 'gave it back unpaid'
      }.`
    case 'update':
      return html`Metadata changed <span class="faint">by ${makerName(item.made_by, names)}</span>`
    case 'review':
      return item.reason
    default:
      return html`${words(item.kind)} ${rest(root, item)}`
  }
}

function railAttempt(item: ItemOf<'attempt'>): Html {
  const { release_at, failure, why_not_taken, uetr } = item
  const release = release_at && html`, the rail gets it ${time(release_at)}`
  return html`Attempt ${item.number} by <strong>${item.rail}</strong>:
${words(item.state)}${release}${failure && html`. ${failure.message}`}${
  why_not_taken && `. ${why_not_taken}`
}
${uetr && html`<br><span class="faint">UETR <code>${uetr}</code></span>`}
${onChain(item.references)}`
}

/** The transaction of a payment on a chain, which anybody may look up. */
function onChain({ transaction, explorer, block, nonce, wallet }: ItemOf<'attempt'>['references']) {
  if (transaction === undefined || wallet === undefined) return ''
  const hash = html`<code>${transaction}</code>`
  // A connector may say anything.
  const is_page = URL.parse(explorer ?? '')?.protocol === 'https:'
  return html`<br><span class="faint">Transaction ${is_page ? link(explorer ?? '', hash) : hash}${
    block && `, block ${block}`
  }, number ${nonce} of wallet <code>${wallet}</code></span>`
}

function webhookAttempt(root: string, item: ItemOf<'webhook_attempt'>): Html {
  const { endpoint, delivery, outcome, status_code, retry_at } = item
  const place = pageOf(root, endpoint)
  const answered = status_code === null ? item.error : `answered ${status_code}`
  const isDone = outcome === 'delivered'
  const took = `${item.duration_ms} ms`
  return html`<span class="state ${isDone ? 'good' : 'bad'}">webhook ${
    isDone ? 'delivered' : 'not delivered'
  }</span> <code>${item.event_type}</code> to ${idLink(root, endpoint)},
attempt ${item.attempt}: ${answered}, ${
    place === undefined ? took : link(`${place}/deliveries/${delivery}`, took)
  }${retry_at && html`. Next attempt ${time(retry_at)}`}`
}

function postings({ postings: booked, hash }: ItemOf<'journal'>): Html {
  return html`<table><thead><tr><th scope="col">Account</th>
<th scope="col" class="number">Amount</th>
</tr></thead><tbody>${booked.map(
    ({ code, currency, amount }) =>
      html`<tr><td>${words(code)}</td>
<td class="number">${digits(amount, currency)} ${currency}</td></tr>`,
  )}</tbody></table><p class="faint">Seal <code>${hash.slice(0, 16)}…</code></p>`
}

/** Of an item whose kind this file does not know. */
function rest(root: string, item: Item): Content {
  const common = ['at', 'kind', 'event', 'sequence']
  const set = Object.entries(item).filter(([name, value]) => !common.includes(name) && value)
  return set.map(([name, value]) =>
    typeof value === 'string'
      ? html` ${words(name)}: ${/^[a-z]{3}_/.test(value) ? idLink(root, value) : value}.`
      : '',
  )
}
