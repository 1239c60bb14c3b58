// What a line of a bank's file is about: an item, all items of a group, or a file. A line that fits
// none of them, or contradicts what was sent, is a stray. Pure.
import type { BankSays } from '../bank-format/bank-format.ts'
import type { FoundItem } from './item-store.ts'

/** The outcome of one line. */
export type Match =
  | { readonly item: FoundItem }
  /** All items of a payment information block, or of a file. */
  | { readonly group: Group }
  | Stray

/** Why a line is set aside, and the payment that it names, if any. */
export interface Stray {
  readonly stray: string
  readonly about?: FoundItem
}

/** A file, or a payment information block of it; '' is "not said". */
export type Group = Pick<BankSays, 'msg_id' | 'payment_information_id'>

const IDS = ['end_to_end_id', 'uetr', 'instruction_id', 'payment_information_id'] as const
type Id = (typeof IDS)[number]

export type ItemsById = { readonly [I in Id]: ReadonlyMap<string, FoundItem[]> }

/** The items that lines name, by each id that a bank may give back. */
export function byIds(items: readonly FoundItem[]): ItemsById {
  const by = (name: Id) => Map.groupBy(items, item => item[name])
  return Object.fromEntries(IDS.map(name => [name, by(name)] as const)) as unknown as ItemsById
}

/** The accounts that a bank debits, as its statements name them. */
export interface Bank {
  /** The account of each rail that shares the inbox, by the name of the rail. */
  readonly rails: ReadonlyMap<string, string>
  /**
   * The account of each named file at its sealing: the rail may debit another account since then.
   */
  readonly files: ReadonlyMap<string, string>
}

const STATUSES: readonly BankSays['level'][] = ['file', 'group', 'transaction']
const MONEY: readonly BankSays['level'][] = ['booking', 'return']
const ABOUT_FILES: readonly BankSays['level'][] = ['file', 'group']

export function matchLine(said: BankSays, items: ItemsById, bank: Bank): Match {
  const { payment_information_id, msg_id } = said
  if (!namesPayment(said)) {
    const in_batch = payment_information_id !== ''
    if (ABOUT_FILES.includes(said.level) || in_batch) {
      return { group: { msg_id, payment_information_id } }
    }
    return { stray: 'it names no payment' }
  }
  const found = candidates(said, items)
  const [item, another] = found
  if (item === undefined) return { stray: `no payment has the id ${idOf(said)}` }
  if (another !== undefined) return { stray: `its ids are those of ${found.length} payments` }
  return judged(item, said, bank)
}

/**
 * Finds items by the best id that the bank gives. If the UETR is that of another payment, returns
 * that payment too, so that the line is a stray.
 */
function candidates(said: BankSays, items: ItemsById): FoundItem[] {
  const { end_to_end_id, uetr, instruction_id } = said
  const by = {
    end_to_end_id: items.end_to_end_id.get(end_to_end_id) ?? [],
    uetr: items.uetr.get(uetr) ?? [],
    instruction_id: (items.instruction_id.get(instruction_id) ?? []).filter(
      item =>
        said.payment_information_id === '' ||
        item.payment_information_id === said.payment_information_id,
    ),
  }
  // Only we make EndToEndIds. Without one the UETR decides, and without a UETR the InstrId.
  if (end_to_end_id !== '') {
    const contradicting = by.uetr.filter(item => item.end_to_end_id !== end_to_end_id)
    return [...by.end_to_end_id, ...(by.end_to_end_id.length > 0 ? contradicting : [])]
  }
  return by.uetr.length > 0 ? by.uetr : by.instruction_id
}

function judged(item: FoundItem, said: BankSays, bank: Bank): Match {
  const { end_to_end_id, msg_id, earlier_files } = item
  const account = accountPaidFrom(bank, item)
  if (account === undefined) return { stray: `payment ${end_to_end_id} was sent to another bank` }
  const aside = (stray: string): Stray => ({ stray, about: item })
  // A booking or return matches an item even without a file: its money must not be paid again.
  if (msg_id === '' && !MONEY.includes(said.level)) {
    return aside(`payment ${end_to_end_id} is in no file yet`)
  }
  if (STATUSES.includes(said.level)) {
    // A late status of an earlier, refused file is not about the file that has the payment now.
    if (said.msg_id !== '' && said.msg_id !== msg_id) {
      return aside(`it is about file ${said.msg_id}, and the payment is in ${msg_id}`)
    }
    if (said.msg_id === '' && earlier_files.length > 0) {
      const before = earlier_files.at(-1)
      return aside(`it names no file, and the payment was in ${before} and is in ${msg_id}`)
    }
  }
  if (said.account !== '' && plain(said.account) !== plain(account)) {
    return aside(`it is about the account ${said.account}, and was paid from ${account}`)
  }
  return { item }
}

/** The account that a payment is debited from; undefined when another bank got the payment. */
function accountPaidFrom({ rails, files }: Bank, item: FoundItem): string | undefined {
  const account = rails.get(item.rail)
  if (account === undefined) return undefined
  return files.get(item.msg_id || (item.earlier_files.at(-1) ?? '')) ?? account
}

const plain = (account: string) => account.replaceAll(/[\s-]/g, '').toUpperCase()

/** Whether a line names one payment, by any of its ids. */
export function namesPayment(said: BankSays): boolean {
  return idOf(said) !== ''
}

function idOf({ end_to_end_id, uetr, instruction_id }: BankSays): string {
  return end_to_end_id || uetr || instruction_id
}
