// Reads the environment into one object; no other file reads settings from process.env.
import { BlockList, isIP } from 'node:net'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { readGroupRoles } from '../accounts/user/group-roles.ts'
import { type Hosts, readHosts } from '../http/message.ts'
import { refuseUrl } from '../prices/rate/fetch.ts'
import { isDatabaseUrl } from '../sql/url.ts'
import {
  readAddresses,
  readMailServer,
  readPeoplesWebhook,
  readPublicUrl,
  readThresholds,
} from './notifying.ts'
import { SETTINGS } from './settings.ts'
import { ConfigError, checkVariables, type Environment, withSecrets } from './variables.ts'

export type Config = Readonly<ReturnType<typeof readConfig>>

/** Tracing, from the standard variables of OpenTelemetry. */
export type Tracing = Readonly<NonNullable<ReturnType<typeof tracing>>>

/** The provider of log-ins. */
export type Provided = Readonly<NonNullable<ReturnType<typeof provider>>>

export interface Addresses {
  includes(address: string): boolean
}

type Name = (typeof SETTINGS)[number]['name']

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** @throws ConfigError that names the first invalid or unknown variable */
export function readConfig(given: Environment = process.env) {
  checkVariables(given)
  oneOf(given, 'CORRIDOR_DEFAULT_DATA', ['on', 'off'])
  const env = withSecrets(given)
  return {
    host: text(env, 'HOST'),
    port: integer(env, 'PORT', 0, 65_535),
    ...ops(env),
    /** Folder of the embedded database. */
    data_dir: text(env, 'CORRIDOR_DATA'),
    /** An external PostgreSQL; undefined means the embedded one. */
    database_url: databaseUrl(env),
    ...archive(env),
    log_level: oneOf(env, 'LOG_LEVEL', LOG_LEVELS),
    /** The person who makes changes by the command line, such as to rates, fees and accounts. */
    user: env.CORRIDOR_USER || systemUser(),
    /** Whether `user` is only the system log-in, which several people may share. */
    user_is_login: !env.CORRIDOR_USER,
    ...rateFeed(env),
    /** '' without a BIC. */
    bic: bic(env, 'CORRIDOR_BIC'),
    lanes: integer(env, 'CORRIDOR_LANES', 1, 64),
    max_batch: integer(env, 'CORRIDOR_MAX_BATCH', 1, 10_000),
    read_connections: integer(env, 'CORRIDOR_READ_CONNECTIONS', 1, 100),
    settle: isOn(env, 'CORRIDOR_SETTLE'),
    settle_poll_ms: integer(env, 'CORRIDOR_SETTLE_POLL_MS', 1, 60_000),
    rail_timeout_ms: integer(env, 'CORRIDOR_RAIL_TIMEOUT_MS', 1, 600_000),
    verify_percent: integer(env, 'CORRIDOR_VERIFY_PERCENT', 0, 50),
    verify_again_days: integer(env, 'CORRIDOR_VERIFY_AGAIN_DAYS', 1, 365),
    simulator_delay_ms: integer(env, 'CORRIDOR_SIMULATOR_DELAY_MS', 0, 86_400_000),
    test_chains: testChains(env),
    webhooks: isOn(env, 'CORRIDOR_WEBHOOKS'),
    webhook_poll_ms: integer(env, 'CORRIDOR_WEBHOOK_POLL_MS', 1, 60_000),
    webhook_timeout_ms: integer(env, 'CORRIDOR_WEBHOOK_TIMEOUT_MS', 1, 600_000),
    webhook_allow_private: isOn(env, 'CORRIDOR_WEBHOOK_ALLOW_PRIVATE'),
    ...notifying(env),
    drain_ms: integer(env, 'CORRIDOR_DRAIN_MS', 0, 60_000),
    /** 0 means no limit. */
    rate_limit_per_s: integer(env, 'CORRIDOR_RATE_LIMIT_PER_S', 0, 1_000_000),
    /** 0 means no limit. */
    failed_logins_per_min: integer(env, 'CORRIDOR_FAILED_LOGINS_PER_MIN', 0, 1_000_000),
    request_log: isOn(env, 'CORRIDOR_REQUEST_LOG'),
    /** Undefined without a provider of log-ins. */
    provider: provider(env),
    /** Empty means every host. */
    allowed_hosts: hosts(env, 'CORRIDOR_ALLOWED_HOSTS'),
    trusted_proxies: addresses(env, 'CORRIDOR_TRUSTED_PROXIES'),
    /** Undefined without tracing; OpenTelemetry is not loaded then. */
    tracing: tracing(env),
  }
}

