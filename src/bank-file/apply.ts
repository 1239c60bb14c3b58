// Applies the lines of a bank's file: evidence about payments, answers about whole files, and lines
// that are set aside. A line that comes again, after a crash or in another file, changes nothing.
import type { BankSays } from '../bank-format/bank-format.ts'
import { wakePayouts } from '../payout/wake-store.ts'
import { answerOf, type FileAnswer, isRefusal } from './answer.ts'
import { insertEvidence, type NewEvidence } from './evidence-store.ts'
import { answerFile, findFile, findFiles, listSharing, type RailFile } from './file-store.ts'
import { insertStrays, type StrayLine } from './inbox-store.ts'
import { type Block, type FoundItem, findSpokenOf, listBlock, sumBlock } from './item-store.ts'
import {
  type Bank,
  byIds,
  type Group,
  type ItemsById,
  matchLine,
  namesPayment,
  type Stray,
} from './match.ts'
import type { OpenFileRail } from './open-rail.ts'
import { keyOf, transactMany } from './waiting.ts'

/** What lines are judged by. */
interface Known {
  readonly items: ItemsById
  readonly bank: Bank
}

/** How many items of a group are read at once, and how much evidence is written at once. */
const TOGETHER = 1_000

/** Returns how many lines were set aside. */
export async function applyLines(
  rail: OpenFileRail,
  sha256: string,
  lines: readonly BankSays[],
): Promise<number> {
  const items = byIds(await findSpokenOf(rail.finder, lines))
  const applying = new Applying(rail, sha256, { items, bank: await bankOf(rail, items) })
  for (const said of lines) await applying.line(said)
  await applying.write()
  return applying.set_aside
}

/**
 * The accounts that the bank debits. By them, `matchLine` tells whose payment a statement is about.
 */
async function bankOf(rail: OpenFileRail, items: ItemsById): Promise<Bank> {
  const spoken = [...items.end_to_end_id.values()].flat()
  const ids = spoken.flatMap(({ msg_id, earlier_files }) => [msg_id, earlier_files.at(-1) ?? ''])
  const [sharing, files] = await Promise.all([
    listSharing(rail.sql, rail.name),
    findFiles(rail.sql, [...new Set(ids)]),
  ])
  return {
    rails: new Map(sharing.map(({ rail: name, account }) => [name, account])),
    files: new Map(files.map(({ msg_id, settlement_account }) => [msg_id, settlement_account])),
  }
}

/**
 * Judges lines in order and writes the results in portions: one line may be about all payments of
 * a file.
 */
class Applying {
  set_aside = 0
  readonly #rail: OpenFileRail
  readonly #sha256: string
  readonly #known: Known
  #evidence: NewEvidence[] = []
  #strays: StrayLine[] = []
  /** By id of the file. */
  #answers = new Map<string, FileAnswer>()

  constructor(rail: OpenFileRail, sha256: string, known: Known) {
    this.#rail = rail
    this.#sha256 = sha256
    this.#known = known
  }

