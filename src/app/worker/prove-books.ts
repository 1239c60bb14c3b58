// Verifies the books while the service runs, in small steps. One process works at a time, and rests
// so long that the work takes the share of time that the settings allow. A fault freezes its
// account once. After a kill the claim runs out, and the next step finds the same.
import type { AccountState } from '../../accounts/states.ts'
import { SERVICE } from '../../accounts/user/user.ts'
import { changeState } from '../../operator/account-operations.ts'
import type { Deps } from '../../runtime/deps.ts'
import { readConfined, transactConfined } from '../../sql/confine.ts'
import { isSpread } from '../../sql/shard.ts'
import { Refusal } from '../../values/errors.ts'
import { faultOf, stepOn } from '../../verify/proof.ts'
import {
  claimTurn,
  countProved,
  type DueBook,
  endTurn,
  type Fault,
  findProof,
  findState,
  findTime,
  forgetMended,
  keepFault,
  knownFaults,
  listDueBooks,
  MAX_FAULTS,
  storeProof,
} from '../../verify/proof-store.ts'
import { startCounting } from './counts.ts'
import { startWorker, type Worker, warned } from './worker.ts'

/** The most journals of one transaction, and of one turn. */
const STEP = 500
const TURN = 2_000
/** The most books of one turn. */
const BOOKS = 100

/** Much longer than a turn takes. */
const LEASE_MS = 60_000
/** Without work, a process looks so often. */
const LOOK_EVERY_MS = 1_000
/** Journals are followed within this time, however slow a turn was. */
const LONGEST_REST_MS = 30_000

/** Does nothing on a spread database, which has only sandboxes. */
export function startProving(deps: Deps): Worker {
  const { verify_percent } = deps.config
  if (verify_percent === 0 || isSpread()) return { stop: () => Promise.resolve() }
  const stopCounting = startCounting(
    () => countProofs(deps),
    warned(deps, 'what is not verified could not be counted', undefined),
  )
  const failed = warned(deps, 'books could not be verified', LOOK_EVERY_MS)
  const proving = startWorker(signal => takeTurn(deps, () => signal.aborted).catch(failed))
  return {
    stop() {
      stopCounting()
      return proving.stop()
    },
  }
}

export async function countProofs({ finder, metrics }: Deps): Promise<void> {
  const { lag, faults } = await countProved(finder)
  metrics.verifyLag.set(lag)
  metrics.verifyFaults.set(faults)
}

/** Returns how long to wait. */
async function takeTurn(deps: Deps, isStopped: () => boolean): Promise<number> {
  const turn = await claimTurn(deps.sql, LEASE_MS)
  if (turn === undefined) return LOOK_EVERY_MS
  const from = performance.now()
  const rest = () => {
    const share = deps.config.verify_percent / 100
    const took = performance.now() - from
    return Math.min(Math.ceil((took * (1 - share)) / share), LONGEST_REST_MS)
  }
  try {
    const journals = await proveDue(deps, isStopped)
    return journals === 0 ? Math.max(LOOK_EVERY_MS, rest()) : rest()
  } finally {
    await endTurn(deps.sql, turn, rest())
  }
}

/** Verifies what is due, up to the most of one turn. Returns the number of journals. */
export async function proveDue(deps: Deps, isStopped = () => false, step = STEP): Promise<number> {
  let journals = 0
  for (const due of await listDueBooks(deps.finder, deps.config.verify_again_days, BOOKS)) {
    if (isStopped() || journals >= TURN) break
    // A book that cannot be read stops no other.
    const failed = warned(deps, 'a book could not be verified', 0, { account_id: due.account_id })
    journals += await proveBook(deps, due, step).catch(failed)
  }
  return journals
}

async function proveBook(deps: Deps, due: DueBook, most: number): Promise<number> {
  const { account_id } = due
  const read = await readConfined(deps.sql, [account_id], async tx => {
    const at = await findTime(tx)
    const before = await findProof(tx, due)
    const known = await knownFaults(tx, account_id)
    const state = await findState(tx, account_id)
    return { at, before, known, state, step: await stepOn(tx, before, most) }
  })
  const { at, before, known, state, step } = read
  const nameOf = ({ table, key }: Fault) => `${table} ${key}`
  const found = step.problems.slice(0, MAX_FAULTS).map(faultOf)
  // A fault without a place would freeze its account with each step.
  const places = MAX_FAULTS - known.size
  const added = new Set(found.filter(fault => !known.has(nameOf(fault))).slice(0, places))
  const faults = found.filter(fault => known.has(nameOf(fault)) || added.has(fault))
  const fresh = faults.filter(fault => known.get(nameOf(fault)) !== fault.mark)
  const keep = (faults: readonly Fault[], isTold: boolean) =>
    transactConfined(deps.sql, [account_id], async tx => {
      for (const fault of faults) await keepFault(tx, fault, { isTold })
    })
  const [first] = fresh
  if (first !== undefined) {
    for (const { table, key } of fresh) {
      deps.log.error({ account_id, table, key }, 'a row differs from the books')
    }
    // With a stored fault, the freeze stops the payouts that no rail was asked about.
    await keep(fresh, false)
    await freeze(deps, first, state)
  }
  if (faults.length > 0) await keep(faults, true)
  await transactConfined(deps.sql, [account_id], async tx => {
    const { proof, is_at_head } = step
    await storeProof(tx, proof, { begins: before.number === 0n, is_at_head, at })
    if (due.walk === 'again' && is_at_head) await forgetMended(tx, account_id)
  })
  return step.journals
}

/** In the name of the service. An account that is frozen or closed already stays as it is. */
async function freeze(deps: Deps, fault: Fault, state: AccountState | undefined): Promise<void> {
  if (state !== 'active') return
  const { account_id } = fault
  // Without the row's values, which may be personal data.
  const row = [fault.table, fault.key].filter(Boolean).join(' ')
  const reason = `${row} differs from the books: corridor verify --account ${account_id} --all`
  const author = { operator: SERVICE, act: 'account freeze', via: 'corridor verify', origin: {} }
  const command = { account_id, to: 'frozen', reason } as const
  try {
    await deps.operators.run(author, { operation: changeState, command, act: null })
    deps.log.error({ account_id, reason }, 'the account is frozen')
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    if (error.problems[0]?.reason !== 'invalid_transition') throw error
    // A person has frozen it in the same moment.
    const now = await readConfined(deps.sql, [account_id], tx => findState(tx, account_id))
    if (now === 'active') throw error
  }
}
