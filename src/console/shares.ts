// Shares the streams of a process among those who open pages. Pure.
import { rateLimited } from '../values/errors.ts'

/** Who has a stream. */
export interface Holder {
  readonly user: string
  /** Null for a page of the installation. */
  readonly account_id: string | null
  /** The hash of the session's token, in hex. */
  readonly session: string
}

/** The most streams of a process, and of the one whose pages they are. */
export const MOST_STREAMS = { all: 1_000, of_account: 250, of_user: 60, of_session: 20 }

/** When a page that is refused asks again. */
const AGAIN_S = 10

/**
 * Refuses (429) a stream beyond the share of its session, its user or its account; the pages of the
 * installation have the share of an account. When all streams are taken, returns the one that ends
 * for it: the oldest of the user with the most, in the account with the most.
 */
export function makeRoom<H extends Holder>(open: Iterable<H>, comer: Holder): H | undefined {
  const all = [...open]
  const ofAccount = all.filter(holder => holder.account_id === comer.account_id)
  const ofUser = all.filter(holder => holder.user === comer.user)
  const ofSession = ofUser.filter(holder => holder.session === comer.session)
  const { of_session, of_user, of_account } = MOST_STREAMS
  if (ofSession.length >= of_session) throw tooMany(`In this session ${of_session} pages`)
  if (ofUser.length >= of_user) throw tooMany(`Of ${comer.user} ${of_user} pages`)
  if (ofAccount.length >= of_account) throw tooMany(`Of this account ${of_account} pages`)
  if (all.length < MOST_STREAMS.all) return undefined
  const most = largest(all, ({ account_id }) => account_id)
  if (most.length <= ofAccount.length + 1) throw tooMany('Too many pages')
  const [oldest] = largest(most, ({ user }) => user)
  return oldest
}

/** The group with the most members; its members are in their order. */
function largest<H>(holders: readonly H[], groupOf: (holder: H) => unknown): readonly H[] {
  const groups = [...Map.groupBy(holders, groupOf).values()]
  return groups.reduce((most, group) => (group.length > most.length ? group : most), [])
}

function tooMany(which: string) {
  return rateLimited(`${which} are open and told of changes; close one, or reload later.`, AGAIN_S)
}
