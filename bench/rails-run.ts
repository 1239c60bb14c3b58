// Measures a file rail: a worker hands payments of a live account to the rail, and another service
// process seals them into a file for a bank in a folder and reads the bank's report.
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Sql } from '../src/sql/connect.ts'
import { mostMemoryMib, withCost } from './cpu.ts'
import { asOwner } from './database.ts'
import type { FigureRound } from './figure.ts'
import { openLive, PAYOUTS } from './payouts.ts'
import { say, whole, wordCost } from './report.ts'
import { payInBatches, WORKER } from './settle-run.ts'
import type { Caller, Target } from './target.ts'

export interface FileRail {
  readonly target: Target
  readonly folder: string
  /** The live account whose payouts go to the bank. */
  readonly payer: Caller
}

const NAME = 'bank'

export async function openFileRail(target: Target, most_items: number): Promise<FileRail> {
  const folder = join(target.folder, NAME)
  const at = (box: string) => join(folder, box)
  for (const box of ['outbox', 'inbox', 'archive']) await mkdir(at(box), { recursive: true })
  const config = {
    settlement_account: {
      name: 'Operating account',
      holder: 'Corridor Ltd',
      iban: 'DE89370400440532013000',
      bic: 'COBADEFFXXX',
      currency: 'USD',
      address: { town: 'Frankfurt', country: 'DE' },
    },
    profile: { name: 'bench', like: 'generic', settles_on: 'acsc', most_items },
    transport: { kind: 'folder', outbox: at('outbox'), inbox: at('inbox'), archive: at('archive') },
    timetable: 'always_open',
    fetch_every_s: 1,
  }
  const file = join(folder, 'config.json')
  await writeFile(file, JSON.stringify(config))
  await target.command('rail', 'add', NAME, '--kind', 'iso20022', '--config', file)
  return { target, folder, payer: await openLive(target, NAME, '--no-cut-off') }
}

/**
 * Holds the rail's file lock in the name of another process until `until`, so that the service
 * exchanges no files.
 */
async function holdFiles(sql: Sql, until: 'now' | 'tomorrow'): Promise<void> {
  const held_until = until === 'now' ? sql`clock_timestamp()` : sql`now() + interval '1 day'`
  await sql`
    insert into rail_exchanges (rail, held_by, held_until)
    values (${NAME}, 'bench', ${held_until})
    on conflict (rail) do update set held_by = 'bench', held_until = excluded.held_until`
}

const beneficiary_details = {
  name: 'Ada Example',
  type: 'individual',
  destination_details: {
    type: 'bank',
    bank: { iban: 'FR7630006000011234567890189', bank_codes: { swift_code: 'AGRIFRPP' } },
  },
  address: { line1: '1 rue de la Paix', city: 'Paris', country: 'FR', postal_code: '75002' },
}

/** Makes `count` payouts and hands them to the rail; they then wait to be sealed. */
export async function takePayments(rail: FileRail, count: number): Promise<void> {
  const { target, payer } = rail
  await asOwner(target.database_url, async sql => {
    await holdFiles(sql, 'tomorrow')
    await payInBatches(payer, { ...PAYOUTS['USD→USD'], beneficiary_details }, count)
    const started = performance.now()
    const worker = await target.startAnother(WORKER)
    await until('the rail takes no payments', async () => {
      const [row] = await sql<{ due: boolean }[]>`
        select count(*) = ${count} and max(seal_at) < clock_timestamp() as due
        from rail_items where rail = ${NAME} and msg_id = ''`
      return row?.due === true
    }).finally(() => worker.stop())
    const seconds = (performance.now() - started) / 1000
    say(`  ${whole(count)} payments taken in ${seconds.toFixed(1)} s`)
  })
}

/**
 * Seals the waiting payments into one file; measures until it is sealed, and waits until it is
 * sent.
 */
