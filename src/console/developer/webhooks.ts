// Screens of webhooks: endpoints, deliveries, and why a receiver refuses a signature. The secret
// that a person pastes is neither stored nor sent on.
import { type Html, html } from '../../values/text/html.ts'
import { signatures } from '../../webhooks/sign.ts'
import type { JsonObject } from '../api.ts'
import { anyOf, bodyOf, fieldText, post, postForm, withUnlistedCalls } from '../form.ts'
import { type Listing, showList } from '../list.ts'
import type { Delivery, DeliveryInFull, Endpoint, Event } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, idLink, link, members, state, time } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'

const API = '/v3/webhook_endpoint'

export function webhookScreens(screens: Screens): void {
  screens.show('account', '/webhooks', endpointsScreen)
  screens.act('account', '/webhooks', makeEndpoint, endpointsScreen)
  debuggerScreens(screens)
  screens.show('account', '/webhooks/:id', endpointScreen)
  const test = { to: `${API}/:id/test`, next: '/webhooks/:id?done=sent' }
  screens.send('account', '/webhooks/:id/test', test, endpointScreen)
  const replay = {
    to: `${API}/:id/replay`,
    body: (visit: Visit) => ({ events: listOf(visit, 'events') }),
    next: '/webhooks/:id?done=replayed',
  }
  screens.send('account', '/webhooks/:id/replay', replay, endpointScreen)
  screens.show('account', '/webhooks/:id/deliveries/:delivery', deliveryScreen)
}

const URL_HINT = 'https://example.com/webhooks'
const EVENTS_HINT = 'Separated by spaces: payout.* entity.approved. Empty for every event.'

async function endpointsScreen(visit: Visit): Promise<Screen> {
  const { root } = visit
  const list = await showList<Endpoint>(visit, '/webhooks', {
    api: API,
    caption: 'Webhook endpoints',
    withoutDays: true,
    columns: [
      { name: 'Address', show: ({ id, url }) => html`<a href="${root}/webhooks/${id}">${url}</a>` },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Events', show: ({ event_types }) => event_types.join(', ') },
      { name: 'Created', show: ({ created_at }) => time(created_at) },
    ],
    empty: 'No endpoints yet. Corridor sends each event to an endpoint within a second.',
  })
  const body = html`${list}
${
  may(visit, 'maker') &&
  html`<h2>A new endpoint</h2>${postForm(visit, {
    action: `${root}/webhooks`,
    button: 'Create the endpoint',
    fields: [
      { name: 'url', label: 'Address', type: 'url', required: true, hint: URL_HINT },
      { name: 'event_types', label: 'Events', hint: EVENTS_HINT },
      { name: 'description', label: 'Description (optional)' },
    ],
  })}`
}
<h2>Why is a signature refused?</h2>${debuggerForm(visit)}`
  return { title: 'Webhooks', body }
}

/** Shows the secret this once. */
async function makeEndpoint(visit: Visit): Promise<Screen> {
  const body = {
    url: fieldText(visit, 'url'),
    event_types: listOf(visit, 'event_types'),
    ...bodyOf(visit.form, ['description']),
  }
  const made = await post<Endpoint & { secret: string }>(withUnlistedCalls(visit), API, body)
  const shown = html`<p>This is the secret of the endpoint. It is not shown again:</p>
<pre class="secret" tabindex="0">${made.secret}</pre>
<p>Your receiver checks each signature with it.</p>
<p><a class="button" href="${visit.root}/webhooks/${made.id}">To the endpoint</a></p>`
  return { title: 'The endpoint is created', body: shown }
}

const listOf = (visit: Visit, name: string) =>
  fieldText(visit, name)
    .split(/[\s,]+/)
    .filter(Boolean)

