// Shows lists, with filters from the address and links to older and newer rows. Makes their CSV,
// too.
import type { Static, TSchema } from 'typebox'
import type { ActionGroup, Reading } from '../operator/action.ts'
import { endOfDay, isDay, startOfDay } from '../values/calendar/day.ts'
import { groupedNumbers } from '../values/money/words.ts'
import { csvLine } from '../values/text/csv-line.ts'
import { type Content, type Html, html } from '../values/text/html.ts'
import { type Json, type JsonObject, type ListOf, type Query, queryText } from './api.ts'
import { type Field, field } from './form.ts'
import type { Money } from './objects.ts'
import { money, plain } from './show.ts'
import type { Screen, Visit } from './visit.ts'

const ROWS_PER_PAGE = 50

export interface Column<T> {
  readonly name: string
  /** Without it the column is only in CSV. */
  readonly show?: (row: T) => Content
  /** Without it the column is only on the page. */
  readonly text?: (row: T) => string
  readonly number?: boolean
}

/** `look` formats the text on the page. */
export function textColumn<T>(
  name: string,
  text: (row: T) => string,
  look: (text: string) => Content = text => text,
): Column<T> {
  return { name, text, show: row => look(text(row)) }
}

/** One column on the page; two in CSV, the amount without commas. */
export const AMOUNT_COLUMNS: readonly Column<Money>[] = [
  {
    name: 'Amount',
    number: true,
    show: ({ amount, currency }) => money(amount, currency),
    text: ({ amount, currency }) => plain(amount, currency),
  },
  { name: 'Currency', text: ({ currency }) => currency },
]

export interface Table<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  readonly empty: Content
}

export interface Listing<T> extends Table<T> {
  readonly api: string
  /** Each name is a query parameter of the API. */
  readonly filters?: readonly Field[]
  /** The reader cannot change them. */
  readonly fixed?: Readonly<Record<string, string>>
  /** Under the rows of the page, which are not none. */
  readonly below?: (rows: readonly T[]) => Content
  /** The sums of the rows that these parameters fit, shown while a filter is set. */
  readonly totals?: (parameters: Query) => Promise<Html>
  /** The CSV is at the page's path with `.csv`. */
  readonly csv?: boolean
  /** Pages of the installation never have a filter by day. */
  readonly withoutDays?: boolean
  /** Without it `starting_after`. */
  readonly cursor?: string
  /** Adds to the rows of a page what the list of the API leaves out. */
  readonly complete?: (rows: readonly T[]) => Promise<readonly T[]>
  /** By default its id. Undefined for a list without further pages. */
  readonly cursorOf?: (row: T) => string | undefined
}

export interface ListPage<T> extends Listing<T>, Pick<Screen, 'title' | 'live'> {
  readonly above?: Content
}

/** The names of the days in the address of a page. */
const DAY_BOUNDS: Readonly<Record<string, string>> = { from: 'created.gte', to: 'created.lt' }

/** Both days are included. */
export function dayFields({ zone }: Visit): readonly Field[] {
  return [
    { name: 'from', label: 'From the day', type: 'date', hint: `In ${zone}` },
    { name: 'to', label: 'To the day', type: 'date', hint: 'This day included' },
  ]
}

function filtersOf<T>(visit: Visit, { filters = [], withoutDays }: Listing<T>): readonly Field[] {
  const noDays = withoutDays === true || visit.account === null
  return noDays ? filters : [...filters, ...dayFields(visit)]
}

/** The instant at which the days of a filter begin or end; the API refuses text that is no day. */
function boundOf({ zone }: Visit, name: string, day: string): string {
  if (!isDay(day)) return day
  return name === 'to' ? endOfDay(zone, day) : startOfDay(zone, day)
}

function cursorOf<T>({ cursorOf: own }: Listing<T>, row: T | undefined): string | undefined {
  if (row === undefined) return undefined
  return own === undefined ? (row as { readonly id?: string }).id : own(row)
}

/** The filters of the page's address, and the fixed ones. */
function parametersOf<T>(visit: Visit, listing: Listing<T>): Record<string, string> {
  const parameters: Record<string, string> = {}
  const hasDays = listing.withoutDays !== true && visit.account !== null
  for (const { name } of filtersOf(visit, listing)) {
    const value = visit.query[name]?.trim() ?? ''
    if (value === '') continue
    const bound = hasDays ? DAY_BOUNDS[name] : undefined
    if (bound === undefined) parameters[name] = value
    else parameters[bound] = boundOf(visit, name, value)
  }
  return { ...parameters, ...listing.fixed }
}

/** What the address of a list has besides its filters: the result of an act, and chosen rows. */
const NO_FILTERS = ['done', 'chosen']

/** `place` is the page's path below the root. */
export async function showList<T>(visit: Visit, place: string, listing: Listing<T>): Promise<Html> {
  const path = visit.root + place
  const { starting_after, ending_before } = visit.query
  const parameters = parametersOf(visit, listing)
  const page = await visit.api.list<T>(listing.api, {
    limit: String(ROWS_PER_PAGE),
    ...parameters,
    [listing.cursor ?? 'starting_after']: starting_after,
    ending_before,
  })
  const isFiltered = Object.keys(visit.query).some(name => !NO_FILTERS.includes(name))
  const table = isFiltered ? { ...listing, empty: 'Nothing matches these filters.' } : listing
  const sums = isFiltered && page.results.length > 0 && (await listing.totals?.(parameters))
  return html`${filters(visit, path, listing)}
${sums}
${rows(table, (await listing.complete?.(page.results)) ?? page.results)}
${page.results.length > 0 && listing.below?.(page.results)}
${pager(visit, path, listing, page)}`
}

