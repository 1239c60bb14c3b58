// Puts what the bank has to say where it is fetched, as far as no fault is in the way: names, numbers
// and stamps of its files, and files that are repeated, spoilt or not sent.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fault } from './faults.ts'
import type { Stamp } from './reports.ts'

export type ReportKind = 'pain.002' | 'camt.054' | 'camt.053' | 'ach'

export interface OutboxOptions {
  readonly folder: string
  readonly faults: ReadonlySet<Fault>
  readonly later: (rounds: number, run: () => void) => void
  readonly now: () => Date
  readonly tell: (name: string, bytes: Uint8Array) => void
}

export class Outbox {
  readonly #options: OutboxOptions
  /** In all names and ids, so that a bank that was started again repeats none. */
  readonly #started: string
  #last = 0

  constructor(options: OutboxOptions) {
    this.#options = options
    this.#started = options.now().getTime().toString(36).toUpperCase()
  }

  number(): number {
    this.#last += 1
    return this.#last
  }

  /** The bank's own reference of a booking. */
  reference(): string {
    return `REF${this.#started}${this.number()}`
  }

  /** `write` makes the message for a MsgId and a time. */
  send(kind: ReportKind, write: (stamp: Stamp) => string): void {
    const { faults, later } = this.#options
    if (faults.has('drop-report') && (kind === 'pain.002' || kind === 'ach')) return
    const message = write(this.#stamp())
    const good = Buffer.from(message)
    const spoilt = this.#spoilt(message)
    this.#put(kind, spoilt ?? good)
    if (spoilt !== undefined) later(1, () => this.#put(kind, good))
    if (faults.has('repeat-report')) this.#put(kind, good)
    if (faults.has('repeat-message')) {
      later(1, () => this.#put(kind, Buffer.from(write(this.#stamp()))))
    }
  }

  /** The file as a fault has it first; undefined for none. */
  #spoilt(message: string): Uint8Array | undefined {
    const { faults } = this.#options
    if (faults.has('half-file')) return Buffer.from(message.slice(0, message.length / 2))
    if (faults.has('wrong-encoding')) {
      return Buffer.from(message.replace(/<MsgId>|^101/, '$&é'), 'latin1')
    }
    if (!faults.has('doctype')) return undefined
    const entity = '<!DOCTYPE Document [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    return Buffer.from(message.replace('?>', `?>${entity}`))
  }

  #put(kind: ReportKind, bytes: Uint8Array): void {
    const { folder, tell } = this.#options
    const number = String(this.number()).padStart(6, '0')
    const name = `${kind}-${this.#started}-${number}.${kind === 'ach' ? 'ach' : 'xml'}`
    const path = join(folder, name)
    writeFileSync(`${path}.tmp`, bytes)
    renameSync(`${path}.tmp`, path)
    tell(name, bytes)
  }

  #stamp(): Stamp {
    return { id: `BANK${this.#started}${this.number()}`, at: this.#options.now() }
  }
}
