// The screen of treasury: what each bank and the books have, and what finance has to look at.
import { type Content, html } from '../../values/text/html.ts'
import { rows, type Table } from '../list.ts'
import type { NostroPosition, TreasuryExceptions } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, money, state, words } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'

export function nostroScreens(screens: Screens): void {
  screens.show('installation', '/treasury', list)
}

async function list(visit: Visit): Promise<Screen> {
  const [positions, exceptions] = await Promise.all([
    visit.api.list<NostroPosition>('/v3/operator/nostro'),
    visit.api.get<TreasuryExceptions>('/v3/operator/nostro_exception'),
  ])
  const table: Table<NostroPosition> = {
    caption: 'Accounts at banks',
    empty: 'No accounts at banks. Whoever runs the server adds them.',
    columns: [
      { name: 'Account', show: ({ name }) => link(`${visit.root}/treasury/${name}`, name) },
      { name: 'Bank', number: true, show: row => money(row.bank, row.currency) },
      { name: 'Books', number: true, show: row => money(row.book, row.currency) },
      { name: 'Difference', number: true, show: row => money(row.difference, row.currency) },
      { name: 'Open lines', number: true, show: row => row.open_lines_count },
      { name: 'Open items', number: true, show: row => row.open_items_count },
      { name: 'Oldest', show: ({ oldest_open_on }) => oldest_open_on ?? '–' },
      { name: 'Statements to', show: statedOf },
    ],
  }
  const counts: Table<TreasuryExceptions['counts'][number]> = {
    caption: 'What finance has to look at',
    empty: 'Nothing: each open line and item is younger than it may be.',
    columns: [
      {
        name: 'Account',
        show: ({ nostro }) => nostro && link(`${visit.root}/treasury/${nostro}`, nostro),
      },
      { name: 'What', show: ({ kind }) => words(kind) },
      { name: 'Count', number: true, show: ({ count }) => count },
      { name: 'Oldest', show: ({ oldest }) => oldest },
    ],
  }
  const body = html`<p>The difference of bank and books is the sum of the open lines less the sum of
the open items, always.</p>
${rows(table, positions.results)}
<h2>Exceptions</h2>
${rows(counts, exceptions.counts)}`
  return { title: 'Treasury', body }
}

/** Up to which day statements say what the bank has. */
export function statedOf({ stated_on, proved }: NostroPosition): Content {
  if (stated_on === null) return 'none yet'
  return html`${stated_on} ${proved ? '' : state('not proved')}`
}
