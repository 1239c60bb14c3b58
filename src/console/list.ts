// Lists: filters in the address, rows, and links to older and newer rows. The same list is
// available as CSV.
import { textCell } from '../balance-transaction/statement/csv.ts'
import { type Content, type Html, html } from '../text/html.ts'
import { type ListOf, queryText } from './api.ts'
import { type Field, field } from './form.ts'
import type { Money } from './objects.ts'
import { digits, money } from './show.ts'
import { viewBar } from './views.ts'
import type { Screen, Visit } from './visit.ts'

const ROWS = 50

export interface Column<T> {
  readonly name: string
  /** A column without it is only in CSV. */
  readonly show?: (row: T) => Content
  /** The text in CSV; a column without it is only on the page. */
  readonly text?: (row: T) => string
  readonly number?: boolean
}

/** A column with the same text in CSV and, formatted, on the page. */
export function textColumn<T>(
  name: string,
  text: (row: T) => string,
  look: (text: string) => Content = text => text,
): Column<T> {
  return { name, text, show: row => look(text(row)) }
}

/** Money: with its currency on the page, and as two columns of CSV without commas. */
export const AMOUNT: readonly Column<Money>[] = [
  {
    name: 'Amount',
    number: true,
    show: ({ amount, currency }) => money(amount, currency),
    text: ({ amount, currency }) => digits(amount, currency).replaceAll(',', ''),
  },
  { name: 'Currency', text: ({ currency }) => currency },
]

export interface Table<T> {
  readonly caption: string
  readonly columns: readonly Column<T>[]
  /** What an empty list shows. */
  readonly empty: Content
}

export interface Listing<T> extends Table<T> {
  /** The path of the API. */
  readonly api: string
  /** Their names are parameters of the API. */
  readonly filters?: readonly Field[]
  /** Parameters that the person cannot change. */
  readonly fixed?: Readonly<Record<string, string>>
  /** Whether it is available as CSV, at the path of the page with `.csv`. */
  readonly csv?: boolean
  /** Whether the list has no filter by time. Lists of operators never have one. */
  readonly withoutDays?: boolean
  /** The parameter that names where the next page begins, if it is not `starting_after`. */
  readonly cursor?: string
  /** What its cursors name; by default the id. */
  readonly cursorOf?: (row: T) => string | undefined
}

export interface ListPage<T> extends Listing<T>, Pick<Screen, 'title' | 'live'> {
  readonly above?: Content
}

const DAYS: readonly Field[] = [
  { name: 'created.gte', label: 'From', type: 'date' },
  { name: 'created.lt', label: 'Before', type: 'date' },
]

function filtersOf<T>(visit: Visit, { filters = [], withoutDays }: Listing<T>): readonly Field[] {
  return withoutDays === true || visit.account === null ? filters : [...filters, ...DAYS]
}

function cursorOf<T>({ cursorOf: own }: Listing<T>, row: T | undefined): string | undefined {
  if (row === undefined) return undefined
  return own === undefined ? (row as { readonly id?: string }).id : own(row)
}

/** The parameters of the API that the page's address asks for. */
function wantedOf<T>(visit: Visit, listing: Listing<T>): Record<string, string> {
  const wanted: Record<string, string> = {}
  for (const { name } of filtersOf(visit, listing)) {
    const value = visit.query[name]?.trim() ?? ''
    if (value === '') continue
    wanted[name] =
      /^\d{4}-\d\d-\d\d$/.test(value) && name.startsWith('created.') ? `${value}T00:00:00Z` : value
  }
  return { ...wanted, ...listing.fixed }
}

/** `place` is the path of the page under the root. */
export async function showList<T>(visit: Visit, place: string, listing: Listing<T>): Promise<Html> {
  const path = visit.root + place
  const { starting_after, ending_before } = visit.query
  const wanted = wantedOf(visit, listing)
  const [page, views] = await Promise.all([
    visit.api.list<T>(listing.api, {
      limit: String(ROWS),
      ...wanted,
      [listing.cursor ?? 'starting_after']: starting_after,
      ending_before,
    }),
    viewBar(visit, path, filterQuery(visit, listing)),
  ])
  const isFiltered = Object.keys(visit.query).some(name => name !== 'done')
  const table = isFiltered ? { ...listing, empty: 'Nothing fits these filters.' } : listing
  return html`${views}${filters(visit, path, listing)}
${rows(table, page.results)}
${pager(visit, path, listing, page)}`
}

