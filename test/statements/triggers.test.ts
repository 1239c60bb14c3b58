// The triggers of accounts' tables, as docs/schema.sql has them: each runs where the row is, on a
// database that is spread, and so reads no table that the coordinator alone has
// (docs/decisions/citus.md). `corridor distribute` drops the others, and
// docs/distributed.md lists them.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { COORDINATOR_TRIGGERS } from '../../src/sql/distribute.ts'

const schema = readFileSync(new URL('../../docs/schema.sql', import.meta.url), 'utf8')
const documented = readFileSync(new URL('../../docs/distributed.md', import.meta.url), 'utf8')

/** Fires on no row of a spread database, which removes no events. */
const UNFIRED = 'event_cuts.cut_after_all'

function namesIn(pattern: RegExp): string[] {
  return [...schema.matchAll(pattern)].map(([, name = '']) => name)
}

const TABLES = namesIn(/^CREATE TABLE (\w+)/gm)
const owned = new Set(namesIn(/^ALTER TABLE (\w+) ENABLE ROW LEVEL SECURITY/gm))

interface TriggerFunction {
  /** It runs as the owner of the tables, as it writes some of the coordinator. */
  readonly isDropped: boolean
  readonly body: string
}

const functions = new Map(
  [...schema.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)([\s\S]*?)\$function\$;$/gm)].map(
    ([, name = '', text = '']): [string, TriggerFunction] => [
      name,
      { isDropped: /SECURITY DEFINER/.test(text), body: text },
    ],
  ),
)

/** The tables of the coordinator that a function reads or writes, or one that it calls. */
function othersOf(name: string, seen: ReadonlySet<string> = new Set()): string[] {
  const { body = '' } = functions.get(name) ?? {}
  const words = new Set(body.match(/\b\w+\b/g))
  const named = TABLES.filter(
    table =>
      !owned.has(table) && new RegExp(`\\b(?:from|join|into|update) ${table}\\b`, 'i').test(body),
  )
  const called = [...functions.keys()].filter(
    other => other !== name && words.has(other) && !seen.has(other),
  )
  return [...named, ...called.flatMap(other => othersOf(other, new Set([...seen, name])))]
}

const triggers = [
  ...schema.matchAll(
    /^CREATE (?:CONSTRAINT )?TRIGGER (\w+) [^;]*? ON (?:public\.)?(\w+)[^;]*? EXECUTE FUNCTION (\w+)/gm,
  ),
].map(([, name = '', table = '', run = '']) => ({ name, table, run }))

test("triggers of accounts' tables: read no table of the coordinator, or are dropped when distributed and documented", () => {
  const of = triggers.filter(({ table }) => owned.has(table))
  assert.ok(
    of.length > 50 && owned.size > 30 && functions.size > 30,
    `${of.length} of ${owned.size}`,
  )
  const faults: string[] = []
  let dropped = 0
  for (const { name, table, run } of of) {
    const others = othersOf(run)
    if (COORDINATOR_TRIGGERS.includes(name) || functions.get(run)?.isDropped === true) dropped += 1
    else if (others.length > 0 && `${table}.${name}` !== UNFIRED) {
      faults.push(`${table}.${name} reads ${others.join()}`)
    }
  }
  assert.deepEqual(faults, [])
  assert.ok(documented.includes(`Of the ${dropped} dropped triggers`), `${dropped} are dropped`)
  for (const name of COORDINATOR_TRIGGERS) assert.ok(documented.includes(`.${name}\``), name)
})
