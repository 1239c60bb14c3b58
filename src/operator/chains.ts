// Gives up payments on a chain, and adopts payments that the chain knows and the database does not.
import {
  adoptFound,
  findLost,
  findUnknown,
  NotNow,
  type WalletFound,
} from '../adapters/evm/adopt.ts'
import { readConfig } from '../adapters/evm/config.ts'
import { openChain } from '../adapters/evm/quorum.ts'
import { giveUp, listSlotsOf } from '../adapters/evm/slot-store.ts'
import { pathId } from '../http/docs.ts'
import { Closed, Id, Literals, optional } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { recordActs } from '../ledger/audit/store.ts'
import type { RailRow } from '../rails/kind.ts'
import { transactConfined } from '../sql/confine.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { writing } from './action.ts'
import { accountIdOf } from './operator-write.ts'
import { RailPath, railNamed } from './rail-named.ts'
import { Force, Reason } from './request.ts'

const VoidRequest = Closed(
  {
    reason: Reason,
    ...optional({
      fail: Type.Boolean({ description: 'The payout fails once its payment is void.' }),
      again: Type.Boolean({
        description: 'Another attempt may follow once the payment is void.',
      }),
    }),
  },
  { title: 'VoidPayment', description: 'One of `fail` and `again` must be true.' },
)

const VoidResponse = Closed(
  {
    payout: Id('pot', 'Payout id.'),
    attempt: Type.Integer(),
    wallet: Type.String(),
    nonce: Type.String({ description: 'The number that the payment and its void share.' }),
    outcome: Literals(['fail', 'again'], { description: 'What follows once it is void.' }),
  },
  { title: 'VoidedPayment' },
)

const VOID_HELP = `
Corridor signs a transfer of nothing to the wallet itself, with the number of
the payment and higher fees. The chain takes one of both: if it has taken the
payment, the payout succeeds all the same. CORRIDOR_USER must say who you are.

Example:
  corridor rail void pot_01m7xpm2m0c6hkd4r9ye --fail \\
    --reason "The payee has another address now"`

export const voidPayment = writing({
  name: 'rail void',
  path: '/v3/operator/payout/:id/void',
  operationId: 'voidPayment',
  summary: 'Give up a payment that no block of its chain takes, such as one with too low a fee.',
  description:
    'Corridor signs a transfer of nothing to the wallet itself, with the number of the payment ' +
    'and higher fees. The chain takes one of both, and decides.',
  params: pathId('pot'),
  body: VoidRequest,
  asksPassword: true,
  byPerson: true,
  response: VoidResponse,
  run: (acting, { id, reason, fail = false, again = false }) =>
    acting.change(async sql => {
      if (fail === again) {
        throw refusal('invalid_field', 'Say one of fail and again.', fail ? 'again' : 'fail')
      }
      const given = { as: fail ? 'fail' : 'again', by: acting.operator.name, reason } as const
      return voidOf({ audit: acting.audit, sql }, id, given)
    }),
  command: {
    words: ({ payout, wallet, nonce }) =>
      `${payout}  given up: number ${nonce} of wallet ${wallet} goes to nobody, unless a block ` +
      'takes the payment first',
    subject: 'payout',
    listed: 'rail exceptions',
    options: { id: 'payout id', reason: 'why, for the audit log' },
    help: VOID_HELP,
  },
})

interface Given {
  readonly as: 'fail' | 'again'
  readonly by: string
  readonly reason: string
}

/** Refuses (404) a payout without such a payment, and (409) a payment that cannot be given up. */
async function voidOf(
  { audit, sql }: { readonly audit: Sql; readonly sql: Sql },
  payout_id: string,
  given: Given,
) {
  const account_id = await accountIdOf(audit, 'payout', payout_id)
  return transactConfined(sql, [account_id], async tx => {
    const [slot] = await listSlotsOf(tx, account_id, payout_id)
    if (slot === undefined || slot.nonce === null) {
      throw refusal('not_found', `payout ${payout_id} has no payment on a chain`)
    }
    const { attempt, wallet, nonce, state, void_as } = slot
    if (!(await giveUp(tx, slot, given))) {
      const why = void_as === '' ? `its payment is ${state}` : 'its payment is given up already'
      throw refusal('invalid_transition', `payout ${payout_id}: ${why}`, 'id')
    }
    const row = { account_id, id: payout_id, attempt: String(attempt) }
    await recordActs(tx, [
      {
        table_name: 'evm_slots',
        reason: given.reason,
        before: { ...row, void_as: '' },
        after: { ...row, void_as: given.as },
      },
    ])
    return { payout: payout_id, attempt, wallet, nonce: String(nonce), outcome: given.as }
  })
}

const AdoptRequest = Closed(optional({ reason: Reason, force: Force }), { title: 'AdoptLost' })

const Lost = { wallet: Type.String(), nonce: Type.String() }

