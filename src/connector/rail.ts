// The adapter of a connector. What the connector says is kept as evidence before it is interpreted;
// the report follows from all of the evidence. An unclear answer proves nothing.
import { misfitsOf } from '../http/validators.ts'
import { instantFromIso } from '../instant.ts'
import type { Evidence, NewEvidence } from '../rail/evidence.ts'
import type { RailPayout, RailReport } from '../rail/rail.ts'
import { type Client, Unclear } from './client.ts'
import type { ConnectorConfig } from './config.ts'
import {
  evidenceOf,
  paymentProblem,
  stepsIn,
  type Word,
  wasTaken,
  wordOfAnswer,
  wordsOf,
} from './evidence.ts'
import { orderOf } from './order.ts'
import { Capabilities, ErrorBody, Payment, PROTOCOL, UNKNOWN_PAYMENT } from './protocol.ts'
import { askAgainIn, hasNoMoney, isEnd, readSteps, shortReturn } from './steps.ts'

/** Where evidence is kept. */
export interface EvidenceStore {
  /** Stores the new statements; returns all of the attempt, in the order of receipt. */
  keep(payout: RailPayout, said: readonly NewEvidence[]): Promise<readonly Evidence[]>
}

/** How long capabilities count before they are read again. */
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

  /** It keeps nothing open between requests. */
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
    if (status_code !== 200) throw new Unclear(`GET /payments/${id}: answered ${status_code}`)
    const payment = await this.#answered(payout, paymentOf(payout, json))
    return this.#report(payout, payment)
  }

  /** Hands over the answers that the connector has not seen; returns the payment after them. */
  async #answered(payout: RailPayout, payment: Payment): Promise<Payment> {
    const { answers_seen } = payment
    const unseen = payout.answers.filter(({ number }) => number > (answers_seen ?? 0))
    if (unseen.length === 0 || answers_seen === undefined) return payment
    const path = `/payments/${payout.attempt.id}/answers`
    const { status_code, json } = await this.#client.ask('POST', path, { answers: unseen })
    if (status_code !== 200) throw new Unclear(`POST ${path}: answered ${status_code}`)
    return paymentOf(payout, json)
  }

  /** What all of the evidence says, including this answer. */
  async #report(payout: RailPayout, payment: Payment): Promise<RailReport> {
    const { destination_amount: amount, destination_currency: currency } = payout
    const kept = await this.#keep(payout, wordsOf(payment))
    const problem = paymentProblem(kept, { amount, currency })
    const told = stepsIn(kept)
    const asked_at = Date.parse(payout.asked_at)
    const ended = told.findLast(({ status }) => isEnd(status))
    const age = {
      since_opened_ms: asked_at - Date.parse(payout.attempt.opened_at),
      since_ended_ms: ended === undefined ? 0 : asked_at - Date.parse(ended.received_at),
    }
    // If the amount differs, or it is about two payments, no step is applied.
    const said = problem === undefined ? readSteps(told) : { steps: [], exception: problem }
    // Evidence stays, so the rail cannot take back a contradiction when it is asked again.
    const is_wrong = said.exception !== undefined
    const { reference, expected_at = '' } = payment
    const arrival = instantFromIso(expected_at)
    const returned = shortReturn(told, { amount, currency })
    const references = {
      ...(reference !== '' && { provider: reference }),
      ...(returned !== undefined && { returned }),
    }
    return {
      ...said,
      ask_again_in_ms: is_wrong ? null : askAgainIn(told, age, this.key_lifetime_ms),
      ...(Object.keys(references).length > 0 && { references }),
      ...(arrival !== undefined && { expected_at: arrival }),
    }
  }

  #keep(payout: RailPayout, words: readonly Word[]): Promise<readonly Evidence[]> {
    return this.#evidence.keep(
      payout,
      words.map(word => evidenceOf(payout, word)),
    )
  }

  /** A connector that refuses an order as such says nothing about the money, so a person looks. */
  async #refused(payout: RailPayout, status_code: number, json: unknown): Promise<RailReport> {
    const { code, message } = errorOf(json)
    await this.#keep(payout, [wordOfAnswer(status_code, `${code}: ${message}`)])
    if (status_code === 409) {
      return exceptionOf('other_body', 'The rail has another payment under the id of this attempt.')
    }
    const words = `The rail refuses the order itself: ${status_code} ${code}: ${message}`
    return exceptionOf('order_refused', words)
  }

  /**
   * Undefined: the connector never had it. A connector that had it and forgot it may pay it twice.
   */
  async #unknown(payout: RailPayout, json: unknown): Promise<RailReport | undefined> {
    const { id } = payout.attempt
    const error = errorOf(json)
    if (error.code !== UNKNOWN_PAYMENT || error.id !== id) {
      throw new Unclear(`GET /payments/${id}: a 404 that is not about this payment`)
    }
    const known = await this.#keep(payout, [])
    if (!wasTaken(known)) return undefined
    await this.#keep(payout, [wordOfAnswer(404, error.message)])
    const told = stepsIn(known)
    const said = readSteps(told)
    const { steps } = said
    // A connector may forget a payment that it has refused or given back: it has no money of it.
    if (said.exception === undefined && hasNoMoney(told)) {
      return { ...said, ask_again_in_ms: null }
    }
    // It may forget a payment that it has paid, as agreed; that says nothing about the money.
    if (steps.some(({ status }) => status === 'succeeded') && this.#isPastLifetime(payout)) {
      return { steps, ask_again_in_ms: null }
    }
    const message = 'The rail had this attempt and now says that it never did.'
    return exceptionOf('forgotten', message)
  }

  /** Rejects until the connector's capabilities agree with the settings. */
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
      throw new Unclear('not handed over: the connector knows payments for a shorter time than set')
    }
  }

  async #readCapabilities(): Promise<Capabilities> {
    const { status_code, json } = await this.#client.ask('GET', '/capabilities')
    const fits = misfitsOf(Capabilities, json).length === 0
    if (status_code === 200 && fits) return json as Capabilities
    throw new Unclear(`not handed over: no capabilities of protocol ${PROTOCOL} (${status_code})`)
  }
}

/** The largest amount that PostgreSQL stores. */
const MAX_AMOUNT = 2n ** 63n - 1n

function exceptionOf(kind: string, message: string): RailReport {
  return { steps: [], ask_again_in_ms: null, exception: { kind, message } }
}

/**
 * The payment in an answer. An answer that does not fit the protocol, or is about another payment,
 * is unclear.
 */
function paymentOf({ attempt }: RailPayout, json: unknown): Payment {
  const [misfit] = misfitsOf(Payment, json)
  if (misfit !== undefined) {
    const { instancePath, message = '' } = misfit
    throw new Unclear(`payment ${attempt.id}: not of the protocol: ${instancePath} ${message}`)
  }
  const payment = json as Payment
  const amounts = [payment, ...payment.steps].map(({ amount = '0' }) => BigInt(amount))
  if (amounts.some(amount => amount > MAX_AMOUNT)) {
    throw new Unclear(`payment ${attempt.id}: an amount of more than 64 bits`)
  }
  if (payment.id === attempt.id) return payment
  throw new Unclear(`payment ${attempt.id}: the answer is about ${payment.id}`)
}

function errorOf(json: unknown): { readonly code: string; readonly message: string; id?: string } {
  const fits = misfitsOf(ErrorBody, json).length === 0
  return fits ? (json as ErrorBody) : { code: 'unreadable', message: '' }
}
