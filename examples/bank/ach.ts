// The bank's own reading and writing of ACH files, from the rules of the network and from nothing of
// Corridor's: records of 94 characters, whose places are counted from 1 as in the rules.

export interface AchEntry {
  /** Counted from 1. */
  readonly line: number
  readonly batch: string
  readonly entry_class: string
  readonly company_id: string
  readonly description: string
  readonly same_day: string
  /** YYMMDD */
  readonly effective: string
  readonly transaction_code: string
  /** Nine digits. */
  readonly routing: string
  readonly account: string
  /** Cents. */
  readonly amount: bigint
  readonly individual_id: string
  readonly name: string
  readonly trace: string
  readonly addenda: readonly string[]
}

export interface AchFile {
  readonly header: string
  readonly entries: readonly AchEntry[]
  readonly credits: bigint
  readonly hash: bigint
}

/** The characters from one place of a record to another. */
function from(record: string, first: number, last: number): string {
  return record.slice(first - 1, last)
}

function must(holds: boolean, line: number, reason: string): asserts holds {
  if (!holds) throw new Error(`line ${line}: ${reason}`)
}

/** The number at these places, all of whose characters are digits. */
function number(record: string, line: number, first: number, last: number): bigint {
  const digits = from(record, first, last)
  must(/^[0-9]+$/.test(digits), line, `"${digits}" at ${first} to ${last} is no number`)
  return BigInt(digits)
}

/** Reads a file of credits, and refuses it unless everything in it adds up. */
export function readAch(bytes: Uint8Array): AchFile {
  const text = Buffer.from(bytes).toString('latin1')
  if (!text.endsWith('\n')) throw new Error('the file has no end')
  const records = text.slice(0, -1).split('\n')
  if (records.length % 10 !== 0) throw new Error('the file is not in blocks of ten')
  records.forEach((record, i) => {
    must(/^[\x20-\x7e]{94}$/.test(record), i + 1, 'not 94 characters of ASCII')
  })
  const [header = ''] = records
  must(header.startsWith('101'), 1, 'no file header')
  must(from(header, 35, 40) === '094101', 1, 'record size, blocking factor or format code')
  must(/^\d{10}$/.test(from(header, 24, 33)), 1, 'creation date and time')
  const last = records.findIndex((record, i) => i > 0 && record.startsWith('9'))
  must(last !== -1, records.length, 'no file control')
  const fill = records.slice(last + 1)
  must(fill.length < 10 && fill.every(record => /^9{94}$/.test(record)), last + 2, 'no fill')
  const entries: AchEntry[] = []
  const totals: Totals[] = []
  let at = 1
  while (at < last) {
    const end = records.findIndex((record, i) => i > at && record.startsWith('8'))
    must(end !== -1 && end < last, at + 1, 'a batch without an end')
    const batch = readBatch(records, at, end)
    entries.push(...batch.entries)
    totals.push(batch.totals)
    at = end + 1
  }
  const sum = addUp(totals)
  const control = records[last] ?? ''
  const line = last + 1
  must(number(control, line, 2, 7) === BigInt(totals.length), line, 'batch count')
  must(number(control, line, 8, 13) === BigInt(records.length / 10), line, 'block count')
  must(number(control, line, 14, 21) === sum.count, line, 'entry and addenda count')
  must(number(control, line, 22, 31) === sum.hash, line, 'entry hash')
  must(number(control, line, 32, 43) === 0n, line, 'debits')
  must(number(control, line, 44, 55) === sum.credits, line, 'credits')
  must(/^ {39}$/.test(from(control, 56, 94)), line, 'reserved')
  must(
    new Set(entries.map(({ trace }) => trace)).size === entries.length,
    line,
    'a trace number repeats',
  )
  must(
    new Set(entries.map(({ individual_id }) => individual_id)).size === entries.length,
    line,
    'an individual id repeats',
  )
  return { header, entries, credits: sum.credits, hash: sum.hash }
}

interface Totals {
  readonly count: bigint
  readonly hash: bigint
  readonly credits: bigint
}

function addUp(totals: readonly Totals[]): Totals {
  const sum = (of: (each: Totals) => bigint) => totals.reduce((all, each) => all + of(each), 0n)
  const hash = sum(each => each.hash) % 10_000_000_000n
  return { count: sum(each => each.count), hash, credits: sum(each => each.credits) }
}

function readBatch(records: readonly string[], at: number, end: number) {
  const header = records[at] ?? ''
  const line = at + 1
  must(header.startsWith('5220'), line, 'no header of a batch of credits')
  must(['PPD', 'CCD'].includes(from(header, 51, 53)), line, 'entry class')
  must(from(header, 5, 20).trim() !== '', line, 'company name')
  must(from(header, 54, 63).trim() !== '', line, 'entry description')
  must(/^\d{2}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])$/.test(from(header, 70, 75)), line, 'date')
  must(from(header, 76, 79) === '   1', line, 'settlement date, originator status')
  const entries: AchEntry[] = []
  let count = 0n
  for (let i = at + 1; i < end; i++) {
    const record = records[i] ?? ''
    if (!record.startsWith('6')) continue
    const addenda: string[] = []
    while (records[i + 1 + addenda.length]?.startsWith('7')) {
      addenda.push(records[i + 1 + addenda.length] ?? '')
    }
    entries.push(readEntry(header, record, addenda, i + 1))
    count += BigInt(1 + addenda.length)
  }
  must(count === BigInt(end - at - 1), line, 'a record that is neither entry nor addenda')
  const hash = entries.reduce((sum, { routing }) => sum + BigInt(routing.slice(0, 8)), 0n)
  const totals = {
    count,
    hash: hash % 10_000_000_000n,
    credits: entries.reduce((sum, { amount }) => sum + amount, 0n),
  }
  checkControl(header, records[end] ?? '', end + 1, totals)
  const traces = entries.map(({ trace }) => trace)
  must(
    traces.every((trace, i) => i === 0 || trace > (traces[i - 1] ?? '')),
    line,
    'trace numbers do not rise',
  )
  return { entries, totals }
}

