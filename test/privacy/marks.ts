// Texts by which data of a person is known again, and a scan of every row of every table for them.
import type { TestService } from '../support/service/service.ts'

/** Every text of a document that nothing but the document has. */
export function everyText(value: unknown, common: readonly string[]): string[] {
  if (typeof value === 'string') return common.includes(value) || value.length < 4 ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  return [...new Set(Object.values(value).flatMap(member => everyText(member, common)))]
}

/** The document with a mark in each text that may be any. */
export function marked<T>(value: T, mark: string, name = ''): T {
  if (Array.isArray(value)) return value.map(one => marked(one, mark, name)) as T
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([key, member]) => [key, marked(member, mark, key)])
    return Object.fromEntries(members) as T
  }
  if (typeof value !== 'string' || FIXED.has(name)) return value
  if (name === 'email') return `${mark}-${value}` as T
  if (name === 'url') return `${value}/${mark}` as T
  return `${mark} ${value}`.slice(0, 60) as T
}

/** Members whose texts have a form of their own. */
const FIXED = new Set([
  'type',
  'country',
  'nationality',
  'registration_date',
  'date_of_birth',
  'ownership_percentage',
  'code',
  'number',
  'postal_code',
])

export interface Place {
  readonly table: string
  readonly text: string
}

/** Where these texts stand, in whatever column of whatever row. */
export async function findTexts(
  { database: { owner } }: TestService,
  texts: readonly string[],
): Promise<Place[]> {
  const tables = await owner<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`
  const found = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await owner.unsafe<{ text: string }[]>(
        `select w.text from unnest($1::text[]) as w (text),
          (select string_agg(lower(to_jsonb(t)::text), ' ') as whole from ${name} t) stored
        where strpos(whole, lower(w.text)) > 0
          or strpos(whole, encode(convert_to(w.text, 'UTF8'), 'hex')) > 0`,
        [[...texts]],
      )
      return rows.map(({ text }) => ({ table: name, text }))
    }),
  )
  return found.flat()
}
