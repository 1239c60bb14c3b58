// Suggests what may explain an open line, best first, each with its reason. A person decides: only
// exact keys match by themselves. Pure.
import { compareNames } from '../../screening/name-score.ts'
import { wordsOf } from '../../screening/words.ts'
import type { IsoDate } from '../../values/calendar/calendar.ts'
import { moneyWords } from '../../values/money/words.ts'
import type { OpenItem, OpenLine } from './match.ts'
import { MOST_AMOUNTS, subsetsOf } from './subset-sum.ts'

/** The ranks of suggestions; 1 to 4 are the rules of the engine. */
export const RANKS = { other_amount: 5, payee_account: 6, several: 7, amount: 8 } as const
export type SuggestionRule = keyof typeof RANKS

/** What may explain a line, once a person accepts it. */
export interface Candidate {
  readonly rule: SuggestionRule
  readonly items: readonly OpenItem[]
  /** Further lines that belong to it. */
  readonly lines: readonly OpenLine[]
  /** What the lines have more (+) or less (−) than the items: a journal of the house for it. */
  readonly rest: bigint
  readonly reason: string
}

/** What the store has found for a line. */
export interface Surroundings {
  readonly line: OpenLine
  /** Items with a key or the block of the line, and any amount. */
  readonly named: readonly OpenItem[]
  /** Items of the same amount, or a smaller one of the same sign, some days around the line. */
  readonly near: readonly OpenItem[]
  /** Items with a larger amount of the same sign, some days around the line. */
  readonly larger: readonly OpenItem[]
  /** Open lines of the same counterparty and sign, some days around the line. */
  readonly siblings: readonly OpenLine[]
}

/** The store looks this many days before and after a line. */
export const DAYS_AROUND = 10
const BANKING_DAYS = 3
const SAME_NAME = 0.9
const MOST_MEMBERS = 12
const MOST_ANSWERS = 3
const MOST_CANDIDATES = 5

/** At most five, the best first. What two rules find is shown by the better one. */
export function suggest(around: Surroundings): readonly Candidate[] {
  const named = otherAmounts(around)
  const alone = byAmount(around)
  const several = [...severalItems(around), ...severalLines(around)]
  const all = [...named, ...alone, ...(several.length > MOST_ANSWERS ? [] : several)]
  const sorted = all.toSorted((a, b) => RANKS[a.rule] - RANKS[b.rule])
  const first = new Map(sorted.toReversed().map(candidate => [membersOf(candidate), candidate]))
  const found = sorted.filter(candidate => first.get(membersOf(candidate)) === candidate)
  return found.slice(0, MOST_CANDIDATES)
}

const membersOf = ({ items, lines }: Candidate) =>
  [...items, ...lines].map(({ id }) => id).join(' ')

function otherAmounts({ line, named }: Surroundings): Candidate[] {
  const blocks = Map.groupBy(named, item => (blockNamed(line, item) ? item.block : `${item.id}`))
  return [...blocks.values()].map(items => {
    const sum = items.reduce((total, { amount }) => total + amount, 0n)
    const rest = line.amount - sum
    const what = items.length === 1 ? 'the item' : `the ${items.length} items of the block`
    const words =
      rest === 0n
        ? 'the key is the same, and other lines or items have it too'
        : `the key is the same, and ${what} has ${moneyWords(sum, line.currency)}`
    return { rule: 'other_amount', items, lines: [], rest, reason: words }
  })
}

function blockNamed(line: OpenLine, { block }: OpenItem): boolean {
  const { block: own, file, end_to_end_id, bank_reference } = line
  return block !== '' && [own, file, end_to_end_id, bank_reference].includes(block)
}

function byAmount({ line, near, siblings }: Surroundings): Candidate[] {
  const equal = near.filter(({ amount }) => amount === line.amount)
  const ofAccount = equal.filter(item => isClose(line, item) && isSameAccount(line, item))
  const rivals = siblings.filter(({ amount }) => amount === line.amount)
  return equal.flatMap((item): Candidate[] => {
    const one = { items: [item], lines: [], rest: 0n }
    if (ofAccount.length === 1 && ofAccount[0] === item && rivals.length === 0) {
      const reason = 'amount, account of the payee and date agree, and those of nothing else'
      return [{ ...one, rule: 'payee_account', reason }]
    }
    const score = nameScore(line.counterparty_name, item.payee_name)
    if (score >= SAME_NAME) {
      return [
        { ...one, rule: 'amount', reason: `the amount agrees, and the name ${percent(score)}` },
      ]
    }
    return isClose(line, item) ? [{ ...one, rule: 'amount', reason: 'amount and date agree' }] : []
  })
}

