// The client: checks its settings at once, and has every resource of the service.
import { positive, whole } from './check.ts'
import { Resources } from './emitted/resources.ts'
import { MONEY, VERSION } from './emitted/schemas.ts'
import { type Settings, Transport } from './transport.ts'

export type { Answered, Call } from './call.ts'
export type * from './emitted/resources.ts'
export type * from './emitted/schemas.ts'
export * from './errors.ts'
export type { Listing, Page } from './listing.ts'
export { toDecimal, toMinor } from './money.ts'
export type { Options, OptionsWithKey } from './transport.ts'
export {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookReason,
} from './webhook.ts'

type Mode = 'number' | 'bigint'

export interface CorridorSettings<M extends Mode = 'number'> {
  /** Id and secret of an API key, `key_…:…`, as the service printed them. */
  readonly apiKey: string
  /** The service's address, such as `https://payouts.example.com`. */
  readonly baseUrl: string
  /** With a person's key: the account to act for. */
  readonly account?: string
  /** The time limit of one attempt; 30 seconds by default. */
  readonly timeout_ms?: number
  /** The time limit of a call with all its attempts; two minutes by default. */
  readonly total_timeout_ms?: number
  /** How often the client repeats a call; twice by default. */
  readonly maxRetries?: number
  /** The type of amounts in answers. Requests take both types. */
  readonly money?: M
  readonly fetch?: typeof fetch
}

export class Corridor<M extends Mode = 'number'> extends Resources<
  M extends 'bigint' ? bigint : number
> {
  constructor(settings: CorridorSettings<M>) {
    super(new Transport(readSettings(settings)))
  }
}

function readSettings({
  apiKey,
  baseUrl,
  account,
  money,
  ...more
}: CorridorSettings<Mode>): Settings {
  if (!/^[\x21-\x39\x3b-\x7e]+:[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey is the id and the secret of a key: key_…:…')
  }
  const url = URL.parse(baseUrl)
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '') {
    throw new TypeError('baseUrl is an address such as https://payouts.example.com')
  }
  return {
    baseUrl: url.href.replace(/\/+$/, ''),
    headers: {
      authorization: `Basic ${btoa(apiKey)}`,
      'corridor-version': VERSION,
      ...(account !== undefined && { 'corridor-account': account }),
    },
    timeout_ms: positive('timeout_ms', more.timeout_ms ?? 30_000),
    total_timeout_ms: positive('total_timeout_ms', more.total_timeout_ms ?? 120_000),
    maxRetries: whole('maxRetries', more.maxRetries ?? 2),
    fetch: more.fetch ?? ((...args) => fetch(...args)),
    bigints: money === 'bigint' ? MONEY : undefined,
  }
}