const AdoptResponse = Closed(
  {
    rail: Type.String(),
    wallets: Type.Array(Type.String(), { description: 'Wallets that are open again.' }),
    adopted: Type.Array(
      Closed({
        ...Lost,
        payout: Id('pot', 'Payout id.'),
        attempt: Type.Integer(),
        transaction: Type.String(),
      }),
      { description: 'Payments that were found by their tags.' },
    ),
    foreign: Type.Array(Closed(Lost), {
      description: 'Numbers of transactions without a tag of ours.',
    }),
  },
  { title: 'AdoptedPayments' },
)

const ADOPT_HELP = `
After a restore the chain knows payments that the database has lost. Each has a
tag, which says whose it was. A wallet that has used numbers for something else
is opened with --force alone: look at these transactions before, as payouts
without a tag would be paid again. CORRIDOR_USER must say who you are.

Example:
  corridor rail adopt base --reason "Restored the backup of last night"`

export const adoptLost = writing({
  name: 'rail adopt',
  path: '/v3/operator/rail/:name/adopt',
  operationId: 'adoptLostPayments',
  summary: 'Take over payments that a chain knows and a restored database has lost.',
  description: 'Opens wallets that were stopped. The receipts of the chain then decide.',
  params: RailPath,
  body: AdoptRequest,
  asksPassword: true,
  byPerson: true,
  response: AdoptResponse,
  refusals: ['invalid_transition'],
  async run(acting, { name, reason = '', force = false }) {
    const rail = await railNamed(acting.audit, name)
    const found = await lostOf(rail, acting.audit)
    const foreign = found.flatMap(one => one.foreign)
    if (foreign.length > 0 && !force) {
      const numbers = foreign.map(({ wallet, nonce }) => `${wallet} ${nonce}`).join(', ')
      const message = `transactions without a tag of ours have these numbers: ${numbers}`
      throw refusal('likely_mistake', `rail ${name}: ${message}`, 'force')
    }
    return acting.change(async sql => {
      for (const one of found) await adoptOne(sql, name, one, acting.operator.name, reason)
      return presentAdopted(name, found)
    })
  },
  command: {
    words: ({ rail, wallets, adopted, foreign }) => {
      if (wallets.length === 0) return `rail ${rail} has no stopped wallet`
      const counts = `${adopted.length} payments found by tag, ${foreign.length} numbers of others`
      return `rail ${rail}: ${wallets.join(', ')} open again; ${counts}`
    },
    listed: 'rail exceptions',
    options: { reason: 'why, for the audit log' },
    help: ADOPT_HELP,
  },
})

/**
 * Refuses (400) a rail that pays on no chain, (409) lost attempts of open payouts, and (503) what
 * the providers do not agree about.
 */
async function lostOf({ name, kind, config: json, secret }: RailRow, audit: Sql) {
  const config = readConfig(json).value
  if (kind !== 'evm' || config === undefined) {
    throw refusal('invalid_path_parameter', `rail ${name} pays on no chain`, 'name')
  }
  const chain = openChain(config, secret)
  try {
    const found = await findLost({ name, config, chain }, audit)
    refuseUnknown(name, await findUnknown({ config }, audit, found))
    return found
  } catch (error) {
    throw refuseNotNow(error)
  } finally {
    await chain.close()
  }
}

/** Payouts that a lost attempt has paid would be paid again, by an attempt that follows. */
function refuseUnknown(rail: string, unknown: readonly string[]): void {
  if (unknown.length === 0) return
  const attempts = `the chain has paid attempts that this database has lost: ${unknown.join(', ')}`
  const first = `corridor rail resume ${rail} has the rail asked about them; or end them by hand`
  const message = `rail ${rail}: ${attempts}; first ${first}`
  throw refusal('invalid_transition', message, 'name')
}

function refuseNotNow(error: unknown): unknown {
  return error instanceof NotNow ? refusal('service_unavailable', error.message) : error
}

async function adoptOne(sql: Sql, rail: string, found: WalletFound, by: string, reason: string) {
  try {
    await adoptFound(sql, rail, found, by)
  } catch (error) {
    throw refuseNotNow(error)
  }
  const { wallet, next_nonce, adopted } = found
  const before = { id: wallet.address, next_nonce: String(wallet.next_nonce) }
  const after = { ...before, next_nonce: String(next_nonce), adopted: String(adopted.length) }
  const wallet_act = { table_name: 'evm_wallets', reason, before, after } as const
  await sql.begin(tx => recordActs(tx, [wallet_act]))
}

function presentAdopted(rail: string, found: readonly WalletFound[]) {
  return {
    rail,
    wallets: found.map(({ wallet }) => wallet.address),
    adopted: found.flatMap(({ adopted }) =>
      adopted.map(({ order, place, hash }) => ({
        ...{ wallet: place.wallet, nonce: String(place.nonce) },
        ...{ payout: order.key.payout_id, attempt: order.key.attempt, transaction: hash },
      })),
    ),
    foreign: found.flatMap(one =>
      one.foreign.map(({ wallet, nonce }) => ({ wallet, nonce: String(nonce) })),
    ),
  }
}
