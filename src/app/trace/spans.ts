// Makes OpenTelemetry spans. They hold operation names and ids, but no request data and no error
// messages, which may contain names and account numbers.
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import {
  type Course,
  type QueuedCommand,
  REQUESTS,
  type RequestContext,
  STATEMENTS,
  STEPS,
  type StatementContext,
  type Step,
  type StepContext,
  stepChannel,
} from '../../values/diagnostics.ts'
import type { SendResult } from '../../webhooks/send.ts'

/** The methods of OpenTelemetry's HTTP semantic conventions. Any other method is _OTHER. */
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '))

/** A larger difference means that the machine's clock was set. */
const MAX_CLOCK_DRIFT_MS = 100

const CLIENT_STEPS: ReadonlySet<Step> = new Set(['rail', 'webhook'])

/** With `error` when the step failed, else with `result`. */
type EndedContext<C> = C & { readonly error?: unknown; readonly result?: unknown }

export function traceSteps(tracer: Tracer): void {
  const spans = new Spans(tracer)
  REQUESTS.start.subscribe(message => spans.beginRequest(message as RequestContext))
  REQUESTS.asyncEnd.subscribe(message => spans.endRequest(message as RequestContext))
  STATEMENTS.start.subscribe(message => spans.beginStatement(message as StatementContext))
  STATEMENTS.asyncEnd.subscribe(message =>
    spans.endStatement(message as EndedContext<StatementContext>),
  )
  for (const step of STEPS) {
    const channel = stepChannel(step)
    channel.start.subscribe(message => spans.beginStep(step, message as StepContext))
    // Work that throws before its first await ends with `error`; other asynchronous work does not.
    for (const ending of [step === 'decide' ? channel.end : channel.asyncEnd, channel.error]) {
      ending.subscribe(message => spans.endStep(step, message as EndedContext<StepContext>))
    }
  }
}

class Spans {
  readonly #tracer: Tracer
  readonly #now = wallClock()
  /** Spans by the message that began them. */
  readonly #spans = new WeakMap<object, Span>()
  readonly #batches = new WeakMap<readonly QueuedCommand[], Span>()

  constructor(tracer: Tracer) {
    this.#tracer = tracer
  }

  beginRequest(request: RequestContext): void {
    const { method, route } = request
    const known = METHODS.has(method)
    const attributes = {
      'http.request.method': known ? method : '_OTHER',
      'http.route': route,
      'url.scheme': 'http',
      'corridor.request_id': request.request_id,
    }
    const caller = readTraceparent(request.traceparent)
    const parent = caller && trace.setSpanContext(ROOT_CONTEXT, caller)
    const name = `${known ? method : 'HTTP'} ${route}`
    const span = this.#begin(request, name, SpanKind.SERVER, attributes, parent)
    request.trace_id = span.spanContext().traceId
  }

  endRequest(request: RequestContext): void {
    const span = this.#spans.get(request)
    const { status = null, account_id } = request
    if (account_id !== undefined) span?.setAttribute('corridor.account_id', account_id)
    if (status !== null) span?.setAttribute('http.response.status_code', status)
    const failed = status === null ? 'client_gone' : status >= 500 ? String(status) : undefined
    this.#end(request, failed)
  }

  beginStatement(statement: StatementContext): void {
    const attributes = { 'db.system.name': 'postgresql' }
    const parent = this.#contextOf(statement.within)
    this.#begin(statement, 'postgresql', SpanKind.CLIENT, attributes, parent)
  }

  endStatement(statement: EndedContext<StatementContext>): void {
    const { text, error } = statement
    const span = this.#spans.get(statement)
    const summary = summaryOf(text)
    span?.updateName(summary).setAttributes({
      'db.query.text': text,
      'db.query.summary': summary,
    })
    const code = error === undefined ? undefined : kindOf(error)
    if (code !== undefined) span?.setAttribute('db.response.status_code', code)
    this.#end(statement, code)
  }

  beginStep(step: Step, work: StepContext): void {
    const { name, size, ids = {}, waiting = [] } = work
    const attributes: Attributes = { 'corridor.operation': name, 'corridor.size': size }
    for (const [id, value] of Object.entries(ids)) attributes[`corridor.${id}`] = value
    if (step === 'webhook') attributes['http.request.method'] = 'POST'
    if (step === 'batch') {
      this.#beginBatch(work, waiting, attributes)
      return
    }
    const kind = CLIENT_STEPS.has(step) ? SpanKind.CLIENT : SpanKind.INTERNAL
    // A reply begins after its batch has ended.
    const batch = step === 'reply' ? this.#batches.get(waiting) : undefined
    this.#begin(work, step, kind, attributes, contextOf(batch) ?? this.#contextOf(work.within))
  }

