// How a refusal or a fault is written: the envelope (§error.body), or RFC 9457 problem details
// when the caller asks for them, with the same facts. Never a stack, SQL or a secret.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { classify } from '../db/failure.ts'
import { CATALOGUE, type Problem, type Reason, Refusal, refusal } from '../errors.ts'
import { JsonError } from './json-error.ts'
import { MAX_PROBLEMS, validationProblems } from './problems.ts'

/** Seconds after which a caller may try again when the service cannot answer now. */
const RETRY_AFTER_S = '1'

/** Fastify's own errors, by its codes. */
const FRAMEWORK: Readonly<Record<string, Reason>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'invalid_path_parameter',
  FST_ERR_HANDLER_TIMEOUT: 'service_unavailable',
}

/** What was thrown while answering, as the refusal the caller gets. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof JsonError) return refusal('invalid_json', error.message, error.path)
  const { code = '', statusCode = 500, validation, validationContext } = error as FastifyError
  if (validation !== undefined) {
    return new Refusal(validationProblems(validation, validationContext ?? 'body'))
  }
  const known = FRAMEWORK[code]
  if (known !== undefined) return refusal(known, CATALOGUE[known].meaning)
  // Whatever else it refuses, such as a body that breaks off, is the caller's and no fault of ours.
  if (statusCode < 500) {
    return refusal('invalid_request', CATALOGUE.invalid_request.meaning)
  }
  if (classify(error) !== 'fault') {
    return refusal('service_unavailable', 'The database did not answer; try again.')
  }
  return refusal('internal', 'Something went wrong on our side; nothing was written.')
}

/** Fastify's error handler. Faults of ours are logged with their cause; refusals are not. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refused = toRefusal(error)
  if (refused.status === 500) request.log.error({ err: error }, 'request failed')
  if (refused.status === 503) {
    request.log.warn({ err: refused.cause ?? error }, 'request could not be served')
    void reply.header('retry-after', RETRY_AFTER_S)
  }
  return sendRefusal(refused, request, reply)
}

export function sendRefusal(refused: Refusal, request: FastifyRequest, reply: FastifyReply) {
  const { status, problems, retry_after_s } = refused
  const errors = problems.slice(0, MAX_PROBLEMS).map(presentProblem)
  void reply.status(status).header('vary', 'accept')
  if (retry_after_s !== undefined) void reply.header('retry-after', String(retry_after_s))
  if (status === 401) {
    void reply.header('www-authenticate', 'Basic realm="Corridor", charset="UTF-8"')
  }
  if (wantsProblem(request.headers.accept)) {
    return reply
      .type('application/problem+json')
      .send(JSON.stringify(problemDetails(refused, errors, request.id)))
  }
  const body = { status: 'error', message: summary(refused), errors, data: null }
  return reply.type('application/json; charset=utf-8').send(JSON.stringify(body))
}

export function presentProblem({ reason, message, remarks }: Problem) {
  return { code: CATALOGUE[reason].code, reason, message, remarks }
}

/** By Node's word for what is wrong with a message. */
const REASON_OF: Readonly<Record<string, 'headers_too_large' | 'request_timeout'>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** A connection of Node's server, with the answer that is being written on it. */
type Answering = Socket & { readonly _httpMessage?: ServerResponse | null }

/** How long a client may go on after such a message, so that it can read what it is told. */
const LINGER_MS = 1_000

/**
 * A message that is not HTTP, too slow, or whose headers are too large, never becomes a request; it
 * gets the same envelope and the connection is closed, whatever the client does with its end.
 */
export function sendMalformed(error: NodeJS.ErrnoException, socket: Answering): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { _httpMessage: unfinished } = socket
  if (unfinished?.req.complete === true) {
    // Said now, it would be read as the answer to that request, which was well.
    unfinished.once('close', () => sendMalformed(error, socket))
    return
  }
  const reason = REASON_OF[error.code ?? ''] ?? 'invalid_request'
  const { code, status, meaning } = CATALOGUE[reason]
  const errors = [{ code, reason, message: meaning, remarks: '' }]
  const body = JSON.stringify({ status: 'error', message: meaning, errors, data: null })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      'X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // Whoever never closes its own side would otherwise keep ours.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function problemDetails(refused: Refusal, errors: readonly object[], request_id: string) {
  const [first] = refused.problems
  const reason = first?.reason ?? 'internal'
  return {
    type: `urn:corridor:error:${reason}`,
    title: CATALOGUE[reason].meaning,
    status: refused.status,
    detail: summary(refused),
    instance: `urn:corridor:request:${request_id}`,
    errors,
  }
}

function summary({ problems, unlisted }: Refusal): string {
  const [first] = problems
  if (first === undefined) return 'The request was refused.'
  const count = problems.length + unlisted
  return count === 1 ? first.message : `${count} problems; see errors.`
}

function wantsProblem(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('application/problem+json') ?? false
}
