// A file rail for tests: payouts of a live account go to a bank through folders, step by step. The
// test itself is the bank.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileRail } from '../../../src/adapters/bank-file/adapter.ts'
import { type OpenFileRail, readFileRail } from '../../../src/adapters/bank-file/config.ts'
import { Exchange } from '../../../src/adapters/bank-file/exchange.ts'
import {
  type FileState,
  findFile,
  listFiles,
  type RailFile,
} from '../../../src/adapters/bank-file/file-store.ts'
import { openFolder } from '../../../src/adapters/bank-file/folder.ts'
import { listSetAsideLines } from '../../../src/adapters/bank-file/inbox-store.ts'
import { type FoundItem, listItemsOf } from '../../../src/adapters/bank-file/item-store.ts'
import { resealFile } from '../../../src/adapters/bank-file/resend.ts'
import type { Transport } from '../../../src/adapters/bank-file/transport.ts'
import { settleOnce } from '../../../src/app/worker/settle-payouts.ts'
import { closeException } from '../../../src/payouts/advance/wake-store.ts'
import type { RailStatus } from '../../../src/rails/rail.ts'
import { insertRail } from '../../../src/rails/row-store.ts'
import type { Deps } from '../../../src/runtime/deps.ts'
import { transactConfined } from '../../../src/sql/confine.ts'
import type { Sql } from '../../../src/sql/connect.ts'
import type {
  BankFormat,
  BankLine,
  BankProfile,
} from '../../../src/values/bank-format/bank-format.ts'
import { until } from '../service/process.ts'
import { type Client, startTestService, type TestService } from '../service/service.ts'
import { payAll } from '../service/settling.ts'
import { PLAIN, plainPayments, plainReport } from './plain-format.ts'

export interface FileRailWorld {
  readonly name: string
  readonly client: Client
  readonly rail: OpenFileRail
  /** The service's dependencies, with this rail alone. */
  readonly deps: Deps
  readonly folder: string
  /** Makes payouts and hands them to the rail; returns their ids. */
  pay(amounts: readonly number[], change?: object): Promise<string[]>
  /** Seals, sends, fetches, reads and settles until nothing is left to do. */
  work(): Promise<void>
  /** The files in the outbox: name and text. */
  outbox(): Promise<{ name: string; text: string }[]>
  /** Moves the files out of the outbox, as a bank does; returns their payments. */
  sweep(): Promise<Sent[]>
  /** Puts a report of the bank into the inbox. */
  report(says: readonly Partial<BankLine>[] | string, name?: string): Promise<void>
  /** Puts a bank statement into the inbox that books these payments. */
  book(paid: readonly Sent[]): Promise<void>
  /** One round of the exchange: seals, sends, fetches and reads files. */
  round(): Promise<void>
  /** One round in a new exchange, which does not wait after the earlier failure. */
  afterFailure(): Promise<void>
  /** One round of settling. */
  settle(): Promise<void>
  /** Whether the sealing time of every waiting payment has come. */
  isDue(): Promise<boolean>
  pause(paused: boolean): void
  /** Why the exchange of files fails; '' when it works. */
  problem(): Promise<string>
  statusOf(payout_id: string): Promise<string>
  /** A person moves a payout. */
  move(payout_id: string, status: RailStatus): Promise<void>
  /** The files of the rail, the newest first. */
  files(state?: FileState): Promise<RailFile[]>
  /** The only file of the rail; fails when there is another number of files. */
  onlyFile(): Promise<RailFile>
  itemsOf(file: { readonly msg_id: string }): Promise<FoundItem[]>
  /** A person puts the payments of a refused file into the next one. */
  reseal(file: { readonly msg_id: string }, force?: boolean): ReturnType<typeof resealFile>
  /** The lines that are set aside and that nobody has closed. */
  setAsideLines(): ReturnType<typeof listSetAsideLines>
  /** The kinds of the open exceptions of a payout. */
  openKinds(payout_id: string): Promise<string[]>
  /** A person closes the only open exception of a payout, of this kind. */
  closeOnly(payout_id: string, kind: string): Promise<void>
  /** The rail's payments, with their ids. */
  items(): Promise<FileRailItem[]>
  close(): Promise<void>
}

interface FileRailItem {
  readonly payout_id: string
  readonly end_to_end_id: string
  readonly uetr: string
  readonly msg_id: string
  readonly amount: bigint
}

