// Finds changes in any account, for operators' pages. Events have numbers only within an account.
// So the number of the last change is a sum that only rises: the count of all accounts' events plus
// the count of changes of reference data. A page knows by it how far it has read.
import type { Sql } from '../sql/connect.ts'
import { countAllEvents, countEvents, listSubjectsAfter } from '../statements/event/store.ts'

/** In place of ids: something has changed, and the page does not learn which objects. */
export const ANYTHING: readonly string[] = ['*']

/** The most changed accounts, and events of one account, whose objects the page learns. */
const MAX_LISTED = { accounts: 20, events: 100 }

export interface Changes {
  readonly last: bigint
  /** The number of the last change at the poll before; -1 at the first poll. */
  readonly previous: bigint
  /** The objects of all changes after `previous`, or ANYTHING. */
  readonly ids: readonly string[]
}

export class InstallationChanges {
  readonly #audit: Sql
  #last = -1n
  #counts: ReadonlyMap<string, bigint> = new Map()

  constructor(audit: Sql) {
    this.#audit = audit
  }

  /** The number of the last change. */
  async lastChange(): Promise<bigint> {
    const [version, events] = await Promise.all([this.#version(), countAllEvents(this.#audit)])
    return version + events
  }

  /** Reads the changes since the poll before. The caller runs one poll at a time. */
  async poll(): Promise<Changes> {
    const [previous, before] = [this.#last, this.#counts]
    if ((await this.lastChange()) === previous) return { last: previous, previous, ids: [] }
    const version = await this.#version()
    // One statement counts all accounts, so that `last` covers exactly the events that are read.
    const rows = await countEvents(this.#audit, undefined)
    const counts = new Map(rows.map(({ account_id, count }) => [account_id, count]))
    const last = rows.reduce((sum, { count }) => sum + count, version)
    const changed = rows.filter(({ account_id, count }) => count > (before.get(account_id) ?? 0n))
    const ids = previous === -1n ? ANYTHING : await this.#idsOf(changed, before)
    this.#last = last
    this.#counts = counts
    return { last, previous, ids }
  }

  async #version(): Promise<bigint> {
    const [row] = await this.#audit<{ version: bigint }[]>`select version from reference_version`
    return row?.version ?? 0n
  }

  async #idsOf(
    changed: readonly { readonly account_id: string; readonly count: bigint }[],
    before: ReadonlyMap<string, bigint>,
  ): Promise<readonly string[]> {
    // Only reference data has changed, such as a rate, or too many accounts have.
    if (changed.length === 0 || changed.length > MAX_LISTED.accounts) return ANYTHING
    const found = await Promise.all(
      changed.map(({ account_id, count: to }) => {
        const after = before.get(account_id) ?? 0n
        return to - after > BigInt(MAX_LISTED.events)
          ? null
          : listSubjectsAfter(this.#audit, account_id, { after, to }, MAX_LISTED.events)
      }),
    )
    if (found.includes(null)) return ANYTHING
    return [...new Set(found.flatMap(events => (events ?? []).map(event => event.object_id)))]
  }
}
