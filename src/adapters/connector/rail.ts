// The adapter of a connector. It stores each answer as evidence before it interprets it, and its
// report follows from all evidence of the attempt. An unclear answer proves nothing.
import { misfitsOf } from '../../http/validators.ts'
import type { Evidence, NewEvidence } from '../../rails/evidence.ts'
import type { RailPayout, RailReport } from '../../rails/rail.ts'
import { instantFromIso } from '../../values/instant.ts'
import { type Client, UnclearAnswer } from './client.ts'
import type { ConnectorConfig } from './config.ts'
import {
  answerEvidence,
  type ConnectorEvidence,
  paymentEvidence,
  paymentProblem,
  stepsIn,
  wasTaken,
  withPayout,
} from './evidence.ts'
import { orderOf } from './order.ts'
import { Capabilities, ErrorBody, Payment, PROTOCOL, UNKNOWN_PAYMENT } from './protocol.ts'
import { askAgainIn, hasNoMoney, isEnd, readSteps, shortReturn } from './steps.ts'

export interface EvidenceStore {
  /** Stores the new rows; returns all evidence of the attempt, in the order of receipt. */
  keep(payout: RailPayout, evidence: readonly NewEvidence[]): Promise<readonly Evidence[]>
}

/** How long the connector's capabilities are used before they are read again. */
const CAPABILITIES_MS = 600_000

export class ConnectorRail {
  readonly name: string
  readonly key_lifetime_ms: number | null
  readonly #client: Client
  readonly #evidence: EvidenceStore
  #capabilities: { readonly value: Promise<Capabilities>; readonly until: number } | undefined

  constructor(
    name: string,
    { key_lifetime_s }: ConnectorConfig,
    client: Client,
    evidence: EvidenceStore,
  ) {
    this.name = name
    this.key_lifetime_ms = key_lifetime_s === null ? null : key_lifetime_s * 1000
    this.#client = client
    this.#evidence = evidence
  }

  submit(payouts: readonly RailPayout[]): readonly Promise<RailReport>[] {
    return payouts.map(payout => this.#submit(payout))
  }

  inquire(payouts: readonly RailPayout[]): readonly Promise<RailReport | undefined>[] {
    return payouts.map(payout => this.#inquire(payout))
  }

  /** Nothing is open between requests. */
  close(): Promise<void> {
    return Promise.resolve()
  }

  async #submit(payout: RailPayout): Promise<RailReport> {
    const { id } = payout.attempt
    if (this.#isPastLifetime(payout)) {
      const message =
        'The rail may not know this attempt by its id any more: a repeat may pay twice.'
      return exceptionOf('key_expired', message)
    }
    await this.#ready()
    const { status_code, json } = await this.#client.ask('PUT', `/payments/${id}`, orderOf(payout))
    if (status_code === 200) return this.#report(payout, paymentOf(payout, json))
    return this.#refused(payout, status_code, json)
  }

  #isPastLifetime({ asked_at, attempt }: RailPayout): boolean {
    const age_ms = Date.parse(asked_at) - Date.parse(attempt.opened_at)
    return this.key_lifetime_ms !== null && age_ms >= this.key_lifetime_ms
  }

