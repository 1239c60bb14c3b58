// The return type of a method: a promise of the object in the answer, with the whole answer in
// withResponse().

export interface Answered<T> {
  readonly data: T
  readonly status: number
  readonly headers: Headers
  /** The id of the request in the service's log. */
  readonly request_id: string
  /** Whether the service repeated a kept answer, because it knew the Idempotency-Key. */
  readonly replayed: boolean
  readonly idempotency_key: string | undefined
  /** How often the client sent the request. */
  readonly attempts: number
}

export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call'
  readonly #answered: Promise<Answered<T>>

  constructor(answered: Promise<Answered<T>>) {
    this.#answered = answered
  }

  /** The object with status, headers, request id and `replayed`. */
  withResponse(): Promise<Answered<T>> {
    return this.#answered
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has it
  then<A = T, B = never>(
    onData?: ((data: T) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answered.then(({ data }) => data).then(onData, onError)
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, onError)
  }

  finally(onEnd?: (() => void) | null): Promise<T> {
    return this.then().finally(onEnd)
  }
}
