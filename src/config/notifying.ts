// Reads the settings of notifications. Addresses of servers may hold secrets, so no message repeats
// one. Pure.
import { findCurrency } from '../values/money/currency.ts'
import { parseMajor } from '../values/money/decimal.ts'

/** A server of mail, and who writes to whom by it. */
export interface Mail {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. Otherwise STARTTLS must follow, except on this machine. */
  readonly secure: boolean
  readonly require_tls: boolean
  /** '' for none. */
  readonly user: string
  readonly password: string
  readonly from: string
  readonly to: readonly string[]
}

/** An address that takes Slack's form of a message. */
export interface PeoplesWebhook {
  readonly url: string
  readonly allow_private: boolean
}

/** The least available balance of a currency, in minor units, below which people are told. */
export interface Threshold {
  readonly currency: string
  readonly least: bigint
}

/** What is wrong with a setting, for the end of a sentence that its name begins. */
type Fault = (words: string) => Error

/** The origin, as `https://pay.example.com`; '' without one. */
export function readPublicUrl(value: string, fault: Fault): string {
  if (value === '') return ''
  const url = URL.parse(value)
  const isWeb = url !== null && ['http:', 'https:'].includes(url.protocol)
  if (isWeb && url.pathname === '/' && url.search + url.hash + url.username === '')
    return url.origin
  throw fault('must be like https://pay.example.com')
}

const ADDRESS = /^[^\s@<>,;]+@[^\s@<>,;]+$/
const MOST_ADDRESSES = 20

export function readAddresses(value: string, fault: Fault): readonly string[] {
  const all = value.split(/[\s,]+/).filter(part => part !== '')
  if (all.every(one => ADDRESS.test(one)) && all.length <= MOST_ADDRESSES) return all
  throw fault(`must be at most ${MOST_ADDRESSES} e-mail addresses, separated by commas`)
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** Undefined without a URL. */
export function readMailServer(value: string, fault: Fault): Omit<Mail, 'from' | 'to'> | undefined {
  if (value === '') return undefined
  const url = URL.parse(value)
  const secure = url?.protocol === 'smtps:'
  const hasHost = url !== null && url.hostname !== '' && ['', '/'].includes(url.pathname)
  if (!hasHost || !(secure || url.protocol === 'smtp:') || url.search + url.hash !== '') {
    throw fault('must be like smtps://user:password@mail.example.com:465')
  }
  const { hostname, port, username, password } = url
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      secure,
      require_tls: !secure && !LOOPBACK.test(hostname),
      user: decodeURIComponent(username),
      password: decodeURIComponent(password),
    }
  } catch {
    throw fault('must have its user and password percent-encoded')
  }
}

/** Undefined without a URL. */
export function readPeoplesWebhook(
  value: string,
  allow_private: boolean,
  fault: Fault,
): PeoplesWebhook | undefined {
  if (value === '') return undefined
  const protocol = URL.parse(value)?.protocol
  if (protocol === 'https:' || (protocol === 'http:' && allow_private)) {
    return { url: value, allow_private }
  }
  throw fault('must be like https://hooks.example.com/T01/B01')
}

/** Reads `USD 10000, EUR 5000.50`, each amount in major units. */
export function readThresholds(value: string, fault: Fault): readonly Threshold[] {
  const parts = value.split(',').flatMap(part => part.trim() || [])
  const read = parts.map(part => {
    const [, currency = '', amount = ''] = /^([A-Z]{3,4})\s+(\d+(?:\.\d+)?)$/.exec(part) ?? []
    const exponent = findCurrency(currency)?.exponent
    const least = exponent === undefined ? undefined : parseMajor(amount, exponent)
    if (least === undefined) throw fault(`must be like USD 10000, EUR 5000; not "${part}"`)
    return { currency, least }
  })
  if (new Set(read.map(({ currency }) => currency)).size === read.length) return read
  throw fault('must have one amount for each currency')
}
