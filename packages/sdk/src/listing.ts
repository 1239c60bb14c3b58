// A list. `await` reads its first page; iteration reads every object, page by page. It goes from
// new to old; with `ending_before` it goes from that object to newer ones.
import type { Answered } from './call.ts'

export interface Page<T> {
  readonly object: 'list'
  readonly has_more: boolean
  /** Newest first. */
  readonly results: readonly T[]
}

export type Query = Readonly<Record<string, unknown>>

export class Listing<T> implements PromiseLike<Page<T>>, AsyncIterable<T> {
  readonly #query: Query
  readonly #cursor: string
  readonly #ask: (query: Query) => Promise<Answered<Page<T>>>
  #first: Promise<Answered<Page<T>>> | undefined

  constructor(query: Query, cursor: string, ask: (query: Query) => Promise<Answered<Page<T>>>) {
    this.#query = query
    this.#cursor = cursor
    this.#ask = ask
  }

  /** The first page, with status, headers and request id. The first use sends the request. */
  withResponse(): Promise<Answered<Page<T>>> {
    this.#first ??= this.#ask(this.#query)
    return this.#first
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for its first page
  then<A = Page<T>, B = never>(
    onPage?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withResponse()
      .then(({ data }) => data)
      .then(onPage, onError)
  }

  /** Every page, in the direction of the list. */
  async *pages(): AsyncGenerator<Page<T>, void> {
    const isBackward = this.#query.ending_before !== undefined
    let { data: page } = await this.withResponse()
    for (;;) {
      yield page
      const last = page.results.at(isBackward ? 0 : -1)
      if (!page.has_more || last === undefined) return
      const id = (last as Record<string, unknown>)[this.#cursor]
      const { starting_after: _after, ending_before: _before, ...query } = this.#query
      const cursor = isBackward ? { ending_before: id } : { starting_after: id }
      ;({ data: page } = await this.#ask({ ...query, ...cursor }))
    }
  }

  /** Every object: with `ending_before`, the next newer one first. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    const isBackward = this.#query.ending_before !== undefined
    for await (const { results } of this.pages()) yield* isBackward ? results.toReversed() : results
  }
}
