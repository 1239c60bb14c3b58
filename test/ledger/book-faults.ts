// Faults in journals, heads, balances and events: how each is planted, and which row must be named.
import type { Posting } from '../../src/ledger/rules.ts'
import { type Fault, journal, planted } from './faults.ts'
import { journalsOf, rechain, setPostings, swapJournals } from './forgery.ts'

/** Other postings for journal 1, the funding in USD, and a chain recomputed over them. */
function postingsChange(
  name: string,
  words: RegExp,
  change: (p: readonly Posting[]) => Posting[],
): Fault {
  return {
    name,
    table: 'journals',
    words,
    async plant(owner, { main }) {
      const { account_id } = main.account
      const [first] = await journalsOf(owner, account_id)
      if (first === undefined) throw new Error('an empty book')
      await setPostings(owner, first, change(first.postings))
      await rechain(owner, account_id)
      return journal(1n)
    },
  }
}

const journalFaults: readonly Fault[] = [
  postingsChange('a journal off by one, chain recomputed', /a sum of zero USD; -?1$/, ([a, b]) => [
    a as Posting,
    { ...(b as Posting), amount: (b as Posting).amount + 1n },
  ]),
  postingsChange('an unknown position, chain recomputed', /known codes; pocket USD/, ([a, b]) => [
    { ...(a as Posting), code: 'pocket' as 'funding' },
    b as Posting,
  ]),
  postingsChange('a posting of zero, chain recomputed', /no posting of zero/, postings => [
    ...postings,
    { code: 'fees', currency: 'EUR', amount: 0n },
  ]),
  postingsChange('a single posting, chain recomputed', /two postings or more/, ([a]) => [
    a as Posting,
  ]),
  postingsChange('money from another position, chain recomputed', /funding USD/, ([a, b]) => [
    { ...(a as Posting), code: 'settled' },
    b as Posting,
  ]),
  postingsChange(
    'two movements of the balance in one journal, chain recomputed',
    /^one posting/,
    ([a, b]) => [
      a as Posting,
      { ...(b as Posting), amount: (b as Posting).amount - 1n },
      { ...(b as Posting), amount: 1n },
    ],
  ),
  planted({
    name: 'an unknown kind, chain recomputed',
    table: 'journals',
    words: /a known kind; gift/,
    statement: `update journals set kind = 'gift' where account_id = $1 and number = 5`,
    named: journal(5n),
    covered: true,
  }),
  planted({
    name: 'a missing position',
    table: 'journals',
    words: /codes, currencies and amounts of one length/,
    statement: `update journals set codes = 'available' where account_id = $1 and number = 5`,
    named: journal(5n),
  }),
  {
    name: 'a journal without an account',
    table: 'journals',
    words: /a book of this account; none/,
    async plant(owner, { main }) {
      await owner`
        insert into journals
        select (jsonb_populate_record(j, '{"account_id":"acc_a"}')).* from journals j
        where account_id = ${main.account.account_id} and number = 1`
      return { ...journal(1n), account_id: 'acc_a' }
    },
  },
  planted({
    name: 'a journal deleted',
    table: 'journals',
    words: /the next journal; number 8/,
    statement: `delete from journals where account_id = $1 and number = 7`,
    named: journal(7n),
  }),
  {
    name: 'the last journal deleted',
    table: 'journals',
    words: /journals; /,
    async plant(owner, { sister }) {
      const { account_id } = sister.account
      await owner`delete from journals where account_id = ${account_id} and number = 3`
      return { ...journal(3n), account_id }
    },
  },
  {
    name: 'two journals swapped',
    table: 'journals',
    words: /^hash/,
    async plant(owner, { main }) {
      await swapJournals(owner, main.account.account_id, [4n, 6n])
      return journal(4n)
    },
  },
  planted({
    name: "a time before its predecessor's, chain recomputed",
    table: 'journals',
    words: /a time not before/,
    statement: `update journals set created_at = created_at - interval '1 day'
      where account_id = $1 and number = 5`,
    named: journal(5n),
    covered: true,
  }),
  {
    name: 'two journals swapped, chain recomputed',
    table: 'journals',
    words: /^balance_after/,
    async plant(owner, { main }) {
      const { account_id } = main.account
      // The later one takes the time of the earlier and the reverse, so that time runs on.
      await owner`
        update journals set created_at = (select created_at from journals
          where account_id = ${account_id} and number = 4)
        where account_id = ${account_id} and number between 4 and 6`
      await swapJournals(owner, account_id, [4n, 6n])
      await rechain(owner, account_id)
      return journal(4n)
    },
  },
  {
    name: 'money spent before it arrived, chain recomputed',
    table: 'journals',
    words: /a balance of zero or more; -\d+ USD/,
    async plant(owner, { main }) {
      const { account_id } = main.account
      const [first] = await journalsOf(owner, account_id)
      if (first === undefined) throw new Error('an empty book')
      const one = (amount: bigint) => (amount < 0n ? -1n : 1n)
      const postings = first.postings.map(p => ({ ...p, amount: one(p.amount) }))
      await setPostings(owner, first, postings)
      await owner`
        update journals set amount = 1, balance_after = 1
        where account_id = ${account_id} and number = 1`
      await rechain(owner, account_id)
      return journal(3n)
    },
  },
]

