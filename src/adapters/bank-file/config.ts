// Reads the settings of a rail of files: settlement account, bank profile, transport, timetable and
// PGP keys. Pure.
import type { RailDeps } from '../../rails/kind.ts'
import type {
  BankFormat,
  BankProfile,
  PostalAddress,
  SettlementAccount,
} from '../../values/bank-format/bank-format.ts'
import { CALENDAR_NAMES, type Timetable } from '../../values/calendar/calendar.ts'
import { isZone, MAX_LEAD_MINUTES } from '../../values/calendar/rules.ts'
import { findCurrency } from '../../values/money/currency.ts'
import type { Read } from '../../values/text/csv.ts'
import { Members } from '../../values/text/members.ts'
import type { FolderConfig } from './folder.ts'
import type { PgpConfig } from './pgp.ts'
import type { SftpConfig } from './sftp.ts'
import type { Transport } from './transport.ts'

/** The operator's settings, parsed. */
export interface FileRailConfig {
  readonly settlement_account: SettlementAccount
  readonly profile: BankProfile
  readonly transport: FolderConfig | SftpConfig
  /** Null: the bank takes files at any time. */
  readonly timetable: Timetable | null
  readonly pgp: PgpConfig | null
  /** How often the inbox is read, in seconds. */
  readonly fetch_every_s: number
}

const MEMBERS = ['settlement_account', 'profile', 'transport', 'timetable', 'pgp', 'fetch_every_s']

/** The `timetable` of a bank that takes files at any time. An absent timetable is a problem. */
const ALWAYS_OPEN = 'always_open'

const FETCH_EVERY_S = 60

export function readFileRail(json: unknown, format: BankFormat): Read<FileRailConfig> {
  const members = new Members(json, '', MEMBERS)
  const settlement_account = readSettlementAccount(members.object('settlement_account'))
  const transport = readTransport(members.object('transport'))
  const profile = members.read('profile', written => format.readProfile(written))
  const timetable = readTimetable(members, json)
  const pgp = members.has('pgp') ? readPgp(members.object('pgp')) : null
  const fetch_every_s = members.integer('fetch_every_s', FETCH_EVERY_S, 1, 86_400)
  const { problems } = members
  if (problems.length > 0 || profile === undefined) return { messages: problems }
  // With such an account, the rail would exist but take no payment.
  const unfit = format.checkSettlementAccount(settlement_account, profile)
  if (unfit.length > 0) return { messages: unfit.map(text => `settlement_account: ${text}`) }
  return { value: { settlement_account, profile, transport, timetable, pgp, fetch_every_s } }
}

/** The shortest lead: the sealing and sending of a file may take as long. */
const LEAST_LEAD_MINUTES = 5

function readTimetable(rail: Members, json: unknown): Timetable | null {
  if ((json as { timetable?: unknown } | null)?.timetable === ALWAYS_OPEN) return null
  if (!rail.has('timetable')) {
    rail.problem('timetable', `is missing; "${ALWAYS_OPEN}" for a bank that takes files always`)
    return null
  }
  const members = rail.object('timetable')
  members.only(['calendar', 'cut_off', 'zone', 'lead_minutes', 'arrival_days'])
  const cut_off = members.text('cut_off', 5)
  if (cut_off !== '' && !/^([01]\d|2[0-3]):[0-5]\d$/.test(cut_off)) {
    members.problem('cut_off', 'must be a local time, such as 15:00')
  }
  const zone = members.text('zone', 60)
  if (zone !== '' && !isZone(zone)) {
    members.problem('zone', 'must be the name of a time zone, such as Europe/Berlin')
  }
  const least = LEAST_LEAD_MINUTES
  return {
    calendar: members.oneOf('calendar', CALENDAR_NAMES),
    cut_off,
    zone,
    lead_minutes: members.integer('lead_minutes', least, least, MAX_LEAD_MINUTES),
    arrival_days: members.has('arrival_days') ? members.integer('arrival_days', 0, 0, 30) : null,
  }
}