function severalItems({ line, near }: Surroundings): Candidate[] {
  const smaller = near.filter(({ amount }) => amount !== line.amount)
  const groups = [...Map.groupBy(smaller, payeeKey)].filter(([key]) => key !== '')
  return groups.flatMap(([, items]): Candidate[] => {
    if (items.length < 2 || items.length > MOST_AMOUNTS || !mayBePayee(line, items)) return []
    const amounts = items.map(({ amount }) => amount)
    const bounds = { least: 2, most: MOST_MEMBERS, answers: MOST_ANSWERS }
    const answers = subsetsOf(amounts, line.amount, bounds) ?? []
    return answers.map(places => ({
      rule: 'several',
      items: places.map(place => items[place] as OpenItem),
      lines: [],
      rest: 0n,
      reason: `${places.length} items of one payee sum to the line`,
    }))
  })
}

/** Whether the line may be of their payee: it names nobody, or it names them. */
function mayBePayee(line: OpenLine, [item]: readonly OpenItem[]): boolean {
  if (item === undefined) return false
  if (isSameAccount(line, item)) return true
  if (line.counterparty !== '' && item.payee_account !== '') return false
  return line.counterparty_name === '' || isSameName(line, item)
}

function severalLines({ line, larger, siblings }: Surroundings): Candidate[] {
  const others = siblings.slice(0, MOST_AMOUNTS)
  if (others.length === 0) return []
  const amounts = others.map(({ amount }) => amount)
  return larger.flatMap((item): Candidate[] => {
    if (!isSameAccount(line, item) && !isSameName(line, item)) return []
    const bounds = { least: 1, most: MOST_MEMBERS - 1, answers: MOST_ANSWERS }
    const answers = subsetsOf(amounts, item.amount - line.amount, bounds) ?? []
    return answers.map(places => ({
      rule: 'several',
      items: [item],
      lines: places.map(place => others[place] as OpenLine),
      rest: 0n,
      reason: `${places.length + 1} lines of one counterparty sum to the item`,
    }))
  })
}

const payeeKey = ({ payee_account, payee_name, account_id, kind }: OpenItem) =>
  kind.startsWith('payout') ? payee_account || payee_name : account_id

const isSameName = (line: OpenLine, item: OpenItem) =>
  nameScore(line.counterparty_name, item.payee_name) >= SAME_NAME

function nameScore(one: string, other: string): number {
  const [words, listed] = [wordsOf(one), wordsOf(other)]
  return words.length === 0 || listed.length === 0 ? 0 : compareNames(words, listed).score
}

/** A share as whole percent, rounded down. */
const percent = (score: number) => `to ${Math.trunc(score * 100)} %`

function isSameAccount({ counterparty }: OpenLine, { payee_account }: OpenItem): boolean {
  const bare = (account: string) => account.replace(/[^\p{L}\p{N}]/gu, '').toUpperCase()
  return bare(counterparty) !== '' && bare(counterparty) === bare(payee_account)
}

type OnDay = Pick<OpenLine, 'value_on'>

export function isClose(line: OnDay, item: OnDay): boolean {
  return weekdaysBetween(line.value_on, item.value_on) <= BANKING_DAYS
}

const DAY_MS = 86_400_000

/** How many days from Monday to Friday lie after the earlier day, up to the later one. */
export function weekdaysBetween(one: IsoDate, other: IsoDate): number {
  const days = [one, other].map(day => Date.parse(`${day}T00:00:00Z`) / DAY_MS)
  const [from, to] = [Math.min(...days), Math.max(...days)]
  let count = 0
  // 1970-01-01 was a Thursday: days 2 and 3 of each week are its weekend.
  for (let day = from + 1; day <= to; day++) if (![2, 3].includes(((day % 7) + 7) % 7)) count++
  return count
}
