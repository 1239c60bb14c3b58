// Matches the open lines of a nostro with open items, by the rules that need no person. A run that
// is killed loses its last transaction alone, and the next run finds what is still open.
import type { Sql, TransactionSql } from '../../sql/connect.ts'
import { Contention } from '../../sql/failure.ts'
import { AGAINST, bookHouse, movedOn } from '../house.ts'
import type { Nostro } from '../nostro.ts'
import { listNostros } from '../nostro-store.ts'
import { byAccount } from './by-account.ts'
import type { NewMatch } from './match.ts'
import { asMatcher, findHouseItems, movesOn, writeMatches } from './match-store.ts'
import { type NostroRule, patternOf, ruleWords } from './nostro-rule.ts'
import { listCreditedBeside, listItemsOfAccounts } from './return-store.ts'
import {
  findByAccount,
  findByBlock,
  findByKey,
  findByRule,
  hasOpenLines,
  type Pairing,
  type Ruled,
} from './rule-store.ts'
import { needsTwoPeople } from './second-person.ts'
import { movedBetween } from './transfer.ts'

/** The most matches that are found at once, and held in memory. */
const MOST_FOUND = 100_000
/** The most matches of a transaction: an undo of one of its lines waits for it. */
const MOST_MATCHES = 10_000
const MOST_TRIES = 5
/** A line that a rule books makes a journal of its own. */
const MOST_BOOKED = 500

/** How many matches a run has made, by the rule. */
export interface MatchCounts {
  readonly by_key: number
  readonly by_block: number
  readonly by_text: number
  readonly by_account: number
  readonly by_nostro_rule: number
}

const NOTHING: MatchCounts = {
  by_key: 0,
  by_block: 0,
  by_text: 0,
  by_account: 0,
  by_nostro_rule: 0,
}

/**
 * Runs after each import of a statement, after items are derived, and when a person asks.
 * @throws MatcherBusy when another process matches the nostro and `waits` is false
 */
export async function matchNostro(sql: Sql, nostro: Nostro, waits = true): Promise<MatchCounts> {
  if (!(await hasOpenLines(sql, nostro.name))) return NOTHING
  const run = { sql, nostro, waits }
  const pairs = (find: Find, rule: NewMatch['rule']) => matchPairs(run, rule, find)
  const by_key = await pairs(tx => findByKey(tx, nostro, false, MOST_FOUND), 'key')
  const by_block = await pairs(tx => findByBlock(tx, nostro, MOST_FOUND), 'block')
  const by_text = await pairs(tx => findByKey(tx, nostro, true, MOST_FOUND), 'text')
  const by_account =
    nostro.settings.match_by_account === true
      ? await pairs(async tx => byAccount(await findByAccount(tx, nostro)), 'payee_account')
      : 0
  const by_nostro_rule = await applyRules(run)
  return { by_key, by_block, by_text, by_account, by_nostro_rule }
}

interface Run {
  readonly sql: Sql
  readonly nostro: Nostro
  readonly waits: boolean
}

const inRun = <T>({ sql, nostro, waits }: Run, work: (tx: TransactionSql) => Promise<T>) =>
  asMatcher(sql, { nostro: nostro.name, waits }, work)

type Find = (tx: TransactionSql) => Promise<Pairing[]>

/**
 * Finds pairs, and writes them in several transactions. When somebody has matched one of them
 * meanwhile, it finds again.
 */
async function matchPairs(run: Run, rule: NewMatch['rule'], find: Find): Promise<number> {
  const { nostro } = run
  let all = 0
  for (let tries = 0; ; ) {
    const found = await inRun(run, find)
    let written = 0
    try {
      for (let from = 0; from < found.length; from += MOST_MATCHES) {
        const some = found.slice(from, from + MOST_MATCHES)
        const matches = some.map(pairing => pairMatch(nostro, rule, pairing))
        const ids = await inRun(run, async tx =>
          writeMatches(tx, await certainOf(tx, nostro, matches)),
        )
        written += ids.length
      }
      all += written
      if (found.length < MOST_FOUND || written === 0) return all
    } catch (error) {
      tries += 1
      if (!(error instanceof Contention) || tries === MOST_TRIES) throw error
    }
  }
}

function pairMatch({ name }: Nostro, rule: NewMatch['rule'], pairing: Pairing): NewMatch {
  const { line, items, amount: sum, by_details } = pairing
  const of = { nostro: name, by: '', note: '', house_number: null }
  return { ...of, rule: by_details ? 'details' : rule, lines: [line], items, sum }
}

