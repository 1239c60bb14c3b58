// The screen of one account at a bank, with the open lines at the left, the open items at the right,
// and between them what may explain a line.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { fieldText, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { BankLine, NostroItem, NostroMatch, NostroPosition } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, money, time, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'
import { between, explain, itemWords, lineWords } from './nostro-between.ts'
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
    ...(fieldText(visit, 'note') !== '' && noteOf(visit)),
  }))
  send('credit/:id', '/v3/operator/nostro_line/:id/credit', visit => ({
    account_id: fieldText(visit, 'account_id'),
    reason: fieldText(visit, 'reason'),
  }))
  send('note/:id', '/v3/operator/nostro_case/:id/note', visit => ({
    ...noteOf(visit),
    owner: fieldText(visit, 'owner'),
  }))
}

const noteOf = (visit: Visit) => ({ note: fieldText(visit, 'note') })

function matchBody(visit: Visit): object {
  const ids = (name: string) => fieldText(visit, name).split(' ').filter(Boolean)
  const rest_as = fieldText(visit, 'rest_as')
  return { lines: ids('lines'), items: ids('items'), ...(rest_as !== '' && { rest_as }) }
}

const MOST_SHOWN = '50'

async function show(visit: Visit): Promise<Screen> {
  const { name = '' } = visit.params
  const of = { nostro: name, limit: MOST_SHOWN }
  const [positions, lines, items, matches] = await Promise.all([
    visit.api.list<NostroPosition>('/v3/operator/nostro'),
    visit.api.list<BankLine>('/v3/operator/nostro_line', of),
    visit.api.list<NostroItem>('/v3/operator/nostro_item', of),
    visit.api.list<NostroMatch>('/v3/operator/nostro_match', { nostro: name, limit: '10' }),
  ])
  const wanted = lineAsked(visit)
  const chosen = lines.results.find(({ id }) => id === wanted) ?? lines.results[0]
  const found = chosen && (await explain(visit, chosen))
  const position = positions.results.find(one => one.name === name)
  const body = html`${position && positionFacts(position)}
<div class="desk">
<section aria-labelledby="lines"><h2 id="lines">The bank: open lines</h2>
${rows(lineTable(visit, chosen), lines.results)}${lines.has_more && moreNote(lines.results.length)}
</section>
<section aria-labelledby="between"><h2 id="between">What may explain it</h2>
${found === undefined ? html`<p class="empty">No line is open.</p>` : between(visit, found)}
</section>
<section aria-labelledby="items"><h2 id="items">The books: open items</h2>
${rows(itemTable(visit), items.results)}${items.has_more && moreNote(items.results.length)}
</section></div>
<h2>Last matches</h2>
${rows(matchTable(visit, position?.currency ?? ''), matches.results)}`
  return { title: name, body }
}

/** The line of the address, or of the form that was refused. */
function lineAsked(visit: Visit): string | undefined {
  return visit.query.line ?? visit.params.id ?? fieldText(visit, 'lines').split(' ')[0]
}

const moreNote = (count: number) => html`<p class="faint">The oldest ${count}; there are more.</p>`

function positionFacts(position: NostroPosition): Html {
  const { bank, book, difference, currency } = position
  return html`<p>Bank ${money(bank, currency)}, books ${money(book, currency)}, difference
${money(difference, currency)}. Statements to: ${statedOf(position)}</p>`
}

function lineTable(visit: Visit, chosen: BankLine | undefined): Table<BankLine> {
  const path = `${visit.root}/treasury/${visit.params.name}`
  return {
    caption: 'Open lines, oldest first',
    empty: 'Every line of the bank is explained.',
    columns: [
      {
        name: 'Line',
        show: ({ id, booked_on }) =>
          id === chosen?.id
            ? html`<strong aria-current="true">${booked_on}</strong>`
            : link(`${path}?line=${id}`, booked_on),
      },
      { name: 'Who', show: line => lineWords(line) },
      { name: 'Amount', number: true, show: line => money(line.amount, line.currency) },
    ],
  }
}

function itemTable(visit: Visit): Table<NostroItem> {
  return {
    caption: 'Open items, oldest first',
    empty: 'The bank has confirmed every item.',
    columns: [
      { name: 'Day', show: ({ value_on }) => value_on },
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
