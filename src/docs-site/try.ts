// “Try it”: a form that sends one documented request to this service with the key of a sandbox, and
// shows the answer. A key of a live account is never used here.
import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { found } from '../values/errors.ts'
import { type Html, html } from '../values/text/html.ts'
import { indented } from '../values/text/json-digits.ts'
import type { KnownReaders } from './reader.ts'
import { type Endpoint, exampleFor, operationsOf } from './reference.ts'
import type { ApiDocument } from './schema.ts'

/** The fields of the form. The secret is sent on, and neither kept nor shown again. */
export interface Tried {
  readonly path: string
  readonly body: string
  readonly key_id: string
  readonly secret: string
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** A path, a body of the API and a key, encoded for a form. */
export const MAX_TRY_BYTES = 64 * 1024
/** The longest answer that the page shows. */
const MAX_SHOWN = 64 * 1024

/** The operation of this id. Refuses (404) an unknown id. */
export function endpointOf(document: ApiDocument, operationId: string): Endpoint {
  const endpoints = operationsOf(document)
  return found(endpoints.find(({ operation }) => operation.operationId === operationId))
}

/** The form as the documentation's example fills it. */
export function exampleTry(document: ApiDocument, endpoint: Endpoint, key_id: string): Tried {
  const { path, body } = exampleFor(document, endpoint)
  const text = body === undefined ? '' : JSON.stringify(body, null, 2)
  return { path, body: text, key_id, secret: '' }
}

/** Why the request is not sent; undefined for none. */
export function tryProblem(
  { path }: Endpoint,
  tried: Tried,
  { accounts, keys }: KnownReaders,
): string | undefined {
  const pattern = path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[\\w:-]+')
  if (!new RegExp(`^${pattern}(\\?[^\\s#]*)?$`).test(tried.path)) {
    return `Fill in the path as ${path}, with the ids of your sandbox.`
  }
  const key = keys.get(tried.key_id)
  const account = key && accounts.get(key.account_id)
  // The same words for an unknown key: the page says nothing about live accounts.
  return account?.sandbox === true ? undefined : 'No sandbox of this service has such a key.'
}

/** Sends the request as the browser's, so that guesses of a secret are limited as anywhere. */
export async function send(
  app: FastifyInstance,
  request: FastifyRequest,
  { method }: Endpoint,
  { path, body, key_id, secret }: Tried,
): Promise<Answer> {
  const { host = '', 'x-forwarded-for': via, 'x-forwarded-proto': proto } = request.headers
  const hasBody = method !== 'GET' && body.trim() !== ''
  const answer = await app.inject({
    method: method as 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: path,
    remoteAddress: request.socket.remoteAddress ?? '',
    headers: {
      host,
      accept: 'application/json',
      authorization: `Basic ${Buffer.from(`${key_id}:${secret}`).toString('base64')}`,
      ...(via !== undefined && { 'x-forwarded-for': via }),
      ...(proto !== undefined && { 'x-forwarded-proto': proto }),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...(method === 'POST' && { 'idempotency-key': randomUUID() }),
    },
    ...(hasBody && { payload: body }),
  })
  return { status: answer.statusCode, text: answer.payload }
}

/** The form, and above it the answer or the problem of the last try. */
export function tryForm(
  { method, path, operation, place }: Endpoint,
  { path: filled, body, key_id }: Tried,
  last: Answer | string | undefined,
): Html {
  const { operationId } = operation
  const hasBody = operation.requestBody !== undefined
  return html`<article><h1>Try it: <code>${method} ${path}</code></h1>
<p>The request goes to this service with the key of your sandbox, in which money is play money.
<a href="/docs/${place}">What the request means</a></p>
${last !== undefined && shownLast(last)}
<form method="post" action="/docs/try?operation=${operationId}" class="try">
<label>Path<input name="path" value="${filled}" required maxlength="2000"
spellcheck="false"></label>
${
  hasBody &&
  html`<label>Body<textarea name="body" rows="16" spellcheck="false">${body}</textarea></label>`
}
<label>Key id<input name="key_id" value="${key_id}" required maxlength="100" autocomplete="off"
spellcheck="false"></label>
<label>Secret<input name="secret" type="password" required maxlength="200"
autocomplete="off"></label>
<button>Send</button></form></article>`
}

function shownLast(last: Answer | string): Html {
  if (typeof last === 'string') return html`<p class="note bad" role="alert">${last}</p>`
  const shown = last.text.slice(0, MAX_SHOWN)
  const cut = last.text.length > MAX_SHOWN && html`<p>The answer goes on.</p>`
  return html`<section aria-label="Answer"><h2>Answer: ${last.status}</h2>
<pre tabindex="0"><code>${pretty(shown)}</code></pre>${cut}</section>`
}

/** Text that is no JSON stays as it is. */
function pretty(text: string): string {
  try {
    return indented(text)
  } catch {
    return text
  }
}