export interface WorldOptions {
  readonly name?: string
  readonly profile?: Partial<BankProfile> | { readonly like: string }
  readonly format?: BankFormat
  readonly config?: object
  /** The folder of another rail's inbox, in place of an own one. */
  readonly inbox?: string
  readonly iban?: string
  readonly wrapTransport?: (transport: Transport) => Transport
  /** Opens a transport other than folders; `config` must describe it. */
  readonly openTransport?: () => Promise<Transport>
}

export const ACCOUNT = 'DE89370400440532013000'

export type Sent = ReturnType<typeof plainPayments>[number]

/** A line by which the bank rejects a payment. */
export const rejectedLine = (
  { end_to_end_id }: Pick<Sent, 'end_to_end_id'>,
  reason = 'AC04',
): Partial<BankLine> => ({ level: 'transaction', code: 'RJCT', reasons: [reason], end_to_end_id })

/** A line of a statement: the debit of a payment, or its return. */
export const bookedLine = (
  { end_to_end_id, amount, currency }: Sent,
  level: 'booking' | 'return' = 'booking',
): Partial<BankLine> => ({
  ...{ level, code: 'BOOK', is_credit: level === 'return', account: ACCOUNT, reference: level },
  ...{ end_to_end_id, amount, currency },
})

/**
 * Starts a service for a test file and gives it to `onStarted`; returns a function that opens a
 * rail in it. Closes all of it after the tests.
 */
export function fileWorlds(prefix: string, onStarted: (service: TestService) => void = () => {}) {
  const worlds: FileRailWorld[] = []
  let service: TestService
  before(async () => {
    service = await startTestService()
    onStarted(service)
  })
  after(async () => {
    await Promise.all(worlds.map(world => world.close()))
    await service.close()
  })
  return async (options: WorldOptions = {}): Promise<FileRailWorld> => {
    const opened = await openFileWorld(service, { name: `${prefix}_${worlds.length}`, ...options })
    worlds.push(opened)
    return opened
  }
}

/** The first round sees a file of the bank; the second reads it if its size has not changed. */
const ROUNDS = 2

/**
 * Opens a file rail in this service, with a new account and a route from the account to the rail.
 */