function checkControl(header: string, control: string, line: number, totals: Totals): void {
  must(from(control, 2, 4) === from(header, 2, 4), line, 'service class')
  must(number(control, line, 5, 10) === totals.count, line, 'entry and addenda count')
  must(number(control, line, 11, 20) === totals.hash, line, 'entry hash')
  must(number(control, line, 21, 32) === 0n, line, 'debits')
  must(number(control, line, 33, 44) === totals.credits, line, 'credits')
  must(from(control, 45, 54) === from(header, 41, 50), line, 'company id')
  must(from(control, 80, 94) === from(header, 80, 94), line, 'bank or batch number')
}

function readEntry(
  header: string,
  record: string,
  addenda: readonly string[],
  line: number,
): AchEntry {
  const routing = from(record, 4, 12)
  const trace = from(record, 80, 94)
  must(['22', '32'].includes(from(record, 2, 3)), line, 'transaction code')
  const digits = Array.from(routing, Number)
  const weighted = digits.reduce((sum, digit, i) => sum + digit * ([3, 7, 1][i % 3] ?? 0), 0)
  must(/^\d{9}$/.test(routing) && weighted % 10 === 0, line, 'check digit of the routing number')
  const amount = number(record, line, 30, 39)
  must(amount > 0n, line, 'amount')
  must(from(record, 79, 79) === String(addenda.length), line, 'addenda indicator')
  must(/^\d{15}$/.test(trace) && trace.startsWith(from(header, 80, 87)), line, 'trace number')
  for (const each of addenda) {
    must(each.startsWith('705'), line + 1, 'addenda type')
    must(from(each, 84, 94) === `0001${trace.slice(8)}`, line + 1, 'addenda sequence')
  }
  const account = from(record, 13, 29).trim()
  const name = from(record, 55, 76).trim()
  must(account !== '' && name !== '', line, 'account or name')
  return {
    line,
    batch: from(header, 88, 94),
    entry_class: from(header, 51, 53),
    company_id: from(header, 41, 50),
    description: from(header, 54, 63).trim(),
    same_day: from(header, 64, 69).trim(),
    effective: from(header, 70, 75),
    transaction_code: from(record, 2, 3),
    routing,
    account,
    amount,
    individual_id: from(record, 40, 54),
    name,
    trace,
    addenda: addenda.map(each => from(each, 4, 83).trim()),
  }
}

/** An entry that goes back: R codes with its amount, C codes with what is right and no amount. */
export interface AchReturn {
  readonly entry: AchEntry
  readonly code: string
  readonly amount: bigint
  readonly text?: string
}

/** A file of returns and notifications of change, by the bank at `odfi` (nine digits). */
export function writeReturns(returns: readonly AchReturn[], odfi: string, at: Date): string {
  const stamp = at.toISOString().replaceAll(/[-T:]/g, '').slice(2, 12)
  const lines = [
    `101 ${odfi.padEnd(9)}${odfi.padStart(10)}${stamp}A094101${pad('CORRIDOR', 23)}${pad('TEST BANK', 23)}${pad('', 8)}`,
  ]
  let count = 0
  let hash = 0n
  let credits = 0n
  returns.forEach(({ entry, code, amount, text = '' }, i) => {
    const change = code.startsWith('C')
    const back = entry.transaction_code === '32' ? '31' : '21'
    const trace = `${entry.routing.slice(0, 8)}${String(i + 1).padStart(7, '0')}`
    const own = BigInt(odfi.slice(0, 8))
    const tail = `${entry.routing.slice(0, 8)}${String(i + 1).padStart(7, '0')}`
    lines.push(
      `5220${pad('CORRIDOR', 16)}${pad('', 20)}${pad(entry.company_id, 10)}` +
        `${change ? 'COR' : entry.entry_class}${pad(entry.description, 10)}${pad('', 6)}` +
        `${entry.effective}   1${tail}`,
      `6${back}${odfi}${pad(entry.account, 17)}${digits(amount, 10)}${entry.individual_id}` +
        `${pad(entry.name, 22)}  1${trace}`,
      change
        ? `798${code}${entry.trace}${pad('', 6)}${entry.routing.slice(0, 8)}${pad(text, 29)}${pad('', 15)}${trace}`
        : `799${code}${entry.trace}${pad('', 6)}${entry.routing.slice(0, 8)}${pad(text, 44)}${trace}`,
      `8220${digits(2, 6)}${digits(own, 10)}${digits(0, 12)}${digits(amount, 12)}` +
        `${pad(entry.company_id, 10)}${pad('', 25)}${tail}`,
    )
    count += 2
    hash += own
    credits += amount
  })
  const blocks = Math.ceil((lines.length + 1) / 10)
  lines.push(
    `9${digits(returns.length, 6)}${digits(blocks, 6)}${digits(count, 8)}` +
      `${digits(hash % 10_000_000_000n, 10)}${digits(0, 12)}${digits(credits, 12)}${pad('', 39)}`,
  )
  while (lines.length % 10 !== 0) lines.push('9'.repeat(94))
  return lines.map(line => `${line}\n`).join('')
}

function pad(text: string, width: number): string {
  return text.slice(0, width).padEnd(width)
}

function digits(value: bigint | number, width: number): string {
  return String(value).padStart(width, '0')
}
