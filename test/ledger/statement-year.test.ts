// A year of a busy account as a statement: over HTTP and by the command line, in constant memory, with
// the totals of books that `corridor verify` has found in order. CORRIDOR_TEST_STATEMENT_LINES sets
// how many lines (2000, in the long run 100000); it prints time, lines a second and memory.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { verifyBooks } from '../support/assert/books.ts'
import { BARE } from '../support/service/cli.ts'
import { startProcess } from '../support/service/process.ts'
import { basic, startTestService, type TestService } from '../support/service/service.ts'
import { promised, share } from '../support/share.ts'
import { type BusyAccount, makeBusyAccount } from './busy-account.ts'

const LINES = Number(process.env.CORRIDOR_TEST_STATEMENT_LINES ?? share(2_000, 100_000))
const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** MiB that the heaps are held to: what grew with the lines would not fit for long. */
const HEAP = '--max-old-space-size=64 --max-semi-space-size=8'
/** MiB a process may have at most beyond what it had after the first tenth of the lines. */
const GROWTH_MIB = 64
const MIB = 1024 * 1024

let service: TestService
let busy: BusyAccount
/** Minor units that verify has found to be the sum of the postings. */
let proved: Readonly<Record<string, bigint>>
let sums: Readonly<Record<string, bigint>>

before(async () => {
  service = await startTestService()
  busy = await makeBusyAccount(service, LINES)
  const { owner } = service.database
  await verifyBooks(owner)
  const { account_id } = busy.client.account
  const rows = await owner<{ currency: string; available: bigint; net: string }[]>`
    select b.currency, b.available, sum(t.net_amount)::text as net
    from balances b join balance_transactions t using (account_id, currency)
    where b.account_id = ${account_id} group by 1, 2`
  proved = Object.fromEntries(rows.map(row => [row.currency, row.available]))
  sums = Object.fromEntries(rows.map(row => [row.currency, BigInt(row.net)]))
  assert.deepEqual(sums, proved)
})
after(() => service?.close())

/** Resident memory of a process in MiB, as Linux counts it; undefined elsewhere. */
function memoryOf(pid: number): number | undefined {
  try {
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kib === undefined ? undefined : Math.round(Number(kib) / 1024)
  } catch {
    return undefined
  }
}

interface Read {
  readonly counts: Map<string, number>
  readonly nets: Map<string, bigint>
  readonly closings: Map<string, bigint>
}

interface Format {
  /** Takes one line of the file. */
  take(line: string, into: Read): void
}

const csv: Format = {
  take(line, { counts, nets, closings }) {
    const cells = line.split(',')
    const currency = cells[5] ?? ''
    if (cells[0] === 'interim') closings.set(currency, BigInt(cells[14] ?? ''))
    if (cells[0] !== 'line') return
    counts.set(currency, (counts.get(currency) ?? 0) + 1)
    nets.set(currency, (nets.get(currency) ?? 0n) + BigInt(cells[12] ?? ''))
  },
}

const AMOUNT = /^<(Ntry|Bal)>.*?<Amt Ccy="(...)">(\d+)(?:\.(\d+))?<\/Amt><CdtDbtInd>(....)</
const camt053: Format = {
  take(line, { counts, nets, closings }) {
    const [, tag, currency = '', whole = '', part = '', side] = AMOUNT.exec(line) ?? []
    if (tag === undefined) return
    const amount = BigInt(whole + part) * (side === 'DBIT' ? -1n : 1n)
    if (tag === 'Bal') {
      if (line.includes('ITBD')) closings.set(currency, amount)
      return
    }
    counts.set(currency, (counts.get(currency) ?? 0) + 1)
    nets.set(currency, (nets.get(currency) ?? 0n) + amount)
  },
}

/** Reads a statement to its end, watching the memory of the process that writes it. */
async function readStatement(what: string, stream: Readable, format: Format, pid: number) {
  const read: Read = { counts: new Map(), nets: new Map(), closings: new Map() }
  const began = performance.now()
  const memory: number[] = []
  let taken = 0
  let bytes = 0
  let rest = ''
  for await (const chunk of stream.setEncoding('utf8')) {
    bytes += chunk.length
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      format.take(line, read)
      taken += 1
      if (taken % Math.ceil(LINES / 50) !== 0) continue
      const now = memoryOf(pid)
      if (now !== undefined) memory.push(now)
    }
  }
  const seconds = (performance.now() - began) / 1000
  const early = Math.max(...memory.slice(0, 5))
  const most = Math.max(...memory)
  console.log(
    `${what}: ${LINES} lines, ${(bytes / MIB).toFixed(0)} MiB in ${seconds.toFixed(1)} s, ` +
      `${Math.round(LINES / seconds)} lines/s, memory ${early} MiB after a tenth, ${most} at most`,
  )
  assert.equal(rest, '')
  assert.deepEqual(Object.fromEntries(read.counts), busy.lines)
  assert.deepEqual(Object.fromEntries(read.nets), sums)
  assert.deepEqual(Object.fromEntries(read.closings), proved)
  if (memory.length > 0) assert.ok(most - early <= GROWTH_MIB, `${early} MiB grew to ${most}`)
}

test(`GET /v3/balance_transaction, text/csv, ${LINES} lines: correct totals, constant memory, other reads served meanwhile`, async t => {
  const { url } = service.database
  const running = await startProcess({
    DATABASE_URL: url,
    CORRIDOR_SETTLE: 'off',
    NODE_OPTIONS: HEAP,
  })
  try {
    const authorization = basic(busy.client.key_id, busy.client.secret)
    const get = (path: string, accept: string) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { authorization, accept }
        request(`${running.address}${path}`, { headers }, resolve).on('error', reject).end()
      })
    const answer = await get('/v3/balance_transaction', 'text/csv')
    assert.equal(answer.statusCode, 200)
    const beside = slowestOf(async () => {
      const balance = await get('/v3/balance', 'application/json')
      assert.equal(balance.statusCode, 200)
      balance.resume()
      await once(balance, 'end')
    })
    await readStatement('CSV over HTTP', answer, csv, running.pid).finally(beside.pause)
    const slowest = await beside.stop()
    promised(t, 'slowest GET /v3/balance meanwhile', slowest, 2_000)
  } finally {
    await running.kill()
  }
})

/** Repeats a request every 50 ms until it is stopped; the longest one's milliseconds. */
function slowestOf(ask: () => Promise<void>) {
  let going = true
  let slowest = 0
  const rounds = (async () => {
    while (going) {
      const began = performance.now()
      await ask()
      slowest = Math.max(slowest, Math.round(performance.now() - began))
      await delay(50)
    }
  })()
  const pause = () => {
    going = false
  }
  return {
    pause,
    async stop() {
      pause()
      await rounds
      return slowest
    },
  }
}

test(`corridor statement, camt053, ${LINES} lines: correct totals, constant memory`, async () => {
  const { account_id } = busy.client.account
  const args = ['statement', account_id, '--from', busy.from, '--format', 'camt053']
  const env = {
    ...BARE,
    DATABASE_URL: service.database.url,
    NODE_OPTIONS: HEAP,
  }
  const child: ChildProcess = spawn(process.execPath, [MAIN, ...args], { env })
  const ended = once(child, 'close')
  let words = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    words += text
  })
  const stdout = child.stdout as Readable
  await readStatement('camt053 by the command line', stdout, camt053, child.pid ?? 0)
  assert.deepEqual([(await ended)[0], words], [0, ''])
})
