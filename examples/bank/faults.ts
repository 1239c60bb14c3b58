// How the bank misbehaves when it is asked to, and what becomes of single payments by their names
// and amounts.
import type { Payment } from './pain001.ts'

/** Of the whole bank, by name. */
export const FAULTS = {
  'sweep-at-once': 'takes a file away before the rename that gave it its name is answered',
  'lose-rename': 'SFTP: does the first rename, and cuts the connection instead of answering',
  'disk-full': 'SFTP: fails the first write of every second file',
  'other-host-key': 'SFTP: has another host key than it had before',
  'drop-report': 'sends no pain.002, and no file of returns; the account reports come',
  'repeat-report': 'sends each report again under another name',
  'repeat-message': 'sends each report again under another name and another MsgId',
  'half-file': 'sends half of each report first, and the whole of it later',
  'wrong-encoding': 'sends each report in ISO 8859-1 first, though it says UTF-8',
  doctype: 'sends each report with a DOCTYPE and an entity first',
  'unknown-id': 'tells of a payment that nobody asked for, among the others',
  'not-provided': 'writes NOTPROVIDED for the EndToEndId on accounts',
  'other-amount': 'books one unit more than it was asked to pay',
  'short-return': 'keeps one unit of each return for itself',
  'two-returns': 'returns each returned payment twice',
  'early-return': 'tells of a return before it has told of the debit',
  'group-rjct': 'rejects the file as a whole',
  'group-rjct-but-one': 'rejects a PmtInf, and accepts a payment in it',
  'part-rejects-only': 'names rejected payments alone, in a report that says PART',
  'late-rjct': 'rejects what it has accepted before, and does not pay it',
  'rjct-after-booking': 'rejects what it has debited, and gives the money back later',
  'acsp-after-rjct': 'says ACSP of what it has rejected',
  'strange-codes': 'gives reasons that are none, such as DS01, and codes that nobody knows',
  'several-accounts': 'sends one statement file for several accounts',
  'no-duplicate-check': 'pays a file again that comes again, as no bank should',
} as const satisfies Record<string, string>

export type Fault = keyof typeof FAULTS

export function readFaults(names: readonly string[]): ReadonlySet<Fault> {
  for (const name of names) {
    if (!Object.hasOwn(FAULTS, name)) throw new Error(`no fault is named ${name}; see --faults`)
  }
  return new Set(names as Fault[])
}

/** What becomes of one payment. `reason` is a code of ISO 20022, or of ACH when that fits. */
export interface Fate {
  readonly what: 'pay' | 'reject' | 'return' | 'note'
  readonly reason: string
}

/** By the last four digits of the amount, for creditors whose names must look real. */
const BY_AMOUNT: Readonly<Record<string, Fate>> = {
  '9101': { what: 'reject', reason: 'AC01' },
  '9104': { what: 'reject', reason: 'AC04' },
  '9106': { what: 'reject', reason: 'AC06' },
  '9108': { what: 'reject', reason: 'AM04' },
  '9109': { what: 'reject', reason: 'DT06' },
  '9110': { what: 'reject', reason: 'RR04' },
  '9204': { what: 'return', reason: 'AC04' },
  '9207': { what: 'return', reason: 'MD07' },
  '9301': { what: 'note', reason: 'C01' },
}

/** The same in the codes of the network. */
const ACH_CODES: Readonly<Record<string, string>> = {
  AC01: 'R03',
  AC04: 'R02',
  AC06: 'R16',
  AM04: 'R20',
  DT06: 'R18',
  RR04: 'R23',
  MD07: 'R15',
}

/** `REJECT AC04`, `RETURN MD07` and `NOTE C01` in a creditor's name say it in words. */
export function fateOf({ creditor, amount }: Payment): Fate {
  const [, word, reason] = /\b(REJECT|RETURN|NOTE) ([A-Z]{1,2}\d\d)\b/i.exec(creditor) ?? []
  if (word !== undefined && reason !== undefined) {
    return { what: word.toLowerCase() as Fate['what'], reason: reason.toUpperCase() }
  }
  const digits = amount.replace('.', '').slice(-4)
  return BY_AMOUNT[digits] ?? { what: 'pay', reason: '' }
}

export function achCode(reason: string): string {
  return ACH_CODES[reason] ?? (/^[RC]\d\d$/.test(reason) ? reason : 'R03')
}