/**
 * The ids of chains whose tokens are worthless, and which rails may pay on all the same.
 *
 * @throws ConfigError for any other text
 */
export function testChains(env: Environment = process.env): readonly bigint[] {
  const value = text(env, 'CORRIDOR_TEST_CHAINS')
  const ids = value.split(',').map(id => id.trim())
  if (value === '') return []
  if (ids.every(id => /^[1-9][0-9]{0,14}$/.test(id))) return ids.map(BigInt)
  throw new ConfigError(`CORRIDOR_TEST_CHAINS must be ids of chains, 84532,31337, not "${value}"`)
}

/** The port of probes and metrics, if they have one of their own. */
function ops(env: Environment) {
  const own = text(env, 'CORRIDOR_OPS_PORT') !== ''
  const ops_port = own ? integer(env, 'CORRIDOR_OPS_PORT', 0, 65_535) : undefined
  const ops_host = text(env, 'CORRIDOR_OPS_HOST') || text(env, 'HOST')
  if (ops_port !== undefined && ops_port !== 0 && ops_port === integer(env, 'PORT', 0, 65_535)) {
    throw new ConfigError('CORRIDOR_OPS_PORT must be another port than PORT')
  }
  if (!own && text(env, 'CORRIDOR_OPS_HOST') !== '') {
    throw new ConfigError('CORRIDOR_OPS_HOST needs CORRIDOR_OPS_PORT: set both')
  }
  return { ops_port, ops_host }
}

/** The address may hold a key, so the error does not repeat it. */
function rateFeed(env: Environment) {
  const url = text(env, 'CORRIDOR_RATE_FEED_URL')
  const allow_http = isOn(env, 'CORRIDOR_RATE_FEED_ALLOW_HTTP')
  const refusal = url === '' ? undefined : refuseUrl(url, { allow_http })
  if (refusal !== undefined) throw new ConfigError(`CORRIDOR_RATE_FEED_URL: ${refusal}`)
  return {
    /** '' without a rate feed. */
    rate_feed_url: url,
    rate_feed_interval_s: integer(env, 'CORRIDOR_RATE_FEED_INTERVAL_S', 1, 86_400),
    rate_feed_allow_http: allow_http,
  }
}

/** The ways by which people are notified, and what of. */
function notifying(env: Environment) {
  const fault = (name: Name) => (words: string) => new ConfigError(`${name} ${words}`)
  const faultOf = { url: fault('CORRIDOR_SMTP_URL'), from: fault('CORRIDOR_NOTIFY_FROM') }
  const server = readMailServer(text(env, 'CORRIDOR_SMTP_URL'), faultOf.url)
  const [from = '', ...others] = readAddresses(text(env, 'CORRIDOR_NOTIFY_FROM'), faultOf.from)
  const to = readAddresses(text(env, 'CORRIDOR_NOTIFY_TO'), fault('CORRIDOR_NOTIFY_TO'))
  if (server !== undefined && (from === '' || others.length > 0)) {
    throw faultOf.from('must be one e-mail address, as CORRIDOR_SMTP_URL is set')
  }
  // Set without the other, it would silently notify nobody.
  if ((server === undefined) !== (to.length === 0)) {
    throw new ConfigError('CORRIDOR_SMTP_URL and CORRIDOR_NOTIFY_TO go together: set both')
  }
  return {
    public_url: readPublicUrl(text(env, 'CORRIDOR_PUBLIC_URL'), fault('CORRIDOR_PUBLIC_URL')),
    mail: server && { ...server, from, to },
    people_webhook: readPeoplesWebhook(
      text(env, 'CORRIDOR_NOTIFY_WEBHOOK_URL'),
      isOn(env, 'CORRIDOR_NOTIFY_ALLOW_PRIVATE'),
      fault('CORRIDOR_NOTIFY_WEBHOOK_URL'),
    ),
    low_balances: readThresholds(
      text(env, 'CORRIDOR_NOTIFY_LOW_BALANCE'),
      fault('CORRIDOR_NOTIFY_LOW_BALANCE'),
    ),
  }
}

