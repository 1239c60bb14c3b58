// Reads the settings of a connector rail, as an operator writes them. Every problem names its
// member. Pure.
import type { Read } from '../../values/text/csv.ts'
import { didYouMean } from '../../values/text/nearest.ts'
import { MIN_KEY_LIFETIME_S } from './protocol.ts'

export interface ConnectorConfig {
  /** The connector's address, without a slash at its end. Paths of the protocol follow it. */
  readonly url: string
  /**
   * How long the provider knows a payment by its id, as agreed with it; null for ever. It has no
   * default: after this time, a repeat pays twice.
   */
  readonly key_lifetime_s: number | null
  /** The most concurrent requests. */
  readonly at_once: number
  /** Whether the connector may have a private address, or plain http. */
  readonly allow_private: boolean
}

const MEMBERS = ['url', 'key_lifetime_s', 'at_once', 'allow_private'] as const

const MAX_AT_ONCE = 1000

export function readConfig(json: unknown): Read<ConnectorConfig> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return { messages: ['the settings are no JSON object'] }
  }
  const {
    url,
    key_lifetime_s,
    at_once = 64,
    allow_private = false,
  } = json as Partial<Record<(typeof MEMBERS)[number], unknown>>
  const unknown = Object.keys(json).filter(name => !MEMBERS.some(known => known === name))
  const messages = [
    ...unknown.map(name => `unknown member ${name}${didYouMean(name, MEMBERS)}`),
    ...urlProblems(url, allow_private === true),
    ...lifetimeProblems(key_lifetime_s),
    ...(isWhole(at_once, 1, MAX_AT_ONCE) ? [] : [`at_once is a number from 1 to ${MAX_AT_ONCE}`]),
    ...(typeof allow_private === 'boolean' ? [] : ['allow_private is true or false']),
  ]
  if (messages.length > 0) return { messages }
  const value = { url, key_lifetime_s, at_once, allow_private } as ConnectorConfig
  return { value: { ...value, url: value.url.replace(/\/+$/, '') } }
}

/** One secret, `whsec_` and base64, or two with white space between, while one is replaced. */
export function readSecrets(text: string): Read<readonly string[]> {
  const secrets = text.split(/\s+/).filter(part => part !== '')
  const isRight = (secret: string) => /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)
  if (secrets.length >= 1 && secrets.length <= 2 && secrets.every(isRight)) {
    return { value: secrets }
  }
  const message = 'the secret is whsec_ and the base64 of 24 to 64 bytes; two while one is replaced'
  return { messages: [message] }
}

function urlProblems(url: unknown, allow_private: boolean): string[] {
  const read = typeof url === 'string' ? URL.parse(url) : null
  if (read === null) return ['url is the address of the connector, https://…']
  if (read.username !== '' || read.password !== '') return ['url must not contain a password']
  if (read.search !== '' || read.hash !== '') return ['url must not contain ? or #']
  if (read.protocol === 'https:' || (allow_private && read.protocol === 'http:')) return []
  return ['url must start with https://; plain http needs allow_private']
}

function lifetimeProblems(seconds: unknown): string[] {
  if (seconds === null || isWhole(seconds, MIN_KEY_LIFETIME_S, Number.MAX_SAFE_INTEGER)) return []
  if (seconds === undefined) {
    return ['key_lifetime_s is missing: the seconds that the provider knows a payment by its id']
  }
  return [`key_lifetime_s is null, for ever, or ${MIN_KEY_LIFETIME_S} seconds (7 days) or more`]
}

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max
}
