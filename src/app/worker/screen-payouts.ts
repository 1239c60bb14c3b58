// Screens open payouts that were not screened, or only by older lists, by commands in the payouts'
// lane. Payouts that lack current lists are tried once a second. The worker may be killed at any
// point: no payout goes out unscreened.
import { listUnscreened } from '../../payouts/advance/screening-store.ts'
import { type PayoutParties, screenAll } from '../../payouts/create/screen.ts'
import { findPayouts } from '../../payouts/store.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readListsVersion } from '../../screening/list-store.ts'
import type { PresentLists } from '../../screening/lists-in-memory.ts'
import type { Screened } from '../../screening/match.ts'
import { readConfined } from '../../sql/confine.ts'
import { Refusal } from '../../values/errors.ts'
import { type Key, nameOf, uniqueKeys } from '../../values/id.ts'
import { warned } from './worker.ts'

/** Most payouts of one round. */
const ROUND = 500

/** Returns the number of screened payouts. A failure lets no payout out unscreened. */
export function screenPayouts(deps: Deps): Promise<number> {
  return screenRound(deps).catch(warned(deps, 'payouts could not be screened', 0))
}

async function screenRound(deps: Deps): Promise<number> {
  const version = await readListsVersion(deps.finder)
  const { screening } = deps
  if (!screening.isDue(version)) return 0
  const is_new = screening.isNew(version)
  const lists = await deps.lists.waitFor(version)
  if (lists === undefined) return 0
  const waiting = waitingAccounts(deps, lists)
  const due = await listNext(deps, { version, waiting }, is_new)
  const screened = await screenEach(deps, lists, due)
  const is_last = due.length < ROUND
  if (is_new && is_last && screened === due.length) screening.finished(version)
  if (!is_last && screened > 0) screening.again()
  return screened
}

/** Payouts that go out now come before scheduled ones, which may be many. */
async function listNext(
  { finder }: Deps,
  wanted: { readonly version: bigint; readonly waiting: readonly string[] },
  is_new: boolean,
): Promise<readonly Key[]> {
  const first = await listUnscreened(finder, { ...wanted, every: false }, ROUND)
  if (!is_new || first.length === ROUND) return first
  const others = await listUnscreened(finder, { ...wanted, every: true }, ROUND)
  return uniqueKeys([...first, ...others]).slice(0, ROUND)
}

function waitingAccounts({ reference }: Deps, lists: PresentLists): string[] {
  const accounts = [...reference.current().accounts.values()]
  return accounts.filter(account => lists.ruleFor(account) === 'wait').map(a => a.account_id)
}

async function screenEach(deps: Deps, lists: PresentLists, keys: readonly Key[]): Promise<number> {
  const { accounts } = deps.reference.current()
  const groups = [...Map.groupBy(keys, key => key.account_id)]
  const counts = groups.map(async ([account_id, keys_of_account]) => {
    const account = accounts.get(account_id)
    // This process will know a new account in a moment.
    if (account === undefined) return 0
    const { payouts, screened } = await readConfined(deps.sql, [account_id], async tx => {
      const payouts = await findPayouts(tx, keys_of_account)
      const asked = payouts.map((payout): PayoutParties => {
        const { beneficiary_details: beneficiary, beneficiary_id, particulars } = payout
        const { on_behalf_of: entity_id } = particulars
        return { account_id, account, beneficiary, entity_id, beneficiary_id }
      })
      return { payouts, screened: await screenAll(tx, lists, asked) }
    })
    const written = payouts.map((payout, i) => writeResult(deps, payout, screened[i]))
    return (await Promise.all(written)).filter(Boolean).length
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Returns whether the payout is screened now. */
async function writeResult(deps: Deps, key: Key, screened: Screened | undefined): Promise<boolean> {
  if (screened === undefined || screened.version === null) return false
  const { account_id, id: payout_id } = key
  const advance = { account_id, payout_id, by: 'review', screened } as const
  try {
    const { matches } = await deps.lanes.advancePayout.run(advance)
    if (matches.length > 0) {
      deps.log.warn({ payout_id, matches: matches.length }, 'payout held: it may be for the listed')
    }
    return true
  } catch (error) {
    // A frozen account refuses, because it releases nothing.
    if (!(error instanceof Refusal)) {
      deps.log.warn({ err: error, payout: nameOf(key) }, 'payout not screened')
    }
    return false
  }
}
