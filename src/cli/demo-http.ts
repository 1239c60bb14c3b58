// Demonstrations send requests to the running service as a customer does, and print them.
import { styleText } from 'node:util'
import { readConfig } from '../config/config.ts'
import { CommandFailed, UsageError } from './failure.ts'
import { jsonLines } from './table.ts'

const POLL_MS = 250
const REQUEST_TIMEOUT_MS = 10_000
/** Every process knows a new key within a second (§access.revoke). */
export const KEY_TIMEOUT_MS = 5_000

// biome-ignore lint/suspicious/noExplicitAny: the answer of our own API, whose shape its tests hold
export type Answer = any

export interface Exchange {
  readonly request: { readonly method: string; readonly path: string; readonly body?: object }
  readonly response: { readonly status: number; readonly body: Answer }
}

function readUrl(text: string | undefined): string {
  const { port } = readConfig()
  if (text === undefined && port === 0) throw new UsageError('PORT is 0; name the service by --url')
  const url = text ?? `http://127.0.0.1:${port}`
  if (!/^https?:\/\/./.test(url) || !URL.canParse(url)) throw new UsageError(`not a URL: ${url}`)
  return url.replace(/\/+$/, '')
}

export function authorizationOf(key: string): string {
  return `Basic ${Buffer.from(key).toString('base64')}`
}

/** @throws CommandFailed if no service answers there */
export async function findService(named: string | undefined): Promise<string> {
  const url = readUrl(named)
  // Probes may have a port of their own.
  const { response } = await send(url, '', { method: 'GET', path: '/openapi.json' })
  if (response.status === 200 && /^Corridor\b/.test(response.body?.info?.title)) return url
  throw new CommandFailed(`what answers at ${url} is not Corridor`)
}

/** Asks every POLL_MS until `goesOn` returns false or the time is over; returns the last answer. */
export async function until<Answer>(
  timeout_ms: number,
  ask: () => Promise<Answer>,
  goesOn: (answer: Answer) => boolean,
): Promise<Answer> {
  const deadline = performance.now() + timeout_ms
  for (;;) {
    const answer = await ask()
    if (!goesOn(answer) || performance.now() > deadline) return answer
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

export async function send(url: string, authorization: string, request: Exchange['request']) {
  const { method, path, body } = request
  const headers: Record<string, string> = authorization === '' ? {} : { authorization }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
  try {
    const init: RequestInit = { method, headers, signal }
    if (body !== undefined) init.body = JSON.stringify(body)
    const response = await fetch(`${url}${path}`, init)
    const answer = await response.json().catch(() => null)
    return { request, response: { status: response.status, body: answer } }
  } catch (error) {
    const reason = reasonOf(error)
    throw new CommandFailed(`no service answers at ${url} (${reason}); start it: corridor start`)
  }
}

/** fetch puts the reason into `cause`. */
function reasonOf(error: unknown): string {
  const { cause, name, message } = error as Error
  if (name === 'TimeoutError') return `no answer in ${REQUEST_TIMEOUT_MS / 1000} s`
  const { code, message: cause_message } = (cause ?? {}) as { code?: string; message?: string }
  return code ?? cause_message ?? message
}

/** @throws CommandFailed with the service's own message for an exchange that did not succeed */
export function requireSuccess(exchange: Exchange): Exchange {
  const { request, response } = exchange
  if (response.status === 200) return exchange
  const reason = response.body?.errors?.[0]?.reason
  const hint = /^rate_(stale|unavailable)$/.test(reason)
    ? '; load rates: corridor rates import --help'
    : ''
  const words = response.body?.message ?? 'no JSON'
  throw new CommandFailed(
    `${request.method} ${request.path} was answered with ${response.status}: ${words}${hint}`,
  )
}

export function printStep(number: number, title = '', ...lines: readonly string[]): void {
  const heading = style('bold', `${number}. ${title}`)
  const text = [heading, ...lines.map(line => `  ${line}`.trimEnd()), '', '']
  process.stdout.write(text.join('\n'))
}

export function requestLines({ request: { method, path, body } }: Exchange): string[] {
  const line = style('cyan', `${method} ${path}`)
  return body === undefined ? [line] : [line, ...jsonLines(body)]
}

export function statusWords({ response }: Exchange): string {
  return style('green', String(response.status))
}

/** Plain if standard output is no terminal or NO_COLOR is set. */
export function style(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream: process.stdout })
}

/** The first Ctrl-C ends the demonstration in order, the second ends the process. */
export function listenForInterrupt(what_follows: string) {
  const stopping = new AbortController()
  const stop = () => {
    process.stderr.write(`\nstopping: ${what_follows}\n`)
    stopping.abort(new CommandFailed('the demonstration was stopped'))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  const end = () => void process.off('SIGINT', stop).off('SIGTERM', stop)
  return { signal: stopping.signal, end }
}
