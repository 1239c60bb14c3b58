// Assertions for every list endpoint: pages, walks through all pages, bounds and filters, each
// compared with the objects' own GET. page-cost.ts checks what a page costs the database.
import assert from 'node:assert/strict'
import type { Client } from '../service/service.ts'
import { share } from '../share.ts'
import { assertProblems } from './check.ts'

/** A parameter with several values is repeated once for each value. */
export type Query = Readonly<Record<string, string | readonly string[]>>

/** An object of a list, with any further members. */
export type Item = {
  readonly id: string
  readonly created_at: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
  readonly [name: string]: any
}

export function urlOf(path: string, query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map(one => [name, one]),
  )
  return `${path}?${new URLSearchParams(pairs)}`
}

export async function list(client: Client, path: string, query: Query = {}) {
  const answer = await client.get(urlOf(path, query))
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data'])
  const { object, has_more, results } = answer.json.data
  assert.deepEqual(Object.keys(answer.json.data), ['object', 'has_more', 'results'])
  assert.equal(object, 'list')
  return { has_more: has_more as boolean, results: results as Item[], ids: idsOf(results) }
}

export const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id)

/** Reads all pages from the newest object on; calls `between` after each; returns the ids. */
export async function pageDown(
  client: Client,
  path: string,
  query: Query,
  between?: () => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = []
  for (;;) {
    const last = ids.at(-1)
    const more = last === undefined ? query : { ...query, starting_after: last }
    const page = await list(client, path, more)
    assert.equal(page.has_more && page.ids.length < Number(query.limit), false)
    ids.push(...page.ids)
    if (!page.has_more) return ids
    await between?.()
  }
}

/**
 * Reads the pages of all objects newer than `from`; calls `between` after each; returns the ids,
 * newest first.
 */
export async function pageUp(
  client: Client,
  path: string,
  from: string,
  query: Query,
  between?: () => Promise<unknown>,
): Promise<string[]> {
  let ids: string[] = []
  for (;;) {
    const page = await list(client, path, { ...query, ending_before: ids.at(0) ?? from })
    assert.equal(page.has_more && page.ids.length < Number(query.limit), false)
    ids = [...page.ids, ...ids]
    if (!page.has_more) return ids
    await between?.()
  }
}

/** Each object as its own GET shows it, in the order of `ids`. */
export function getAll(client: Client, path: string, ids: readonly string[]): Promise<Item[]> {
  return Promise.all(
    ids.map(async id => {
      const { status, json, text } = await client.get(`${path}/${id}`)
      assert.equal(status, 200, text)
      return json.data ?? json
    }),
  )
}

/** Checks that the list shows exactly `all`, newest first, in pages of 1, 7 and 100. */
export async function assertListed(
  client: Client,
  path: string,
  all: readonly Item[],
): Promise<void> {
  const { results } = await list(client, path, { limit: '100' })
  assert.deepEqual(results, all)
  for (const limit of ['1', '7']) {
    assert.deepEqual(await pageDown(client, path, { limit }), idsOf(all))
    const oldest = all.at(-1)?.id ?? ''
    assert.deepEqual(await pageUp(client, path, oldest, { limit }), idsOf(all.slice(0, -1)))
  }
}

export type Case = readonly [query: Query, matches: (item: Item) => boolean]

/** Adds one case for each filter: all its values at once, as `name[]`. */
function withSeveral(cases: readonly Case[]): Case[] {
  const single = cases.filter(([query]) => {
    return Object.keys(query).length === 1 && query.reference_id === undefined
  })
  const groups = Map.groupBy(single, ([query]) => Object.keys(query)[0] ?? '')
  const several = [...groups].map(([name, group]): Case => {
    const values = group.map(([query]) => String(query[name]))
    return [{ [`${name}[]`]: values }, item => group.some(([, matches]) => matches(item))]
  })
  return [...cases, ...several]
}

/**
 * Checks that each filter lists exactly the matching objects of `all`, in several page sizes, in
 * both directions.
 */
export async function assertFilters(
  client: Client,
  path: string,
  all: readonly Item[],
  cases: readonly Case[],
): Promise<void> {
  const oldest = all.at(-1)?.id ?? ''
  for (const [query, matches] of withSeveral(cases)) {
    const expected = idsOf(all.filter(matches))
    const what = JSON.stringify(query)
    assert.deepEqual((await list(client, path, { ...query, limit: '100' })).ids, expected, what)
    for (const limit of share(['2'], ['1', '3'])) {
      assert.deepEqual(await pageDown(client, path, { ...query, limit }), expected, what)
      const newer = expected.filter(id => id !== oldest)
      assert.deepEqual(await pageUp(client, path, oldest, { ...query, limit }), newer, what)
    }
  }
}

