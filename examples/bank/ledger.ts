// What the bank has done, one JSON line each, on disk before it answers: so that anybody can count
// afterwards how often each payment was made.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

export interface LedgerLine {
  readonly what: 'received' | 'refused' | 'paid' | 'rejected' | 'returned'
  readonly file: string
  readonly msg_id: string
  /** '' for lines about a file. */
  readonly end_to_end_id: string
  readonly amount: string
  readonly currency: string
  readonly reason: string
}

export class Ledger {
  readonly #descriptor: number
  readonly #lines: LedgerLine[]
  readonly #received: Set<string>

  constructor(path: string) {
    this.#lines = existsSync(path) ? readLines(path) : []
    this.#received = new Set(this.#lines.filter(isReceived).map(({ msg_id }) => msg_id))
    this.#descriptor = openSync(path, 'a')
  }

  get lines(): readonly LedgerLine[] {
    return this.#lines
  }

  /** Writes them all, and waits for the disk once. */
  add(lines: readonly LedgerLine[]): void {
    if (lines.length === 0) return
    writeSync(this.#descriptor, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    fsyncSync(this.#descriptor)
    for (const line of lines) {
      this.#lines.push(line)
      if (isReceived(line)) this.#received.add(line.msg_id)
    }
  }

  hasReceived(msg_id: string): boolean {
    return this.#received.has(msg_id)
  }

  /** How often each payment was made, by its EndToEndId. */
  timesPaid(): ReadonlyMap<string, number> {
    const times = new Map<string, number>()
    for (const { what, end_to_end_id } of this.#lines) {
      if (what === 'paid') times.set(end_to_end_id, (times.get(end_to_end_id) ?? 0) + 1)
    }
    return times
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

function isReceived({ what }: LedgerLine): boolean {
  return what === 'received'
}

function readLines(path: string): LedgerLine[] {
  const text = readFileSync(path, 'utf8')
  return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as LedgerLine]))
}
