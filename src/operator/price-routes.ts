// GET and POST /v3/operator/rate and /pricing, and POST …/remove of each.

import { refusal } from '../errors.ts'
import { given } from '../given.ts'
import { ListOf } from '../http/list.ts'
import type { Changed } from '../price/rate/change.ts'
import { type Judged, MAX_MOVE_BPS } from '../price/rate/guard.ts'
import { presentRate } from '../price/rate/load.ts'
import { deleteRate } from '../price/rate/store.ts'
import type { Read } from '../text/csv.ts'
import { type DeskRoutes, listAnswer } from './desk-routes.ts'
import { EndPricing, RatePair, readPricing, SetPricing, SetRate } from './price-request.ts'
import {
  ChangedRate,
  DatedRate,
  PricingList,
  RateRow,
  RemovedPolicy,
  SetPolicies,
} from './price-response.ts'
import { endPolicy, listPricing, setPolicies } from './pricing.ts'
import { datedRates, presentChangedRate, setRate } from './rates.ts'
import { checkLines } from './request.ts'
import { readOrRefuse } from './words.ts'

const WRITES = { asksPassword: true } as const

export function deskPriceRoutes(routes: DeskRoutes): void {
  listRoutes(routes)
  rateRoutes(routes)
  pricingRoutes(routes)
}

function listRoutes(routes: DeskRoutes): void {
  routes.read('/v3/operator/rate', {
    operationId: 'listRates',
    summary: 'List the rate book, with the age of each rate and until when it can be used.',
    response: ListOf(DatedRate),
    answer: async (_, { audit }) => listAnswer((await datedRates(audit)).dated),
  })
  routes.read('/v3/operator/pricing', {
    operationId: 'listPricing',
    summary: 'List the spreads, the validity of quotes, the age of rates and the pivot currency.',
    response: PricingList,
    answer: (_, { audit }) => listPricing(audit),
  })
}

function rateRoutes(routes: DeskRoutes): void {
  routes.change('/v3/operator/rate', {
    act: 'rates set',
    config: { ...WRITES, check: (body: SetRate) => checkLines(body, ['source']) },
    operationId: 'setRate',
    summary: 'Set one rate.',
    description:
      'A rate is refused as `likely_slip` if it is older than the present one, pegged, of ' +
      'the inverse pair or far from the present one, unless `force` confirms it.',
    body: SetRate,
    response: ChangedRate,
    refusals: ['currency', 'likely_slip'],
    async change(sql, { body }) {
      const { base, quote, mid, source = 'operator', as_of = '', peg = false } = body
      const { max_move_bps = MAX_MOVE_BPS, force = false } = body
      const asked = { peg, max_move_bps, force, dry_run: false }
      const cells = { base, quote, mid, source, as_of }
      const read = await setRate(sql, { cells, ...asked })
      const changed = presentChangedRate(changedOf(read))
      return { ...changed, gaps: read.value?.gaps.map(({ message }) => message) ?? [] }
    },
  })
  routes.change('/v3/operator/rate/remove', {
    act: 'rates remove',
    config: WRITES,
    operationId: 'removeRate',
    summary: 'Remove the row of one pair.',
    body: RatePair,
    response: RateRow,
    refusals: ['currency', 'not_found'],
    async change(sql, { body: { base, quote } }) {
      const removed = await deleteRate(sql, base, quote)
      if (removed !== undefined) return presentRate(removed)
      throw refusal('not_found', `${base}/${quote} has no row of its own.`)
    },
  })
}

/** The change of a single rate. Refuses (400) an invalid rate, and (422) a likely slip. */
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

function pricingRoutes(routes: DeskRoutes): void {
  routes.change('/v3/operator/pricing', {
    act: 'pricing set',
    config: { ...WRITES, check: (body: SetPricing) => void readPricing(body) },
    operationId: 'setPricing',
    summary: 'Set a spread, the validity of quotes, the age of rates or the pivot currency.',
    body: SetPricing,
    response: SetPolicies,
    refusals: ['currency', 'not_found', 'likely_slip'],
    async change(sql, { body }) {
      const { account_id = null, from_currency = null, to_currency = null } = body
      const { from, force = false } = body
      const scope = { account_id, from_currency, to_currency }
      const asked = given({ scope, values: readPricing(body), force, from })
      const { made } = await setPolicies(sql, asked)
      return { rows: made }
    },
  })
  routes.change('/v3/operator/pricing/remove', {
    act: 'pricing remove',
    config: WRITES,
    operationId: 'endPricing',
    summary: 'End a row that is in force, or remove a row that has not begun.',
    body: EndPricing,
    response: RemovedPolicy,
    refusals: ['not_found', 'invalid_transition'],
    async change(sql, { body }) {
      const { row, made } = await endPolicy(sql, body.policy_id, body.from)
      return { removed: row, taken_back: made.length === 0 }
    },
  })
}