function filterQuery<T>(visit: Visit, listing: Listing<T>): string {
  const names = filtersOf(visit, listing).map(({ name }) => name)
  return queryText(Object.fromEntries(names.map(name => [name, visit.query[name]])))
}

function filters<T>(visit: Visit, path: string, listing: Listing<T>): Html | '' {
  const all = filtersOf(visit, listing)
  if (all.length === 0) return ''
  const isSet = all.some(({ name }) => visit.query[name])
  const inputs = all.map(spec => field(visit, { ...spec, value: visit.query[spec.name] ?? '' }))
  const query = filterQuery(visit, listing)
  return html`<form class="filters" action="${path}">${inputs}
<div class="buttons"><button class="quiet">Filter</button>
${isSet && html`<a href="${path}">Clear the filters</a>`}
${listing.csv && html`<a href="${path}.csv${query}" download>CSV</a>`}</div></form>`
}

export function rows<T>({ caption, empty, ...table }: Table<T>, results: readonly T[]): Html {
  if (results.length === 0) return html`<div class="empty">${empty}</div>`
  const columns = table.columns.filter(column => column.show !== undefined)
  const align = (column: Column<T>) => column.number && html` class="number"`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption class="hidden">${caption}</caption><thead><tr>${columns.map(
    column => html`<th scope="col"${align(column)}>${column.name}</th>`,
  )}</tr></thead><tbody>${results.map(
    row =>
      html`<tr>${columns.map(column => html`<td${align(column)}>${column.show?.(row)}</td>`)}</tr>`,
  )}</tbody></table></div>`
}

function pager<T>(
  visit: Visit,
  path: string,
  listing: Listing<T>,
  { results, has_more }: ListOf<T>,
): Html | '' {
  const { starting_after, ending_before, done, chosen, ...kept } = visit.query
  const pageAt = (cursor: Record<string, string>) => `${path}${queryText({ ...kept, ...cursor })}`
  const first = cursorOf(listing, results[0])
  const last = cursorOf(listing, results.at(-1))
  const isBack = ending_before !== undefined
  const [back, on] = visit.query.sort ? ['Back', 'More'] : ['Newer', 'Older']
  // The operator API pages lists only forward.
  const isForwardOnly = visit.account === null
  const newer =
    !isForwardOnly && (isBack ? has_more : starting_after !== undefined) && first !== undefined
  const older = (isBack || has_more) && last !== undefined
  if (!newer && !older && starting_after === undefined) return ''
  return html`<p class="pager">
${isForwardOnly && starting_after && html`<a href="${pageAt({})}">To the first page</a>`}
${newer && html`<a rel="prev" href="${pageAt({ ending_before: first })}">← ${back}</a>`}
${older && html`<a rel="next" href="${pageAt({ starting_after: last })}">${on} →</a>`}</p>`
}

/** By the columns that have a text. */
export function csvOfRows<T>(
  columns: readonly Column<T>[],
  results: readonly T[],
  withHeader = false,
): string {
  const told = columns.filter(column => column.text !== undefined)
  const header = withHeader ? csvLine(told.map(({ name }) => name)) : ''
  return header + results.map(row => csvLine(told.map(({ text }) => text?.(row) ?? ''))).join('')
}

/** The account's statement has no such limit. */
const MAX_CSV_ROWS = 10_000

/** The header, then the rows in pages of 100. */
export async function* csvOf<T>(visit: Visit, listing: Listing<T>): AsyncGenerator<string> {
  yield csvOfRows(listing.columns, [], true)
  const parameters = parametersOf(visit, listing)
  let starting_after: string | undefined
  for (let count = 0; count < MAX_CSV_ROWS; count += 100) {
    const page = await visit.api.list<T>(listing.api, {
      limit: '100',
      ...parameters,
      starting_after,
    })
    yield csvOfRows(listing.columns, page.results)
    starting_after = cursorOf(listing, page.results.at(-1))
    if (!page.has_more || starting_after === undefined) return
  }
  yield csvLine([
    `This file has only the first ${MAX_CSV_ROWS} rows. Filter by time to get the others.`,
  ])
}

type Cells = Readonly<Record<string, string>>

/** With the columns of its command. */
export async function actionTable(
  visit: Visit,
  { actions }: ActionGroup,
  look: Pick<Table<Cells>, 'caption' | 'empty'>,
): Promise<Html> {
  const list = actions.find(({ name }) => name.endsWith(' list')) as Reading
  const { results } = await visit.api.list<JsonObject>(list.path)
  const answer = results.map(object => withNumbers(list.response, object))
  const cells = list.command?.words(answer, '') as readonly Cells[]
  const columns = Object.keys(cells[0] ?? {}).map(name => ({
    name: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
    number: cells.every(row => /^[\d.]*$/.test(row[name] ?? '')),
    show: (row: Cells): Content => groupedNumbers(row[name] ?? ''),
  }))
  return rows({ ...look, columns }, cells)
}

/** The API's client reads integers as text. */
export function withNumbers<Schema extends TSchema>(schema: Schema, object: object) {
  const { properties } = schema as { properties?: Readonly<Record<string, { type?: Json }>> }
  const isInteger = (name: string) => [properties?.[name]?.type].flat().includes('integer')
  const members = Object.entries(object).map(([name, value]) => [
    name,
    typeof value === 'string' && isInteger(name) ? Number(value) : value,
  ])
  return Object.fromEntries(members) as Static<Schema>
}
