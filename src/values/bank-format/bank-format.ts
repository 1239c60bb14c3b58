// The types that all formats of bank files share: the payments of a file, the bank's profile, the
// lines of the bank's own files, and the interface of a format. Knows no payouts, tables or
// transport.
import type { CalendarName } from '../calendar/calendar.ts'
import type { Read } from '../text/csv.ts'

/** The address of a creditor or of a settlement account's holder. '' is "not set". */
export interface PostalAddress {
  readonly street: string
  readonly town: string
  readonly postcode: string
  readonly state: string
  /** ISO 3166, two letters. */
  readonly country: string
}

/** An account at a bank. '' is "not set"; `iban` or `account` is set. */
export interface BankAccount {
  readonly iban: string
  readonly account: string
  readonly bic: string
  /** Clearing system and member, such as USABA021000021; '' when a BIC or an IBAN is enough. */
  readonly clearing_code: string
}

/** Our account at a bank. Files debit it, and its statements report the bookings. */
export interface SettlementAccount extends BankAccount {
  readonly name: string
  readonly holder: string
  readonly address: PostalAddress
  readonly currency: string
}

export type ChargeBearer = 'DEBT' | 'CRED' | 'SHAR' | 'SLEV'

export interface Creditor extends BankAccount {
  readonly name: string
  readonly kind: 'person' | 'company'
  readonly address: PostalAddress
  readonly bank_name: string
  readonly account_type: '' | 'checking' | 'savings'
}

/** For whom a payment is made. */
export interface UltimateDebtor {
  readonly name: string
  readonly type: 'individual' | 'business'
  /** A number by its country: of a register, or of a person; '' for none. */
  readonly id: string
}

/** One payment of a file. */
export interface FileItem {
  /**
   * The id that banks give back: 15 characters [0-9A-Z], unique for ever over all rails. An ACH
   * entry has room for 15 characters, and banks that cut ids keep at least 15.
   */
  readonly end_to_end_id: string
  readonly uetr: string
  /** Minor units of `currency`. */
  readonly amount: bigint
  readonly currency: string
  readonly charge_bearer: ChargeBearer
  readonly creditor: Creditor
  /** Text for the creditor. A file carries it only without a creditor reference. */
  readonly remittance: string
  /** In its stored form (values/network/creditor-reference.ts); '' for none. */
  readonly creditor_reference: string
  /** For whom our customer pays; null: for itself. */
  readonly ultimate_debtor: UltimateDebtor | null
  /** ISO's external purpose code; '' when none is known. */
  readonly purpose: string
}

/** The payments of one file: one settlement account, one day. */
export interface FileBatch {
  /** 16 characters [0-9A-Z], unique for ever over all rails. */
  readonly msg_id: string
  /** Instant. */
  readonly created_at: string
  /** YYYY-MM-DD */
  readonly execution_date: string
  readonly settlement_account: SettlementAccount
  readonly profile: BankProfile
  readonly items: readonly FileItem[]
}

export interface WrittenFile {
  readonly bytes: Uint8Array
  readonly count: number
  /** Exact decimal, as in the file. */
  readonly control_sum: string
  /** YYYY-MM-DD. Later than the batch's date when the network cannot settle on that date. */
  readonly execution_date: string
  /** The place of each item in the file, by end_to_end_id. */
  readonly places: ReadonlyMap<string, ItemPlace>
}

export interface ItemPlace {
  readonly payment_information_id: string
  readonly instruction_id: string
}

/** Details of a payee as a bank names them. It leaves out the members that it does not name. */
export interface PayeeValues {
  readonly name?: string
  readonly account_number?: string
  /** Nine digits. */
  readonly routing_number?: string
  readonly account_type?: 'checking' | 'savings'
}

export interface PayeeChange {
  /** The account as the bank says that the payment named it; '' is "not given". */
  readonly old_account: string
  /** The first eight digits of the routing number that the payment named; '' is "not given". */
  readonly old_routing: string
  /** Empty when the bank names no value that a payee has. */
  readonly corrected: PayeeValues
}

/** One status, booking, return or note in a bank's file. '' is "not given". */
export interface BankLine {
  /** The path or line number in the file. */
  readonly position: string
  readonly level: 'file' | 'group' | 'transaction' | 'booking' | 'return' | 'note'
  readonly msg_id: string
  readonly payment_information_id: string
  /** '' also stands for NOTPROVIDED. */
  readonly end_to_end_id: string
  readonly instruction_id: string
  readonly uetr: string
  /** The code as the bank wrote it: ACCP, RJCT, BOOK, R02. */
  readonly code: string
  readonly reasons: readonly string[]
  readonly text: string
  /** Minor units. */
  readonly amount: bigint | null
  readonly currency: string
  readonly is_credit: boolean | null
  readonly account: string
  /**
   * The bank statement's kind, id and period, such as `camt.053 17 2026-01-01/2026-01-02`. The
   * period is needed because banks reuse ids in later years.
   */
  readonly statement: string
  /** The bank's own reference, such as AcctSvcrRef or a trace number. */
  readonly reference: string
  /** The bank's own time, as the bank wrote it. */
  readonly said_at: string
  /**
   * The amount that this payment shares with others of its entry, when the bank gives none of each
   * payment; null with an amount of its own.
   */
  readonly shared_amount: bigint | null
  /** Why the line cannot be applied, although the file can be read; '' when it can. */
  readonly defect: string
  /** Null for any line but a notification of change. */
  readonly change: PayeeChange | null
}

