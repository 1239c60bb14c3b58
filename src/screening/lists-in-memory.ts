// Keeps one version of the lists in this process's memory. A caller that needs another version
// waits for it or goes on without it: no rail gets an unscreened payout.
import type { Sql, TransactionSql } from '../sql/connect.ts'
import type { ListStatus } from './list.ts'
import { stateOf } from './list-rules.ts'
import { listEntries, listNewest, readRequired } from './list-store.ts'
import { type Match, matchOf } from './match.ts'
import type { NamedParty } from './parties.ts'
import { Screener } from './screener.ts'
import type { Hit, ListName } from './screening.ts'

/** The most results in the cache. Most parties are screened again and again. */
const MOST_RESULTS = 50_000

export class PresentLists {
  readonly version: bigint
  /** The lists that must be current before a payout of a live account goes out. */
  readonly required: readonly ListName[]
  readonly #newest: readonly ListStatus[]
  readonly #screener: Screener
  readonly #read_at = performance.now()
  /** By the party's hash. */
  readonly #results = new Map<string, readonly Hit[]>()

  constructor(read: {
    readonly version: bigint
    readonly required: readonly ListName[]
    readonly newest: readonly ListStatus[]
    readonly screener: Screener
  }) {
    this.version = read.version
    this.required = read.required
    this.#newest = read.newest
    this.#screener = read.screener
  }

  /**
   * How to treat the account's parties. `screen`: compare them. `wait`: a required list is not
   * current. `pass`: the operator has set that this installation does not screen live accounts.
   */
  ruleFor({ sandbox }: { readonly sandbox: boolean }): 'screen' | 'wait' | 'pass' {
    if (sandbox) return 'screen'
    if (this.required.length === 0) return 'pass'
    return this.notCurrent().length === 0 ? 'screen' : 'wait'
  }

  /** Whether the lists have no name. */
  get is_empty(): boolean {
    return this.#screener.size === 0
  }

  notCurrent(): ListName[] {
    const passed_s = Math.floor((performance.now() - this.#read_at) / 1000)
    return this.required.filter(list => {
      const status = this.#newest.find(known => known.list === list)
      return stateOf(status && { ...status, age_s: status.age_s + passed_s }) !== 'current'
    })
  }

  /** The party's hits, highest score first, in short steps. */
  *screening({ query, hash }: NamedParty): Generator<void, readonly Hit[]> {
    if (this.#screener.size === 0) return []
    const known = this.#results.get(hash)
    if (known !== undefined) return known
    const hits = yield* this.#screener.screening(query)
    if (this.#results.size >= MOST_RESULTS) this.#results.clear()
    this.#results.set(hash, hits)
    return hits
  }
}

/** The matches of these parties, in short steps. */
export function* matchesOf(
  lists: PresentLists,
  parties: readonly NamedParty[],
): Generator<void, Match[]> {
  const matches: Match[] = []
  for (const party of parties) {
    const hits = yield* lists.screening(party)
    matches.push(...hits.map(hit => matchOf(party, hit)))
    yield
  }
  return matches
}

export class Lists {
  readonly #sql: Sql
  readonly #onError: (error: unknown) => void
  #present: PresentLists | undefined
  #reading: Promise<void> | undefined

  constructor(sql: Sql, onError: (error: unknown) => void) {
    this.#sql = sql
    this.#onError = onError
  }

  /** The lists of this version. Without them, starts a read and returns undefined. */
  at(version: bigint): PresentLists | undefined {
    if (this.#present?.version === version) return this.#present
    this.read().catch(this.#onError)
    return undefined
  }

  /** The lists in memory, of any version; undefined before the first read. */
  latest(): PresentLists | undefined {
    return this.#present
  }

  /** As `at`, but waits for the read. Undefined if the database has another version by now. */
  async waitFor(version: bigint): Promise<PresentLists | undefined> {
    if (this.#present?.version !== version) await this.read()
    return this.#present?.version === version ? this.#present : undefined
  }

  /** Reads the present lists. Concurrent callers share one read. */
  read(): Promise<void> {
    this.#reading ??= readLists(this.#sql)
      .then(present => {
        this.#present = present
      })
      .finally(() => {
        this.#reading = undefined
      })
    return this.#reading
  }

  /** Resolves when no read runs. */
  async idle(): Promise<void> {
    await this.#reading?.catch(() => {})
  }
}

/** Reads version and lists in one snapshot, so that they belong together. */
async function readLists(sql: Sql): Promise<PresentLists> {
  const read = async (tx: TransactionSql) => {
    const { version, required } = await readRequired(tx)
    const newest = await listNewest(tx)
    const entries = newest.length === 0 ? [] : await listEntries(tx)
    return { version, required, newest, entries }
  }
  const isolation = 'isolation level repeatable read read only'
  const { entries, ...known } = await sql.begin(isolation, read)
  return new PresentLists({ ...known, screener: await Screener.of(entries) })
}
