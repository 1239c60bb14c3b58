// Starts OpenTelemetry. No other file loads the SDK, which costs memory.
import { hostname } from 'node:os'
import { DiagLogLevel, diag } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { FastifyBaseLogger } from 'fastify'
import manifest from '../../../package.json' with { type: 'json' }
import type { Config, Tracing } from '../../config/config.ts'
import { traceSteps } from './spans.ts'

const MAX_EXPORT = 512

/** The most characters of a statement in a span, and of an SDK message in the log. */
const MAX_TEXT = 4_000

/** Call it before opening what it should trace. The result sends the remaining spans and stops. */
export function startTracing(
  tracing: Tracing,
  { max_batch }: Config,
  log: FastifyBaseLogger,
): () => Promise<void> {
  const warn = (message: string) => log.warn({ sdk_message: message.slice(0, MAX_TEXT) }, 'tracing')
  const ignore = () => {}
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
  const { queue_size, send_every_ms } = tracing
  const provider = new TracerProvider({
    resource: resourceOf(tracing),
    sampler: samplerOf(tracing),
    spanLimits: { linkCountLimit: max_batch, attributeValueLengthLimit: MAX_TEXT },
    spanProcessors: [
      new BatchSpanProcessor({
        // Reads headers, time-outs, compression and certificates from the environment itself.
        exporter: new OTLPTraceExporter({ url: tracing.url }),
        maxQueueSize: queue_size,
        maxExportBatchSize: Math.min(MAX_EXPORT, queue_size),
        scheduledDelayMillis: send_every_ms,
      }),
    ],
  })
  traceSteps(provider.getTracer(manifest.name, manifest.version))
  return () => provider.shutdown().catch(err => log.warn({ err }, 'spans could not be sent'))
}

/** Later attributes win: the environment's, and after them the service's name. */
function resourceOf({ service_name, resource }: Tracing): Resource {
  return defaultResource().merge(
    resourceFromAttributes({
      'service.version': manifest.version,
      'host.name': hostname(),
      'process.pid': process.pid,
      ...resource,
      'service.name': service_name,
    }),
  )
}

function samplerOf({ sampler, ratio }: Tracing): Sampler {
  const [, parentBased, name] = /^(parentbased_)?(.*)$/.exec(sampler) ?? []
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio)
  return parentBased === undefined ? root : new ParentBasedSampler({ root })
}
