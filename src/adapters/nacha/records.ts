// Reads the records of an ACH file one by one, and checks the file's own counts, sums and hashes.
// Keeps only the open batch and entry in memory. Pure.
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import type { Line } from './lines.ts'
import {
  BATCH_CONTROL,
  BATCH_HEADER,
  BLOCKING_FACTOR,
  ENTRY,
  entryHash,
  FILE_CONTROL,
  FILE_HEADER,
  FILL,
  type Layout,
  readLoosely,
  readRecord,
  type Values,
} from './record.ts'

export interface Entry {
  readonly line: number
  readonly file: Values<typeof FILE_HEADER>
  readonly batch: Values<typeof BATCH_HEADER>
  readonly entry: Values<typeof ENTRY>
  /** Cents. */
  readonly amount: bigint
  /** False for a debit. */
  readonly is_credit: boolean
  readonly addenda: readonly { readonly line: number; readonly text: string }[]
  /** Why the entry cannot be applied; '' when it can. */
  readonly defect: string
}

/** The counts, sums and hash that a control record must have. */
class Tally {
  entry_count = 0n
  entry_hash = 0n
  debits = 0n
  credits = 0n

  add(other: Readonly<Tally>): void {
    this.entry_count += other.entry_count
    this.entry_hash = entryHash(this.entry_hash + other.entry_hash)
    this.debits += other.debits
    this.credits += other.credits
  }

  /** Throws UnreadableFile for a control record with other values. */
  check(control: Readonly<Record<keyof typeof TOTALS, string>>, of: string, line: number): void {
    for (const name of Object.keys(TOTALS) as (keyof typeof TOTALS)[]) {
      if (BigInt(control[name]) === this[name]) continue
      const difference = `${TOTALS[name]} of the ${of} is ${this[name]}`
      throw new UnreadableFile(`${difference}, and its control record says ${control[name]}`, line)
    }
  }
}

const TOTALS = {
  entry_count: 'the number of entries and addenda',
  entry_hash: 'the entry hash',
  debits: 'the sum of debits',
  credits: 'the sum of credits',
} as const

export class Records {
  // The open file, batch and entry decide which records may come next.
  #file: Entry['file'] | undefined
  #batch: Entry['batch'] | undefined
  #entry: (Entry & { addenda: Entry['addenda'][number][] }) | undefined
  #line = 0
  /** The records of the file so far, and the fill records behind its control record. */
  #records = 0
  #fill_records = 0
  #files = 0
  /** A file without a header may lack a control record, too. */
  #is_bare = false
  #batches = 0n
  #batch_tally = new Tally()
  #file_tally = new Tally()

  /** Reads the next record. Returns the entry that it completes. Throws UnreadableFile. */
  take({ line, text }: Line): Entry | undefined {
    this.#line = line
    if (text === FILL && this.#file === undefined && this.#files > 0) {
      this.#fill_records += 1
      return undefined
    }
    const type = text.charAt(0)
    if (type === '1') {
      this.#checkFill()
      this.#records = 0
    }
    this.#records += 1
    if (type === '7') {
      this.#takeAddenda(text)
      return undefined
    }
    const ended_entry = this.#endEntry()
    if (type === '1') this.#beginFile(text)
    else if (type === '5') this.#beginBatch(text)
    else if (type === '6') this.#beginEntry(text)
    else if (type === '8') this.#endBatch(text)
    else if (type === '9') this.#endFile(text)
    else this.#refuse(`no record begins with "${type}"`)
    return ended_entry
  }