function provider(env: Environment) {
  const issuer = text(env, 'CORRIDOR_OIDC_ISSUER')
  if (issuer === '') return undefined
  const { protocol, hostname = '' } = URL.parse(issuer) ?? {}
  const isHere = protocol === 'http:' && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname)
  if (protocol !== 'https:' && !isHere) {
    throw new ConfigError('CORRIDOR_OIDC_ISSUER must be like https://login.example.com')
  }
  const client_id = text(env, 'CORRIDOR_OIDC_CLIENT_ID')
  if (client_id === '') throw new ConfigError('CORRIDOR_OIDC_CLIENT_ID must name this installation')
  const given = text(env, 'CORRIDOR_OIDC_ROLES')
  const roles = readGroupRoles(given)
  if (roles === undefined || roles.length === 0) {
    const form = 'GROUP=operator; GROUP=acc_7k2m9x4q:maker'
    throw new ConfigError(`CORRIDOR_OIDC_ROLES must be like ${form}, not "${given}"`)
  }
  const groups_claim = text(env, 'CORRIDOR_OIDC_GROUPS_CLAIM')
  const secret = text(env, 'CORRIDOR_OIDC_SECRET')
  if (secret === '')
    throw new ConfigError('CORRIDOR_OIDC_SECRET_FILE must name a file with a secret')
  return {
    issuer,
    client_id,
    secret,
    groups_claim,
    roles,
  }
}

