// POST and GET /v3/payout_batch, GET /v3/payout_batch/{id} and /item below it.
import type { FastifyInstance } from 'fastify'
import type { Runs } from '../../engine/lanes.ts'
import type { DryRun } from '../../engine/load-only.ts'
import type { Finds, Reads } from '../../engine/reads.ts'
import type { AccountRoutes } from '../../http/account-routes.ts'
import { claimOf, send, sendList, success } from '../../http/answer.ts'
import { makingOf } from '../../http/author.ts'
import { pathId } from '../../http/docs.ts'
import { fitPage } from '../../http/fit.ts'
import type { Answered } from '../../http/idempotency/operations.ts'
import { type ListQuery, readBounds } from '../../http/list.ts'
import { addRoute } from '../../http/route.ts'
import { found, invalidParameter, type Problem, refusal, refuseIfAny } from '../../values/errors.ts'
import type { CreatePayout, PayoutState } from '../payout.ts'
import { PAYOUT_REFUSALS } from '../request.ts'
import { ITEM_STATUSES, type PayoutBatch } from './batch.ts'
import { checkBatch, hashable, judgePayouts, MAX_BATCH_BYTES } from './body.ts'
import { type BatchCommand, type MadeBatch, payoutsOf, tryBatch } from './operations.ts'
import { BatchQuery, BatchRequest, ItemQuery, MAX_PAYOUTS } from './request.ts'
import { BatchResponse, ItemList, presentBatch, presentItem } from './response.ts'
import { MAX_LISTED } from './rules.ts'
import { findPosition, findRefusedItems, listBatches, listItems } from './store.ts'

const PATH = '/v3/payout_batch'

interface Needs extends Pick<Reads, 'read'> {
  readonly lanes: {
    readonly createBatch: Runs<BatchCommand, Answered<MadeBatch>>
    readonly tryPayouts: Runs<DryRun<CreatePayout>, PayoutState>
  }
  readonly readers: { readonly payoutBatch: Finds<PayoutBatch> }
}

export function payoutBatchRoutes(app: FastifyInstance, routes: AccountRoutes, deps: Needs): void {
  createRoute(app, deps)
  routes.page(PATH, {
    operationId: 'listPayoutBatches',
    summary: 'List batches of payouts, newest first.',
    querystring: BatchQuery,
    item: BatchResponse,
    find: listBatches,
    present: rows => presentAll(deps, rows),
  })
  routes.read(`${PATH}/:id`, {
    operationId: 'getPayoutBatch',
    summary: 'Fetch a batch of payouts.',
    params: pathId('pob'),
    response: BatchResponse,
    refusals: ['not_found'],
    async answer({ account: { account_id }, params: { id } }) {
      const batch = found(await deps.readers.payoutBatch({ account_id, id }))
      const [shown = {}] = await presentAll(deps, [batch])
      return shown
    },
  })
  itemsRoute(app, deps)
}

function createRoute(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Body: BatchRequest }>(app, PATH, 'write', {
    method: 'POST',
    config: { check: checkBatch },
    options: { bodyLimit: MAX_BATCH_BYTES, preValidation: judgePayouts },
    operationId: 'createPayoutBatch',
    summary: `Make up to ${MAX_PAYOUTS} payouts at once.`,
    description:
      'Each payout is checked as if it came alone after the payouts before it, and made ' +
      'as POST /v3/payout makes it. An error in the request itself (400) refuses the ' +
      'whole batch, in either mode. In `all_or_nothing` any other error does so, too, ' +
      'and names the payout, such as `payouts[12].amount`; in `best_effort` the other ' +
      'payouts are made. A dry run says what would happen to every payout, and is never ' +
      'refused for an error in one; an Idempotency-Key has no effect. The body may have ' +
      '16 MiB.',
    body: BatchRequest,
    response: BatchResponse,
    idempotent: true,
    refusals: PAYOUT_REFUSALS,
    async send(request, reply) {
      const { account, body } = request
      const { account_id } = account
      const command = { account_id, account, request: body, ...makingOf(request), claim: null }
      if (body.dry_run === true) {
        const commands = payoutsOf(command)
        const state = await deps.lanes.tryPayouts.run({ account_id, commands })
        return send(reply, await tryBatch(state, command))
      }
      const keyed = request.headers['idempotency-key'] !== undefined
      const claim = keyed ? claimOf(request, `POST ${PATH}`, await hashable(body)) : null
      const { reply: answer } = await deps.lanes.createBatch.run({ ...command, claim })
      return send(reply, answer)
    },
  })
}

