// The lists of one version in the memory of this process. A caller that needs another version waits
// until it is read, or goes on without it: a payout that is not screened is not handed over.
import type { Sql, TransactionSql } from '../db/connect.ts'
import type { ListStatus } from './list.ts'
import { stateOf } from './list-rules.ts'
import { listEntries, listNewest, readRequired } from './list-store.ts'
import type { NamedParty } from './parties.ts'
import { Screener } from './screener.ts'
import type { Hit, ListName } from './screening.ts'

/** How many answers are kept: most parties are asked about again. */
const MOST_KEPT = 50_000

export class PresentLists {
  readonly version: bigint
  /** The lists that must be current before a payout of a live account goes out. */
  readonly required: readonly ListName[]
  readonly #newest: readonly ListStatus[]
  readonly #screener: Screener
  readonly #read_at = performance.now()
  readonly #kept = new Map<string, readonly Hit[]>()

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
   * What to do with parties of the account. `screen`: compare them. `wait`: these lists are not
   * current. `pass`: an operator has decided that this installation does not screen.
   */
  ruleFor({ sandbox }: { readonly sandbox: boolean }): 'screen' | 'wait' | 'pass' {
    if (sandbox) return 'screen'
    if (this.required.length === 0) return 'pass'
    return this.notCurrent().length === 0 ? 'screen' : 'wait'
  }

  /** Whether the lists name nobody. */
  get is_empty(): boolean {
    return this.#screener.size === 0
  }

  /** The lists that must be current but are not. */
  notCurrent(): ListName[] {
    const passed_s = Math.floor((performance.now() - this.#read_at) / 1000)
    return this.required.filter(list => {
      const status = this.#newest.find(known => known.list === list)
      return stateOf(status && { ...status, age_s: status.age_s + passed_s }) !== 'current'
    })
  }

  screen({ asked, hash }: NamedParty): readonly Hit[] {
    if (this.#screener.size === 0) return []
    const known = this.#kept.get(hash)
    if (known !== undefined) return known
    const hits = this.#screener.screen(asked)
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear()
    this.#kept.set(hash, hits)
    return hits
  }
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

  /**
   * The lists of exactly this version; undefined while they are not in memory. Then it reads them.
   */
  at(version: bigint): PresentLists | undefined {
    if (this.#present?.version === version) return this.#present
    this.read().catch(this.#onError)
    return undefined
  }

  /** The lists in memory, of whatever version. */
  latest(): PresentLists | undefined {
    return this.#present
  }

  /** The same as `at`, after it has read them if needed. */
  async reach(version: bigint): Promise<PresentLists | undefined> {
    if (this.#present?.version !== version) await this.read()
    return this.#present?.version === version ? this.#present : undefined
  }

  /** Reads the present lists. Callers share a read. */
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

  /** Resolves when nothing is being read. */
  async idle(): Promise<void> {
    await this.#reading?.catch(() => {})
  }
}

/** Reads in one snapshot, so that the version is that of the lists. */
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
