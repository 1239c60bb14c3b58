// Writes the answer to a refusal or a fault: the envelope (§error.body), or problem details of
// RFC 9457 when the caller accepts them. Both state the same facts; neither shows a stack, SQL or a
// secret.
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { classify } from '../sql/failure.ts'
import { CATALOGUE, type Problem, type Reason, Refusal, refusal } from '../values/errors.ts'
import { newId } from '../values/id.ts'
import { JsonError } from './json-error.ts'
import { MAX_PROBLEMS, validationProblems } from './problems.ts'
import { logOf } from './requests.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The first problem of a refused request. */
    refused: Problem | undefined
  }
}

/** The Retry-After of a 503, in seconds. */
const RETRY_AFTER_S = '1'

/** The reasons for Fastify's own errors, by its codes. */
const FRAMEWORK: Readonly<Record<string, Reason>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_BAD_URL: 'invalid_request',
  FST_ERR_MAX_PARAM_LENGTH: 'invalid_path_parameter',
  FST_ERR_HANDLER_TIMEOUT: 'service_unavailable',
}

/** The refusal that the caller gets for a thrown error. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  if (error instanceof JsonError) return refusal('invalid_json', error.message, error.path)
  const { code = '', statusCode = 500, validation, validationContext } = error as FastifyError
  if (validation !== undefined) {
    return new Refusal(validationProblems(validation, validationContext ?? 'body'))
  }
  const known = FRAMEWORK[code]
  if (known !== undefined) return refusal(known, CATALOGUE[known].meaning)
  // Fastify's other refusals, such as for a body that breaks off, are errors of the caller.
  if (statusCode < 500) {
    return refusal('invalid_request', CATALOGUE.invalid_request.meaning)
  }
  if (classify(error) !== 'fault') {
    return refusal('service_unavailable', 'The database did not answer; try again.')
  }
  return refusal('internal', 'Something went wrong on our side; nothing was written.')
}

/** The error handler of Fastify. It logs 500s and 503s with their cause, and no other refusal. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const refused = toRefusal(error)
  if (refused.status === 500) logOf(request).error({ err: error }, 'request failed')
  if (refused.status === 503) {
    logOf(request).warn({ err: refused.cause ?? error }, 'request could not be served')
    void reply.header('retry-after', RETRY_AFTER_S)
  }
  return sendRefusal(refused, request, reply)
}

export function sendRefusal(refused: Refusal, request: FastifyRequest, reply: FastifyReply) {
  const { status, problems, retry_after_s } = refused
  const errors = problems.slice(0, MAX_PROBLEMS).map(presentProblem)
  request.refused = problems[0]
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

/** The reason for an error of Node's HTTP parser, by its code. */
const REASON_OF: Readonly<Record<string, 'headers_too_large' | 'request_timeout'>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** A connection with the answer that Node is writing to it. */
type Answering = Socket & { readonly _httpMessage?: ServerResponse | null }

/** How long a connection stays open after sendMalformed, so that the client can read the answer. */
const LINGER_MS = 1_000

/**
 * Answers a message that never becomes a request: not HTTP, too slow, or with too large headers.
 * The answer has the same envelope, and the connection closes whatever the client does.
 */
export function sendMalformed(error: NodeJS.ErrnoException, socket: Answering): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { _httpMessage: unfinished } = socket
  if (unfinished?.req.complete === true || unfinished?.writableEnded === true) {
    // Written now, the answer would pass for that of the earlier, valid request, or it would follow
    // an answer that closes the connection.
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
      `X-Request-Id: ${newId('req')}\r\n` +
      'X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
  // A client that never closes its side would keep the connection open.
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
