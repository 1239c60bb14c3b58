// Sets a limit of payouts, or changes the cap of the same limit.
import type { Account } from '../accounts/rules.ts'
import { listAccounts, listApiKeys } from '../accounts/store.ts'
import { type AskedLimit, judgeLimit } from '../controls/limit/asked-limit.ts'
import type { Limit, LimitKind } from '../controls/limit/limit.ts'
import { isSameKind } from '../controls/limit/rules.ts'
import { listLimits, lockLimits, updateCap } from '../controls/limit/store.ts'
import { windowName } from '../controls/limit/words.ts'
import { setLimit } from '../payouts/create/limit-operation.ts'
import { SIMULATOR } from '../rails/rail.ts'
import { listRails } from '../rails/row-store.ts'
import type { Sql } from '../sql/connect.ts'
import { DatabaseProblem } from '../sql/failure.ts'
import { newId } from '../values/id.ts'
import { amountToJson } from '../values/money/json.ts'
import type { Acting } from './action.ts'
import { VOCABULARY } from './fee-vocabulary.ts'
import { accountNamed } from './operator-write.ts'

interface SetLimit {
  readonly limit: Limit
  /** Undefined for a new limit. */
  readonly before: Limit | undefined
  /** How many existing payouts count for a new limit; null for a limit that existed. */
  readonly counted: number | null
}

/** Works in many transactions. The one that makes or changes the limit keeps the answer. */
export async function placeLimit<Shown>(acting: Acting<Shown>, asked: AskedLimit): Promise<Shown> {
  // A repeat gets its answer first: a rail or key that the limit names may be gone by now.
  const kept = await acting.kept()
  if (kept !== null) return kept
  const { kind, accounts } = await kindAsked(acting.audit, asked)
  const changeExisting = () =>
    acting.changeIfAny(async sql => {
      const before = await changeCap(sql, kind)
      if (before === undefined) return null
      if (before.cap < kind.cap) acting.askPassword()
      return presentSet({ limit: { ...before, cap: kind.cap }, before, counted: null })
    })
  const existing = await changeExisting()
  if (existing !== null) return existing
  const limit = { ...kind, limit_id: newId('lim') }
  const shown = (counted: number) => presentSet({ limit, before: undefined, counted })
  try {
    return await setLimit<Shown>(
      {
        write: (operation, command) => acting.run({ operation, command, act: null }),
        make: (operation, command, count) =>
          acting.runShown(operation, command, outcome => shown(count(outcome))),
      },
      version => acting.pricing(version),
      limit,
      accounts,
    )
  } catch (error) {
    // Another caller may have made the limit meanwhile. Then this changes its cap.
    const made = error instanceof DatabaseProblem ? await changeExisting() : null
    if (made === null) throw error
    return made
  }
}

interface KindAsked {
  readonly kind: LimitKind & Pick<Limit, 'cap'>
  readonly accounts: readonly Account[]
}

async function kindAsked(sql: Sql, asked: AskedLimit): Promise<KindAsked> {
  const [all, keys, rails] = await Promise.all([
    listAccounts(sql),
    listApiKeys(sql),
    listRails(sql),
  ])
  if (asked.account_id !== undefined) await accountNamed(sql, asked.account_id)
  const kind = judgeLimit(asked, {
    rails: [...rails.map(({ name }) => name), SIMULATOR],
    keys: new Map(keys.map(key => [key.key_id, key.account_id])),
    networkName,
  })
  const { account_id } = kind
  return { kind, accounts: all.filter(one => account_id === null || account_id === one.account_id) }
}

const TYPES_WITH_NETWORK = ['local', 'local_payment_network', 'wallet']

/** Undefined for an unknown one. */
export function networkName(name: string): string | undefined {
  const names = TYPES_WITH_NETWORK.map(type => VOCABULARY.networkName(type, name))
  return names.find(known => known !== undefined)?.toLowerCase()
}

function changeCap(sql: Sql, kind: KindAsked['kind']): Promise<Limit | undefined> {
  return sql.begin(async tx => {
    await lockLimits(tx)
    const before = (await listLimits(tx)).find(limit => isSameKind(limit, kind))
    if (before !== undefined) await updateCap(tx, { ...before, cap: kind.cap })
    return before
  })
}

function presentSet({ limit, before, counted }: SetLimit) {
  const was = before === undefined ? null : presentLimit(before)
  return { ...presentLimit(limit), before: was, counted }
}

/** The cap is in minor units of the currency; without one, in payouts. */
export function presentLimit(limit: Limit) {
  return { ...limit, cap: amountToJson(limit.cap), window: windowName(limit) }
}
