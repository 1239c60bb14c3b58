// What formats of bank files share: the payments of a file, the bank that reads it, what files of
// the bank say, and the interface of a format. Knows no payouts, no tables and no transport.
import type { CalendarName } from '../calendar/calendar.ts'
import type { Read } from '../text/csv.ts'

/** Where a creditor or the holder of a settlement account lives. '' is "not set". */
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

/** Our account at a bank: files debit it, and its statements say what was booked. */
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

/** One payment of a file. */
export interface FileItem {
  /**
   * What banks give back: 15 characters [0-9A-Z], unique for ever, of every rail. 15 is what an ACH
   * entry has room for, and what survives where banks cut ids.
   */
  readonly end_to_end_id: string
  readonly uetr: string
  /** Minor units of `currency`. */
  readonly amount: bigint
  readonly currency: string
  readonly charge_bearer: ChargeBearer
  readonly creditor: Creditor
  /** For the creditor to read. */
  readonly remittance: string
  /** ISO's external purpose code, '' when none is known. */
  readonly purpose: string
}

/** The payments of one file: one settlement account, one day. */
export interface FileBatch {
  /** 16 characters [0-9A-Z], unique for ever, of every rail. */
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
  /** Exact decimal, as the file says it. */
  readonly control_sum: string
  /** YYYY-MM-DD: later than that of the batch where the network cannot settle on it. */
  readonly execution_date: string
  /** By end_to_end_id: where the item stands in the file. */
  readonly places: ReadonlyMap<string, ItemPlace>
}

export interface ItemPlace {
  readonly payment_information_id: string
  readonly instruction_id: string
}

/** One thing that a bank's file says. '' is "not said". */
export interface BankSays {
  /** The path in the file, or its line. */
  readonly position: string
  readonly level: 'file' | 'group' | 'transaction' | 'booking' | 'return' | 'note'
  readonly msg_id: string
  readonly payment_information_id: string
  /** '' for NOTPROVIDED, too. */
  readonly end_to_end_id: string
  readonly instruction_id: string
  readonly uetr: string
  /** As the bank wrote it: ACCP, RJCT, BOOK, R02. */
  readonly code: string
  readonly reasons: readonly string[]
  readonly text: string
  /** Minor units. */
  readonly amount: bigint | null
  readonly currency: string
  readonly is_credit: boolean | null
  /** The account of a statement. */
  readonly account: string
  /**
   * The kind of a statement, its id and its period, `camt.053 17 2026-01-01/2026-01-02`: banks use
   * ids again in later years.
   */
  readonly statement: string
  /** The bank's own reference, such as AcctSvcrRef or a trace number. */
  readonly reference: string
  readonly said_at: string
}

/** What a reader of files fills in: a note that says nothing. */
export const NOTHING_SAID: BankSays = {
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
}

/** How one bank reads and answers files: data, of which some are shipped. */
export interface BankProfile {
  readonly name: string
  /** What the payout's first status of these means: it has succeeded. */
  readonly settles_on: 'accepted' | 'acsc' | 'booked'
  /** The bank's own meaning of a code, before the standard's. */
  readonly meanings: Readonly<Record<string, string>>
  /** Days after which silence means accepted, for banks that report failures alone; else null. */
  readonly silent_after_days: number | null
  /**
   * Whose banking days these are, counted from the day of settlement to the end of the last; null:
   * days of 24 hours from the upload.
   */
  readonly silent_calendar: CalendarName | null
  /** One debit for a whole file: statements then have no line for each payment. */
  readonly batch_booking: boolean
  readonly most_items: number
  /** Exact decimal in the currency of the settlement account, null for no limit. */
  readonly most_amount: string | null
  /** Whether the bank refuses a file that it has, by its MsgId, and so may get it again. */
  readonly resend_is_safe: boolean
  /** Whether a person releases each file, by its sha256, before it is sent. */
  readonly release_by_person: boolean
  /** `swift`: SWIFT's X set, others transliterated; `latin`: ISO 8859-1; `utf8`: any. */
  readonly character_set: 'swift' | 'latin' | 'utf8'
  /** What an address must have: TwnNm and Ctry, or nothing. */
  readonly address: 'town_and_country' | 'any'
  /** What the format alone knows, as its own `readProfile` has read it. */
  readonly iso20022: Iso20022Profile | null
  readonly nacha: NachaProfile | null
}

export interface Iso20022Profile {
  readonly pain001: 'pain.001.001.03' | 'pain.001.001.09'
  /** Codes of service level and local instrument, '' to leave out. */
  readonly service_level: string
  readonly local_instrument: string
}

export interface NachaProfile {
  /** Routing number of the bank that gets the file, and its name. */
  readonly immediate_destination: string
  readonly immediate_destination_name: string
  readonly immediate_origin: string
  readonly immediate_origin_name: string
  readonly company_id: string
  readonly company_name: string
  /** Routing number of the bank that originates; files have its first eight digits. */
  readonly odfi: string
  readonly entry_description: string
  readonly same_day: boolean
}

/** A file of which nothing is applied: not this format, cut off, not its encoding, too large. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile'
  /** Counted from 1; 0 when the whole file is meant. */
  readonly line: number

  constructor(reason: string, line = 0) {
    super(line === 0 ? reason : `line ${line}: ${reason}`)
    this.line = line
  }
}

/** A format: pain.001 with pain.002 and camt, or NACHA. */
export interface BankFormat {
  readonly name: 'iso20022' | 'nacha'
  /** Of the files that it writes, without a full stop. */
  readonly extension: string
  /** A profile that is shipped, by its name, or one as an operator wrote it in JSON. */
  readProfile(written: unknown): Read<BankProfile>
  /** Why no payment from this account can stand in a file to this bank; [] when one can. */
  checkSettlementAccount(account: SettlementAccount, profile: BankProfile): readonly string[]
  /** Why this payment can stand in no file to this bank; [] when it can. */
  checkItem(item: FileItem, account: SettlementAccount, profile: BankProfile): readonly string[]
  write(batch: FileBatch): WrittenFile
  /** Problems of the bytes by the format's own rules (XSD; entry hash); [] when valid. */
  check(bytes: Uint8Array, profile: BankProfile): Promise<readonly string[]>
  /**
   * What a bank's file says, in order, in bounded memory. Throws UnreadableFile; then nothing of
   * the file is applied.
   */
  read(chunks: AsyncIterable<Uint8Array>, profile: BankProfile): AsyncIterable<BankSays>
}
