// Lists and shows the payouts of all accounts.
import { pathId } from '../http/docs.ts'
import { Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { hostNow } from '../ledger/clock.ts'
import { listForOperators } from '../payouts/lists/list-store.ts'
import type { Payout } from '../payouts/payout.ts'
import { PAYOUT_STATUSES } from '../payouts/states.ts'
import { MANUAL, SIMULATOR } from '../rails/rail.ts'
import { listRails } from '../rails/row-store.ts'
import { invalidParameter, refuseIfAny } from '../values/errors.ts'
import { type Instant, secondsBetween } from '../values/instant.ts'
import { omitUndefined } from '../values/omit-undefined.ts'
import { describeAge, toSecond } from '../values/text/age.ts'
import { type ActionGroup, paging, reading } from './action.ts'
import {
  networkWords,
  OperatorPayout,
  OperatorPayoutInFull,
  presentForOperators,
  presentInFull,
  sentAmount,
  showParts,
  showPayout,
} from './payout-words.ts'
import { releasePayout, takePayout, transitionPayout } from './payouts-by-hand.ts'
import { AccountId, PageQuery } from './request.ts'

const OperatorPayoutQuery = PageQuery('pot', {
  status: Literals(PAYOUT_STATUSES, { description: 'Only payouts of this status.' }),
  rail: Type.String({
    pattern: '^[a-z][a-z0-9_-]{0,39}$',
    description: 'Only payouts that went to this rail.',
  }),
  account_id: AccountId,
})

const LIST_HELP = `
With --status processing, requires_action or compliance_hold those that wait
longest come first.

Example:
  corridor payout list --rail ${MANUAL} --status processing`

const list = paging({
  name: 'payout list',
  path: '/v3/operator/payout',
  operationId: 'listOperatorPayouts',
  summary: 'List payouts of all accounts.',
  description:
    'The newest come first; with a status that waits for somebody, such as `processing`, ' +
    'those that wait longest come first.',
  query: OperatorPayoutQuery,
  response: OperatorPayout,
  async find(audit, { status, rail, account_id, starting_after }, limit) {
    const rails = [SIMULATOR, ...(await listRails(audit)).map(({ name }) => name)]
    if (rail !== undefined && !rails.includes(rail)) {
      const message = `There is no rail ${rail}; it is one of ${rails.join(', ')}.`
      refuseIfAny([invalidParameter('rail', message)])
    }
    return listForOperators(
      audit,
      omitUndefined({ account_id, status, rail, starting_after }),
      limit,
    )
  },
  present: presentForOperators,
  command: {
    words({ rows }) {
      const now = hostNow()
      return rows.map(payout => ({
        payout: payout.id,
        account: payout.account_id,
        age: describeAge(secondsBetween(payout.created_at, now)),
        'to send': sentAmount(payout),
        status: statusWords(payout, now),
        rail: payout.rail,
        'taken by': payout.taken_by,
        over: networkWords(payout),
        to: payout.beneficiary_details.name,
        reference: payout.particulars.reference_id,
      }))
    },
    none: ({ status, rail, account_id }) =>
      [
        'no payout',
        status && `that is ${status}`,
        rail && `with rail ${rail}`,
        account_id && `of ${account_id}`,
      ]
        .filter(Boolean)
        .join(' '),
    options: {
      rail: `only those that went to this rail, such as ${MANUAL}`,
      account_id: 'one account instead of all',
    },
    help: LIST_HELP,
  },
})

const show = reading({
  name: 'payout show',
  path: '/v3/operator/payout/:id',
  operationId: 'getOperatorPayout',
  summary: 'Show a payout, its history, and what it waits for.',
  params: pathId('pot'),
  response: OperatorPayoutInFull,
  find: (audit, { id }) => showPayout(audit, id),
  present: presentInFull,
  command: {
    words: shown => ({ parts: showParts(shown) }),
    help: '\nExample:\n  corridor payout show pot_01m7xpm2m0c6hkd4r9ye',
  },
})

export const payouts: ActionGroup = {
  actions: [list, show, takePayout, releasePayout, transitionPayout],
}

/** `processing`, `processing from 2026-12-01 09:00:00Z on`. */
function statusWords({ status, execute_at }: Payout, now: Instant): string {
  if (execute_at === null || execute_at <= now) return status
  return `${status}, from ${toSecond(execute_at)} on`
}
