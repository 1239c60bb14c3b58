// Compares new and changed entities and beneficiaries with the sanctions lists, and all after a
// change of the lists. The worker rests as long as a round took, so that payouts do not wait. It
// may be killed at any point: its claims come due again, and no person judges a match twice.
import type { Account } from '../../accounts/rules.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readListsVersion } from '../../screening/list-store.ts'
import { matchesOf, type PresentLists } from '../../screening/lists-in-memory.ts'
import type { Match } from '../../screening/match.ts'
import {
  type ClaimedParties,
  claimPass,
  claimQueued,
  deleteQueued,
  endTurn,
  listPartiesAfter,
  type ReadParty,
  readParties,
} from '../../screening/party-store.ts'
import { readConfined } from '../../sql/confine.ts'
import { runInTurns } from '../../values/event-loop.ts'
import type { Key } from '../../values/id.ts'
import { countWaitingParties, startCounting } from './counts.ts'
import { startWorker, type Worker, warned } from './worker.ts'

/** Most parties of one round from the queue, and as many from the pass. */
const ROUND = 200

/** Much longer than a round takes. */
const LEASE_MS = 30_000

export function startScreeningParties(deps: Deps): Worker {
  const stopCounting = startCounting(
    () => countWaitingParties(deps),
    warned(deps, 'parties that wait could not be counted', undefined),
  )
  const screening = startWorker(async () => {
    const from = performance.now()
    const compared = await screenParties(deps).catch(
      warned(deps, 'parties could not be screened', 0),
    )
    return compared === 0 ? deps.config.settle_poll_ms : performance.now() - from
  })
  return {
    stop() {
      stopCounting()
      return screening.stop()
    },
  }
}

/** Returns the number of parties that were compared. */
export async function screenParties(deps: Deps): Promise<number> {
  const version = await readListsVersion(deps.finder)
  const lists = await deps.lists.waitFor(version)
  if (lists === undefined) return 0
  return (await screenQueued(deps, lists)) + (await screenNext(deps, lists))
}

async function screenQueued(deps: Deps, lists: PresentLists): Promise<number> {
  let compared = 0
  for (const claim of await claimQueued(deps, ROUND, LEASE_MS)) {
    const { account_id } = claim
    // After a failure these parties come due again, and others do not wait.
    const failed = warned(deps, 'parties of an account could not be screened', 0, { account_id })
    compared += await screenClaim(deps, lists, claim).catch(failed)
  }
  return compared
}

async function screenClaim(deps: Deps, lists: PresentLists, claim: ClaimedParties) {
  const { account_id, party_ids } = claim
  await screenOf(deps, lists, account_id, party_ids)
  // Reads the version after the parties: a later version's pass compares all parties again.
  if ((await readListsVersion(deps.finder)) !== lists.version) return 0
  await deleteQueued(deps.sql, claim)
  return party_ids.length
}

/** Screens the next parties of the pass: a change of the lists starts one over all parties. */
async function screenNext(deps: Deps, lists: PresentLists): Promise<number> {
  const claim = await claimPass(deps.sql, lists.version, LEASE_MS)
  if (claim === undefined) return 0
  const keys = lists.is_empty ? [] : await listPartiesAfter(deps.finder, claim, ROUND)
  for (const [account_id, parties] of Map.groupBy(keys, (key: Key) => key.account_id)) {
    const ids = parties.map(({ id }) => id)
    await screenOf(deps, lists, account_id, ids)
  }
  await endTurn(deps.sql, claim, keys.length < ROUND ? undefined : keys.at(-1))
  return keys.length
}

async function screenOf(
  deps: Deps,
  lists: PresentLists,
  account_id: string,
  ids: readonly string[],
): Promise<void> {
  // Old lists are better than none: the party is compared again later.
  if (lists.is_empty || lists.ruleFor(await accountOf(deps, account_id)) === 'pass') return
  const parties = await readConfined(deps.sql, [account_id], tx => readParties(tx, account_id, ids))
  const found = await runInTurns(comparing(lists, parties))
  for (const { party, matches } of found) {
    const { id: party_id, updated_at: compared_at } = party
    const kept = await deps.lanes.keepFound.run({ account_id, party_id, compared_at, matches })
    if (kept.matches.length === 0) continue
    deps.log.warn({ party_id, matches: kept.matches.length }, 'a party may be on a sanctions list')
  }
}

function* comparing(lists: PresentLists, parties: readonly ReadParty[]) {
  const found: { readonly party: ReadParty; readonly matches: readonly Match[] }[] = []
  for (const party of parties) {
    const matches: readonly Match[] = yield* matchesOf(lists, party.parties)
    if (matches.length > 0) found.push({ party, matches })
  }
  return found
}

/** The account, from memory. If it is unknown, a refresh reads newly opened accounts. */
async function accountOf({ reference }: Deps, account_id: string): Promise<Account> {
  const known = () => reference.current().accounts.get(account_id)
  if (known() === undefined) await reference.refresh()
  const account = known()
  if (account === undefined) throw new Error(`account ${account_id} is not known here yet`)
  return account
}