/**
 * Checks time bounds at, just before and just after each object's time, with and without a cursor.
 */
export async function assertBounds(
  client: Client,
  path: string,
  all: readonly Item[],
): Promise<void> {
  const utc = (item: Item) => item.created_at.replace('+00:00', 'Z')
  const times = [...new Set(all.map(utc))]
  for (const at of share(
    times.filter((_, i) => i % 4 === 0),
    times,
  )) {
    const finer = at.replace('Z', '001Z')
    const cases: Case[] = [
      [{ 'created.gt': at }, item => utc(item) > at],
      [{ 'created.gte': at }, item => utc(item) >= at],
      [{ 'created.lt': at }, item => utc(item) < at],
      [{ 'created.lte': at }, item => utc(item) <= at],
      [{ 'created.gte': finer }, item => utc(item) > at],
      [{ 'created.lt': finer }, item => utc(item) <= at],
      [{ 'created.gte': at, 'created.lte': at }, item => utc(item) === at],
      [{ 'created.gt': at, 'created.lt': at }, () => false],
      [{ 'created.lt': '2020-01-01T00:00:00Z' }, () => false],
      [{ 'created.gte': '2020-01-01T00:00:00Z', 'created.lt': '2120-01-01T00:00:00Z' }, () => true],
    ]
    for (const [query, matches] of cases) {
      const { ids, has_more } = await list(client, path, { ...query, limit: '100' })
      assert.deepEqual([ids, has_more], [idsOf(all.filter(matches)), false], JSON.stringify(query))
    }
    const middle = all[Math.floor(all.length / 2)] as Item
    const bounded = { 'created.lte': at, starting_after: middle.id, limit: '100' }
    const older = all.slice(all.indexOf(middle) + 1).filter(item => utc(item) <= at)
    assert.deepEqual((await list(client, path, bounded)).ids, idsOf(older))
  }
}

/**
 * Checks the queries that every list refuses. `wrong` has bad values for each filter, and `foreign`
 * another account's id.
 */
export async function assertRefusals(
  client: Client,
  path: string,
  prefix: string,
  wrong: Readonly<Record<string, readonly string[]>>,
  foreign: string,
): Promise<void> {
  const nobody = `${prefix}_00000000000000000000`
  const cases: [name: string, value: string][] = [
    ...['0', '101', '1.0', ''].map((value): [string, string] => ['limit', value]),
    ...['starting_after', 'ending_before'].flatMap(name =>
      [nobody, foreign, '', 'acc_00000000000000000000'].map((id): [string, string] => [name, id]),
    ),
    ['created.gt', 'yesterday'],
    ['created', '2026-01-31T09:30:00Z'],
    ['colour', 'red'],
    ...Object.entries(wrong).flatMap(([name, values]) =>
      ['', ' ', 'a\0', ...values].map((value): [string, string] => [name, value]),
    ),
  ]
  for (const [name, value] of cases) {
    const answer = await client.get(urlOf(path, { [name]: value }))
    assertProblems(answer, 400, [['invalid_query_parameter', name]])
  }
  const both = await client.get(urlOf(path, { starting_after: nobody, ending_before: nobody }))
  assertProblems(both, 400, [['invalid_query_parameter', 'ending_before']])
  for (const name of Object.keys(wrong)) {
    const twice = await client.get(`${path}?${name}=a&${name}=a`)
    assertProblems(twice, 400, [['invalid_query_parameter', name]])
  }
}

/**
 * Walks a list in pages of several sizes while `add` adds objects. `idsNow` returns all ids, newest
 * first, without using the list.
 */
export async function assertWalks(
  client: Client,
  path: string,
  idsNow: () => Promise<string[]>,
  add: () => Promise<unknown>,
): Promise<void> {
  for (const limit of ['7', '99', '100']) {
    const before = await idsNow()
    const added: Promise<unknown>[] = []
    const more = async () => {
      if (added.length < 3) added.push(add())
    }
    // A walk towards older objects does not meet the added ones, which are newer than its start.
    assert.deepEqual(await pageDown(client, path, { limit }, more), before, `down by ${limit}`)
    // A walk towards newer objects meets every object that exists when it gets there.
    const up = await pageUp(client, path, before.at(-1) ?? '', { limit }, async () => {
      await more()
      await Promise.all(added)
    })
    await Promise.all(added)
    assert.deepEqual(up, (await idsNow()).slice(0, -1), `up by ${limit}`)
    assert.ok(up.length > before.length, 'some were added')
  }
}