async function endpointScreen(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const { root } = visit
  const endpoint = await visit.api.get<Endpoint>(`${API}/${id}`)
  const body = html`<p class="lead">${state(endpoint.status)} ${endpoint.disabled_reason}</p>
${members(root, endpoint)}
${
  may(visit, 'maker') &&
  postForm(visit, {
    action: `${root}/webhooks/${id}/test`,
    button: 'Send a test event',
    small: true,
  })
}
<h2>Deliveries</h2>${await showList(visit, `/webhooks/${id}`, deliveryList(visit, id))}`
  return { title: endpoint.url, body, live: '*' }
}

function deliveryList(visit: Visit, id: string): Listing<Delivery> {
  const page = `${visit.root}/webhooks/${id}`
  return {
    api: `${API}/${id}/delivery`,
    caption: 'Deliveries, newest first',
    columns: [
      { name: 'Event', show: row => link(`${page}/deliveries/${row.id}`, row.event_type) },
      { name: 'Object', show: ({ object_id }) => idLink(visit.root, object_id) },
      { name: 'State', show: ({ status }) => state(status) },
      { name: 'Attempts', number: true, show: ({ attempt_count }) => attempt_count },
      { name: 'Next attempt', show: ({ next_attempt_at }) => time(next_attempt_at) },
      { name: 'Created', show: ({ created_at }) => time(created_at) },
    ],
    filters: [{ name: 'status', label: 'State', options: anyOf(['pending', 'delivered', 'dead']) }],
    empty: 'No deliveries yet.',
  }
}

async function deliveryScreen(visit: Visit): Promise<Screen> {
  const { id = '', delivery = '' } = visit.params
  const path = `${API}/${id}/delivery/${delivery}`
  const sent = await visit.api.get<DeliveryInFull>(path)
  const body = html`<p class="lead">${state(sent.status)}</p>
${facts([
  ['Event', idLink(visit.root, sent.event)],
  ['Object', idLink(visit.root, sent.object_id)],
  ['Attempts', sent.attempt_count],
  ['Next attempt', sent.next_attempt_at && time(sent.next_attempt_at)],
])}
<h2>Attempts</h2>${attemptsOf(visit.root, sent.attempts ?? [])}
${
  may(visit, 'maker') &&
  postForm(visit, {
    action: `${visit.root}/webhooks/${id}/replay`,
    button: 'Send it again',
    hidden: { events: sent.event },
  })
}`
  return { title: sent.event_type, body }
}

function attemptsOf(root: string, attempts: readonly JsonObject[]): Html {
  if (attempts.length === 0) return html`<p class="empty">No attempts yet.</p>`
  return html`<ol class="plain">${attempts.map(
    attempt => html`<li class="card">${members(root, attempt)}</li>`,
  )}</ol>`
}

function debuggerScreens(screens: Screens): void {
  screens.show('account', '/webhooks/signature', signatureScreen)
  screens.act('account', '/webhooks/signature', signatureScreen, signatureScreen)
}

function debuggerForm(visit: Visit): Html {
  return postForm(visit, {
    action: `${visit.root}/webhooks/signature`,
    button: 'Compare',
    body: html`<p>Paste what your receiver got. Corridor does not store it.</p>`,
    fields: [
      {
        name: 'headers',
        label: 'Headers',
        rows: 4,
        required: true,
        hint: 'webhook-id, webhook-timestamp and webhook-signature, one per line',
      },
      { name: 'body', label: 'Body, exactly as received', rows: 5, required: true },
      { name: 'secret', label: 'Secret', required: true, hint: 'whsec_…' },
    ],
  })
}

