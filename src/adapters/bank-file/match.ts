// Matches a line of a bank's file with an item, a group of items, or a file, and says what the line
// means for the file. A line without a match, or one that contradicts the item, is set aside. Pure.
import { isWholeReturn } from '../../rails/returned.ts'
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import { moneyWords } from '../../values/money/words.ts'
import { type Meaning, meaningOf } from '../iso20022/status.ts'
import type { RailFile } from './file-store.ts'
import type { FoundItem } from './item-store.ts'

/** The match of one line. */
export type Match =
  | { readonly item: FoundItem }
  /** All items of a payment information block, or of a file. */
  | { readonly group: Group }
  | SetAside

/** Why a line is set aside, and the payment that it names, if any. */
export interface SetAside {
  readonly reason: string
  readonly item?: FoundItem
}

/** A file, or a payment information block of it; '' is "not given". */
export type Group = Pick<BankLine, 'msg_id' | 'payment_information_id'>

const IDS = ['end_to_end_id', 'uetr', 'instruction_id', 'payment_information_id'] as const
type Id = (typeof IDS)[number]

export type ItemsById = { readonly [I in Id]: ReadonlyMap<string, FoundItem[]> }

/** Indexes items by each id that a bank may give back. */
export function indexByIds(items: readonly FoundItem[]): ItemsById {
  const by = (name: Id) => Map.groupBy(items, item => item[name])
  return Object.fromEntries(IDS.map(name => [name, by(name)] as const)) as unknown as ItemsById
}

/** The accounts that the bank debits. A bank statement names one of them. */
export interface DebitedAccounts {
  /** The account of each rail that shares the inbox, by the rail's name. */
  readonly rails: ReadonlyMap<string, string>
  /** Other names of each rail's account: the account number beside an IBAN. */
  readonly also: ReadonlyMap<string, readonly string[]>
  /** The account of each file at its sealing, by message id. Its rail may debit another one now. */
  readonly files: ReadonlyMap<string, string>
}

const STATUS_LEVELS: readonly BankLine['level'][] = ['file', 'group', 'transaction']
const BOOKED_LEVELS: readonly BankLine['level'][] = ['booking', 'return']
const GROUP_LEVELS: readonly BankLine['level'][] = ['file', 'group']

export function matchLine(line: BankLine, items: ItemsById, accounts: DebitedAccounts): Match {
  const { payment_information_id, msg_id, defect } = line
  if (!namesPayment(line)) {
    if (defect !== '') return { reason: defect }
    const names_block = payment_information_id !== ''
    // A bank that books a whole file may name it by its message id alone.
    const is_of_file = msg_id !== '' && line.level === 'booking' && line.is_credit === false
    if (GROUP_LEVELS.includes(line.level) || names_block || is_of_file) {
      return { group: { msg_id, payment_information_id } }
    }
    return { reason: 'it names no payment' }
  }
  const found = findItems(line, items)
  const [item, another] = found
  if (defect !== '') return { reason: defect, ...(another === undefined && item && { item }) }
  if (item === undefined) return { reason: `no payment has the id ${idOf(line)}` }
  if (another !== undefined) return { reason: `its ids are those of ${found.length} payments` }
  return checkMatch(item, line, accounts)
}

/**
 * Finds items by the line's best id. If the line's UETR is another payment's, returns that payment
 * too, so that the line is set aside.
 */
function findItems(line: BankLine, items: ItemsById): FoundItem[] {
  const { end_to_end_id, uetr, instruction_id } = line
  const by = {
    end_to_end_id: items.end_to_end_id.get(end_to_end_id) ?? [],
    uetr: items.uetr.get(uetr) ?? [],
    instruction_id: (items.instruction_id.get(instruction_id) ?? []).filter(
      item =>
        line.payment_information_id === '' ||
        item.payment_information_id === line.payment_information_id,
    ),
  }
  // An EndToEndId is ours alone. Without one the UETR decides, and without a UETR the InstrId.
  if (end_to_end_id !== '') {
    const contradicting = by.uetr.filter(item => item.end_to_end_id !== end_to_end_id)
    return [...by.end_to_end_id, ...(by.end_to_end_id.length > 0 ? contradicting : [])]
  }
  return by.uetr.length > 0 ? by.uetr : by.instruction_id
}

/** The item, unless the line contradicts it. */
function checkMatch(item: FoundItem, line: BankLine, accounts: DebitedAccounts): Match {
  const { end_to_end_id, msg_id, earlier_files } = item
  const account = accountPaidFrom(accounts, item)
  if (account === undefined) return { reason: `payment ${end_to_end_id} was sent to another bank` }
  const setAside = (reason: string) => ({ reason, item })
  // A booking or return matches an item even without a file: its money must not be paid again.
  if (msg_id === '' && !BOOKED_LEVELS.includes(line.level)) {
    return setAside(`payment ${end_to_end_id} is in no file yet`)
  }
  if (STATUS_LEVELS.includes(line.level)) {
    // A late status of an earlier, refused file is not about the payment's present file.
    if (line.msg_id !== '' && line.msg_id !== msg_id) {
      return setAside(`it is about file ${line.msg_id}, and the payment is in ${msg_id}`)
    }
    if (line.msg_id === '' && earlier_files.length > 0) {
      const before = earlier_files.at(-1)
      return setAside(`it names no file, and the payment was in ${before} and is in ${msg_id}`)
    }
  }
  const names = [account, ...(accounts.also.get(item.rail) ?? [])]
  if (line.account !== '' && !names.some(name => isSameAccount(name, line.account))) {
    return setAside(`it is about the account ${line.account}, and was paid from ${account}`)
  }
  const part = partOf(item, line)
  return part === undefined ? { item } : setAside(part)
}