export function sealFile(rail: FileRail, count: number): Promise<FigureRound> {
  return measure(rail, 'sealed', count, async sql => {
    const began = performance.now()
    await holdFiles(sql, 'now')
    const none = (rows: { readonly count: number }) => rows.count === 0
    await until('no file is sealed', async () =>
      none(await sql`select from rail_items where rail = ${NAME} and msg_id = '' limit 1`),
    )
    const seconds = (performance.now() - began) / 1000
    await until('no file is sent', async () =>
      none(await sql`select from rail_files where sent_at is null limit 1`),
    )
    return seconds
  })
}

/** Measures how long the service takes to read the bank's report about the newest file. */
export async function readReport(rail: FileRail): Promise<FigureRound> {
  const { database_url } = rail.target
  const { report, statuses } = await asOwner(database_url, writeReport)
  const name = `${crypto.randomUUID()}.xml`
  const path = join(rail.folder, 'inbox', name)
  return measure(rail, 'read', statuses, async sql => {
    await writeFile(`${path}.tmp`, report)
    await rename(`${path}.tmp`, path)
    let took: number | undefined
    await until('the report is not read', async () => {
      const [row] = await sql<{ took: number; state: string; lines_quarantined: number }[]>`
        select state, lines_quarantined,
          extract(epoch from ended_at - received_at)::double precision as took
        from rail_inbox where name = ${name} and state <> 'stored'`
      if (row === undefined) return false
      if (row.state !== 'read' || row.lines_quarantined > 0) throw new Error('lines were set aside')
      took = row.took
      return true
    })
    return took ?? Number.NaN
  })
}

/** A pain.002 with ACSP and then ACSC for each payment of the newest file. */
async function writeReport(sql: Sql): Promise<{ report: string; statuses: number }> {
  const rows = await sql<{ msg_id: string; part: string; id: string; uetr: string }[]>`
    select msg_id, payment_information_id as part, end_to_end_id as id, uetr from rail_items
    where msg_id = (select msg_id from rail_files order by sealed_at desc limit 1)`
  const [first] = rows
  if (first === undefined) throw new Error('there is no file')
  const statuses = ['ACSP', 'ACSC'].flatMap(code =>
    rows.map(
      ({ id, uetr }) =>
        `<TxInfAndSts><OrgnlInstrId>${id}</OrgnlInstrId><OrgnlEndToEndId>${id}</OrgnlEndToEndId>` +
        `<OrgnlUETR>${uetr}</OrgnlUETR><TxSts>${code}</TxSts></TxInfAndSts>\n`,
    ),
  )
  const original =
    `<OrgnlMsgId>${first.msg_id}</OrgnlMsgId><OrgnlMsgNmId>pain.001</OrgnlMsgNmId>` +
    '<GrpSts>ACCP</GrpSts>'
  const report =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>' +
    `<GrpHdr><MsgId>${crypto.randomUUID().slice(0, 30)}</MsgId><CreDtTm>2026-11-23T12:00:00Z</CreDtTm></GrpHdr>` +
    `<OrgnlGrpInfAndSts>${original}</OrgnlGrpInfAndSts>` +
    `<OrgnlPmtInfAndSts><OrgnlPmtInfId>${first.part}</OrgnlPmtInfId>\n${statuses.join('')}` +
    '</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>\n'
  return { report, statuses: statuses.length }
}

/** Measures in a new service process, so that its peak memory belongs to this work alone. */
async function measure(
  { target }: FileRail,
  what: string,
  requests: number,
  work: (sql: Sql) => Promise<number>,
): Promise<FigureRound> {
  return asOwner(target.database_url, async sql => {
    const worker = await target.startAnother(WORKER)
    try {
      const measured = await withCost([worker.pid], target.postgres_pid, async () => ({
        requests,
        value: await work(sql),
      }))
      const rss_mib = await mostMemoryMib(worker.pid)
      const took = `${measured.value.toFixed(1)} s, ${whole(rss_mib)} MiB at most`
      say(`  ${whole(requests)} ${what} in ${took}; ${wordCost(measured)}`)
      return { ...measured, rss_mib, baselines: {} }
    } finally {
      await worker.stop()
    }
  })
}

const POLL_MS = 50
/** Far longer than any of these measurements takes. */
const STUCK_MS = 1_200_000

async function until(problem: string, done: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + STUCK_MS
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(problem)
    await setTimeout(POLL_MS)
  }
}
