// A trace collector on a free port: keeps the spans that it receives by OTLP over HTTP.
import { createServer, type ServerResponse } from 'node:http'
import { keepTraces } from '../service/logs.ts'
import { listenOn } from './port.ts'

export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** '' for a root. */
  readonly parentSpanId: string
  readonly name: string
  /** OTLP's number: 1 internal, 2 server, 3 client. */
  readonly kind: number
  /** 0 unset, 2 error. */
  readonly status: number
  readonly attributes: Readonly<Record<string, string | number | boolean>>
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[]
  /** Nanoseconds since 1970. */
  readonly start: bigint
  readonly end: bigint
  readonly resource: Readonly<Record<string, string | number | boolean>>
}

export interface Collector {
  /** `http://127.0.0.1:40123` */
  readonly url: string
  readonly spans: Span[]
  /** From now on keeps requests unanswered, until `answer` answers them. */
  hang(): void
  answer(): void
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const spans: Span[] = []
  const unanswered: ServerResponse[] = []
  let hanging = false
  const answer = (response: ServerResponse) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    request.on('end', () => {
      if (hanging) {
        unanswered.push(response)
        return
      }
      keepTraces(body)
      if (request.url === '/v1/traces') spans.push(...spansOf(JSON.parse(body)))
      answer(response)
    })
  })
  return {
    url: `http://127.0.0.1:${await listenOn(server)}`,
    spans,
    hang() {
      hanging = true
    },
    answer() {
      hanging = false
      for (const response of unanswered.splice(0)) answer(response)
    },
    async close() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

interface Attribute {
  readonly key: string
  readonly value: {
    readonly stringValue?: string
    readonly intValue?: number | string
    readonly doubleValue?: number
    readonly boolValue?: boolean
  }
}

interface TracesRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly name: string
        readonly kind: number
        readonly status: { readonly code?: number }
        readonly attributes: readonly Attribute[]
        readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
      }[]
    }[]
  }[]
}

function spansOf({ resourceSpans }: TracesRequest): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(span => ({
        traceId: span.traceId,
        spanId: span.spanId,
        parentSpanId: span.parentSpanId ?? '',
        name: span.name,
        kind: span.kind,
        status: span.status.code ?? 0,
        attributes: read(span.attributes),
        links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
        start: BigInt(span.startTimeUnixNano),
        end: BigInt(span.endTimeUnixNano),
        resource: read(resource.attributes),
      })),
    ),
  )
}

function read(attributes: readonly Attribute[]): Span['attributes'] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? boolValue ?? Number(intValue ?? doubleValue),
    ]),
  )
}
