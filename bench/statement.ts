// The statements of the scenario treasury: one with 100,000 entries, from the start of the process
// that takes it to its end.
import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { cpuSecondsOfServer } from './cpu.ts'
import type { Figure, FigureRound } from './figure.ts'
import { MAIN, watch } from './import.ts'
import type { Options } from './options.ts'
import { inRounds, say, whole } from './report.ts'
import { type Target, withTarget } from './target.ts'

const FULL = { rounds: 3, entries: 100_000 }
const QUICK = { rounds: 1, entries: 5_000 }

const ACCOUNT = 'DE89370400440532013000'

export function benchStatements(options: Options): Promise<readonly Figure[]> {
  const plan = options.quick ? QUICK : FULL
  options.record('statements', plan)
  return withTarget(options, async target => {
    const opened = ['--account', ACCOUNT, '--opening-on', '2026-11-01']
    await target.command('nostro', 'add', 'eur_main', 'EUR', '0.00', ...opened)
    let round = 0
    const rounds = await inRounds(plan.rounds, () => {
      round += 1
      return takeStatement(target, round, plan.entries)
    })
    const memory = rounds.map(({ rss_mib = 0 }) => ({ value: rss_mib, baselines: {} }))
    const name = `statement of a bank, ${whole(plan.entries)} entries`
    const note = 'camt.053; each entry has a payment with its ids, names and text.'
    return [
      { name, unit: 's', rounds, goals: [{ what: 'value', at_most: 60 }], note },
      {
        name: `${name}, memory`,
        unit: 'MiB',
        rounds: memory,
        goals: [{ what: 'value', at_most: 512 }],
      },
    ]
  })
}

async function takeStatement(target: Target, round: number, entries: number): Promise<FigureRound> {
  const file = join(target.folder, `statement-${round}.xml`)
  await pipeline(statementOf(round, entries), createWriteStream(file))
  const before = await cpuSecondsOfServer(target.postgres_pid)
  const from = performance.now()
  const child = spawn(process.execPath, [MAIN, 'nostro', 'import', file], {
    cwd: target.folder,
    env: { ...process.env, CORRIDOR_DATA: join(target.folder, 'data'), CORRIDOR_USER: 'bench' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said, { cpu_s, rss_mib }] = await Promise.all([text(child.stdout), watch(child)])
  const value = (performance.now() - from) / 1_000
  if (!said.includes(`${entries} lines; proved`)) throw new Error(said)
  const database = (await cpuSecondsOfServer(target.postgres_pid)) - before
  say(
    `  statement, ${whole(entries)} entries: ${value.toFixed(1)} s, ${whole(rss_mib)} MiB at most; ` +
      `${cpu_s.toFixed(1)} s of the process, ${database.toFixed(1)} s of PostgreSQL`,
  )
  return { value, rss_mib, baselines: {} }
}

/** Statements of days that follow each other: each entry takes out one cent. */
function* statementOf(round: number, entries: number): Generator<string> {
  const day = `2026-11-${String(round).padStart(2, '0')}`
  const balance = (code: string, cents: number) =>
    `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${cents / 100}</Amt>` +
    `<CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`
  yield '<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08">' +
    `<BkToCstmrStmt><GrpHdr><MsgId>M${round}</MsgId></GrpHdr><Stmt><Id>S${round}</Id><Acct><Id>` +
    `<IBAN>${ACCOUNT}</IBAN></Id><Ccy>EUR</Ccy></Acct>` +
    balance('OPBD', (round - 1) * entries) +
    balance('CLBD', round * entries)
  for (let i = 0; i < entries; i += 1) yield `${entryOf(day, round * 10_000_000 + i)}\n`
  yield '</Stmt></BkToCstmrStmt></Document>\n'
}

function entryOf(day: string, number: number): string {
  const id = String(number).padStart(15, '0')
  const money = '<Amt Ccy="EUR">0.01</Amt><CdtDbtInd>DBIT</CdtDbtInd>'
  return (
    `<Ntry>${money}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt><ValDt><Dt>${day}</Dt>` +
    `</ValDt><AcctSvcrRef>B${id}</AcctSvcrRef><BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>ICDT</Cd>` +
    '<SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd><NtryDtls><TxDtls><Refs>' +
    `<EndToEndId>${id}</EndToEndId></Refs>${money}<RltdPties><Cdtr><Pty>` +
    `<Nm>Harbour Trading ${number} Ltd</Nm></Pty></Cdtr><CdtrAcct><Id>` +
    '<IBAN>FR1420041010050500013M02606</IBAN></Id></CdtrAcct></RltdPties><RmtInf>' +
    `<Ustrd>Invoice ${number} of November</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`
  )
}