/** A note without content. Readers of files overwrite its members. */
export const EMPTY_LINE: BankLine = {
  position: '',
  level: 'note',
  msg_id: '',
  payment_information_id: '',
  end_to_end_id: '',
  instruction_id: '',
  uetr: '',
  code: '',
  reasons: [],
  text: '',
  amount: null,
  currency: '',
  is_credit: null,
  account: '',
  statement: '',
  reference: '',
  said_at: '',
  shared_amount: null,
  defect: '',
  change: null,
}

/** How one bank reads and answers files. Some profiles are shipped. */
export interface BankProfile {
  readonly name: string
  /** The confirmation that settles a payout, the first time that the bank reports it. */
  readonly settles_on: 'accepted' | 'acsc' | 'booked'
  /** The bank's own meanings of codes. They replace the standard's. */
  readonly meanings: Readonly<Record<string, string>>
  /** Days until silence means accepted, at a bank that reports only failures; otherwise null. */
  readonly silent_after_days: number | null
  /**
   * The calendar of `silent_after_days`: banking days after the settlement, to the end of the last
   * one. Null: days of 24 hours from the upload.
   */
  readonly silent_calendar: CalendarName | null
  /**
   * Whether the bank debits a whole file at once. Bank statements then list no single payment.
   */
  readonly batch_booking: boolean
  readonly most_items: number
  /** Exact decimal in the currency of the settlement account; null for no limit. */
  readonly most_amount: string | null
  /** Whether a file may be sent again: the bank refuses a MsgId that it already has. */
  readonly resend_is_safe: boolean
  /** Whether a person releases each file, by its sha256, before it is sent. */
  readonly release_by_person: boolean
  /** `swift`: SWIFT's X set, by transliteration; `latin`: ISO 8859-1; `utf8`: any. */
  readonly character_set: 'swift' | 'latin' | 'utf8'
  /**
   * `town_and_country`: TwnNm and Ctry are required. `if_complete`: only the payer's address needs
   * them, and a payee's address without them is left out. `any`: each is written as it is known.
   */
  readonly address: 'town_and_country' | 'if_complete' | 'any'
  /** The members of one format, read by its `readProfile`; null in a profile of another format. */
  readonly iso20022: Iso20022Profile | null
  readonly nacha: NachaProfile | null
}

export interface Iso20022Profile {
  readonly pain001: 'pain.001.001.03' | 'pain.001.001.09'
  /** Codes of service level and local instrument; '' leaves one out. */
  readonly service_level: string
  readonly local_instrument: string
  /** The bank's ids of the initiating party and of the debtor; '' leaves one out. */
  readonly initiator_id: string
  readonly debtor_id: string
  /** ISO's code of the scheme of both ids, such as BANK or CUST; '' leaves it out. */
  readonly id_scheme: string
}

export interface NachaProfile {
  /** The routing number and name of the bank that gets the file. */
  readonly immediate_destination: string
  readonly immediate_destination_name: string
  readonly immediate_origin: string
  readonly immediate_origin_name: string
  readonly company_id: string
  readonly company_name: string
  /** The originating bank's routing number. Files contain its first eight digits. */
  readonly odfi: string
  readonly entry_description: string
  readonly same_day: boolean
}

/** Nothing of the file can be applied: another format, cut off, another encoding, or too large. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
  /** The line, counted from 1; 0 means the whole file. */
  readonly line: number

  constructor(reason: string, line = 0) {
    super(line === 0 ? reason : `line ${line}: ${reason}`)
    this.line = line
  }
}

/** A format: pain.001 with pain.002 and camt, or NACHA. */
export interface BankFormat {
  readonly name: 'iso20022' | 'nacha'
  /** The extension of written files, without a full stop. */
  readonly extension: string
  /** Reads the name of a shipped profile, or a profile that an operator wrote in JSON. */
  readProfile(written: unknown): Read<BankProfile>
  /** Why a file to this bank cannot carry payments from this account; [] when it can. */
  checkSettlementAccount(account: SettlementAccount, profile: BankProfile): readonly string[]
  /** Why a file to this bank cannot carry this payment; [] when it can. */
  checkItem(item: FileItem, account: SettlementAccount, profile: BankProfile): readonly string[]
  write(batch: FileBatch): WrittenFile
  /** Problems of written bytes by the format's own rules (XSD; entry hash); [] when valid. */
  check(bytes: Uint8Array, profile: BankProfile): Promise<readonly string[]>
  /**
   * Reads the lines of a bank's file, in order, in bounded memory. May throw UnreadableFile after
   * some lines; the caller then applies none of them.
   */
  read(chunks: AsyncIterable<Uint8Array>, profile: BankProfile): AsyncIterable<BankLine>
}
