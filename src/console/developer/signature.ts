// Finds why a receiver refuses the signature of a webhook: compares the pasted request with what
// Corridor signed. The secret that the person pastes is neither stored nor sent on.
import { type Html, html } from '../../values/text/html.ts'
import { signatures } from '../../webhooks/sign.ts'
import { fieldText, postForm } from '../form.ts'
import type { Event } from '../objects.ts'
import type { Screens } from '../screens.ts'
import type { Screen, Visit } from '../visit.ts'

export function debuggerScreens(screens: Screens): void {
  screens.show('account', '/webhooks/signature', signatureScreen)
  screens.act('account', '/webhooks/signature', signatureScreen, signatureScreen)
}

export function debuggerForm(visit: Visit): Html {
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

/** What the receiver got, and the secret that it checks with. */
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

/** The findings about headers, time, secret and signature. */
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

/** Compares the body with the event's, byte by byte; no finding without an event's id. */
async function compareBody(visit: Visit, { headers, body }: Received): Promise<Finding[]> {
  const id = headers.get('webhook-id') ?? ''
  if (!/^evt_[0-9a-z]{20}$/.test(id)) return []
  const event = await visit.api.find<Event>(`/v3/event/${id}`)
  if (event === undefined) return [wrong(`This account has no event ${id}.`)]
  const answer = visit.api.calls.at(-1)?.answer ?? ''
  const signed = answer.slice('{"status":"success","message":"","data":'.length, -1)
  return [sameBytes(signed, body)]
}

/** Whether the body is the signed one; else the first byte that differs. */
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
