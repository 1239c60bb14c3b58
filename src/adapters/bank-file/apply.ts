// Applies the lines of a bank's file: as evidence of payments, as answers about whole files, or as
// lines that are set aside. A repeated line, after a crash or in another file, changes nothing.
import { type Notice, wakePayouts } from '../../payouts/advance/wake-store.ts'
import type { BankLine } from '../../values/bank-format/bank-format.ts'
import type { OpenFileRail } from './config.ts'
import { findFile, findFiles, listInboxSharers, type RailFile, recordAnswer } from './file-store.ts'
import { insertSetAsideLines, type SetAsideLine } from './inbox-store.ts'
import {
  type Block,
  type FoundItem,
  findItemsOfLines,
  type ItemKey,
  insertEvidence,
  itemName,
  listBlock,
  type NewEvidence,
  sumBlock,
} from './item-store.ts'
import {
  answerOf,
  type DebitedAccounts,
  type FileAnswer,
  type Group,
  type ItemsById,
  indexByIds,
  isOfEach,
  isRefusal,
  matchLine,
  namesPayment,
  type SetAside,
  withShares,
} from './match.ts'
import { noticeOf } from './notice.ts'
import { keyOf, transactMany } from './waiting.ts'

/** The items and accounts that lines are compared with. */
interface Lookups {
  readonly items: ItemsById
  readonly accounts: DebitedAccounts
}

/** The items of a group that are read at once, and the evidence that is written at once. */
const ROWS_AT_ONCE = 1_000

/** Applies lines of one file, in order. Returns how many were set aside. */
export async function applyLines(rail: OpenFileRail, sha256: string, lines: readonly BankLine[]) {
  const items = indexByIds(await findItemsOfLines(rail.finder, lines))
  const accounts = await findAccounts(rail, items)
  const applier = new LineApplier(rail, sha256, { items, accounts })
  const itemOf = (line: BankLine) => {
    const match = matchLine(line, items, accounts)
    return 'item' in match ? match.item : undefined
  }
  for (const line of withShares(lines, itemOf)) await applier.apply(line)
  await applier.write()
  return applier.set_aside
}

async function findAccounts(rail: OpenFileRail, items: ItemsById): Promise<DebitedAccounts> {
  const named = [...items.end_to_end_id.values()].flat()
  const ids = named.flatMap(({ msg_id, earlier_files }) => [msg_id, earlier_files.at(-1) ?? ''])
  const [sharers, files] = await Promise.all([
    listInboxSharers(rail.sql, rail.name),
    findFiles(rail.sql, [...new Set(ids)]),
  ])
  return {
    rails: new Map(sharers.map(({ rail: name, account }) => [name, account])),
    also: new Map(sharers.map(({ rail: name, also }) => [name, also === '' ? [] : [also]])),
    files: new Map(files.map(({ msg_id, settlement_account }) => [msg_id, settlement_account])),
  }
}

/**
 * Matches lines in order and writes the results in portions, as one line may be about all payments
 * of a file.
 */
class LineApplier {
  set_aside = 0
  readonly #rail: OpenFileRail
  readonly #sha256: string
  readonly #lookups: Lookups
  #evidence: NewEvidence[] = []
  /** The requests of the lines to people, each with its payment. */
  #notices: (ItemKey & { readonly notice: Notice })[] = []
  #set_aside_lines: SetAsideLine[] = []
  /** By message id. */
  #answers = new Map<string, FileAnswer>()

  constructor(rail: OpenFileRail, sha256: string, lookups: Lookups) {
    this.#rail = rail
    this.#sha256 = sha256
    this.#lookups = lookups
  }

