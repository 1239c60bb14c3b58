// The lists of what waits for people, page by page: each once, in order, also when what the last page
// ended with is done before the next page is asked for.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertRefused } from '../support/assert/check.ts'
import {
  heldPayout,
  makeOperatorWorld,
  newEndpoint,
  type OperatorWorld,
  standingPayout,
} from './world.ts'

let world: OperatorWorld
before(async () => {
  world = await makeOperatorWorld()
})
after(() => world.close())

interface Waiting {
  readonly payout: string
  readonly id: string
  readonly number: number
}

interface List {
  readonly route: string
  /** Makes one of what the list has. */
  make(world: OperatorWorld): Promise<string>
  /** The cursor of one. */
  cursorOf(one: Waiting): string
  /** Does what one waits for. */
  readonly done: { readonly route: string; readonly body: object }
}

const LISTS: readonly List[] = [
  {
    route: 'GET /v3/operator/exception',
    make: standingPayout,
    cursorOf: ({ payout, number }) => `${payout}:${number}`,
    done: {
      route: 'POST /v3/operator/payout/:id/close_exception',
      body: { number: 1, note: 'The bank has booked it' },
    },
  },
  {
    route: 'GET /v3/operator/screening',
    make: heldPayout,
    cursorOf: ({ id }) => id,
    done: { route: 'POST /v3/operator/screening/:id/confirm', body: { reason: 'It is them' } },
  },
  {
    route: 'GET /v3/operator/webhook_endpoint',
    make: newEndpoint,
    cursorOf: ({ id }) => id,
    done: { route: 'POST /v3/operator/webhook_endpoint/:id/replay', body: {} },
  },
]

for (const { route, make, cursorOf, done } of LISTS) {
  const page = async (after: string) => {
    const query = `?limit=2${after === '' ? '' : `&starting_after=${after}`}`
    const { status, json, text } = await world.call(route, { query })
    assert.equal(status, 200, text)
    return json.data as { readonly has_more: boolean; readonly results: readonly Waiting[] }
  }

  const walk = async (each: (last: Waiting) => Promise<void>) => {
    const found: string[] = []
    for (let after = ''; ; ) {
      const { has_more, results } = await page(after)
      found.push(...results.map(cursorOf))
      const last = results.at(-1)
      if (last === undefined || !has_more) return found
      after = cursorOf(last)
      await each(last)
    }
  }

  test(`${route}: each once, in the order that they were made in; done between the pages, too`, async () => {
    const made: string[] = []
    for (let i = 0; i < 5; i++) made.push(await make(world))
    const isMade = (cursor: string) => made.includes(cursor.split(':')[0] ?? '')
    const found = (await walk(async () => {})).filter(isMade)
    assert.deepEqual(
      found.map(cursor => cursor.split(':')[0]),
      made.toSorted(),
    )
    const again = await walk(async last => {
      const { status, text } = await world.call(done.route, {
        ids: [last.payout ?? last.id],
        body: done.body,
      })
      assert.equal(status, 200, text)
    })
    assert.deepEqual(again.filter(isMade), found)
  })

  test(`${route}, a cursor that is none: 400`, async () => {
    for (const cursor of ['x', 'acc_7k2m9x4q', 'pot_']) {
      const answer = await world.call(route, { query: `?starting_after=${cursor}` })
      assertRefused(answer, 400, 'invalid_query_parameter', 'starting_after')
    }
  })
}