function itemsRoute(app: FastifyInstance, deps: Needs): void {
  addRoute<{ Params: { id: string }; Querystring: ItemQuery }>(app, `${PATH}/:id/item`, 'read', {
    config: { checkQuery: readItems },
    operationId: 'listPayoutBatchItems',
    summary: 'List the result of each payout of a batch, in the order of the request.',
    params: pathId('pob'),
    querystring: ItemQuery,
    response: ItemList,
    refusals: ['not_found', 'invalid_query_parameter'],
    async send(request, reply) {
      const key = { account_id: request.account.account_id, id: request.params.id }
      const { cursor, isWithin, ...wanted } = readItems(request.query)
      const { created_at } = found(await deps.readers.payoutBatch(key))
      const page = await deps.read(key.account_id, async tx => {
        const position = cursor && (await findPosition(tx, key, cursor.at))
        if (cursor && position === undefined) throw unknownCursor(cursor.name)
        return listItems(tx, key, {
          ...wanted,
          after: cursor?.name === 'starting_after' ? (position ?? -1) : -1,
          before: cursor?.name === 'ending_before' ? (position ?? MAX_PAYOUTS) : MAX_PAYOUTS,
        })
      })
      const within = isWithin(created_at) ? page : { rows: [], has_more: false }
      // Items are in the order of the request, so the page before a cursor has the last of them.
      const { rows: results, has_more } = await fitPage(within, wanted.end, rows =>
        rows.map(presentItem),
      )
      return sendList(request, reply, success({ object: 'list', has_more, results }))
    },
  })
}

/** The answers of batches of one account, with their first refused items. */
async function presentAll(deps: Needs, batches: readonly PayoutBatch[]): Promise<object[]> {
  const with_refused = batches.filter(({ refused }) => refused > 0)
  const [first] = with_refused
  const refused =
    first === undefined
      ? new Map()
      : await deps.read(first.account_id, tx => findRefusedItems(tx, with_refused, MAX_LISTED))
  return batches.map(batch => presentBatch(batch, refused.get(batch.id) ?? []))
}

function unknownCursor(name: string) {
  return refusal('invalid_query_parameter', `${name} names no item of this batch.`, name)
}

/**
 * Reads the query of a list of items. All items of a batch were created with it. Refuses (400) with
 * every problem at once. It also runs as `checkQuery`, when the schema may have refused members of
 * any type.
 */
function readItems(query: ItemQuery) {
  const { limit = '10', starting_after, ending_before, status } = query
  const problems: Problem[] = []
  const invalid = (remarks: string, message: string) =>
    problems.push(invalidParameter(remarks, message))
  if (!/^([1-9][0-9]?|100)$/.test(limit)) invalid('limit', 'limit is an integer from 1 to 100.')
  if (starting_after !== undefined && ending_before !== undefined) {
    invalid('ending_before', 'Only one of starting_after and ending_before can be sent.')
  }
  refuseIfAny(problems)
  const name = ending_before === undefined ? 'starting_after' : 'ending_before'
  const at = ending_before ?? starting_after
  return {
    limit: Number(limit),
    cursor: at === undefined ? undefined : ({ name, at } as const),
    isWithin: readBounds(query as ListQuery),
    end: ending_before === undefined ? 'first' : 'last',
    statuses: status ?? ITEM_STATUSES,
  } as const
}