/**
 * Leaves out what is not certain: a match of a line that an account has by another item; and of a
 * large credit with items of the house alone, which two people decide about.
 */
async function certainOf(tx: TransactionSql, nostro: Nostro, matches: readonly NewMatch[]) {
  const credited = await listCreditedBeside(tx, matches)
  const large = matches.filter(({ sum }) => needsTwoPeople(nostro, sum))
  const items = large.flatMap(match => match.items)
  const owned = new Set(
    items.length === 0 ? [] : (await listItemsOfAccounts(tx, items)).map(({ id }) => id),
  )
  const undecided = new Set(large.filter(match => !match.items.some(id => owned.has(id))))
  return matches.filter(
    match => !undecided.has(match) && !match.lines.some(line => credited.has(line)),
  )
}

async function applyRules(run: Run): Promise<number> {
  const { nostro } = run
  const rules = (nostro.settings.rules ?? []) as unknown as readonly NostroRule[]
  if (rules.length === 0) return 0
  const patterns = rules.map(patternOf)
  let after = 0n
  let all = 0
  for (;;) {
    const booked = await inRun(run, async tx => {
      const found = await findByRule(tx, nostro, patterns, { after, most: MOST_BOOKED })
      const matches = await matchesOf(tx, nostro, rules, found)
      await writeMatches(tx, matches)
      after = found.at(-1)?.line ?? after
      return { found: found.length, matches: matches.length }
    })
    all += booked.matches
    if (booked.found < MOST_BOOKED) return all
  }
}

async function matchesOf(
  tx: TransactionSql,
  nostro: Nostro,
  rules: readonly NostroRule[],
  found: readonly Ruled[],
): Promise<NewMatch[]> {
  const others = new Map((await listNostros(tx)).map(one => [one.name, one]))
  const matches: NewMatch[] = []
  const lines = found.map(({ line }) => ({ lines: [line], items: [] }))
  const credited = await listCreditedBeside(tx, lines)
  for (const ruled of found) {
    if (credited.has(ruled.line) || needsTwoPeople(nostro, ruled.amount)) continue
    const rule = rules[ruled.rule]
    if (rule === undefined) throw new Error(`the nostro has no rule ${ruled.rule}`)
    const booked = await bookRuled(tx, nostro, { rule, ruled, others })
    if (booked === undefined) continue
    const { line, amount: sum } = ruled
    const of = { nostro: nostro.name, rule: 'nostro_rule', by: '', note: ruleWords(rule) } as const
    matches.push({ ...of, lines: [line], sum, ...booked })
  }
  return matches
}

interface Booking {
  readonly rule: NostroRule
  readonly ruled: Ruled
  readonly others: ReadonlyMap<string, Nostro>
}

/** The items that the line matches; undefined when a person must say what it is. */
async function bookRuled(
  tx: TransactionSql,
  nostro: Nostro,
  { rule, ruled, others }: Booking,
): Promise<Pick<NewMatch, 'items' | 'house_number'> | undefined> {
  const { amount, value_on, transfers, rivals } = ruled
  const by = `rule: ${ruleWords(rule)}`
  const journal = { value_on, or_later: true, reference: '', note: '', by } as const
  const code = AGAINST[rule.as]
  if (code !== undefined) {
    const postings = movedOn(nostro, amount, code)
    return itemOf(tx, nostro, await bookHouse(tx, { ...journal, kind: rule.as, postings }))
  }
  // The other nostro may have booked the transfer already, which must not be booked twice.
  if (transfers.length > 0) {
    const [item] = transfers
    const isOnly = item !== undefined && transfers.length === 1 && rivals === 1
    return isOnly && (await movesOn(tx, item, rule.to ?? ''))
      ? { items: transfers, house_number: null }
      : undefined
  }
  const other = others.get(rule.to ?? '')
  if (other === undefined || other.closed_at !== null || other.currency !== nostro.currency) {
    return undefined
  }
  const postings = movedBetween(nostro, other, amount)
  return itemOf(tx, nostro, await bookHouse(tx, { ...journal, kind: 'transfer', postings }))
}

/** The item that a journal of the house has made on the nostro. */
async function itemOf(tx: TransactionSql, nostro: Nostro, house_number: bigint) {
  const items = await findHouseItems(tx, house_number)
  const own = items.filter(item => item.nostro === nostro.name)
  return { items: own.map(({ id }) => id), house_number }
}