async function signatureScreen(visit: Visit): Promise<Screen> {
  const { form } = visit
  const title = 'Why is a signature refused?'
  if (form.get('headers') === null) return { title, body: debuggerForm(visit) }
  const headers = readHeaders(form.get('headers') ?? '')
  // A form sends every line break as CR LF, whatever was pasted.
  const pasted = (form.get('body') ?? '').replaceAll('\r\n', '\n')
  const received = { headers, body: pasted, secret: fieldText(visit, 'secret') }
  const findings = [
    ...checkSignature(received, Date.now()),
    ...(await compareBody(visit, received)),
  ]
  const body = html`<h2>Findings</h2><ul class="findings">${findings.map(
    ({ good, text }) =>
      html`<li><span class="state ${good ? 'good' : 'bad'}">${
        good ? 'right' : 'wrong'
      }</span> ${text}</li>`,
  )}</ul>${debuggerForm(visit)}`
  return { title, body }
}

interface Received {
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly secret: string
}

interface Finding {
  readonly good: boolean
  readonly text: string
}

function readHeaders(text: string): Map<string, string> {
  const pairs = text.split(/\r?\n/).flatMap(line => {
    const at = line.indexOf(':')
    return at === -1 ? [] : [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]]
  })
  return new Map(pairs as [string, string][])
}

/** Standard Webhooks: a receiver refuses a message whose time differs by more than this. */
const TOLERANCE_S = 300

/** About headers, time, secret and signature. */
export function checkSignature({ headers, body, secret }: Received, now_ms: number): Finding[] {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const [id = '', stamp = '', signature = ''] = names.map(name => headers.get(name))
  const missing = names.filter(name => !headers.get(name))
  if (missing.length > 0) return [wrong(`The headers have no ${missing.join(', ')}.`)]
  const findings: Finding[] = []
  if (/^\d{1,12}$/.test(stamp)) {
    const age_s = Math.trunc(now_ms / 1000) - Number(stamp)
    const when = `${Math.abs(age_s)} s ${age_s >= 0 ? 'ago' : 'in the future'}`
    const clock = `It was sent ${when}, by the clock of this service.`
    const isOff = Math.abs(age_s) > TOLERANCE_S
    findings.push(
      isOff
        ? wrong(
            `${clock} A receiver refuses a webhook more than ${TOLERANCE_S} s off its own clock.`,
          )
        : right(clock),
    )
  } else findings.push(wrong('webhook-timestamp is not Unix time in seconds.'))
  if (!/^whsec_[A-Za-z0-9+/]+=*$/.test(secret)) {
    return [...findings, wrong('The secret is not “whsec_” followed by base64.')]
  }
  const expected = signatures([secret], id, Number(stamp), body)
  const candidates = signature.split(/\s+/)
  if (candidates.includes(expected)) return [...findings, right('The signature matches this body.')]
  const text =
    `None of the ${candidates.length} signatures matches this body and secret. The match is ` +
    `${expected}.`
  return [...findings, wrong(text)]
}

/** Byte by byte; no finding without an event's id. */
async function compareBody(visit: Visit, { headers, body }: Received): Promise<Finding[]> {
  const id = headers.get('webhook-id') ?? ''
  if (!/^evt_[0-9a-z]{20}$/.test(id)) return []
  const event = await visit.api.find<Event>(`/v3/event/${id}`)
  if (event === undefined) return [wrong(`This account has no event ${id}.`)]
  const answer = visit.api.calls.at(-1)?.answer ?? ''
  const signed = answer.slice('{"status":"success","message":"","data":'.length, -1)
  return [sameBytes(signed, body)]
}

/** Names the first byte that differs. */
export function sameBytes(signed: string, received: string): Finding {
  const [a, b] = [Buffer.from(signed), Buffer.from(received)]
  if (a.equals(b)) return right('The body is exactly what was signed.')
  let at = 0
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1
  const part = (bytes: Buffer) => JSON.stringify(bytes.subarray(at, at + 20).toString())
  const text =
    `The body differs from what was signed at byte ${at + 1}: signed was ${part(a)}, yours has ` +
    `${part(b)}. Check the bytes as they came, before anything parses and writes them again.`
  return wrong(text)
}

const right = (text: string): Finding => ({ good: true, text })
const wrong = (text: string): Finding => ({ good: false, text })
