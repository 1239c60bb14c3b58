// Gives up payments on a chain, and adopts payments that the chain knows and the database does not.
import { giveUp, listSlotsOf } from '../adapters/evm/slot-store.ts'
import { pathId } from '../http/docs.ts'
import { Closed, Id, Literals, optional } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { recordActs } from '../ledger/audit/store.ts'
import { transactConfined } from '../sql/confine.ts'
import type { Sql } from '../sql/connect.ts'
import { refusal } from '../values/errors.ts'
import { writing } from './action.ts'
import { accountIdOf } from './operator-write.ts'
import { Reason } from './request.ts'

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
