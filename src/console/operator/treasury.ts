// The screen of one account at a bank, with the open lines at the left, the open items at the
// right, and between them what may explain a line.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { type ListOf, queryText } from '../api.ts'
import { accountsOf } from '../choices.ts'
import { bodyOf, fieldText, post, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type {
  BankLine,
  CaseNote,
  LineToReturn,
  NostroItem,
  NostroMatch,
  NostroPosition,
} from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, money, time, when, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'
import { between, type Chosen, explain, itemWords, lineWords } from './nostro-between.ts'
import { noteBody } from './nostro-notes.ts'
import { statedOf } from './nostros.ts'

export function treasuryScreens(screens: Screens): void {
  screens.show('installation', '/treasury/:name', show)
  const next = '/treasury/:name?done=saved'
  const send = (path: string, to: string, body: (visit: Visit) => object) =>
    screens.send('installation', `/treasury/:name/${path}`, { to, body, next }, show)
  send('match', '/v3/operator/nostro_match', matchBody)
  send('undo/:id', '/v3/operator/nostro_match/:id/undo', noteOf)
  send('book/:id', '/v3/operator/nostro_line/:id/book', visit => ({
    as: fieldText(visit, 'as'),
    ...bodyOf(visit.form, ['to', 'note']),
  }))
  send('credit/:id', '/v3/operator/nostro_line/:id/credit', visit => ({
    account_id: fieldText(visit, 'account_id'),
    reason: fieldText(visit, 'reason'),
  }))
  send('propose/:id', '/v3/operator/nostro_line/:id/proposal', visit => ({
    ...{ to: fieldText(visit, 'to'), note: fieldText(visit, 'note') },
  }))
  send('note/:id', '/v3/operator/nostro_case/:id/note', noteBody)
  screens.act('installation', '/treasury/:name/return/:id', giveBack, show)
}

/** The page says what a person now pays at the bank. */
async function giveBack(visit: Visit): Promise<Screen> {
  const path = `/v3/operator/nostro_line/${visit.params.id}/return`
  const made = await post<LineToReturn>(visit, path, { reason: fieldText(visit, 'reason') })
  const { amount, currency, nostro, payer_name, payer_account, end_to_end_id, match } = made
  const said = html`<div class="note wait" role="status"><p>Now pay ${money(amount, currency)} from
${nostro} at the bank, once, to ${payer_name} <code>${payer_account}</code>, with the end-to-end id
<code>${end_to_end_id}</code>. Until the bank has paid, the match <code>${match}</code> can be
undone below.</p></div>`
  return page({ ...visit, params: { ...visit.params, id: '' }, form: new URLSearchParams() }, said)
}

const noteOf = (visit: Visit) => ({ note: fieldText(visit, 'note') })

function matchBody(visit: Visit): object {
  const ids = (name: string) => fieldText(visit, name).split(' ').filter(Boolean)
  const rest_as = fieldText(visit, 'rest_as')
  return { lines: ids('lines'), items: ids('items'), ...(rest_as !== '' && { rest_as }) }
}

const MOST_SHOWN = '50'

const show = (visit: Visit) => page(visit)

async function page(visit: Visit, said: Html | '' = ''): Promise<Screen> {
  const { name = '' } = visit.params
  const { after_line, after_item } = visit.query
  const of = { nostro: name, limit: MOST_SHOWN }
  const [positions, lines, items, matches] = await Promise.all([
    visit.api.list<NostroPosition>('/v3/operator/nostro'),
    visit.api.list<BankLine>(LINES, { ...of, starting_after: after_line }),
    visit.api.list<NostroItem>(ITEMS, { ...of, starting_after: after_item }),
    visit.api.list<NostroMatch>('/v3/operator/nostro_match', { nostro: name, limit: '10' }),
  ])
  const position = positions.results.find(one => one.name === name)
  const others = positions.results
    .filter(one => one.name !== name && one.currency === position?.currency)
    .map(one => one.name)
  const accounts = await creditable(visit, position?.currency)
  const chosen = { ...(await chosenOf(visit, lines.results, items.results)), others, accounts }
  const body = html`${said}${position && positionFacts(visit, position)}
<div class="desk">
<section aria-labelledby="between"><h2 id="between">What may explain it</h2>
${between(visit, chosen)}
</section>
<section aria-labelledby="lines"><h2 id="lines">The bank: open lines</h2>
${rows(lineTable(visit, chosen), lines.results)}${moreLink(visit, 'after_line', lines)}
</section>
<section aria-labelledby="items"><h2 id="items">The books: open items</h2>
${rows(itemTable(visit, chosen), items.results)}${moreLink(visit, 'after_item', items)}
</section></div>
<h2>Last matches</h2>
${rows(matchTable(visit, position?.currency ?? ''), matches.results)}`
  return { title: name, body }
}

const LINES = '/v3/operator/nostro_line'
const ITEMS = '/v3/operator/nostro_item'

/**
 * The line and the items of the address, or of the form that was refused; else the first line.
 * Items alone, such as those of an exception, choose no line.
 */
async function chosenOf(
  visit: Visit,
  lines: readonly BankLine[],
  shown: readonly NostroItem[],
): Promise<Omit<Chosen, 'others' | 'accounts'>> {
  const { id = '' } = visit.params
  const asked = visit.query.line ?? (idsIn(id, 'line')[0] || idsOf(visit, 'lines', 'line')[0])
  const ids = visit.query.items === undefined ? idsOf(visit, 'items', 'item') : askedItems(visit)
  const wanted = [...new Set([...ids, ...idsIn(id, 'item')])].slice(0, MOST_ITEMS)
  const found = await Promise.all(wanted.map(one => itemOf(visit, one, shown)))
  const items = found.filter(one => one !== undefined)
  const named = asked === undefined ? undefined : await explain(visit, asked)
  const first = items.length === 0 ? lines[0] : undefined
  const explained = named ?? (first && (await explain(visit, first.id)))
  const noted = explained?.line.id ?? items[0]?.id
  const notes =
    noted === undefined
      ? []
      : (await visit.api.list<CaseNote>(`/v3/operator/nostro_case/${noted}/note`)).results
  return { explained, items, notes }
}

/** The accounts that a line in the currency may be credited to. */
async function creditable(visit: Visit, currency = ''): Promise<Chosen['accounts']> {
  const { results, has_more } = await accountsOf(visit)
  const fits = results.filter(one => !one.sandbox && one.currencies.includes(currency))
  return { results: fits, has_more }
}

/** A person chooses no more items for one line. */
const MOST_ITEMS = 20

const idsIn = (text: string, kind: 'line' | 'item') =>
  text.split(' ').filter(one => new RegExp(`^${kind}_[0-9]{1,18}$`).test(one))
const idsOf = (visit: Visit, name: string, kind: 'line' | 'item') =>
  idsIn(fieldText(visit, name), kind)
const askedItems = ({ query }: Visit) => idsIn(query.items ?? '', 'item')

/** An open item by its id, also one that is on another page; undefined when it is not open here. */
async function itemOf({ api, params }: Visit, id: string, shown: readonly NostroItem[]) {
  const found = shown.find(one => one.id === id)
  if (found !== undefined) return found
  const { results } = await api.unlisted().list<NostroItem>(ITEMS, { nostro: params.name, id })
  return results.find(({ match }) => match === null)
}

function moreLink(visit: Visit, name: string, { results, has_more }: ListOf<{ id: string }>) {
  const last = results.at(-1)
  const path = `${visit.root}/treasury/${visit.params.name}`
  const next = last && path + queryText({ ...placesOf(visit), [name]: last.id })
  const isLater = visit.query[name] !== undefined
  if (!has_more && !isLater) return ''
  return html`<p class="pager">${isLater && link(path, 'The oldest')}
${has_more && next && link(next, 'More')}</p>`
}

/** What stays in the address when a row is chosen. */
function placesOf({ query: { after_line, after_item } }: Visit) {
  return { after_line, after_item }
}

function positionFacts(visit: Visit, position: NostroPosition): Html {
  const { name, bank, book, difference, currency } = position
  const stated = link(`${visit.root}/treasury/${name}/statements`, statedOf(position))
  return html`<p>Bank ${money(bank, currency)}, books ${money(book, currency)}, difference
${money(difference, currency)}. Statements to: ${stated}.
${link(`${visit.root}/treasury/${name}/reading`, 'How its lines are read and booked')}</p>
${coverFacts(position)}`
}

/** Nothing without a gate. */
function coverFacts({ currency, cover, ...position }: NostroPosition): Content {
  if (cover === null) return ''
  const { waiting, waiting_count, waiting_since } = position
  const waits =
    waiting_since === null
      ? 'no payout waits for funds'
      : html`payouts that wait for funds: ${waiting_count}, ${money(waiting, currency)}, since
${when(waiting_since)}`
  return html`<p>Covers ${money(cover, currency)}; ${waits}.</p>`
}

/** The page with this line and these items chosen. */
function pageWith(visit: Visit, line: string | undefined, items: readonly string[]): string {
  const query = { ...placesOf(visit), line, items: items.join(' ') }
  return `${visit.root}/treasury/${visit.params.name}${queryText(query)}`
}

function lineTable(visit: Visit, { explained, items }: Chosen): Table<BankLine> {
  const ids = items.map(({ id }) => id)
  return {
    caption: 'Open lines, oldest first',
    empty: 'Every line of the bank is explained.',
    columns: [
      {
        name: 'Line',
        show: ({ id, booked_on }) =>
          id === explained?.line.id
            ? html`<strong aria-current="true">${booked_on}</strong>`
            : link(pageWith(visit, id, ids), booked_on),
      },
      { name: 'Who', show: line => lineWords(line) },
      { name: 'Amount', number: true, show: line => money(line.amount, line.currency) },
    ],
  }
}

/** A link chooses an item beside those that are chosen, or no longer. */
function itemTable(visit: Visit, { explained, items }: Chosen): Table<NostroItem> {
  const ids = items.map(({ id }) => id)
  const toggled = (id: string) => (ids.includes(id) ? ids.filter(one => one !== id) : [...ids, id])
  return {
    caption: 'Open items, oldest first',
    empty: 'The bank has confirmed every item.',
    columns: [
      {
        name: 'Day',
        show: ({ id, value_on }) => {
          const choice = link(pageWith(visit, explained?.line.id, toggled(id)), value_on)
          return ids.includes(id) ? html`<strong aria-current="true">${choice}</strong>` : choice
        },
      },
      { name: 'What', show: item => itemWords(visit, item) },
      { name: 'Amount', number: true, show: item => money(item.amount, item.currency) },
    ],
  }
}

function matchTable(visit: Visit, currency: string): Table<NostroMatch> {
  return {
    caption: 'Last matches, newest first',
    empty: 'No matches yet.',
    columns: [
      { name: 'Match', show: ({ id }) => html`<code>${id}</code>` },
      { name: 'When', show: ({ at }) => time(at) },
      { name: 'Why', show: ({ rule, by }) => (by === '' ? words(rule) : by) },
      { name: 'Amount', number: true, show: ({ amount }) => money(amount, currency) },
      { name: 'Lines', show: ({ lines, line_count }) => membersOf(lines, line_count) },
      { name: 'Items', show: ({ items, item_count }) => membersOf(items, item_count) },
      { name: 'Note', show: ({ note }) => note },
      { name: '', show: match => undoForm(visit, match) },
    ],
  }
}

/** The first ones, and how many more there are. */
function membersOf(ids: readonly string[], count: string): Html {
  const shown = ids.slice(0, 3)
  const more = Number(count) - shown.length
  return html`<code>${shown.join(' ')}</code>${more > 0 && ` and ${more} more`}`
}

function undoForm(visit: Visit, { id, undone_by, undo_note, rule }: NostroMatch): Content {
  if (undone_by !== '') return `undone by ${undone_by}: ${undo_note}`
  if (rule === 'reversal' || !mayOperate(visit)) return ''
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/undo/${id}`,
    under: 'Undo',
    button: 'Undo the match',
    danger: true,
    fields: [{ name: 'note', label: 'Why', required: true }],
  })
}
