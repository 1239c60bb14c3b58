// GET and POST /v3/operator/rate, /fee and /pricing, and POST …/remove of each.
import type { FastifyInstance } from 'fastify'
import type { Read } from '../csv.ts'
import { refusal } from '../errors.ts'
import { send, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
import { presentFee } from '../price/fee/load.ts'
import { listFees } from '../price/fee/store.ts'
import type { Changed } from '../price/rate/change.ts'
import { type Judged, MAX_MOVE_BPS } from '../price/rate/guard.ts'
import { presentRate } from '../price/rate/load.ts'
import { deleteRate } from '../price/rate/store.ts'
import { callOf, type OfDesk } from './desk.ts'
import { removeFee, sameRow, setFees } from './fees.ts'
import {
  EndPricing,
  FeeSubject,
  RatePair,
  readFeeRequest,
  readPricing,
  SetFee,
  SetPricing,
  SetRate,
} from './price-request.ts'
import {
  ChangedFee,
  ChangedRate,
  DatedRate,
  FeeRow,
  PricingList,
  RateRow,
  RemovedPolicy,
  SetPolicies,
  whole,
} from './price-response.ts'
import { endPolicy, listPricing, setPolicies } from './pricing.ts'
import { datedRates, presentChangedRate, setRate } from './rates.ts'
import { checkLines } from './request.ts'
import { readOrRefuse } from './words.ts'

const READ = { scope: 'installation_read' } as const
const WRITE = { scope: 'installation_write', asksPassword: true } as const

export function deskPriceRoutes(app: FastifyInstance, deps: OfDesk): void {
  listRoutes(app, deps)
  rateRoutes(app, deps)
  removeRateRoute(app, deps)
  feeRoutes(app, deps)
  pricingRoutes(app, deps)
}

function listRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get(
    '/v3/operator/rate',
    {
      config: READ,
      schema: operationDocs({
        operationId: 'listRates',
        summary: 'List the rate book: the age of each rate, and until when it is good.',
        response: Envelope(ListOf(DatedRate)),
        refusals: [],
      }),
    },
    async (_request, reply) => {
      const { dated } = await datedRates(deps.desk.audit)
      return send(reply, success(whole(dated)))
    },
  )
  app.get(
    '/v3/operator/fee',
    {
      config: READ,
      schema: operationDocs({
        operationId: 'listFees',
        summary: 'List the fee schedule.',
        response: Envelope(ListOf(FeeRow)),
        refusals: [],
      }),
    },
    async (_request, reply) => {
      const fees = await listFees(deps.desk.audit)
      return send(reply, success(whole(fees.map(presentFee))))
    },
  )
  app.get(
    '/v3/operator/pricing',
    {
      config: READ,
      schema: operationDocs({
        operationId: 'listPricing',
        summary: 'List spreads, validity of quotes, age of rates and the pivot.',
        response: Envelope(PricingList),
        refusals: [],
      }),
    },
    async (_request, reply) => send(reply, success(await listPricing(deps.desk.audit))),
  )
}

function rateRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: SetRate }>(
    '/v3/operator/rate',
    {
      config: { ...WRITE, check: (body: SetRate) => checkLines(body, ['source']) },
      schema: operationDocs({
        operationId: 'setRate',
        summary: 'Set one rate.',
        description:
          'One that is older than the present, pegged, of the inverse pair or far from the ' +
          'present is refused as `likely_slip`, unless `force` confirms it.',
        body: SetRate,
        response: Envelope(ChangedRate),
        idempotent: true,
        refusals: ['currency', 'likely_slip'],
      }),
    },
    async (request, reply) => {
      const { body } = request
      const { base, quote, mid, source = 'operator', as_of = '', peg = false } = body
      const { max_move_bps = MAX_MOVE_BPS, force = false } = body
      const asked = { peg, max_move_bps, force, dry_run: false }
      const cells = { base, quote, mid, source, as_of }
      const call = callOf(request, 'rates set')
      const answer = await deps.desk.changeOnce(call, async sql =>
        presentChangedRate(changedOf(await setRate(sql, { cells, ...asked }))),
      )
      return send(reply, answer)
    },
  )
}

