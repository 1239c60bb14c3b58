// The statements of banks as their readers give them: a head, the lines, an end. Types, their
// bounds, and the error of a file that is no statement.
import type { IsoDate } from '../../values/calendar/calendar.ts'

export const STATEMENT_FORMATS = [
  'camt.053',
  'camt.052',
  'camt.054',
  'mt940',
  'bai2',
  'csv',
  'chain',
] as const
export type StatementFormat = (typeof STATEMENT_FORMATS)[number]

/** What comes first: whose account it is. '' is "not given". */
export interface StatementHead {
  readonly kind: 'head'
  readonly format: StatementFormat
  /** As the bank writes it, such as an IBAN, without white space. */
  readonly account: string
  /** The currency of the account. */
  readonly currency: string
}

/** One payment of a line that sums up several. The amount is signed, in minor units. */
export interface StatementDetail {
  readonly amount: bigint
  readonly end_to_end_id: string
  readonly uetr: string
  readonly instruction: string
}

/** One booking on the account. '' is "not given". */
export interface StatementLine {
  readonly kind: 'line'
  /** Minor units; money in (+) or out (-). */
  readonly amount: bigint
  readonly currency: string
  readonly booked_on: IsoDate
  readonly value_on: IsoDate
  /** The bank's own code of the transaction, such as PMNT/ICDT/ESCT, NTRF/166 or 475. */
  readonly code: string
  readonly end_to_end_id: string
  readonly uetr: string
  readonly instruction: string
  /** The payments that it sums up: PmtInfId, and the message id of the file. */
  readonly block: string
  readonly file: string
  readonly bank_reference: string
  /** The virtual IBAN of ours that was credited. */
  readonly own_account: string
  readonly counterparty: string
  readonly counterparty_name: string
  readonly text: string
  /** The payments of a line for many, if they sum to it; else none. */
  readonly details: readonly StatementDetail[]
}

/** What comes behind the lines: the name of the statement, its days and its balances. */
export interface StatementEnd {
  readonly kind: 'end'
  readonly statement_id: string
  readonly sequence: string
  /** Null where the statement names no day. */
  readonly opened_on: IsoDate | null
  readonly closed_on: IsoDate | null
  /** Minor units; null where the statement has none. */
  readonly opening: bigint | null
  readonly closing: bigint | null
  /** Whether the bank changes none of it. A report of the running day is not final. */
  readonly is_final: boolean
}

export type StatementPart = StatementHead | StatementLine | StatementEnd

export interface StatementReader {
  /**
   * Reads the statements of a file, each as a head, its lines and an end, in constant memory.
   * Throws UnreadableFile, which may come at the very end.
   */
  read(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<StatementPart>
}

/** The most of each in one file. More are refused. */
export const STATEMENT_BOUNDS = {
  bytes: 512 * 1024 * 1024,
  statements: 10_000,
  lines: 1_000_000,
  /** The most payments that are kept of one line. A line of more has none. */
  details: 20_000,
} as const

/** The most characters of each text, as the table `bank_lines` has them. Texts are cut to them. */
export const LENGTHS = {
  code: 60,
  end_to_end_id: 100,
  uetr: 36,
  instruction: 100,
  block: 100,
  file: 100,
  bank_reference: 100,
  own_account: 64,
  counterparty: 64,
  counterparty_name: 200,
  text: 1000,
} as const satisfies Partial<Record<keyof StatementLine, number>>

/** A line with no more than an amount and days. Readers overwrite its members. */
export const EMPTY_STATEMENT_LINE: StatementLine = {
  kind: 'line',
  amount: 0n,
  currency: '',
  booked_on: '',
  value_on: '',
  code: '',
  end_to_end_id: '',
  uetr: '',
  instruction: '',
  block: '',
  file: '',
  bank_reference: '',
  own_account: '',
  counterparty: '',
  counterparty_name: '',
  text: '',
  details: [],
}
