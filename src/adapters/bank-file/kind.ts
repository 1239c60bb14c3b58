// Makes the kinds of rails that exchange files with a bank, one for each format.
import { createRequire } from 'node:module'
import { type AnyRailKind, type KindName, type RailDeps, railKind } from '../../rails/kind.ts'
import type { BankFormat } from '../../values/bank-format/bank-format.ts'
import { fileRail } from './adapter.ts'
import { carriageFaults } from './carriage.ts'
import { type FileRailConfig, type OpenFileRail, readFileRail } from './config.ts'
import { Exchange } from './exchange.ts'
import { openFolder } from './folder.ts'
import { openSftp } from './sftp.ts'
import { TransportFailed } from './transport.ts'

interface KindTexts {
  readonly name: KindName
  readonly description: string
  /** An example of a valid profile. */
  readonly profile: unknown
}

export function fileKind(
  format: BankFormat,
  { name, description, profile }: KindTexts,
): AnyRailKind {
  return railKind<FileRailConfig>({
    name,
    description,
    example: { ...EXAMPLE, profile },
    secret: 'SFTP password or key',
    // Bank statements of another account would match no payment of the old account.
    identity: ['iban', 'account', 'currency'].map(member => `settlement_account.${member}`),
    readConfig: json => readFileRail(json, format),
    timetable: ({ timetable }) => timetable,
    faults: (config, payout) => carriageFaults(format, config, payout),
    checkSecret,
    open: (row, deps) => openRail(format, row, deps),
  })
}

const EXAMPLE = {
  settlement_account: {
    name: 'Operating account',
    holder: 'Example Payments GmbH',
    iban: 'DE89370400440532013000',
    bic: 'COBADEFFXXX',
    currency: 'EUR',
    address: { street: 'Kaiserstr. 1', town: 'Frankfurt', postcode: '60311', country: 'DE' },
  },
  transport: {
    kind: 'sftp',
    host: 'sftp.bank.example',
    user: 'example-payments',
    host_key: 'SHA256:yAO0Ag9wzRG0Bd4Q1Ohr0ZYVkGxWAsyzQ3aSAzoyXmk',
    outbox: '/to-bank',
    inbox: '/from-bank',
    archive: '/from-bank/archive',
  },
  timetable: {
    calendar: 't2',
    cut_off: '15:00',
    zone: 'Europe/Berlin',
    lead_minutes: 30,
    arrival_days: 1,
  },
} as const

const require = createRequire(import.meta.url)
const PEM = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/

function checkSecret(secret: string): string[] {
  if (!PEM.test(secret)) return []
  // Loaded only for a private key, because most commands check none.
  const { utils } = require('ssh2') as typeof import('ssh2')
  const parsed = utils.parseKey(secret)
  return parsed instanceof Error ? [`the private key cannot be used: ${parsed.message}`] : []
}

function openRail(
  format: BankFormat,
  { name, config, secret }: { name: string; config: FileRailConfig; secret: string },
  deps: RailDeps,
) {
  const { transport } = config
  const openTransport = async () => {
    if (transport.kind === 'folder') return openFolder(transport)
    const key = PEM.test(secret) ? { privateKey: `${secret}\n` } : { password: secret }
    if (secret !== '') return openSftp(transport, key)
    throw new TransportFailed('the rail has no secret to log in with')
  }
  const rail: OpenFileRail = { ...deps, name, format, config, openTransport }
  const exchange = new Exchange(rail)
  return {
    ...fileRail(rail),
    start: () => exchange.start(),
    close: () => exchange.close(),
  }
}