/** The change of the one rate. Refuses what was wrong with it, or is likely a slip. */
function changedOf(read: Read<Changed>): Judged {
  const { changes, problems, forceable } = readOrRefuse(read)
  const [problem] = problems
  if (problem !== undefined) {
    throw forceable
      ? refusal('likely_slip', problem.message)
      : refusal('invalid_field', problem.message, 'peg')
  }
  const [change] = changes
  if (change === undefined) throw new Error('a rate was set without a change')
  return change
}

function removeRateRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: RatePair }>(
    '/v3/operator/rate/remove',
    {
      config: WRITE,
      schema: operationDocs({
        operationId: 'removeRate',
        summary: 'Remove the row of one pair.',
        body: RatePair,
        response: Envelope(RateRow),
        idempotent: true,
        refusals: ['currency', 'not_found'],
      }),
    },
    async (request, reply) => {
      const { base, quote } = request.body
      const call = callOf(request, 'rates remove')
      const answer = await deps.desk.changeOnce(call, async sql => {
        const removed = await deleteRate(sql, base, quote)
        if (removed !== undefined) return presentRate(removed)
        throw refusal('not_found', `${base}/${quote} has no row of its own.`)
      })
      return send(reply, answer)
    },
  )
}

function feeRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: SetFee }>(
    '/v3/operator/fee',
    {
      config: { ...WRITE, check: (body: SetFee) => void readFeeRequest(body) },
      schema: operationDocs({
        operationId: 'setFee',
        summary: 'Add a row of the fee schedule, or replace the one for the same payouts.',
        body: SetFee,
        response: Envelope(ChangedFee),
        idempotent: true,
        refusals: ['currency', 'likely_slip'],
      }),
    },
    async (request, reply) => {
      const fee = readFeeRequest(request.body)
      const { force = false } = request.body
      const call = callOf(request, 'fees set')
      const answer = await deps.desk.changeOnce(call, async sql => {
        const previous = sameRow(await setFees(sql, [fee], { force }), fee)
        return {
          fee: presentFee(fee),
          previous: previous === undefined ? null : presentFee(previous),
        }
      })
      return send(reply, answer)
    },
  )
  app.post<{ Body: FeeSubject }>(
    '/v3/operator/fee/remove',
    {
      config: { ...WRITE, check: (body: FeeSubject) => void readFeeRequest(body) },
      schema: operationDocs({
        operationId: 'removeFee',
        summary: 'Remove the row of the fee schedule for exactly these payouts.',
        body: FeeSubject,
        response: Envelope(FeeRow),
        idempotent: true,
        refusals: ['currency', 'not_found'],
      }),
    },
    async (request, reply) => {
      const key = readFeeRequest(request.body)
      const call = callOf(request, 'fees remove')
      const answer = await deps.desk.changeOnce(call, async sql =>
        presentFee(sameRow(await removeFee(sql, key), key) ?? key),
      )
      return send(reply, answer)
    },
  )
}

function pricingRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: SetPricing }>(
    '/v3/operator/pricing',
    {
      config: { ...WRITE, check: (body: SetPricing) => void readPricing(body) },
      schema: operationDocs({
        operationId: 'setPricing',
        summary: 'Set spread, validity of quotes, age of rates or the pivot.',
        body: SetPricing,
        response: Envelope(SetPolicies),
        idempotent: true,
        refusals: ['currency', 'not_found', 'likely_slip'],
      }),
    },
    async (request, reply) => {
      const { body } = request
      const { account_id = null, from_currency = null, to_currency = null, force = false } = body
      const asked = {
        scope: { account_id, from_currency, to_currency },
        values: readPricing(body),
        force,
        ...(body.from !== undefined && { from: body.from }),
      }
      const call = callOf(request, 'pricing set')
      const answer = await deps.desk.changeOnce(call, async sql => {
        const { made } = await setPolicies(sql, asked)
        return { rows: made }
      })
      return send(reply, answer)
    },
  )
  app.post<{ Body: EndPricing }>(
    '/v3/operator/pricing/remove',
    {
      config: WRITE,
      schema: operationDocs({
        operationId: 'endPricing',
        summary: 'End one row in force, or take back one that waits.',
        body: EndPricing,
        response: Envelope(RemovedPolicy),
        idempotent: true,
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const { policy_id, from } = request.body
      const call = callOf(request, 'pricing remove')
      const answer = await deps.desk.changeOnce(call, async sql => {
        const { row, made } = await endPolicy(sql, policy_id, from)
        return { removed: row, taken_back: made.length === 0 }
      })
      return send(reply, answer)
    },
  )
}
