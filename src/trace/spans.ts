// Makes spans of the steps that the service tells of: requests, batches of lanes with their steps
// and statements, and what workers do. It writes names of things and ids into them, never what a
// caller sent nor what an error says, in which there may be names and account numbers.
import {
  type Attributes,
  type Context,
  type Link,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import {
  type Asked,
  type Course,
  REQUESTS,
  type RequestContext,
  STATEMENTS,
  STEPS,
  type StatementContext,
  type Step,
  type StepContext,
  stepChannel,
} from '../steps.ts'
import type { SendResult } from '../webhook/send.ts'
import { readTraceparent } from './traceparent.ts'

/** Of the HTTP semantic conventions; any other method is _OTHER. */
const METHODS = new Set('CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '))

/** Further apart, the machine's clock was set. */
const CLOCKS_APART_MS = 100

/** Steps that wait for somebody else. */
const CLIENTS: ReadonlySet<Step> = new Set(['rail', 'webhook'])

/** How the end of a step is told: with `error` when it failed, else `result`. */
type Ended<C> = C & { readonly error?: unknown; readonly result?: unknown }

/** From now on, for as long as the process lives. */
export function traceSteps(tracer: Tracer): void {
  const spans = new Spans(tracer)
  REQUESTS.start.subscribe(told => spans.beginRequest(told as RequestContext))
  REQUESTS.asyncEnd.subscribe(told => spans.endRequest(told as RequestContext))
  STATEMENTS.start.subscribe(told => spans.beginStatement(told as StatementContext))
  STATEMENTS.asyncEnd.subscribe(told => spans.endStatement(told as Ended<StatementContext>))
  for (const step of STEPS) {
    const channel = stepChannel(step)
    channel.start.subscribe(told => spans.beginStep(step, told as StepContext))
    // Work that fails before it waits is over by its error, all other that waits by `asyncEnd`.
    for (const over of [step === 'decide' ? channel.end : channel.asyncEnd, channel.error]) {
      over.subscribe(told => spans.endStep(step, told as Ended<StepContext>))
    }
  }
}

class Spans {
  readonly #tracer: Tracer
  readonly #now = wallClock()
  /** By what they were begun with. */
  readonly #spans = new WeakMap<object, Span>()
  /** Of batches, by the commands in them. */
  readonly #batches = new WeakMap<readonly Asked[], Span>()

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

  endStatement(statement: Ended<StatementContext>): void {
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

  beginStep(step: Step, told: StepContext): void {
    const { name, size, ids = {}, waiting = [] } = told
    const attributes: Attributes = { 'corridor.operation': name, 'corridor.size': size }
    for (const [id, value] of Object.entries(ids)) attributes[`corridor.${id}`] = value
    if (step === 'webhook') attributes['http.request.method'] = 'POST'
    if (step === 'batch') {
      this.#beginBatch(told, waiting, attributes)
      return
    }
    const kind = CLIENTS.has(step) ? SpanKind.CLIENT : SpanKind.INTERNAL
    // A reply is begun when its batch is over.
    const batch = step === 'reply' ? this.#batches.get(waiting) : undefined
    this.#begin(told, step, kind, attributes, contextOf(batch) ?? this.#contextOf(told.within))
  }

  /**
   * Linked to every request that has a command in it, and child of the first that is traced, so
   * that it is traced whenever one of them is. The wait of each is a span of its own request,
   * linked to the batch.
   */
  #beginBatch(told: StepContext, waiting: readonly Asked[], attributes: Attributes): void {
    const asking = waiting.flatMap(({ asker, since }) => {
      const span = asker && this.#spans.get(asker)
      // The request may be over: its caller may have left.
      const traced = span !== undefined && isSampled(span)
      return traced ? [{ since, context: contextOf(span), link: linkTo(span) }] : []
    })
    const links = asking.map(({ link }) => link)
    const name = `batch ${told.name}`
    const parent = asking[0]?.context
    const batch = this.#begin(told, name, SpanKind.INTERNAL, attributes, parent, links)
    this.#batches.set(waiting, batch)
    for (const { since, context } of asking) {
      const startTime = this.#now(since)
      const options = { startTime, links: [linkTo(batch)] }
      this.#tracer.startSpan('wait in lane', options, context).end(this.#now())
    }
  }

  endStep(step: Step, told: Ended<StepContext>): void {
    const failed = told.error === undefined ? undefined : kindOf(told.error)
    if (step === 'webhook' && failed === undefined) this.#endWebhook(told)
    else this.#end(told, failed)
  }

  /** Which does not fail: what became of it is its result. */
  #endWebhook(told: Ended<StepContext>): void {
    const { status_code, error } = told.result as SendResult
    if (status_code === null) {
      this.#end(told, error)
      return
    }
    this.#spans.get(told)?.setAttribute('http.response.status_code', status_code)
    this.#end(told, status_code >= 300 ? String(status_code) : undefined)
  }

  #begin(
    told: object,
    name: string,
    kind: SpanKind,
    attributes: Attributes,
    parent: Context = ROOT_CONTEXT,
    links: Link[] = [],
  ): Span {
    const options = { kind, attributes, links, startTime: this.#now() }
    const span = this.#tracer.startSpan(name, options, parent)
    this.#spans.set(told, span)
    return span
  }

  /** The first end counts. */
  #end(told: object, failed?: string): void {
    const span = this.#spans.get(told)
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

/** A word for what went wrong: an error's code, a refusal's reason, or the error's class. */
function kindOf(error: unknown): string {
  const { code, problems, name } = Object(error) as {
    readonly code?: unknown
    readonly problems?: readonly { readonly reason: string }[]
    readonly name?: unknown
  }
  return String(code ?? problems?.[0]?.reason ?? name ?? 'error')
}

/** `insert payouts`: what is done first, and to which table. */
function summaryOf(text: string): string {
  const found = /\b(insert into|update|delete from|from)\s+([a-z_]+)/.exec(text)
  const [, done = '', table] = found ?? []
  if (table !== undefined) return `${done === 'from' ? 'select' : done.split(' ')[0]} ${table}`
  return /^\s*([a-z]+)/.exec(text)?.[1] ?? 'postgresql'
}

/**
 * Instants, by performance.now(), as milliseconds since 1970. By the steady clock, as spans of
 * microseconds must stand within each other; set anew when the clock of the machine was set.
 */
function wallClock(): (at?: number) => number {
  let origin = Date.now() - performance.now()
  return (at = performance.now()) => {
    const apart = Date.now() - performance.now() - origin
    if (apart > CLOCKS_APART_MS || apart < -CLOCKS_APART_MS) origin += apart
    return origin + at
  }
}
