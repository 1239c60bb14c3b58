// What this connector does wrong on purpose, so that Corridor and `corridor rail check` can be seen
// to notice. A copy of the connector leaves this file out, and every line that asks it.

export const FAULTS = {
  'drop-answers': 'takes the request and closes the connection instead of answering',
  'errors-500': 'answers 500 before it does anything',
  slow: 'answers after 12 seconds',
  redirects: 'sends GET requests to another address',
  'html-errors': 'answers an unknown payment with a page for people',
  'unsigned-believed': 'takes requests without a signature',
  'any-signature-believed': 'takes requests with the signature of another secret',
  'old-believed': 'takes requests that were signed long ago',
  'answers-unsigned': 'does not sign its answers',
  'errors-unsigned': 'does not sign its answers of errors',
  'pays-again': 'takes a repeated PUT as another payment',
  races: 'takes the same payment twice when two PUTs come at once',
  'amount-not-compared': 'takes another amount under a known id',
  'beneficiary-not-compared': 'takes another beneficiary under a known id',
  'account-not-compared': 'takes another account of the beneficiary under a known id',
  'float-amounts': 'reads amounts as floating-point numbers',
  'other-amount': 'deducts a fee from what the beneficiary receives',
  'over-limit': 'pays more than its own limit',
  'unknown-as-empty': 'answers 200 for a payment that it never got',
  'known-as-404': 'answers 404 for a payment that it has',
  'forgets-keys': 'forgets each payment after a few seconds',
  'steps-reordered': 'tells the newest step first',
  'steps-rewritten': 'replaces earlier steps by the newest one',
  'returns-too-much': 'returns more than it has paid',
  'code-missing': 'rejects payments without a code',
  'cancels-twice': 'tells of a second cancellation when it is asked again',
  'answers-twice': 'asks for an answer again that it has',
  'strict-orders': 'refuses orders with a member that it does not know',
} as const

export type Fault = keyof typeof FAULTS

export class Faults {
  readonly #shares: ReadonlyMap<Fault, number>
  #seed: number

  /** Shares from 0 to 1 by the name of the fault; `seed` decides which requests they hit. */
  constructor(shares: Partial<Record<Fault, number>> = {}, seed = 1) {
    this.#shares = new Map(Object.entries(shares) as [Fault, number][])
    this.#seed = seed
  }

  /** Reads `slow` or `drop-answers=0.2`. */
  static read(texts: readonly string[], seed?: number): Faults {
    const shares = texts.map(text => {
      const [name = '', share = '1'] = text.split('=')
      if (!Object.hasOwn(FAULTS, name) || !/^(1|0?\.\d+)$/.test(share)) {
        throw new Error(`no fault ${text}; there are ${Object.keys(FAULTS).join(', ')}`)
      }
      return [name, Number(share)] as const
    })
    return new Faults(Object.fromEntries(shares), seed)
  }

  /** Whether the fault happens now. */
  hits(fault: Fault): boolean {
    const share = this.#shares.get(fault) ?? 0
    return share > 0 && this.#next() < share
  }

  /** A linear congruential generator: the same seed, the same run. */
  #next(): number {
    this.#seed = (Math.imul(this.#seed, 1_664_525) + 1_013_904_223) >>> 0
    return this.#seed / 2 ** 32
  }
}
