// Applies lines of a bank's file: evidence about payments, answers about whole files, and lines set
// aside. Each may be applied again, after a crash or from another file, and changes nothing then.
import type { BankSays } from '../bank-format.ts'
import { confineTo } from '../db/confine.ts'
import { transact } from '../db/transact.ts'
import { meaningOf } from '../iso20022/status.ts'
import { wakePayouts } from '../payout/wake-store.ts'
import { insertEvidence, type NewEvidence } from './evidence-store.ts'
import { answerFile, findFile, listSharing, type RailFile } from './file-store.ts'
import { insertStrays, type StrayLine } from './inbox-store.ts'
import { type FoundItem, findSpokenOf, listItemsOf } from './item-store.ts'
import { type Bank, byIds, type Group, type ItemsById, matchLine } from './match.ts'
import type { OpenFileRail } from './open-rail.ts'

/** What lines are judged with. */
interface Known {
  readonly rail: OpenFileRail
  readonly sha256: string
  readonly items: ItemsById
  readonly bank: Bank
}

interface FileAnswer {
  readonly state: 'acknowledged' | 'rejected'
  readonly reason: string
}

/** What lines come to. */
interface Findings {
  readonly evidence: NewEvidence[]
  readonly strays: StrayLine[]
  /** By the id of the file. */
  readonly answers: Map<string, FileAnswer>
}

/** Returns how many lines were set aside. */
export async function applyLines(
  rail: OpenFileRail,
  sha256: string,
  lines: readonly BankSays[],
): Promise<number> {
  const { evidence, strays, answers } = await findingsOf(rail, sha256, lines)
  const accounts = [...new Set(evidence.map(({ account_id }) => account_id))]
  await transact(rail.sql, async tx => {
    void confineTo(tx, accounts)
    if (strays.length > 0) await insertStrays(tx, sha256, strays)
    for (const [msg_id, answer] of answers) {
      if (await answerFile(tx, msg_id, answer.state, answer.reason)) tell(rail, msg_id, answer)
    }
    if (evidence.length === 0) return
    const fresh = await insertEvidence(tx, evidence)
    const woken = await wakePayouts(
      tx,
      fresh.map(({ account_id, payout_id: id }) => ({ account_id, id })),
    )
    for (const { id: payout_id, result } of woken) {
      if (result !== 'given_back') continue
      const told = 'a bank speaks of a payout whose money is back: compare its statement'
      rail.log.warn({ rail: rail.name, payout_id }, told)
    }
  })
  return strays.length
}

function tell(rail: OpenFileRail, msg_id: string, { state, reason }: FileAnswer): void {
  const level = state === 'rejected' ? 'error' : 'info'
  rail.log[level]({ rail: rail.name, msg_id, reason }, `the bank has ${state} a file`)
}

async function findingsOf(
  rail: OpenFileRail,
  sha256: string,
  lines: readonly BankSays[],
): Promise<Findings> {
  const items = byIds(await findSpokenOf(rail.finder, lines))
  const sharing = await listSharing(rail.sql, rail.name)
  const bank = new Map(sharing.map(({ rail: name, account }) => [name, account]))
  const known = { rail, sha256, items, bank }
  const findings: Findings = { evidence: [], strays: [], answers: new Map() }
  for (const said of lines) {
    const stray = await judgeLine(known, said, findings)
    if (stray !== undefined) {
      findings.strays.push({ position: said.position, reason: stray, said })
    }
  }
  return findings
}

/** Adds what a line comes to; returns why it is set aside. */
async function judgeLine(
  known: Known,
  said: BankSays,
  { evidence, answers }: Findings,
): Promise<string | undefined> {
  const { rail, sha256, items, bank } = known
  const match = matchLine(said, items, bank)
  if ('stray' in match) return match.stray
  if ('item' in match) {
    const { item } = match
    evidence.push(evidenceOf(item, said, sha256))
    // Whoever speaks of a payment has its file.
    if (!answers.has(item.msg_id)) answers.set(item.msg_id, RECEIVED)
    return undefined
  }
  const file = await fileOf(known, match.group)
  if (typeof file === 'string') return file
  const block = await blockOf(rail, file, match.group, said)
  if (typeof block === 'string') return block
  evidence.push(...block.map(item => evidenceOf(item, said, sha256)))
  // A refusal of the file stays, whatever else the report says of its groups.
  if (answers.get(file.msg_id)?.state !== 'rejected') {
    answers.set(file.msg_id, answerTo(rail, file, match.group, said))
  }
  return undefined
}

