// Matches a line of a bank's file with an item, a group of items, or a file. A line without a
// match, or one that contradicts the item, is set aside. Pure.

import { isWholeReturn } from '../../rails/returned.ts'
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import { moneyWords } from '../../values/money/words.ts'
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

/** The item, unless the line contradicts what is known of it. */
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

/** Why a return is not that of the whole payment; undefined when it is, or for another line. */
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