  /**
   * Links the batch to the traced request of each command, as a child of the first one: the batch
   * is traced whenever one of its requests is. Each command's wait is a span of its own request.
   */
  #beginBatch(work: StepContext, waiting: readonly QueuedCommand[], attributes: Attributes): void {
    const traced_callers = waiting.flatMap(({ caller, since }) => {
      const span = caller && this.#spans.get(caller)
      // There is no span when the caller has left and the request has ended.
      const traced = span !== undefined && isSampled(span)
      return traced ? [{ since, context: contextOf(span), link: linkTo(span) }] : []
    })
    const links = traced_callers.map(({ link }) => link)
    const name = `batch ${work.name}`
    const parent = traced_callers[0]?.context
    const batch = this.#begin(work, name, SpanKind.INTERNAL, attributes, parent, links)
    this.#batches.set(waiting, batch)
    for (const { since, context } of traced_callers) {
      const startTime = this.#now(since)
      const options = { startTime, links: [linkTo(batch)] }
      this.#tracer.startSpan('wait in lane', options, context).end(this.#now())
    }
  }

  endStep(step: Step, work: EndedContext<StepContext>): void {
    const failed = work.error === undefined ? undefined : kindOf(work.error)
    if (step === 'webhook' && failed === undefined) this.#endWebhook(work)
    else this.#end(work, failed)
  }

  /** The step of a webhook never rejects. Its result shows whether it failed. */
  #endWebhook(work: EndedContext<StepContext>): void {
    const { status_code, error } = work.result as SendResult
    if (status_code === null) {
      this.#end(work, error)
      return
    }
    this.#spans.get(work)?.setAttribute('http.response.status_code', status_code)
    this.#end(work, status_code >= 300 ? String(status_code) : undefined)
  }

  #begin(
    work: object,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    parent: Context = ROOT_CONTEXT,
    links: Link[] = [],
  ): Span {
    const options = { kind, attributes, links, startTime: this.#now() }
    const span = this.#tracer.startSpan(name, options, parent)
    this.#spans.set(work, span)
    return span
  }

  /** Only the first end counts. */
  #end(work: object, failed?: string): void {
    const span = this.#spans.get(work)
    if (!span?.isRecording()) return
    if (failed !== undefined) {
      span.setStatus({ code: SpanStatusCode.ERROR }).setAttribute('error.type', failed)
    }
    span.end(this.#now())
  }

  #contextOf(course: Course | undefined): Context | undefined {
    return contextOf(course && this.#spans.get(course))
  }
}

function contextOf(span: Span): Context
function contextOf(span: Span | undefined): Context | undefined
function contextOf(span: Span | undefined): Context | undefined {
  return span && trace.setSpan(ROOT_CONTEXT, span)
}

function isSampled(span: Span): boolean {
  return (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
}

function linkTo(span: Span): Link {
  return { context: span.spanContext() }
}

/** An error's code, a refusal's reason, or the error's class. */
function kindOf(error: unknown): string {
  const { code, problems, name } = Object(error) as {
    readonly code?: unknown
    readonly problems?: readonly { readonly reason: string }[]
    readonly name?: unknown
  }
  return String(code ?? problems?.[0]?.reason ?? name ?? 'error')
}

/** The first verb and table of a statement, such as `insert payouts`. */
function summaryOf(text: string): string {
  const found = /\b(insert into|update|delete from|from)\s+([a-z_]+)/.exec(text)
  const [, done = '', table] = found ?? []
  if (table !== undefined) return `${done === 'from' ? 'select' : done.split(' ')[0]} ${table}`
  return /^\s*([a-z]+)/.exec(text)?.[1] ?? 'postgresql'
}

/**
 * Milliseconds since 1970 of performance.now(), a steady clock: spans of microseconds stay inside
 * each other. The origin moves when the machine's clock was set.
 */
function wallClock(): (at?: number) => number {
  let origin = Date.now() - performance.now()
  return (at = performance.now()) => {
    const drift = Date.now() - performance.now() - origin
    if (drift > MAX_CLOCK_DRIFT_MS || drift < -MAX_CLOCK_DRIFT_MS) origin += drift
    return origin + at
  }
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

export function readTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(header ?? '') ?? []
  // Later versions may append fields; version 00 may not, and ff is invalid.
  const known = version === '00' ? more === undefined : version !== undefined && version !== 'ff'
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
