// Writers that record the same people and businesses in many spellings, each time under a key of its
// own, while services are killed. Afterwards everything is asked again.
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { same } from '../support/given/entity-disguises.ts'
import type { HttpAnswer, HttpClient } from '../support/service/process.ts'
import { share } from '../support/share.ts'

export const WRITERS = 8
const PATH = '/v3/entity'
const PAUSE_MS = share(10, 0)

/** One creation asked for under its own key. */
interface Asked {
  readonly key: string
  readonly identity: number
  readonly body: object
  /** What the client got; undefined when the connection ended before. */
  answer?: HttpAnswer
}

/** A request that is this person or business by one rule, and by no other; never twice the same. */
function spell(random: () => number, identity: number): object {
  const spelt = (text: string) => same(random, text)
  const any = { name: `Name ${Math.floor(random() * 1e9)}`, type: 'individual' }
  switch (identity % 4) {
    case 0:
      return { ...any, email: spelt(`person.${identity}@example.com`) }
    case 1: {
      const number = { type: spelt('Passport'), number: spelt(`X ${identity}`) }
      return { ...any, national_identification_number: number }
    }
    case 2: {
      const line1 = spelt(`Flat ${identity}, 1 Hill Road`)
      const registration_address = { line1, city: spelt('Port Louis'), country: 'MU' }
      return { ...any, name: spelt('Mary Green'), registration_address }
    }
    default: {
      const registration_address = { country: random() < 0.5 ? 'hk' : ' HK ' }
      const registration_number = spelt(`HK ${identity}`)
      return { ...any, type: 'business', registration_number, registration_address }
    }
  }
}

/** Writers on a database; `address` says where a writer asks next. */
export class EntityWriters {
  readonly #asked: Asked[] = []
  readonly #client: HttpClient
  readonly #address: (writer: number) => string
  readonly #random: () => number
  #stopped = false
  #writers: Promise<void>[] = []

  constructor(client: HttpClient, address: (writer: number) => string, random: () => number) {
    this.#client = client
    this.#address = address
    this.#random = random
  }

  /** How many requests have been answered so far. */
  get answered(): number {
    return this.#asked.filter(({ answer }) => answer !== undefined).length
  }

  /** They ask for few identities at a time, so that most are asked for by several at once. */
  start(): void {
    this.#stopped = false
    this.#writers = Array.from({ length: WRITERS }, (_, writer) => this.#write(writer))
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#writers)
  }

  async #write(writer: number): Promise<void> {
    while (!this.#stopped) {
      const identity = Math.floor(this.#asked.length / WRITERS + this.#random() * 4)
      const key = `entity-${this.#asked.length}`
      const one: Asked = { key, identity, body: spell(this.#random, identity) }
      this.#asked.push(one)
      const answer = await this.#ask(one, writer)
      if (answer !== undefined) one.answer = answer
      await delay(PAUSE_MS)
    }
  }

  /** Asks a service that is there; undefined when it ends before it has answered, or none comes. */
  async #ask({ body, key }: Asked, writer: number): Promise<HttpAnswer | undefined> {
    for (;;) {
      try {
        return await this.#client.post(this.#address(writer), PATH, body, key)
      } catch (error) {
        const refused = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
        if (!refused || this.#stopped) return undefined
        await delay(10)
      }
    }
  }

  /**
   * Asks everything again. Each key must end in one 200, byte for byte the first one if there was one,
   * and each identity must have one id. Returns the number of identities, and of keys by what came of
   * them.
   */
  async askAgain() {
    const ids = new Map<number, Set<string>>()
    let acknowledged = 0
    let committed_unheard = 0
    const queue = this.#asked.values()
    const work = async () => {
      for (const one of queue) {
        const again = await this.#client.post(this.#address(0), PATH, one.body, one.key)
        assert.equal(again.status, 200, `${one.key} ${JSON.stringify(one.body)}: ${again.text}`)
        const replayed = again.headers['idempotent-replayed'] === 'true'
        if (one.answer !== undefined) {
          assert.equal(one.answer.status, 200, one.answer.text)
          acknowledged += 1
          assert.ok(replayed, `${one.key} was acknowledged and lost`)
          assert.equal(again.text, one.answer.text)
        } else if (replayed) committed_unheard += 1
        const found = ids.get(one.identity) ?? new Set<string>()
        ids.set(one.identity, found.add(again.json.data.id))
      }
    }
    await Promise.all(Array.from({ length: WRITERS }, work))
    for (const [identity, found] of ids) assert.equal(found.size, 1, `identity ${identity}`)
    const unheard = this.#asked.length - acknowledged
    return { entities: ids.size, acknowledged, unheard, committed_unheard }
  }
}