export async function openFileWorld(
  service: TestService,
  options: WorldOptions = {},
): Promise<FileRailWorld> {
  const { name = 'bank', profile = {}, format = PLAIN, wrapTransport = t => t } = options
  const { iban = ACCOUNT, openTransport = () => openFolder({ kind: 'folder', ...at }) } = options
  const folder = await mkdtemp(join(tmpdir(), 'corridor-bank-'))
  const boxes = Object.fromEntries(
    ['outbox', 'inbox', 'archive', 'swept'].map(box => [box, join(folder, box)]),
  ) as Record<'outbox' | 'inbox' | 'archive' | 'swept', string>
  for (const box of Object.values(boxes)) await mkdir(box)
  const { swept, ...own } = boxes
  const at = { ...own, inbox: options.inbox ?? own.inbox }
  const json = {
    settlement_account: {
      name: 'Operating',
      holder: 'Corridor Ltd',
      iban,
      bic: 'COBADEFFXXX',
      currency: 'USD',
      address: { town: 'Frankfurt', country: 'DE' },
    },
    profile,
    transport: { kind: 'folder', ...at },
    timetable: 'always_open',
    fetch_every_s: 1,
    ...options.config,
  }
  const read = readFileRail(json, format)
  assert.ok(read.value, String(read.messages))
  const row = { name, kind: 'iso20022', config: json, secret: '', paused_reason: '' } as const
  const client = await service.openAccount({
    currencies: ['USD'],
    fund: { USD: 10_000_000_000n },
    sandbox: false,
  })
  const { account_id } = client.account
  // In one transaction: each change is read by the service with all of its reference data.
  await service.database.owner.begin(async tx => {
    await insertRail(tx as unknown as Sql, row)
    await tx`insert into routes (account_id, rail) values (${account_id}, ${name})`
    await tx`
      insert into fees (payout_type, fee_currency)
      select 'local', 'USD' where not exists (select from fees)`
  })
  await service.deps.reference.refresh()
  const { sql, finder, log } = service.deps
  let paused = false
  const rail: OpenFileRail = {
    ...{ sql, finder, log, name, format, config: { ...read.value, fetch_every_s: 0 } },
    isPaused: () => paused,
    openTransport: async () => wrapTransport(await openTransport()),
  }
  let exchange = new Exchange(rail)
  const deps = { ...service.deps, rails: new Map([[name, fileRail(rail)]]) }
  const items = () =>
    service.database.owner<
      FileRailItem[]
    >`select payout_id, end_to_end_id, uetr, msg_id, amount from rail_items where rail = ${name}
      order by created_at, payout_id`
  const outbox = async () => {
    const names = (await readdir(at.outbox)).sort()
    return Promise.all(
      names.map(async name => ({ name, text: await readFile(join(at.outbox, name), 'utf8') })),
    )
  }
  let reports = 0
  const settle = async () => {
    while ((await settleOnce(deps)) > 0);
  }
  const isDue = () => due(service, name)
  const files = (state?: FileState) =>
    listFiles(sql, { rail: name, limit: 100, ...(state && { state }) })
  const itemsOf = ({ msg_id }: { readonly msg_id: string }) => listItemsOf(finder, msg_id)
  const openExceptions = (payout_id: string) =>
    service.database.owner<{ number: number; kind: string }[]>`
      select number, kind from rail_exceptions where payout_id = ${payout_id} and closed_at is null
      order by number`
  const report = async (
    says: readonly Partial<BankLine>[] | string,
    name = `report-${++reports}.txt`,
  ) => {
    await writeFile(join(at.inbox, name), typeof says === 'string' ? says : plainReport(says))
  }
  return {
    ...{ name, client, rail, deps, folder, items, outbox, settle, isDue, report, files, itemsOf },
    book: paid => report(paid.map(one => ({ ...bookedLine(one), reference: '', account: iban }))),
    async round() {
      await until('items are due', isDue)
      await exchange.once()
    },
    async afterFailure() {
      await exchange.close()
      exchange = new Exchange(rail)
      await exchange.once()
    },
    pause(is_paused) {
      paused = is_paused
    },
    async problem() {
      const [row] = await service.database.owner<{ problem: string }[]>`
        select problem from rail_exchanges where rail = ${name}`
      return row?.problem ?? ''
    },
    async pay(amounts, change = {}) {
      const changes = amounts.map(amount => ({ ...change, amount }))
      const made = await payAll(service, client, changes)
      await settle()
      return made.map(({ outcome }) => outcome?.payout.id ?? assert.fail('no payout'))
    },
    async work() {
      await until('items are due', isDue)
      for (let round = 0; round < ROUNDS; round++) {
        await exchange.once()
        await settle()
      }
    },
    outbox,
    async sweep() {
      const files = await outbox()
      for (const { name } of files) await rename(join(at.outbox, name), join(swept, name))
      return files.flatMap(({ text }) => plainPayments(text))
    },
    async statusOf(payout_id) {
      return (await client.get(`/v3/payout/${payout_id}`)).json.data.status
    },
    async move(payout_id, status) {
      const failure = status === 'failed' ? { code: 'x', category: 'x', message: 'x' } : null
      await service.deps.lanes.advancePayout.run({
        ...{ account_id, payout_id, steps: [{ status, failure }], by: 'operator' },
        person: { name: 'ann', is_login: false },
      })
    },
    async onlyFile() {
      const [file, another] = await files()
      assert.ok(file !== undefined && another === undefined, 'one file')
      return file
    },
    async reseal({ msg_id }, force = false) {
      const file = (await findFile(sql, msg_id)) ?? assert.fail('no such file')
      return resealFile(sql, { file, items: await itemsOf(file), force, note: 'ann: mended' })
    },
    setAsideLines: () => listSetAsideLines(sql, { rail: name, all: false, limit: 100 }),
    openKinds: async payout_id => (await openExceptions(payout_id)).map(({ kind }) => kind),
    async closeOnly(id, kind) {
      const [open = assert.fail('no exception is open'), another] = await openExceptions(id)
      assert.deepEqual([open.kind, another], [kind, undefined])
      const closing = { number: open.number, closed_by: 'ann', note: 'looked at' }
      await transactConfined(sql, [account_id], tx =>
        closeException(tx, { account_id, id }, closing),
      )
      await settle()
    },
    close: async () => {
      await exchange.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Whether the sealing time of every waiting payment has come. If not, waits until it comes and then
 * answers false: the caller asks again.
 */
async function due(service: TestService, rail: string): Promise<boolean> {
  const [row] = await service.database.owner<{ left_ms: number | null }[]>`
    select ceil(1000 * extract(epoch from max(seal_at) - clock_timestamp()))::integer as left_ms
    from rail_items where rail = ${rail} and msg_id = '' and not withdrawn
      and seal_at > clock_timestamp()`
  const left_ms = row?.left_ms ?? 0
  if (left_ms > 0) await delay(left_ms)
  return left_ms <= 0
}