/** The filters in the address of the page. */
function filterQuery<T>(visit: Visit, listing: Listing<T>): string {
  const names = filtersOf(visit, listing).map(({ name }) => name)
  return queryText(Object.fromEntries(names.map(name => [name, visit.query[name]])))
}

function filters<T>(visit: Visit, path: string, listing: Listing<T>): Html | '' {
  const all = filtersOf(visit, listing)
  if (all.length === 0) return ''
  const isSet = all.some(({ name }) => visit.query[name])
  const asked = all.map(spec => field(visit, { ...spec, value: visit.query[spec.name] ?? '' }))
  const query = filterQuery(visit, listing)
  return html`<form class="filters" action="${path}">${asked}
<div class="buttons"><button class="quiet">Filter</button>
${isSet && html`<a href="${path}">Clear</a>`}
${listing.csv && html`<a href="${path}.csv${query}" download>CSV</a>`}</div></form>`
}

export function rows<T>({ caption, empty, ...table }: Table<T>, results: readonly T[]): Html {
  if (results.length === 0) return html`<div class="empty">${empty}</div>`
  const columns = table.columns.filter(column => column.show !== undefined)
  const kind = (column: Column<T>) => column.number && html` class="number"`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}"><table>
<caption class="hidden">${caption}</caption><thead><tr>${columns.map(
    column => html`<th scope="col"${kind(column)}>${column.name}</th>`,
  )}</tr></thead><tbody>${results.map(
    row =>
      html`<tr>${columns.map(column => html`<td${kind(column)}>${column.show?.(row)}</td>`)}</tr>`,
  )}</tbody></table></div>`
}

function pager<T>(
  visit: Visit,
  path: string,
  listing: Listing<T>,
  { results, has_more }: ListOf<T>,
): Html | '' {
  const { starting_after, ending_before, done: _, ...kept } = visit.query
  const to = (cursor: Record<string, string>) => `${path}${queryText({ ...kept, ...cursor })}`
  const first = cursorOf(listing, results[0])
  const last = cursorOf(listing, results.at(-1))
  const isBack = ending_before !== undefined
  // The lists of operators can only be paged forward.
  const oneWay = visit.account === null
  const newer = !oneWay && (isBack ? has_more : starting_after !== undefined) && first !== undefined
  const older = (isBack || has_more) && last !== undefined
  if (!newer && !older && starting_after === undefined) return ''
  return html`<p class="pager">
${oneWay && starting_after && html`<a href="${to({})}">To the first</a>`}
${newer && html`<a rel="prev" href="${to({ ending_before: first })}">← Newer</a>`}
${older && html`<a rel="next" href="${to({ starting_after: last })}">Older →</a>`}</p>`
}

/** Most rows of a file; the statement of the account has no such end. */
const MAX_CSV_ROWS = 10_000

/** The lines of the list as CSV, page by page. */
export async function* csvOf<T>(visit: Visit, listing: Listing<T>): AsyncGenerator<string> {
  const columns = listing.columns.filter(column => column.text !== undefined)
  yield csvLine(columns.map(({ name }) => name))
  const wanted = wantedOf(visit, listing)
  let starting_after: string | undefined
  for (let count = 0; count < MAX_CSV_ROWS; count += 100) {
    const page = await visit.api.list<T>(listing.api, { limit: '100', ...wanted, starting_after })
    yield page.results.map(row => csvLine(columns.map(({ text }) => text?.(row) ?? ''))).join('')
    starting_after = cursorOf(listing, page.results.at(-1))
    if (!page.has_more || starting_after === undefined) return
  }
  yield csvLine([`The first ${MAX_CSV_ROWS} rows. Filter by a time for the others.`])
}

/** Amounts keep their sign; other text that begins like a formula is made text. */
function csvLine(cells: readonly string[]): string {
  const quoted = cells.map(cell => (/^-?[\d.]+$/.test(cell) ? cell : textCell(cell)))
  return `${quoted.join(',')}\r\n`
}
