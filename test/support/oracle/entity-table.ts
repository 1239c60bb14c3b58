// The words in which tables of duplicates are written, and the judge of one row: what is there,
// what is asked, who answers. A row has accounts of its own. It expects of every answer what holds
// for all of them: 200, and byte for byte what GET says; and of a duplicate that no row of any
// table changes, no event among them (§duplicate.answer).
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ReviewResult } from '../../../src/entity/states.ts'
import { rowVersions } from '../assert/check.ts'
import { review } from '../service/review.ts'
import { type Answer, type Client, startTestService, type TestService } from '../service/service.ts'

/** An entity that is there, or that is to be created. */
export interface Thing {
  readonly body: object
  /** In another account. */
  readonly elsewhere?: boolean
  /** What the operator said of it, in turn. */
  readonly reviewed?: readonly ReviewResult[]
}
export type Asked = Thing | { readonly change: string; readonly set: object } | { submit: string }
/** One thing is there under the name `first`. */
export type There = Thing | Readonly<Record<string, Thing>>
/** `who` is the name of what is there, or `new`. */
export type Row = readonly [what: string, there: There, asked: Asked, who: string]

export const individual = (...parts: object[]): Thing => ({
  body: Object.assign({ type: 'individual', name: 'Anna Müller' }, ...parts),
})
export const business = (...parts: object[]): Thing => ({
  body: Object.assign({ type: 'business', name: 'Harbour Ltd' }, ...parts),
})
export const reviewed = (thing: Thing, ...results: ReviewResult[]): Thing => ({
  ...thing,
  reviewed: results,
})
export const rejected = (thing: Thing): Thing => reviewed(thing, 'rejected')
export const elsewhere = (thing: Thing): Thing => ({ ...thing, elsewhere: true })
export const change = (name: string, ...parts: object[]): Asked => ({
  change: name,
  set: Object.assign({}, ...parts),
})
export const submission = (name: string): Asked => ({ submit: name })

/** In a body: the id of what is there under this name. */
export const behalf = (name: string) => ({ on_behalf_of: `the id of ${name}` })
export const named = (name: string) => ({ name })
export const nin = (type: string, number: string) => ({
  national_identification_number: { type, number },
})
const HOME = { country: 'DE', line1: 'Lindenstraße 4', city: 'Berlin' }
/** At one address, but for these parts of it. */
export const at = (parts: object = {}) => ({ registration_address: { ...HOME, ...parts } })
export const registered = (registration_number: string, country: string) => ({
  registration_number,
  registration_address: { country },
})

let service: TestService

/** A test for each row, named by its table. */
export function judgeTables(tables: Readonly<Record<string, readonly Row[]>>): void {
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())
  for (const [table, rows] of Object.entries(tables)) {
    for (const [what, there, asked, who] of rows) {
      test(`${table}, ${what}: ${who}`, () => judgeRow(there, asked, who))
    }
  }
}

async function judgeRow(there: There, asked: Asked, who: string): Promise<void> {
  const here = await service.openAccount()
  const ids = new Map<string, string>()
  for (const [name, thing] of isThing(there)
    ? [['first', there] as const]
    : Object.entries(there)) {
    ids.set(name, await put(thing, thing.elsewhere ? await service.openAccount() : here, ids))
  }
  const target = 'change' in asked ? asked.change : 'submit' in asked ? asked.submit : undefined
  const untouched = await rowVersions(service.database.owner)
  const answer = await ask(here, asked, ids)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(Object.keys(answer.json), ['status', 'message', 'data'])
  const { id } = answer.json.data
  const [name = 'new'] = [...ids.keys()].filter(known => ids.get(known) === id)
  assert.equal(name, who)
  assert.equal((await here.get(`/v3/entity/${id}`)).text, answer.text)
  if (who === 'new' || who === target) return
  assert.deepEqual(await rowVersions(service.database.owner), untouched, 'no row changes')
}

/** Makes what is to be there; its id, which nothing there may have had before. */
async function put(thing: Thing, of: Client, ids: ReadonlyMap<string, string>): Promise<string> {
  const answer = await ask(of, thing, ids)
  assert.equal(answer.status, 200, answer.text)
  const { id } = answer.json.data
  assert.ok(![...ids.values()].includes(id), 'what is there is told apart')
  for (const status of thing.reviewed ?? []) {
    assert.equal((await review(service, of, id, status)).status, 200)
  }
  return id
}

function ask(of: Client, asked: Asked, ids: ReadonlyMap<string, string>): Promise<Answer> {
  const idOf = (name = '') => ids.get(name) ?? assert.fail(`nothing is there as ${name}`)
  const withIds = (body: object) =>
    JSON.stringify(body).replace(/the id of (\w+)/g, (_, name) => idOf(name))
  if ('submit' in asked) return of.post(`/v3/entity/${idOf(asked.submit)}/submit`, {})
  if ('change' in asked) return of.put(`/v3/entity/${idOf(asked.change)}`, withIds(asked.set))
  return of.post('/v3/entity', withIds(asked.body))
}

function isThing(there: There): there is Thing {
  return 'body' in there && 'type' in there.body
}
