// The header `traceparent` of W3C Trace Context.
import type { SpanContext } from '@opentelemetry/api'

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** The caller's span; undefined without a valid header. */
export function readTraceparent(header: string | undefined): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] =
    TRACEPARENT.exec(header ?? '') ?? []
  // Later versions may append fields; version 00 may not, and ff is invalid.
  const known = version === '00' ? more === undefined : version !== undefined && version !== 'ff'
  if (!known || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
}
