// Shows what an action lists as a table, with the columns of its command.
import type { TSchema } from 'typebox'
import type { ActionGroup, Reading } from '../operator/action.ts'
import type { Content, Html } from '../values/text/html.ts'
import type { Json, JsonObject } from './api.ts'
import { rows, type Table } from './list.ts'
import type { Visit } from './visit.ts'

type Cells = Readonly<Record<string, string>>

interface Look extends Pick<Table<Cells>, 'caption' | 'empty'> {
  /** Query parameters of the API. */
  readonly query?: Readonly<Record<string, string | undefined>>
  /** What one can do to an object. Its id, the first cell of the command, is no column then. */
  readonly act?: (id: string) => Content
}

/** The table of the objects that the `list` of a group finds. */
export async function actionTable(
  visit: Visit,
  { actions }: ActionGroup,
  { caption, empty, query = {}, act }: Look,
): Promise<Html> {
  const list = actions.find(({ name }) => name.endsWith(' list')) as Reading
  const { results } = await visit.api.list<JsonObject>(list.path, query)
  const answer = results.map(object => withNumbers(list.response, object))
  const cells = list.command?.words(answer, '') as readonly Cells[]
  const names = Object.keys(cells[0] ?? {}).slice(act === undefined ? 0 : 1)
  const columns = names.map(name => ({
    name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    number: cells.every(row => /^[\d.]*$/.test(row[name] ?? '')),
    show: (row: Cells): Content => grouped(row[name] ?? ''),
  }))
  const acts = { name: '', number: false, show: (row: Cells) => act?.(Object.values(row)[0] ?? '') }
  return rows({ caption, empty, columns: act === undefined ? columns : [...columns, acts] }, cells)
}

/** The object with its integers, which the API's client reads as text. */
function withNumbers(schema: TSchema, object: JsonObject): object {
  const { properties } = schema as { properties?: Readonly<Record<string, { type?: Json }>> }
  const isInteger = (name: string) => [properties?.[name]?.type].flat().includes('integer')
  const members = Object.entries(object)
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      typeof value === 'string' && isInteger(name) ? Number(value) : value,
    ]),
  )
}

/** `USD 50000.00` as `USD 50,000.00`, and `2500.00` as `2,500.00`. */
function grouped(text: string): string {
  const whole = /(?<=\b[A-Z]{3,4} |^)\d+(?![\d-])/g
  return text.replace(whole, digits => digits.replace(/\B(?=(\d{3})+$)/g, ','))
}