/** Reads the OTEL_ variables only with a collector: other programs on the machine share them. */
function tracing(env: Environment) {
  const collector = httpUrl(env, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const traces = httpUrl(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (collector === '' && traces === '') return undefined
  if (oneOf(env, 'OTEL_SDK_DISABLED', ['true', 'false']) === 'true') return undefined
  const resource = attributes(env, 'OTEL_RESOURCE_ATTRIBUTES')
  return {
    /** The address that takes spans as OTLP in JSON. */
    url: traces === '' ? `${collector.replace(/\/$/, '')}/v1/traces` : traces,
    service_name:
      env.OTEL_SERVICE_NAME || resource['service.name'] || text({}, 'OTEL_SERVICE_NAME'),
    resource,
    sampler: oneOf(env, 'OTEL_TRACES_SAMPLER', SAMPLERS),
    /** The share of traces that a ratio sampler keeps. */
    ratio: ratio(env, 'OTEL_TRACES_SAMPLER_ARG'),
    /** Further spans are dropped. */
    queue_size: integer(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 1, 1_000_000),
    send_every_ms: integer(env, 'OTEL_BSP_SCHEDULE_DELAY', 1, 600_000),
  }
}

/** The system user's name, or the number where a container has no name for it. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

function text(env: Environment, name: Name): string {
  const value = env[name]
  if (value !== undefined && value !== '') return value
  return SETTINGS.find(setting => setting.name === name)?.fallback ?? ''
}

const OPTIONS_IN_URL = 'DATABASE_URL takes such options, as ?options=-c%20search_path=books'

/** The value may hold a password, so the error does not repeat it. */
function databaseUrl(env: Environment): string | undefined {
  const value = text(env, 'DATABASE_URL')
  if (value === '') return undefined
  // It may name the schema: to obey it, or to ignore it, could open another one than psql does.
  if (env.PGOPTIONS) throw new ConfigError(`PGOPTIONS is not read: unset it; ${OPTIONS_IN_URL}`)
  if (isDatabaseUrl(value)) return value
  throw new ConfigError('DATABASE_URL must be like postgres://user:password@host:5432/database')
}

/** The archive of the embedded database's log, as an absolute path. */
function archive(env: Environment) {
  const value = text(env, 'CORRIDOR_ARCHIVE')
  if (value !== '' && text(env, 'DATABASE_URL') !== '') {
    const words = 'is for the embedded database: archive the log of your own by its own settings'
    throw new ConfigError(`CORRIDOR_ARCHIVE ${words}, and unset it`)
  }
  if (/[\r\n]/.test(value)) throw new ConfigError('CORRIDOR_ARCHIVE must be a path on one line')
  return {
    archive_dir: value === '' || value === 'off' ? value : resolve(value),
    archive_queue_mb: integer(env, 'CORRIDOR_ARCHIVE_QUEUE_MB', 64, 1_048_576),
  }
}

/** '' without a value. The value may hold a password, so the error does not repeat it. */
function httpUrl(env: Environment, name: Name): string {
  const value = text(env, name)
  const protocol = URL.parse(value)?.protocol
  if (value === '' || protocol === 'http:' || protocol === 'https:') return value
  throw new ConfigError(`${name} must be like http://127.0.0.1:4318`)
}

/** Reads `name=value,name=value`. Values are percent-encoded, as in W3C Baggage. */
function attributes(env: Environment, name: Name): Record<string, string> {
  const members = text(env, name).split(',')
  try {
    return Object.fromEntries(
      members.flatMap(member => {
        if (member.trim() === '') return []
        const [, key, value] = /^([^=\s]+)\s*=(.*)$/.exec(member.trim()) as RegExpExecArray
        return [[key, decodeURIComponent((value as string).trim())]]
      }),
    )
  } catch {
    throw new ConfigError(`${name} must be like name=value,name=value`)
  }
}

function ratio(env: Environment, name: Name): number {
  const value = text(env, name)
  if (/^(0|1|0?\.\d+|1\.0*|0\.0*)$/.test(value)) return Number(value)
  throw new ConfigError(`${name} must be a number from 0 to 1, not "${value}"`)
}

/** A BIC of ISO 9362: institution, country, location and an optional branch. */
function bic(env: Environment, name: Name): string {
  const value = text(env, name)
  const code = value.toUpperCase()
  if (code === '' || /^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(code)) return code
  throw new ConfigError(`${name} must be a BIC of 8 or 11 characters, not "${value}"`)
}

function integer(env: Environment, name: Name, minimum: number, maximum: number): number {
  const value = text(env, name)
  const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
  if (number >= minimum && number <= maximum) return number
  throw new ConfigError(`${name} must be an integer from ${minimum} to ${maximum}, not "${value}"`)
}

function hosts(env: Environment, name: Name): Hosts {
  const value = text(env, name)
  const list = readHosts(value)
  if (list !== undefined) return list
  throw new ConfigError(`${name} must be names such as api.example.com, not "${value}"`)
}

/** Reads addresses and networks, such as `10.0.0.0/8, 192.0.2.7, fd00::/8`. */
function addresses(env: Environment, name: Name): Addresses {
  const list = new BlockList()
  for (const part of text(env, name)
    .split(/[\s,]+/)
    .filter(part => part !== '')) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(part) ?? []
    const family = familyOf(address)
    const longest = family === 'ipv4' ? 32 : 128
    const length = Number(prefix ?? longest)
    if (family === undefined || length > longest) {
      throw new ConfigError(`${name} must be addresses or networks, not "${part}"`)
    }
    list.addSubnet(address, length, family)
  }
  const includes = (address: string) => {
    const family = familyOf(address)
    return family !== undefined && list.check(address, family)
  }
  return { includes }
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  const family = isIP(address)
  if (family === 0) return undefined
  return family === 4 ? 'ipv4' : 'ipv6'
}

function isOn(env: Environment, name: Name): boolean {
  return oneOf(env, name, ['on', 'off']) === 'on'
}

function oneOf<V extends string>(env: Environment, name: Name, values: readonly V[]): V {
  const value = text(env, name)
  const known = values.find(one => one === value)
  if (known !== undefined) return known
  throw new ConfigError(`${name} must be one of ${values.join(', ')}, not "${value}"`)
}
