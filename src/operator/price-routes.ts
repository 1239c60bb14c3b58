// GET and POST /v3/operator/rate, /fee and /pricing, and POST …/remove of each.

import { refusal } from '../errors.ts'
import { given } from '../given.ts'
import { ListOf } from '../http/list.ts'
import { presentFee } from '../price/fee/load.ts'
import { listFees } from '../price/fee/store.ts'
import type { Changed } from '../price/rate/change.ts'
import { type Judged, MAX_MOVE_BPS } from '../price/rate/guard.ts'
import { presentRate } from '../price/rate/load.ts'
import { deleteRate } from '../price/rate/store.ts'
import type { Read } from '../text/csv.ts'
import { callOf } from './desk.ts'
import { type DeskRoutes, listed } from './desk-routes.ts'
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
} from './price-response.ts'
import { endPolicy, listPricing, setPolicies } from './pricing.ts'
import { datedRates, presentChangedRate, setRate } from './rates.ts'
import { checkLines } from './request.ts'
import { readOrRefuse } from './words.ts'

const WRITE = { asksPassword: true } as const

export function deskPriceRoutes(routes: DeskRoutes): void {
  listRoutes(routes)
  rateRoutes(routes)
  feeRoutes(routes)
  pricingRoutes(routes)
}

function listRoutes(routes: DeskRoutes): void {
  routes.read('/v3/operator/rate', {
    operationId: 'listRates',
    summary: 'List the rate book: the age of each rate, and until when it is good.',
    response: ListOf(DatedRate),
    answer: async (_, { audit }) => listed((await datedRates(audit)).dated),
  })
  routes.read('/v3/operator/fee', {
    operationId: 'listFees',
    summary: 'List the fee schedule.',
    response: ListOf(FeeRow),
    answer: async (_, { audit }) => listed((await listFees(audit)).map(presentFee)),
  })
  routes.read('/v3/operator/pricing', {
    operationId: 'listPricing',
    summary: 'List spreads, validity of quotes, age of rates and the pivot.',
    response: PricingList,
    answer: (_, { audit }) => listPricing(audit),
  })
}

function rateRoutes(routes: DeskRoutes): void {
  routes.write('/v3/operator/rate', {
    config: { ...WRITE, check: (body: SetRate) => checkLines(body, ['source']) },
    operationId: 'setRate',
    summary: 'Set one rate.',
    description:
      'One that is older than the present, pegged, of the inverse pair or far from the ' +
      'present is refused as `likely_slip`, unless `force` confirms it.',
    body: SetRate,
    response: ChangedRate,
    idempotent: true,
    refusals: ['currency', 'likely_slip'],
    answer(request, desk) {
      const { base, quote, mid, source = 'operator', as_of = '', peg = false } = request.body
      const { max_move_bps = MAX_MOVE_BPS, force = false } = request.body
      const asked = { peg, max_move_bps, force, dry_run: false }
      const cells = { base, quote, mid, source, as_of }
      return desk.changeOnce(callOf(request, 'rates set'), async sql =>
        presentChangedRate(changedOf(await setRate(sql, { cells, ...asked }))),
      )
    },
  })
  routes.write('/v3/operator/rate/remove', {
    config: WRITE,
    operationId: 'removeRate',
    summary: 'Remove the row of one pair.',
    body: RatePair,
    response: RateRow,
    idempotent: true,
    refusals: ['currency', 'not_found'],
    answer(request, desk) {
      const { base, quote } = request.body
      return desk.changeOnce(callOf(request, 'rates remove'), async sql => {
        const removed = await deleteRate(sql, base, quote)
        if (removed !== undefined) return presentRate(removed)
        throw refusal('not_found', `${base}/${quote} has no row of its own.`)
      })
    },
  })
}

/** The change of a single rate. Refuses an invalid rate, and a likely slip. */
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

function feeRoutes(routes: DeskRoutes): void {
  routes.write('/v3/operator/fee', {
    config: { ...WRITE, check: (body: SetFee) => void readFeeRequest(body) },
    operationId: 'setFee',
    summary: 'Add a row of the fee schedule, or replace the one for the same payouts.',
    body: SetFee,
    response: ChangedFee,
    idempotent: true,
    refusals: ['currency', 'likely_slip'],
    answer(request, desk) {
      const fee = readFeeRequest(request.body)
      const { force = false } = request.body
      return desk.changeOnce(callOf(request, 'fees set'), async sql => {
        const previous = sameRow(await setFees(sql, [fee], { force }), fee)
        return { fee: presentFee(fee), previous: previous ? presentFee(previous) : null }
      })
    },
  })
  routes.write('/v3/operator/fee/remove', {
    config: { ...WRITE, check: (body: FeeSubject) => void readFeeRequest(body) },
    operationId: 'removeFee',
    summary: 'Remove the row of the fee schedule for exactly these payouts.',
    body: FeeSubject,
    response: FeeRow,
    idempotent: true,
    refusals: ['currency', 'not_found'],
    answer(request, desk) {
      const key = readFeeRequest(request.body)
      return desk.changeOnce(callOf(request, 'fees remove'), async sql =>
        presentFee(sameRow(await removeFee(sql, key), key) ?? key),
      )
    },
  })
}

function pricingRoutes(routes: DeskRoutes): void {
  routes.write('/v3/operator/pricing', {
    config: { ...WRITE, check: (body: SetPricing) => void readPricing(body) },
    operationId: 'setPricing',
    summary: 'Set spread, validity of quotes, age of rates or the pivot.',
    body: SetPricing,
    response: SetPolicies,
    idempotent: true,
    refusals: ['currency', 'not_found', 'likely_slip'],
    answer(request, desk) {
      const { account_id = null, from_currency = null, to_currency = null } = request.body
      const { from, force = false } = request.body
      const scope = { account_id, from_currency, to_currency }
      const asked = given({ scope, values: readPricing(request.body), force, from })
      return desk.changeOnce(callOf(request, 'pricing set'), async sql => {
        const { made } = await setPolicies(sql, asked)
        return { rows: made }
      })
    },
  })
  routes.write('/v3/operator/pricing/remove', {
    config: WRITE,
    operationId: 'endPricing',
    summary: 'End one row in force, or take back one that waits.',
    body: EndPricing,
    response: RemovedPolicy,
    idempotent: true,
    refusals: ['not_found', 'invalid_transition'],
    answer(request, desk) {
      const { policy_id, from } = request.body
      return desk.changeOnce(callOf(request, 'pricing remove'), async sql => {
        const { row, made } = await endPolicy(sql, policy_id, from)
        return { removed: row, taken_back: made.length === 0 }
      })
    },
  })
}
