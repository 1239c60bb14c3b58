// The body of a batch, which is too large to be judged in one go: shape and rules of each payout,
// one after the other, with others let in between. It knows requests and nothing that is stored.
import type { FastifyRequest } from 'fastify'
import { forEachInTurns } from '../engine/turns.ts'
import { type Problem, Refusal } from '../errors.ts'
import { validationProblems, withMore } from '../http/problems.ts'
import { tooMuch } from '../http/sizes.ts'
import { checkRequest } from '../payout/pricing.ts'
import { PayoutRequest } from '../payout/request.ts'
import { hashJson } from '../seal.ts'
import { type BatchRequest, MAX_PAYOUTS } from './request.ts'
import { MAX_LISTED, within } from './rules.ts'

/** 16 MiB: 10,000 payouts of 1.6 KiB each. */
export const MAX_BATCH_BYTES = 16 * 1024 * 1024

/** What was found in the payouts of a body, until it is answered. */
const refusals = new WeakMap<object, Refusal>()

/** Judges the payouts of a body of whatever shape; `checkBatch` then says what was found. */
export async function judgePayouts(request: FastifyRequest): Promise<void> {
  const { body } = request
  if (!isObject(body)) return
  const { payouts } = body
  // Of what is too many nothing is looked at; the schema says that it is.
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

/** Throws what is wrong with the payouts of this body. */
export function checkBatch(body: object): void {
  const found = refusals.get(body)
  if (found !== undefined) throw found
}

function problemsOf(request: FastifyRequest, payout: unknown, i: number): Problem[] {
  const unasked = tooMuch(PayoutRequest, payout, `payouts[${i}]`)
  if (unasked.length > 0) return unasked
  const isValid = request.compileValidationSchema(PayoutRequest)
  const found = isValid(payout) ? [] : shapeProblems(isValid.errors ?? [], i)
  return withMore(found, ruleProblems(request, payout, i))
}

function shapeProblems(findings: Parameters<typeof validationProblems>[0], i: number) {
  const placed = findings.map(finding => {
    return { ...finding, instancePath: `/payouts/${i}${finding.instancePath}` }
  })
  return validationProblems(placed, 'body')
}

/** As for other requests: rules that a payout of the wrong shape breaks have nothing to say. */
function ruleProblems({ account }: FastifyRequest, payout: unknown, i: number): Problem[] {
  if (!isObject(payout)) return []
  try {
    checkRequest(payout as PayoutRequest, account)
    return []
  } catch (error) {
    return error instanceof Refusal ? error.problems.map(problem => within(i, problem)) : []
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What tells one batch from another, hashed payout by payout. */
export async function hashable({ payouts, ...rest }: BatchRequest): Promise<object> {
  const hashes: string[] = []
  await forEachInTurns(payouts, payout => hashes.push(hashJson(payout)))
  return { ...rest, payouts: hashes }
}