const RECEIVED: FileAnswer = { state: 'acknowledged', reason: '' }

/** The file of a group, or why there is none. */
async function fileOf(
  { rail, items, bank }: Known,
  { msg_id, payment_information_id }: Group,
): Promise<RailFile | string> {
  const [item] = items.payment_information_id.get(payment_information_id) ?? []
  const id = msg_id || item?.msg_id || ''
  const file = id === '' ? undefined : await findFile(rail.sql, id)
  if (file === undefined)
    return `no file has the id ${msg_id || payment_information_id || '(none)'}`
  if (!bank.has(file.rail)) return `file ${id} was sent to another bank`
  if (file.offered_at === null) return `file ${id} was not sent yet`
  return file
}

/** Reasons by which a bank says that it has the file, or its payments, already (ISO 20022). */
const HAS_IT_ALREADY = ['DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'AM05']

/** What an answer about a group says of the whole file. */
function answerTo(
  rail: OpenFileRail,
  file: RailFile,
  { payment_information_id }: Group,
  said: BankSays,
): FileAnswer {
  const reason = [said.code, ...said.reasons, said.text].filter(Boolean).join(' ')
  if (!isRefusal(rail, said) || payment_information_id !== '') {
    return { state: 'acknowledged', reason }
  }
  const repeated = said.reasons.some(code => HAS_IT_ALREADY.includes(code))
  // A file that went more than once is known from the time before.
  if (repeated && file.uploads > 1) return { state: 'acknowledged', reason: `${reason}: received` }
  return { state: 'rejected', reason }
}

function isRefusal({ config }: OpenFileRail, { code }: BankSays): boolean {
  return ['rejected', 'cancelled'].includes(meaningOf(code, config.profile.meanings))
}

/**
 * The items that an answer about a group is evidence for; what it says of a whole file that is
 * refused is no evidence that a payment was: a person looks, and they may go again.
 */
async function blockOf(
  rail: OpenFileRail,
  file: RailFile,
  { payment_information_id }: Group,
  said: BankSays,
): Promise<readonly FoundItem[] | string> {
  const about_file = payment_information_id === ''
  if (about_file && (isRefusal(rail, said) || said.level !== 'group')) return []
  const all = await listItemsOf(rail.finder, file.msg_id)
  const block = all.filter(
    item => about_file || item.payment_information_id === payment_information_id,
  )
  if (said.amount === null) return block
  const sum = block.reduce((total, { amount }) => total + amount, 0n)
  if (sum === said.amount && block.every(({ currency }) => currency === said.currency)) return block
  return `it says ${said.currency} ${said.amount} of payments that come to ${sum} in minor units`
}

/** One line as evidence about an item. Of a group, each item has its own amount. */
function evidenceOf(item: FoundItem, said: BankSays, sha256: string): NewEvidence {
  const named = said.end_to_end_id !== '' || said.uetr !== '' || said.instruction_id !== ''
  const { account_id, payout_id, attempt } = item
  const { level, code, reasons, text, is_credit, reference, said_at, statement } = said
  const told = named || said.amount === null
  const amount = told ? said.amount : item.amount
  const currency = told ? said.currency : item.currency
  // The same status of a payment in another file is another one.
  const is_status = ['file', 'group', 'transaction'].includes(level)
  const source = is_status ? said.msg_id || item.msg_id : statement
  return {
    account_id,
    payout_id,
    attempt,
    level,
    code,
    reasons,
    text,
    amount,
    currency,
    is_credit,
    reference: [reference, source].filter(Boolean).join(' '),
    said_at,
    sha256,
    position: said.position,
  }
}
