// The scenario import: rows a second of `corridor payout import`, from the start of its process to
// its end. Each file pays new beneficiaries, with the default check for duplicate payouts.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { cpuSeconds, cpuSecondsOfServer, mostMemoryMib } from './cpu.ts'
import type { Figure, FigureRound } from './figure.ts'
import type { Options } from './options.ts'
import { say, whole, wordCost } from './report.ts'
import { type Target, withTarget } from './target.ts'

export const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')

export function benchImport({ quick, postgres }: Options): Promise<readonly Figure[]> {
  const rows = quick ? 5_000 : 100_000
  return withTarget({ postgres }, async target => {
    await target.command('account', 'set', target.account_id, '--duplicate-window-s', '600')
    const rounds: FigureRound[] = []
    for (let round = 1; round <= (quick ? 1 : 3); round++) {
      rounds.push(await importFile(target, round, rows))
    }
    const name = `payout import, ${whole(rows)} rows`
    const note = 'new beneficiaries inline; from the start of the process to its end'
    return [{ name, unit: 'rows/s', rounds, goals: [{ what: 'value', at_least: 5_000 }], note }]
  })
}

async function importFile(target: Target, round: number, rows: number): Promise<FigureRound> {
  const file = join(target.folder, `payouts-${round}.csv`)
  await writeFile(file, csvOf(round, rows))
  const database_before = await cpuSecondsOfServer(target.postgres_pid)
  const started = performance.now()
  const process = startImport(target, file)
  const [{ made }, used] = await Promise.all([
    json(process.stdout) as Promise<{ readonly made: number }>,
    watch(process),
  ])
  const value = rows / ((performance.now() - started) / 1000)
  if (made !== rows) throw new Error(`of ${rows} rows, ${made} were paid`)
  const database_s = (await cpuSecondsOfServer(target.postgres_pid)) - database_before
  const each = (seconds: number) => (seconds / rows) * 1000
  const cost = { service_cpu_s: each(used.cpu_s), database_cpu_s: each(database_s) }
  say(
    `  import, ${whole(rows)} rows: ${whole(value)} rows/s, ${whole(used.rss_mib)} MiB at most; ` +
      wordCost(cost),
  )
  return { value, ...cost, rss_mib: used.rss_mib, baselines: {} }
}

/** The file of a round; each row of each round has a beneficiary of its own. */
function csvOf(round: number, rows: number): string {
  const header =
    'amount,currency,purpose,transaction_description,reference_id,beneficiary.name,' +
    'beneficiary.type,beneficiary.account_number,beneficiary.bank_codes.bank_code,beneficiary.country'
  const lines = Array.from({ length: rows }, (_, i) => {
    const number = String(round * 10_000_000 + i).padStart(12, '0')
    return (
      `10000,USD,supplier_payment,Invoice ${number} of March,INV-${number},` +
      `Harbour Trading ${number} Ltd,business,${number},004,HK`
    )
  })
  return `${header}\n${lines.join('\n')}\n`
}

function startImport({ folder, account_id }: Target, file: string) {
  const args = [MAIN, 'payout', 'import', file, '--account', account_id, '--json']
  const env = { ...process.env, CORRIDOR_DATA: join(folder, 'data'), LOG_LEVEL: 'warn' }
  return spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
}

const WATCH_MS = 50

/** Watches the process until it ends; returns its processor time and peak memory. */
export async function watch(child: ChildProcess): Promise<{ cpu_s: number; rss_mib: number }> {
  const pid = child.pid as number
  const used = { cpu_s: 0, rss_mib: 0 }
  while (child.exitCode === null && child.signalCode === null) {
    const [cpu_s, rss_mib] = await Promise.all([cpuSeconds(pid), mostMemoryMib(pid)])
    used.cpu_s = Math.max(used.cpu_s, cpu_s)
    // The memory of an ending process is NaN.
    used.rss_mib = Math.max(used.rss_mib, rss_mib || 0)
    await setTimeout(WATCH_MS)
  }
  return used
}
