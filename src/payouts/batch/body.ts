// Checks the body of a batch, payout by payout. It yields to other requests in between, because a
// body is too large for one turn of the event loop.
import type { FastifyRequest } from 'fastify'
import { MAX_BODY_BYTES } from '../../http/json.ts'
import { isObject, problemsByRules, validationProblems, withMore } from '../../http/problems.ts'
import { oversizedParts } from '../../http/sizes.ts'
import { bytesOf } from '../../values/bounds.ts'
import { hashJson } from '../../values/digest.ts'
import { invalidField, type Problem, Refusal } from '../../values/errors.ts'
import { forEachInTurns } from '../../values/event-loop.ts'
import { checkRequest } from '../create/fields.ts'
import { PayoutRequest } from '../request.ts'
import { type BatchRequest, MAX_PAYOUTS } from './request.ts'
import { atPosition, MAX_LISTED } from './rules.ts'

/** 16 MiB: 10,000 payouts of 1.6 KiB each. */
export const MAX_BATCH_BYTES = 16 * 1024 * 1024

/** The refusal of each body that has problems, until `checkBatch` throws it. */
const refusals = new WeakMap<object, Refusal>()

/** Checks the payouts of a body of any shape; `checkBatch` throws the result. */
export async function judgePayouts(request: FastifyRequest): Promise<void> {
  const { body } = request
  if (!isObject(body)) return
  const { payouts } = body
  // The schema refuses too many payouts, so they are not checked.
  if (!Array.isArray(payouts) || payouts.length > MAX_PAYOUTS) return
  const listed: Problem[] = []
  let unlisted = 0
  await forEachInTurns(payouts, (payout: unknown, i) => {
    const found = problemsOf(request, payout, i)
    const room = MAX_LISTED - listed.length
    listed.push(...found.slice(0, room))
    unlisted += Math.max(0, found.length - room)
  })
  if (listed.length > 0) refusals.set(body, new Refusal(listed, unlisted))
}

/** Throws the refusal that `judgePayouts` has found. */
export function checkBatch(body: object): void {
  const found = refusals.get(body)
  if (found !== undefined) throw found
}

function problemsOf(request: FastifyRequest, payout: unknown, i: number): Problem[] {
  const oversized = oversizedParts(PayoutRequest, payout, `payouts[${i}]`)
  if (oversized.length > 0) return oversized
  if (bytesOf(payout) > MAX_BODY_BYTES) {
    const path = `payouts[${i}]`
    return [invalidField(path, `${path} must have at most ${MAX_BODY_BYTES} bytes, as a body.`)]
  }
  const isValid = request.compileValidationSchema(PayoutRequest)
  const found = isValid(payout) ? [] : shapeProblems(isValid.errors ?? [], i)
  const check = (body: unknown) => checkRequest(body as PayoutRequest, request.account)
  const byRules = problemsByRules(check, payout, found.length === 0)
  return withMore(
    found,
    byRules.map(problem => atPosition(i, problem)),
  )
}

function shapeProblems(findings: Parameters<typeof validationProblems>[0], i: number) {
  const placed = findings.map(finding => {
    return { ...finding, instancePath: `/payouts/${i}${finding.instancePath}` }
  })
  return validationProblems(placed, 'body')
}

/** The request in the form that is hashed for its Idempotency-Key: each payout is its own hash. */
export async function hashable({ payouts, ...rest }: BatchRequest): Promise<object> {
  const hashes: string[] = []
  await forEachInTurns(payouts, payout => hashes.push(hashJson(payout)))
  return { ...rest, payouts: hashes }
}