/** Why a return is only a part of the payment; undefined for a whole return or another line. */
function partOf(item: FoundItem, { level, amount, currency }: BankLine): string | undefined {
  if (level !== 'return' || amount === null || isWholeReturn({ amount, currency }, item)) return
  const [back, paid] = [moneyWords(amount, currency), moneyWords(item.amount, item.currency)]
  return `it returns ${back} of ${paid}, and charges do not explain the difference`
}

/** The account that the payment debits; undefined when another bank has the payment. */
function accountPaidFrom({ rails, files }: DebitedAccounts, item: FoundItem): string | undefined {
  const account = rails.get(item.rail)
  if (account === undefined) return undefined
  return files.get(item.msg_id || (item.earlier_files.at(-1) ?? '')) ?? account
}

/** Whether both name one account. A bank may write the national part of an IBAN alone. */
function isSameAccount(ours: string, written: string): boolean {
  const [own, other] = [normalized(ours), normalized(written)]
  const is_national = /^[A-Z]{2}\d{2}/.test(own) && own.slice(4) === other
  return own === other || is_national
}

const normalized = (account: string) => account.replaceAll(/[\s-]/g, '').toUpperCase()

/** Whether a line names a single payment, by any id. */
export function namesPayment(line: BankLine): boolean {
  return idOf(line) !== ''
}

function idOf({ end_to_end_id, uetr, instruction_id }: BankLine): string {
  return end_to_end_id || uetr || instruction_id
}

type ItemOf = (line: BankLine) => FoundItem | undefined

/** The lines. Each line that shares an amount gets its own amount, or a defect. */
export function withShares(lines: readonly BankLine[], itemOf: ItemOf): readonly BankLine[] {
  const sharing = lines.filter(({ shared_amount }) => shared_amount !== null)
  if (sharing.length === 0) return lines
  const entries = Map.groupBy(sharing, entryOf)
  const shares = new Map<BankLine, BankLine>()
  for (const entry of entries.values()) {
    for (const [line, share] of sharesOf(entry, itemOf)) shares.set(line, share)
  }
  return lines.map(line => shares.get(line) ?? line)
}

/** The entry of a payment: its statement and its place there. */
const entryOf = ({ statement, position }: BankLine) => `${statement} ${position.split('/')[0]}`

function sharesOf(entry: readonly BankLine[], itemOf: ItemOf): [BankLine, BankLine][] {
  const items = entry.map(itemOf)
  const sum = items.reduce((total, item) => total + (item?.amount ?? 0n), 0n)
  const total = entry[0]?.shared_amount
  const ids = new Set(items.map(item => item?.end_to_end_id))
  const is_whole = sum === total && ids.size === entry.length && !ids.has(undefined)
  const defect = `its entry of ${entry.length} payments comes to ${total}, and ours to ${sum}`
  return entry.map((line, i) => {
    const { amount = null, currency = '' } = items[i] ?? {}
    return [line, is_whole ? { ...line, amount, currency } : { ...line, defect }]
  })
}

export interface FileAnswer {
  readonly state: 'acknowledged' | 'rejected'
  readonly reason: string
}

/** ISO 20022's reasons for a file or payment that the bank already has. */
const REPETITION_CODES = ['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05']

const REFUSALS: readonly Meaning[] = ['rejected', 'cancelled']
const ACCEPTANCES: readonly Meaning[] = ['accepted', 'settled']

export function isRefusal(code: string, meanings: Readonly<Record<string, string>>): boolean {
  return REFUSALS.includes(meaningOf(code, meanings))
}

/** Whether a line about a whole file holds for each of its payments. */
export function isOfEach(
  { level, code }: Pick<BankLine, 'level' | 'code'>,
  meanings: Readonly<Record<string, string>>,
): boolean {
  if (level !== 'file') return true
  return ACCEPTANCES.includes(meaningOf(code, meanings))
}

/** Whether the bank has refused the file as a repetition. It may pay the file's other copy. */
export function isRepetition({ reason }: Pick<RailFile, 'reason'>): boolean {
  return reason.split(' ').some(word => REPETITION_CODES.includes(word))
}

/** The meaning of the line for the file in its present state, or why the line is set aside. */
export function answerOf(
  { msg_id, state, offers }: Pick<RailFile, 'msg_id' | 'state' | 'offers'>,
  line: Pick<BankLine, 'level' | 'code' | 'reasons' | 'text' | 'payment_information_id'>,
  meanings: Readonly<Record<string, string>>,
): FileAnswer | string {
  if (offers === 0) return `file ${msg_id} was not sent yet`
  const is_about_file = line.payment_information_id === ''
  if (state === 'rejected' && !isRefusal(line.code, meanings)) {
    const is_booked = ['booking', 'return'].includes(line.level)
    const may_be_paid = is_booked || ACCEPTANCES.includes(meaningOf(line.code, meanings))
    if (may_be_paid) return `file ${msg_id} was refused before: it may be paid all the same`
  }
  const reason = [line.code, ...line.reasons, line.text].filter(Boolean).join(' ')
  if (!is_about_file || !isRefusal(line.code, meanings)) return { state: 'acknowledged', reason }
  const is_repeated = line.reasons.some(code => REPETITION_CODES.includes(code))
  // The bank refuses a file that was offered before as a copy of itself, but a file that was
  // offered once as a copy of another file.
  if (is_repeated && offers > 1) return { state: 'acknowledged', reason: `${reason}: received` }
  return { state: 'rejected', reason }
}