  /** Throws UnreadableFile unless the file is complete. */
  end(): void {
    if (this.#is_bare && this.#file !== undefined && this.#batch === undefined) return
    if (this.#files === 0 || this.#file !== undefined) {
      this.#refuse('the file ends before its control record')
    }
    this.#checkFill()
  }

  #refuse(reason: string): never {
    throw new UnreadableFile(reason, this.#line)
  }

  #read<Name extends string>(layout: Layout<Name>, text: string): Readonly<Record<Name, string>> {
    return readRecord(layout, text, this.#line)
  }

  #beginFile(text: string): void {
    if (this.#file !== undefined) this.#refuse('a file begins inside of another')
    this.#file = this.#read(FILE_HEADER, text)
    this.#batches = 0n
    this.#file_tally = new Tally()
  }

  #beginBatch(text: string): void {
    // Some banks send batches without the records of the file around them.
    if (this.#records === 1 && this.#files === 0 && this.#file === undefined) {
      this.#file = readLoosely(FILE_HEADER, '')
      this.#is_bare = true
    }
    if (this.#file === undefined) this.#refuse('a batch begins outside of a file')
    if (this.#batch !== undefined) this.#refuse('a batch begins inside of another')
    const batch = this.#read(BATCH_HEADER, text)
    if (!['200', '220', '225'].includes(batch.service_class)) {
      this.#refuse(`service class ${batch.service_class} is not 200, 220 or 225`)
    }
    this.#batch = batch
    this.#batch_tally = new Tally()
  }

  #beginEntry(text: string): void {
    const [file, batch] = [this.#file, this.#batch]
    if (file === undefined || batch === undefined) this.#refuse('an entry outside of a batch')
    const entry = readLoosely(ENTRY, text)
    // Without them, the sums and hashes of the file cannot be checked.
    for (const name of ['rdfi', 'amount', 'transaction_code'] as const) {
      if (entry[name] === '')
        this.#refuse(`the ${name} of an entry has other characters than digits`)
    }
    const is_known = /^[2-5][1-9]$/.test(entry.transaction_code)
    const defect = is_known ? '' : `there is no transaction code ${entry.transaction_code}`
    const amount = BigInt(entry.amount)
    const is_credit = entry.transaction_code.charAt(1) < '5'
    this.#entry = { line: this.#line, file, batch, entry, amount, is_credit, addenda: [], defect }
    this.#batch_tally.entry_count += 1n
    this.#batch_tally.entry_hash += BigInt(entry.rdfi)
    this.#batch_tally[is_credit ? 'credits' : 'debits'] += amount
  }

  #takeAddenda(text: string): void {
    const entry = this.#entry
    if (entry === undefined) this.#refuse('addenda without an entry')
    // The network's rules allow 9,999 addenda.
    if (entry.addenda.length >= 9_999) this.#refuse('an entry with more than 9,999 addenda')
    entry.addenda.push({ line: this.#line, text })
    this.#batch_tally.entry_count += 1n
  }

  #endEntry(): Entry | undefined {
    const entry = this.#entry
    this.#entry = undefined
    if (entry === undefined || (entry.entry.addenda === '1') === entry.addenda.length > 0)
      return entry
    return { ...entry, defect: entry.defect || 'it does not say rightly whether it has addenda' }
  }

  #endBatch(text: string): void {
    const batch = this.#batch
    if (batch === undefined) this.#refuse('a batch ends that has not begun')
    const control = this.#read(BATCH_CONTROL, text)
    this.#batch_tally.entry_hash = entryHash(this.#batch_tally.entry_hash)
    this.#batch_tally.check(control, 'batch', this.#line)
    for (const name of ['service_class', 'odfi', 'batch_number'] as const) {
      if (control[name] !== batch[name]) this.#refuse(`${name} is not that of the batch's header`)
    }
    this.#file_tally.add(this.#batch_tally)
    this.#batches += 1n
    this.#batch = undefined
  }

  #endFile(text: string): void {
    if (this.#file === undefined) this.#refuse('a file ends that has not begun')
    if (this.#batch !== undefined) this.#refuse('the file ends inside of a batch')
    const control = this.#read(FILE_CONTROL, text)
    this.#file_tally.check(control, 'file', this.#line)
    const records = this.#records + (this.#is_bare ? 1 : 0)
    const blocks = Math.ceil(records / BLOCKING_FACTOR)
    for (const [name, count] of [
      ['batch_count', this.#batches],
      ['block_count', BigInt(blocks)],
    ] as const) {
      if (BigInt(control[name]) === count) continue
      this.#refuse(`${name} is ${count}, and the control record says ${control[name]}`)
    }
    this.#file = undefined
    this.#files += 1
    this.#fill_records = 0
  }

  /** Fill records make the last block whole, or there are none. */
  #checkFill(): void {
    const in_last_block = this.#records % BLOCKING_FACTOR
    const needed = in_last_block === 0 ? 0 : BLOCKING_FACTOR - in_last_block
    if (this.#fill_records !== 0 && this.#fill_records !== needed) {
      this.#refuse(`${this.#fill_records} records of nines fill the last block, not ${needed}`)
    }
  }
}
