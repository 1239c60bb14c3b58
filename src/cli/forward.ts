// Events as the command line shows them, and sent to a receiver under development: signed as a
// webhook would be, one after the other, without a second try.
import { randomBytes } from 'node:crypto'
import type { NamedEvent } from '../event/event.ts'
import { presentEvent } from '../event/response.ts'
import { isPortOfHttp } from '../webhook/rules.ts'
import { type SendResult, send } from '../webhook/send.ts'
import { newSecret, webhookHeaders } from '../webhook/sign.ts'
import { EVENT_TYPES } from '../webhook/webhook.ts'
import { UsageError } from './context.ts'
import { visible } from './terminal.ts'

/** What a receiver has to answer in. */
const TIMEOUT_MS = 15_000

export interface Forwarder {
  readonly url: string
  /** What the receiver checks signatures with. */
  readonly secret: string
  send(event: NamedEvent): Promise<SendResult>
}

/** The operator names the receiver, so any address will do. */
export function openForwarder(text: string, secret = newSecret(randomBytes(32))): Forwarder {
  const read = URL.parse(text)
  const named = read !== null && (read.username !== '' || read.password !== '')
  if (read === null || !/^https?:$/.test(read.protocol) || named) {
    throw new UsageError('--forward-to is a URL such as http://localhost:3000/hook')
  }
  if (!isPortOfHttp(read)) {
    const words = `port ${read.port} is of another protocol, and webhooks never go there`
    throw new UsageError(`--forward-to: ${words}; take one such as 3000`)
  }
  if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
    throw new UsageError('--secret is whsec_ and base64, as printed when an endpoint is made')
  }
  const url = read.href
  return {
    url,
    secret,
    send(event) {
      const body = JSON.stringify(presentEvent(event))
      const headers = webhookHeaders([secret], event.id, Math.floor(Date.now() / 1000), body)
      return send({ url, headers, body, timeout_ms: TIMEOUT_MS, allow_private: true })
    },
  }
}

/** `payout.failed,entity.*`; every type when nothing is said. */
export function readTypes(text: string | undefined): readonly string[] {
  const types = text?.split(',').map(type => type.trim()) ?? []
  const unknown = types.find(type => !EVENT_TYPES.includes(type))
  if (unknown === undefined) return types
  throw new UsageError(`no type of event ${unknown}; there are ${EVENT_TYPES.join(', ')}`)
}

/** Did the receiver take it? */
export function isTaken({ status_code }: SendResult): boolean {
  return status_code !== null && status_code >= 200 && status_code < 300
}

/** One event in 80 columns: time, type, object; what came of it on a line of its own. */
export function eventLine(event: NamedEvent, result: SendResult | undefined): string {
  const { created_at, type, object_id } = event
  const line = `${created_at.slice(0, 19)}Z  ${type.padEnd(30)} ${object_id}`
  return result === undefined ? line : `${line}\n  ${resultLine(event, result)}`
}

function resultLine({ id }: NamedEvent, result: SendResult): string {
  const { status_code, error, duration_ms } = result
  const outcome = status_code === null ? `no answer: ${error}` : String(status_code)
  return visible(`${isTaken(result) ? '→' : '✗'} ${outcome} in ${duration_ms} ms  ${id}`)
}

/** One event in one line of JSON. */
export function eventJson(event: NamedEvent, result: SendResult | undefined): string {
  const { status_code = null, error = '', duration_ms = 0 } = result ?? {}
  const forwarded = result === undefined ? null : { status_code, error, duration_ms }
  return JSON.stringify({ event: presentEvent(event), forwarded })
}
