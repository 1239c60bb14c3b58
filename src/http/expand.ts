// Expansion: an answer also has objects whose ids it contains, so that the caller need not read
// them one by one (§list.expand). Knows no resource.
import type { TSchema } from 'typebox'
import { Several } from './query.ts'
import { Closed, Literals } from './schema.ts'
import { Type } from './type.ts'

/** A query that names the objects of `expanded`. */
export interface Expanding {
  readonly expand?: readonly string[]
}

/** The parameter `expand`, which takes these names. */
export function ExpandOf(names: readonly string[]) {
  return Several(
    Literals(names, {
      description: 'The objects to show in full in `expanded`, beside their ids.',
    }),
  )
}

/** The query of one object that can be expanded by these names. No other parameter is allowed. */
export function ExpandQueryOf(names: readonly string[]) {
  return Closed({ expand: Type.Optional(ExpandOf(names)) })
}

/** The member `expanded`: each of these objects that the query names, null if there is none. */
export function ExpandedOf(objects: Readonly<Record<string, TSchema>>) {
  const members = Object.entries(objects).map(([name, schema]) => {
    return [name, Type.Optional(Type.Union([schema, Type.Null()]))]
  })
  return Type.Object(Object.fromEntries(members), {
    description:
      'With `expand`: the objects that were asked for. An object that does not exist is null.',
  })
}

/** How to find each object, by its name in `expand`. */
export type Expansions<Row> = Readonly<Record<string, (row: Row) => Promise<object | undefined>>>

/**
 * Presents the rows with the objects that `expand` names. Reads all objects in one turn of the
 * event loop, so that a reader gathers a page's reads into one statement.
 */
export function expandAll<Row>(
  rows: readonly Row[],
  { expand }: Expanding,
  expansions: Expansions<Row>,
  present: (row: Row) => object,
): Promise<object[]> {
  const wanted = Object.entries(expansions).filter(([name]) => expand?.includes(name))
  return Promise.all(
    rows.map(async row => {
      if (wanted.length === 0) return present(row)
      const found = wanted.map(async ([name, find]) => [name, (await find(row)) ?? null] as const)
      return { ...present(row), expanded: Object.fromEntries(await Promise.all(found)) }
    }),
  )
}