  async #inquire(payout: RailPayout): Promise<RailReport | undefined> {
    const { id } = payout.attempt
    const { status_code, json } = await this.#client.ask('GET', `/payments/${id}`)
    if (status_code === 404) return this.#unknown(payout, json)
    if (status_code !== 200) throw new UnclearAnswer(`GET /payments/${id}: answered ${status_code}`)
    const payment = await this.#sendAnswers(payout, paymentOf(payout, json))
    return this.#report(payout, payment)
  }

  /** Sends the account's answers that the connector does not have; returns the payment after. */
  async #sendAnswers(payout: RailPayout, payment: Payment): Promise<Payment> {
    const { answers_seen } = payment
    const missing = payout.answers.filter(({ number }) => number > (answers_seen ?? 0))
    if (missing.length === 0 || answers_seen === undefined) return payment
    const path = `/payments/${payout.attempt.id}/answers`
    const { status_code, json } = await this.#client.ask('POST', path, { answers: missing })
    if (status_code !== 200) throw new UnclearAnswer(`POST ${path}: answered ${status_code}`)
    return paymentOf(payout, json)
  }

  /** Stores this payment as evidence, and reports by all evidence of the attempt. */
  async #report(payout: RailPayout, payment: Payment): Promise<RailReport> {
    const { destination_amount: amount, destination_currency: currency } = payout
    const evidence = await this.#keep(payout, paymentEvidence(payment))
    const problem = paymentProblem(evidence, { amount, currency })
    const reported = stepsIn(evidence)
    const asked_at = Date.parse(payout.asked_at)
    const ended = reported.findLast(({ status }) => isEnd(status))
    const age = {
      since_opened_ms: asked_at - Date.parse(payout.attempt.opened_at),
      since_ended_ms: ended === undefined ? 0 : asked_at - Date.parse(ended.received_at),
    }
    // With another amount, or references of two payments, no step is applied.
    const report = problem === undefined ? readSteps(reported) : { steps: [], exception: problem }
    // Evidence stays, so another answer cannot take back a contradiction: the rail is not asked.
    const is_wrong = report.exception !== undefined
    const { reference, expected_at = '' } = payment
    const arrival = instantFromIso(expected_at)
    const returned = shortReturn(reported, { amount, currency })
    const references = {
      ...(reference !== '' && { provider: reference }),
      ...(returned !== undefined && { returned }),
    }
    return {
      ...report,
      ask_again_in_ms: is_wrong ? null : askAgainIn(reported, age, this.key_lifetime_ms),
      ...(Object.keys(references).length > 0 && { references }),
      ...(arrival !== undefined && { expected_at: arrival }),
    }
  }

  #keep(payout: RailPayout, rows: readonly ConnectorEvidence[]): Promise<readonly Evidence[]> {
    return this.#evidence.keep(
      payout,
      rows.map(row => withPayout(payout, row)),
    )
  }

  /** A refusal of the order says nothing about the money, so a person looks. */
  async #refused(payout: RailPayout, status_code: number, json: unknown): Promise<RailReport> {
    const { code, message } = errorOf(json)
    await this.#keep(payout, [answerEvidence(status_code, `${code}: ${message}`)])
    if (status_code === 409) {
      return exceptionOf('other_body', 'The rail has another payment under the id of this attempt.')
    }
    const words = `The rail refuses the order itself: ${status_code} ${code}: ${message}`
    return exceptionOf('order_refused', words)
  }

  /**
   * Reports on a 404. Undefined: the connector never had the payment. A connector that had and
   * forgot a payment may pay it twice. A 404 that the connector may have sent before it got the
   * payment is unclear: a slow hand-over can end while the question is on its way.
   */
  async #unknown(payout: RailPayout, json: unknown): Promise<RailReport | undefined> {
    const { id } = payout.attempt
    const error = errorOf(json)
    if (error.code !== UNKNOWN_PAYMENT || error.id !== id) {
      throw new UnclearAnswer(`GET /payments/${id}: a 404 that is not about this payment`)
    }
    const known = await this.#keep(payout, [])
    if (!wasTaken(known)) return undefined
    if (!wasTaken(known.filter(({ received_at }) => received_at <= payout.asked_at))) {
      throw new UnclearAnswer(`GET /payments/${id}: a 404 that may be older than the payment`)
    }
    await this.#keep(payout, [answerEvidence(404, error.message)])
    const reported = stepsIn(known)
    const report = readSteps(reported)
    const { steps } = report
    // A connector may forget a payment that it has refused or returned: it has no money of it.
    if (report.exception === undefined && hasNoMoney(reported)) {
      return { ...report, ask_again_in_ms: null }
    }
    // It may forget a paid payment after the agreed lifetime. The payment stays paid.
    if (steps.some(({ status }) => status === 'succeeded') && this.#isPastLifetime(payout)) {
      return { steps, ask_again_in_ms: null }
    }
    const message = 'The rail had this attempt and now says that it never did.'
    return exceptionOf('forgotten', message)
  }

  /** Rejects with UnclearAnswer until the connector's capabilities agree with the settings. */
  async #ready(): Promise<void> {
    const now = performance.now()
    if (this.#capabilities === undefined || this.#capabilities.until < now) {
      const value = this.#readCapabilities()
      this.#capabilities = { value, until: now + CAPABILITIES_MS }
      value.catch(() => {
        this.#capabilities = undefined
      })
    }
    const { key_lifetime_s } = await this.#capabilities.value
    if (key_lifetime_s === null) return
    if (this.key_lifetime_ms === null || key_lifetime_s * 1000 < this.key_lifetime_ms) {
      throw new UnclearAnswer(
        'not handed over: the connector knows payments for a shorter time than set',
      )
    }
  }

  async #readCapabilities(): Promise<Capabilities> {
    const { status_code, json } = await this.#client.ask('GET', '/capabilities')
    const fits = misfitsOf(Capabilities, json).length === 0
    if (status_code === 200 && fits) return json as Capabilities
    throw new UnclearAnswer(
      `not handed over: no capabilities of protocol ${PROTOCOL} (${status_code})`,
    )
  }
}

/** The largest amount that PostgreSQL stores. */
const MAX_AMOUNT = 2n ** 63n - 1n

function exceptionOf(kind: string, message: string): RailReport {
  return { steps: [], ask_again_in_ms: null, exception: { kind, message } }
}

/**
 * The payment in an answer. Throws UnclearAnswer when the answer does not fit the protocol or is
 * about another payment.
 */
function paymentOf({ attempt }: RailPayout, json: unknown): Payment {
  const [misfit] = misfitsOf(Payment, json)
  if (misfit !== undefined) {
    const { instancePath, message = '' } = misfit
    throw new UnclearAnswer(
      `payment ${attempt.id}: not of the protocol: ${instancePath} ${message}`,
    )
  }
  const payment = json as Payment
  const amounts = [payment, ...payment.steps].map(({ amount = '0' }) => BigInt(amount))
  if (amounts.some(amount => amount > MAX_AMOUNT)) {
    throw new UnclearAnswer(`payment ${attempt.id}: an amount of more than 64 bits`)
  }
  if (payment.id === attempt.id) return payment
  throw new UnclearAnswer(`payment ${attempt.id}: the answer is about ${payment.id}`)
}

function errorOf(json: unknown): { readonly code: string; readonly message: string; id?: string } {
  const fits = misfitsOf(ErrorBody, json).length === 0
  return fits ? (json as ErrorBody) : { code: 'unreadable', message: '' }
}