const headFaults: readonly Fault[] = [
  planted({
    name: 'a head other than the last hash',
    table: 'books',
    words: /^head_hash/,
    statement: `update books set head_hash = sha256(head_hash)
      where account_id = $1`,
  }),
  planted({
    name: 'a count too low',
    table: 'books',
    words: /^journal_count/,
    statement: `update books set journal_count = journal_count - 1
      where account_id = $1`,
  }),
  planted({
    name: 'a book deleted',
    table: 'books',
    words: /a book; none/,
    statement: `delete from books where account_id = $1`,
  }),
  {
    name: 'a book without an account',
    table: 'books',
    words: /^an account; none$/,
    async plant(owner) {
      await owner`
        insert into books (account_id, head_hash) values ('acc_z', decode(repeat('00', 32), 'hex'))`
      return { key: '', account_id: 'acc_z' }
    },
  },
  {
    name: 'a balance without an account',
    table: 'books',
    words: /^an account; none$/,
    async plant(owner) {
      await owner`insert into balances (account_id, currency) values ('acc_z', 'USD')`
      return { key: '', account_id: 'acc_z' }
    },
  },
  planted({
    name: 'a balance changed by one',
    table: 'balances',
    words: /^available/,
    statement: `update balances set available = available + 1
      where account_id = $1 and currency = 'EUR'`,
    named: { key: 'EUR' },
  }),
  planted({
    name: 'a balance deleted',
    table: 'balances',
    words: /a row; none/,
    statement: `delete from balances
      where account_id = $1 and currency = 'EUR'`,
    named: { key: 'EUR' },
  }),
  {
    name: 'an unused balance deleted',
    table: 'balances',
    words: /a row; none/,
    async plant(owner, { main }) {
      const deleted = await owner`
        delete from balances
        where account_id = ${main.account.account_id} and currency = 'HKD' and available = 0`
      return { key: deleted.count === 1 ? 'HKD' : 'none to delete' }
    },
  },
  planted({
    name: 'a balance in a currency not held',
    table: 'balances',
    words: /none, as the account has no such currency; a row/,
    statement: `insert into balances (account_id, currency) values ($1, 'JPY')`,
    named: { key: 'JPY' },
  }),
]

const eventFaults: readonly Fault[] = [
  {
    name: 'an event deleted',
    table: 'events',
    words: /sequence \d+$/,
    async plant(owner, { main }) {
      const { account_id } = main.account
      const [first] = await owner<{ sequence: bigint; row: bigint }[]>`
        select min(sequence) as sequence, row_sequence as row from each_event
        where account_id = ${account_id} and row_sequence >= 4
        group by 2 order by 2 limit 1`
      await owner`
        delete from events where account_id = ${account_id} and sequence = ${first?.row ?? 0n}`
      return { key: `sequence ${first?.sequence}` }
    },
  },
  {
    name: 'the last event deleted',
    table: 'events',
    words: /sequence ends$/,
    async plant(owner, { main }) {
      const { account_id } = main.account
      const [row] = await owner<{ sequence: bigint }[]>`
        delete from events where account_id = ${account_id} and sequence =
          (select max(sequence) from events where account_id = ${account_id})
        returning sequence - cardinality(string_to_array(told, ' ')) + 1 as sequence`
      return { key: `sequence ${row?.sequence}` }
    },
  },
  {
    name: 'an event above the count',
    table: 'events',
    words: /no more than the \d+ events/,
    async plant(owner, { main }) {
      const [row] = await owner<{ event_count: bigint }[]>`
        update books set event_count = event_count - 1
        where account_id = ${main.account.account_id} returning event_count`
      return { key: `sequence ${(row?.event_count ?? 0n) + 1n}` }
    },
  },
]

export const BOOK_FAULTS: readonly Fault[] = [...journalFaults, ...headFaults, ...eventFaults]
