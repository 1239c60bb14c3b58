// What is new in any account, for the pages of operators. Events are numbered account by account.
// The number of events of all accounts plus the number of changes of reference data is one number
// that only rises. It tells up to where a page has read.
import type { Sql } from '../db/connect.ts'
import { countAllEvents, countEvents, listEventsAfter } from '../event/store.ts'

/** Instead of ids: something is new, but not what. */
export const ANYTHING: readonly string[] = ['*']

/** If more has changed, it is not told one by one. */
const MOST = { accounts: 20, changes: 100 }

export interface News {
  readonly head: bigint
  /** Up to where the look before this one has read. */
  readonly from: bigint
  /** The objects of all events after `from`. */
  readonly ids: readonly string[]
}

export class DeskNews {
  readonly #audit: Sql
  #head = -1n
  #counts: ReadonlyMap<string, bigint> = new Map()

  constructor(audit: Sql) {
    this.#audit = audit
  }

  async head(): Promise<bigint> {
    const [version, events] = await Promise.all([this.#version(), countAllEvents(this.#audit)])
    return version + events
  }

  /** Reads what is new since the look before. Only one look runs at a time. */
  async look(): Promise<News> {
    const [from, before] = [this.#head, this.#counts]
    if ((await this.head()) === from) return { head: from, from, ids: [] }
    const version = await this.#version()
    // One statement, so that the number fits what is told.
    const rows = await countEvents(this.#audit, undefined)
    const counts = new Map(rows.map(({ account_id, count }) => [account_id, count]))
    const head = rows.reduce((sum, { count }) => sum + count, version)
    const behind = rows.filter(({ account_id, count }) => count > (before.get(account_id) ?? 0n))
    const ids = from === -1n ? ANYTHING : await this.#idsOf(behind, before)
    this.#head = head
    this.#counts = counts
    return { head, from, ids }
  }

  async #version(): Promise<bigint> {
    const [row] = await this.#audit<{ version: bigint }[]>`select version from reference_version`
    return row?.version ?? 0n
  }

  async #idsOf(
    behind: readonly { readonly account_id: string; readonly count: bigint }[],
    before: ReadonlyMap<string, bigint>,
  ): Promise<readonly string[]> {
    // Only reference data has changed, such as a rate; or too many accounts have.
    if (behind.length === 0 || behind.length > MOST.accounts) return ANYTHING
    const found = await Promise.all(
      behind.map(({ account_id, count: to }) => {
        const after = before.get(account_id) ?? 0n
        return to - after > BigInt(MOST.changes)
          ? null
          : listEventsAfter(this.#audit, account_id, { after, to }, MOST.changes)
      }),
    )
    if (found.includes(null)) return ANYTHING
    return [...new Set(found.flatMap(events => (events ?? []).map(event => event.object_id)))]
  }
}