function readSettlementAccount(members: Members): SettlementAccount {
  members.only(['name', 'holder', 'iban', 'account', 'bic', 'clearing_code', 'currency', 'address'])
  const account = {
    name: members.text('name', 70),
    holder: members.text('holder', 70),
    iban: members.text('iban', 34, '').replaceAll(' ', ''),
    account: members.text('account', 34, ''),
    bic: members.text('bic', 11, ''),
    clearing_code: members.text('clearing_code', 35, ''),
    currency: members.text('currency', 3).toUpperCase(),
    address: readAddress(members.object('address', {})),
  }
  if (account.iban === '' && account.account === '') {
    members.problem('iban', 'is missing, and so is account: one of them is needed')
  }
  if (findCurrency(account.currency)?.code.length !== 3) {
    members.problem('currency', `${account.currency || 'nothing'} is no currency of a bank`)
  }
  return account
}

function readAddress(members: Members): PostalAddress {
  members.only(['street', 'town', 'postcode', 'state', 'country'])
  return {
    street: members.text('street', 70, ''),
    town: members.text('town', 35, ''),
    postcode: members.text('postcode', 16, ''),
    state: members.text('state', 35, ''),
    country: members.text('country', 2, '').toUpperCase(),
  }
}

const BOXES = ['outbox', 'inbox', 'archive'] as const

function readTransport(members: Members): FolderConfig | SftpConfig {
  const kind = members.oneOf('kind', ['folder', 'sftp'] as const)
  members.only(['kind', ...BOXES, ...(kind === 'sftp' ? ['host', 'port', 'user', 'host_key'] : [])])
  const path = (name: (typeof BOXES)[number]) => {
    const written = members.text(name, 1000)
    if (kind === 'folder' && written !== '' && !written.startsWith('/')) {
      members.problem(name, `"${written}" is not an absolute path`)
    }
    return written.replace(/(?<=.)\/+$/, '')
  }
  const boxes = { outbox: path('outbox'), inbox: path('inbox'), archive: path('archive') }
  if (new Set(Object.values(boxes)).size < BOXES.length) {
    members.problem('', `${BOXES.join(', ')} must be three different folders`)
  }
  if (kind === 'folder') return { kind, ...boxes }
  const host_key = members.text('host_key', 100)
  if (host_key !== '' && !/^SHA256:[A-Za-z0-9+/]{43}$/.test(host_key)) {
    members.problem(
      'host_key',
      'must be the fingerprint that the bank publishes, as ssh-keygen -l prints it: SHA256:…',
    )
  }
  return {
    kind,
    ...boxes,
    host: members.text('host', 255),
    port: members.integer('port', 22, 1, 65_535),
    user: members.text('user', 255),
    host_key,
  }
}

/** The pgp settings of a stored rail of any kind; null for none. */
export function pgpOf(config: unknown): PgpConfig | null {
  const members = new Members(config, '')
  return members.has('pgp') ? readPgp(members.object('pgp')) : null
}

function readPgp(members: Members): PgpConfig {
  members.only(['home', 'encrypt_to', 'sign_as', 'signed_by'])
  const fingerprint = (name: string) => {
    const written = members.text(name, 60, '').replaceAll(' ', '').toUpperCase()
    if (written === '' || /^[0-9A-F]{40}$/.test(written)) return written
    members.problem(name, 'must be the fingerprint of a key: 40 hex digits')
    return ''
  }
  const home = members.text('home', 1000)
  if (home !== '' && !home.startsWith('/')) members.problem('home', 'is not an absolute path')
  return {
    home,
    encrypt_to: fingerprint('encrypt_to'),
    sign_as: fingerprint('sign_as'),
    signed_by: fingerprint('signed_by'),
  }
}

export interface OpenFileRail extends RailDeps {
  readonly name: string
  readonly format: BankFormat
  readonly config: FileRailConfig
  openTransport(): Promise<Transport>
}
