// The screen of treasury: what each bank and the books have, and what finance has to look at.
import { EXCEPTION_KINDS } from '../../treasury/match/exception.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { queryText } from '../api.ts'
import { anyOf, field, postForm } from '../form.ts'
import { type Column, rows, type Table } from '../list.ts'
import type { NostroPosition, TreasuryExceptions } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { day, idLink, link, money, state, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'
import { EXCEPTION_WORDS, placeOfCase } from './exception-words.ts'
import { noteBody, noteFields } from './nostro-notes.ts'

export function nostroScreens(screens: Screens): void {
  screens.show('installation', '/treasury', list)
  // For items that no page of an account at a bank shows.
  const note = { to: '/v3/operator/nostro_case/:id/note', body: noteBody }
  const next = '/treasury?done=saved'
  screens.send('installation', '/treasury-notes/:id', { ...note, next }, list)
}

async function list(visit: Visit): Promise<Screen> {
  const { nostro, kind, owner } = visit.query
  const [positions, { counts, exceptions }] = await Promise.all([
    visit.api.list<NostroPosition>('/v3/operator/nostro'),
    visit.api.get<TreasuryExceptions>('/v3/operator/nostro_exception', { nostro, kind, owner }),
  ])
  const body = html`<p>The difference of bank and books is the sum of the open lines less the sum of
the open items, always.</p>
${rows(positionTable(visit, positions.results), positions.results)}
<h2>What finance has to look at</h2>
${rows(countTable(visit), counts)}
<h2 id="list">Exceptions, one by one</h2>
${filters(visit, positions.results)}
${rows(exceptionTable(visit), exceptions)}
${exceptions.length >= MOST_LISTED && html`<p class="faint">The oldest ${MOST_LISTED}.</p>`}`
  return { title: 'Treasury', body }
}

/** As many as the API lists. */
const MOST_LISTED = 200

function positionTable(visit: Visit, positions: readonly NostroPosition[]): Table<NostroPosition> {
  const waits = positions.some(({ waiting_count }) => waiting_count !== '0')
  return {
    caption: 'Accounts at banks',
    empty: 'No accounts at banks. Whoever runs the server adds them.',
    columns: [
      { name: 'Account', show: ({ name }) => link(`${visit.root}/treasury/${name}`, name) },
      { name: 'Bank', number: true, show: row => money(row.bank, row.currency) },
      { name: 'Books', number: true, show: row => money(row.book, row.currency) },
      { name: 'Difference', number: true, show: row => money(row.difference, row.currency) },
      { name: 'Open lines', number: true, show: row => row.open_lines_count },
      { name: 'Open items', number: true, show: row => row.open_items_count },
      { name: 'Oldest', show: ({ oldest_open_on }) => day(oldest_open_on ?? '–') },
      {
        name: 'Statements to',
        show: row => link(`${visit.root}/treasury/${row.name}/statements`, statedOf(row)),
      },
      ...(waits ? [WAITING] : []),
    ],
  }
}

const WAITING: Column<NostroPosition> = {
  name: 'Wait for funds',
  number: true,
  show: ({ waiting_count }) => waiting_count,
}

/** Up to which day statements say what the bank has. */
export function statedOf({ stated_on, proved }: NostroPosition): Content {
  if (stated_on === null) return 'none yet'
  return html`${day(stated_on)} ${proved ? '' : state('not proved')}`
}

function countTable(visit: Visit): Table<TreasuryExceptions['counts'][number]> {
  const page = (query: Record<string, string>) => `${visit.root}/treasury${queryText(query)}#list`
  return {
    caption: 'Exceptions by account and kind',
    empty: 'Nothing: each open line and item is younger than it may be.',
    columns: [
      {
        name: 'Account',
        show: ({ nostro }) => nostro && link(`${visit.root}/treasury/${nostro}`, nostro),
      },
      { name: 'What', show: ({ kind }) => words(kind) },
      {
        name: 'Count',
        number: true,
        show: ({ nostro, kind, count }) => link(page({ nostro, kind }), count),
      },
      { name: 'Oldest', show: ({ oldest }) => day(oldest) },
    ],
  }
}

function filters(visit: Visit, positions: readonly NostroPosition[]): Html {
  const { nostro = '', kind = '', owner = '' } = visit.query
  const isSet = nostro !== '' || kind !== '' || owner !== ''
  return html`<form class="filters" action="${visit.root}/treasury#list">${[
    {
      name: 'nostro',
      label: 'Account',
      value: nostro,
      options: anyOf(positions.map(one => one.name)),
    },
    { name: 'kind', label: 'What', value: kind, options: anyOf(EXCEPTION_KINDS) },
    { name: 'owner', label: 'Who looks after it', value: owner },
  ].map(spec => field({ ...visit, form: NO_FORM }, spec))}
<div class="buttons"><button class="quiet">Filter</button>
${isSet && link(`${visit.root}/treasury#list`, 'Clear the filters')}</div></form>`
}

/** What a form of the page has sent fills no filter. */
const NO_FORM = new URLSearchParams()

function exceptionTable(visit: Visit): Table<TreasuryExceptions['exceptions'][number]> {
  return {
    caption: 'Exceptions, oldest first',
    empty: 'Nothing to look at.',
    columns: [
      {
        name: 'Which',
        show: ({ id, nostro, payout }) =>
          nostro === ''
            ? html`<code>${id}</code> ${payout && idLink(visit.root, payout)}`
            : link(`${visit.root}/${placeOfCase({ id, nostro })}`, id || 'statement'),
      },
      { name: 'Account', show: ({ nostro }) => nostro },
      {
        name: 'What',
        show: ({ kind }) => html`${words(kind)}<br><small>${EXCEPTION_WORDS[kind].next}</small>`,
      },
      {
        name: 'Amount',
        number: true,
        show: ({ amount, currency }) => amount !== '0' && money(amount, currency),
      },
      { name: 'Since', show: ({ since }) => day(since) },
      {
        name: 'Last note',
        show: ({ id, nostro, note, owner }) =>
          html`${note}${
            owner &&
            html`<br>
<small>${owner} looks after it</small>`
          }${nostro === '' && noteForm(visit, id)}`,
      },
    ],
  }
}

function noteForm(visit: Visit, id: string): Content {
  if (!mayOperate(visit)) return ''
  return postForm(visit, {
    action: `${visit.root}/treasury-notes/${id}`,
    under: 'Write a note',
    button: 'Save the note',
    fields: noteFields,
  })
}