  async line(said: BankSays): Promise<void> {
    const match = matchLine(said, this.#known.items, this.#known.bank)
    if ('group' in match) return this.#group(match.group, said)
    if ('stray' in match) return this.#aside(said, match)
    const { item } = match
    this.#evidence.push(evidenceOf(item, said, this.#sha256))
    // A bank that reports on a payment has the payment's file, unless the report is about an
    // earlier file.
    const same = said.msg_id === '' ? item.earlier_files.length === 0 : said.msg_id === item.msg_id
    if (same && !this.#answers.has(item.msg_id)) this.#answers.set(item.msg_id, RECEIVED)
    await this.#writeIfMany()
  }

  /** The evidence for each payment of a group, and the answer about its file. */
  async #group(group: Group, said: BankSays): Promise<void> {
    const file = await this.#fileOf(group)
    if (typeof file === 'string') return this.#aside(said, { stray: file })
    const { meanings } = this.#rail.config.profile
    const refused = this.#answers.get(file.msg_id)?.state === 'rejected'
    const now = refused ? { ...file, state: 'rejected' as const } : file
    const answer = answerOf(now, said, meanings)
    if (typeof answer === 'string') return this.#aside(said, { stray: answer })
    const { msg_id } = file
    const block = { msg_id, payment_information_id: group.payment_information_id }
    const fault = await this.#sumFault(block, said)
    if (fault !== undefined) return this.#aside(said, { stray: fault })
    // A refusal of the file stays, whatever else the report says about its groups.
    if (this.#answers.get(msg_id)?.state !== 'rejected') this.#answers.set(msg_id, answer)
    // A refusal of a whole file is no evidence that a payment was refused. A person looks at it,
    // and the payments may go again.
    const about_file = block.payment_information_id === ''
    if (about_file && (isRefusal(said.code, meanings) || said.level !== 'group')) return
    let after = ''
    for (;;) {
      const items = await listBlock(this.#rail.finder, block, after, TOGETHER)
      this.#evidence.push(...items.map(item => evidenceOf(item, said, this.#sha256)))
      await this.#writeIfMany()
      if (items.length < TOGETHER) return
      after = items.at(-1)?.end_to_end_id ?? ''
    }
  }

  /** The file of a group, or why there is none. */
  async #fileOf({ msg_id, payment_information_id }: Group): Promise<RailFile | string> {
    const { items, bank } = this.#known
    const [item] = items.payment_information_id.get(payment_information_id) ?? []
    const id = msg_id || item?.msg_id || ''
    const file = id === '' ? undefined : await findFile(this.#rail.sql, id)
    if (file === undefined) {
      return `no file has the id ${msg_id || payment_information_id || '(none)'}`
    }
    if (!bank.rails.has(file.rail)) return `file ${id} was sent to another bank`
    return file
  }

  async #sumFault(block: Block, { amount, currency }: BankSays): Promise<string | undefined> {
    if (amount === null) return undefined
    const sums = await sumBlock(this.#rail.finder, block)
    const [only, another] = sums
    if (another === undefined && only?.sum === amount && only.currency === currency)
      return undefined
    const sum = sums.reduce((total, one) => total + one.sum, 0n)
    return `it says ${currency} ${amount} of payments that come to ${sum} in minor units`
  }

  #aside(said: BankSays, { stray: reason, about }: Stray): void {
    this.set_aside += 1
    this.#strays.push({ position: said.position, reason, said, ...this.#stoppedBy(said, about) })
  }

  /**
   * The payment or file that is not sent until a person has looked, because the bank may already
   * pay it. A line in which the bank refuses a payment stops nothing.
   */
  #stoppedBy(said: BankSays, about: FoundItem | undefined) {
    if (!namesPayment(said)) {
      const msg_id = said.msg_id || blockFile(said.payment_information_id)
      return { end_to_end_id: '', msg_id }
    }
    const refused = isRefusal(said.code, this.#rail.config.profile.meanings)
    return { end_to_end_id: refused ? '' : (about?.end_to_end_id ?? ''), msg_id: '' }
  }

  async #writeIfMany(): Promise<void> {
    if (this.#evidence.length >= TOGETHER) await this.write()
  }

  async write(): Promise<void> {
    const [evidence, strays, answers] = [this.#evidence, this.#strays, this.#answers]
    this.#evidence = []
    this.#strays = []
    this.#answers = new Map()
    await transactMany(this.#rail.sql, evidence, async tx => {
      if (strays.length > 0) await insertStrays(tx, this.#sha256, strays)
      for (const [msg_id, answer] of answers) {
        const is_new = await answerFile(tx, msg_id, answer.state, answer.reason)
        if (is_new) tell(this.#rail, msg_id, answer)
      }
      if (evidence.length === 0) return
      const fresh = await insertEvidence(tx, evidence)
      // The rails of attempts that are over are asked as well.
      const news = fresh.map(item => ({ ...keyOf(item), attempt: item.attempt }))
      await wakePayouts(tx, news)
    })
  }
}

const RECEIVED: FileAnswer = { state: 'acknowledged', reason: '' }

function tell(rail: OpenFileRail, msg_id: string, { state, reason }: FileAnswer): void {
  const level = state === 'rejected' ? 'error' : 'info'
  rail.log[level]({ rail: rail.name, msg_id, reason }, `the bank has ${state} a file`)
}

/** The id of our file is the start of its payment information ids. */
function blockFile(payment_information_id: string): string {
  return /^[0-9A-Z]{16}(?=-)/.exec(payment_information_id)?.[0] ?? ''
}

/** One line as evidence about an item. For a line about a group, the amount is the item's own. */
function evidenceOf(item: FoundItem, said: BankSays, sha256: string): NewEvidence {
  const { account_id, payout_id, attempt } = item
  const { level, code, reasons, text, is_credit, said_at, position } = said
  const { amount, currency } = namesPayment(said) || said.amount === null ? said : item
  // The same status from another file is different evidence.
  const is_status = ['file', 'group', 'transaction'].includes(level)
  const source = is_status ? said.msg_id || item.msg_id : said.statement
  const reference = [said.reference, source].filter(Boolean).join(' ')
  const told = { level, code, reasons, text, amount, currency, is_credit, reference, said_at }
  return { account_id, payout_id, attempt, ...told, sha256, position }
}