  async apply(line: BankLine): Promise<void> {
    const match = matchLine(line, this.#lookups.items, this.#lookups.accounts)
    if ('group' in match) return this.#applyGroup(match.group, line)
    if ('reason' in match) return this.#setAside(line, match)
    const { item } = match
    this.#evidence.push(evidenceOf(item, line, this.#sha256))
    const notice = noticeOf(line, this.#rail.config.profile, new Date().toISOString())
    if (notice !== undefined) this.#notices.push({ ...item, notice })
    // A bank that reports on a payment has its present file, unless it names an earlier file.
    const is_present =
      line.msg_id === '' ? item.earlier_files.length === 0 : line.msg_id === item.msg_id
    if (is_present && !this.#answers.has(item.msg_id)) this.#answers.set(item.msg_id, RECEIVED)
    await this.#writeIfMany()
  }

  /** Adds evidence of each payment of a group, and the answer about its file. */
  async #applyGroup(group: Group, line: BankLine): Promise<void> {
    const file = await this.#fileOf(group)
    if (typeof file === 'string') return this.#setAside(line, { reason: file })
    const { meanings } = this.#rail.config.profile
    const is_refused = this.#answers.get(file.msg_id)?.state === 'rejected'
    const present = is_refused ? { ...file, state: 'rejected' as const } : file
    const answer = answerOf(present, line, meanings)
    if (typeof answer === 'string') return this.#setAside(line, { reason: answer })
    const { msg_id } = file
    const block = { msg_id, payment_information_id: group.payment_information_id }
    const fault = await this.#sumFault(block, line)
    if (fault !== undefined) return this.#setAside(line, { reason: fault })
    // A refusal of the file stays, whatever other lines say about its groups.
    if (this.#answers.get(msg_id)?.state !== 'rejected') this.#answers.set(msg_id, answer)
    // The refusal of a whole file does not reject its payments: a person looks at the file, and the
    // payments may go into another. An acceptance or a booking counts for each payment.
    const is_about_file = block.payment_information_id === ''
    if (is_about_file && (isRefusal(line.code, meanings) || !isOfEach(line, meanings))) return
    let after = ''
    for (;;) {
      const items = await listBlock(this.#rail.finder, block, after, ROWS_AT_ONCE)
      this.#evidence.push(...items.map(item => evidenceOf(item, line, this.#sha256)))
      await this.#writeIfMany()
      if (items.length < ROWS_AT_ONCE) return
      after = items.at(-1)?.end_to_end_id ?? ''
    }
  }

  /** The file of a group, or why there is none. */
  async #fileOf({ msg_id, payment_information_id }: Group): Promise<RailFile | string> {
    const { items, accounts } = this.#lookups
    const [item] = items.payment_information_id.get(payment_information_id) ?? []
    const id = msg_id || item?.msg_id || ''
    const file = id === '' ? undefined : await findFile(this.#rail.sql, id)
    if (file === undefined) {
      return `no file has the id ${msg_id || payment_information_id || '(none)'}`
    }
    if (!accounts.rails.has(file.rail)) return `file ${id} was sent to another bank`
    return file
  }

  /** Why the line's amount is not the sum of the block; undefined when it is, or has none. */
  async #sumFault(block: Block, { amount, currency }: BankLine): Promise<string | undefined> {
    if (amount === null) return undefined
    const sums = await sumBlock(this.#rail.finder, block)
    const [only, another] = sums
    if (another === undefined && only?.sum === amount && only.currency === currency)
      return undefined
    const total = sums.reduce((total, { sum }) => total + sum, 0n)
    return `it says ${currency} ${amount} of payments that come to ${total} in minor units`
  }

  #setAside(line: BankLine, { reason, item }: SetAside): void {
    this.set_aside += 1
    const stopped = this.#toBeStopped(line, item)
    const payment = item?.end_to_end_id ?? ''
    const row = { position: line.position, reason, said: line, payment, ...stopped }
    this.#set_aside_lines.push(row)
  }

  /**
   * The payment or file that is not sent until a person closes the line, because the bank may
   * already pay it. A line that refuses a payment stops nothing.
   */
  #toBeStopped(line: BankLine, item: FoundItem | undefined) {
    if (!namesPayment(line)) {
      const msg_id = line.msg_id || blockFile(line.payment_information_id)
      return { end_to_end_id: '', msg_id }
    }
    const is_refused = isRefusal(line.code, this.#rail.config.profile.meanings)
    return { end_to_end_id: is_refused ? '' : (item?.end_to_end_id ?? ownId(line)), msg_id: '' }
  }

  async #writeIfMany(): Promise<void> {
    if (this.#evidence.length >= ROWS_AT_ONCE) await this.write()
  }

  /** Writes the results so far in one transaction, and wakes the payouts with new evidence. */
  async write(): Promise<void> {
    const [evidence, lines, answers] = [this.#evidence, this.#set_aside_lines, this.#answers]
    const notices = this.#notices
    this.#evidence = []
    this.#notices = []
    this.#set_aside_lines = []
    this.#answers = new Map()
    await transactMany(this.#rail.sql, evidence, async tx => {
      if (lines.length > 0) await insertSetAsideLines(tx, this.#sha256, lines)
      for (const [msg_id, answer] of answers) {
        const is_new = await recordAnswer(tx, msg_id, answer.state, answer.reason)
        if (is_new) logAnswer(this.#rail, msg_id, answer)
      }
      if (evidence.length === 0) return
      const items = await insertEvidence(tx, evidence)
      // With its number, an attempt that is over is asked about as well.
      const attempts = items.map(item => ({ ...keyOf(item), attempt: item.attempt }))
      // A repeated line asks for nothing again.
      const with_news = new Set(items.map(itemName))
      const asked = notices
        .filter(one => with_news.has(itemName(one)))
        .map(one => ({ ...keyOf(one), attempt: one.attempt, notice: one.notice }))
      await wakePayouts(tx, [...attempts, ...asked])
    })
  }
}

const RECEIVED: FileAnswer = { state: 'acknowledged', reason: '' }

function logAnswer(rail: OpenFileRail, msg_id: string, { state, reason }: FileAnswer): void {
  const level = state === 'rejected' ? 'error' : 'info'
  rail.log[level]({ rail: rail.name, msg_id, reason }, `the bank has ${state} a file`)
}

/** The message id of a block's file: the start of its payment information id; '' for no such id. */
function blockFile(payment_information_id: string): string {
  return /^[0-9A-Z]{16}(?=-)/.exec(payment_information_id)?.[0] ?? ''
}

/**
 * The id of a payment that this database does not have yet, as after a restore: ids follow from the
 * attempt. Banks give it back in either place, or only the UETR. '' for ids not of our form.
 */
function ownId({ end_to_end_id, instruction_id, uetr }: BankLine): string {
  return [end_to_end_id, instruction_id].find(id => /^[0-9A-Z]{15}$/.test(id)) ?? uetr
}

/** A line as evidence of an item. A line about a group gives each item its own amount. */
function evidenceOf(item: FoundItem, line: BankLine, sha256: string): NewEvidence {
  const { account_id, payout_id, attempt } = item
  const { level, code, reasons, text, is_credit, said_at, position } = line
  const { amount, currency } = namesPayment(line) || line.amount === null ? line : item
  // The same status about another file of ours is no repeat.
  const is_status = ['file', 'group', 'transaction'].includes(level)
  const source = is_status ? line.msg_id || item.msg_id : line.statement
  const reference = [line.reference, source].filter(Boolean).join(' ')
  const facts = { level, code, reasons, text, amount, currency, is_credit, reference, said_at }
  return { account_id, payout_id, attempt, ...facts, sha256, position }
}
