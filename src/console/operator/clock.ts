// The screen of the database's clock. An operator confirms that it is right again after a jump.
import { html } from '../../values/text/html.ts'
import { postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { DatabaseClock } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, time } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'

const API = '/v3/operator/clock'

export function clockScreens(screens: Screens): void {
  screens.show('installation', '/clock', show)
  const confirming = { to: `${API}/confirm`, next: '/clock?done=saved' }
  screens.send('installation', '/clock/confirm', confirming, show)
}

const CORRECTIONS: Table<DatabaseClock['corrections'][number]> = {
  caption: 'Confirmed corrections, newest first',
  empty: 'The clock was never confirmed.',
  columns: [
    { name: 'Latest time that was ahead', show: ({ set_from }) => time(set_from) },
    { name: 'Confirmed', show: ({ set_to }) => time(set_to) },
  ],
}

async function show(visit: Visit): Promise<Screen> {
  const { now, writes, jump, corrections } = await visit.api.get<DatabaseClock>(API)
  const body = html`<p class="lead"><span class="state ${writes ? 'good' : 'bad'}">${
    writes ? 'right' : 'jumped'
  }</span> ${
    writes ? 'Books are written.' : 'Nothing is written until the clock is back or you confirm it.'
  }</p>
${facts([
  ['Shows', time(now)],
  ['Found', jump && time(jump.found)],
  ['Expected', jump && time(jump.expected)],
])}
${
  mayOperate(visit) &&
  postForm(visit, {
    action: `${visit.root}/clock/confirm`,
    under: 'Confirm the clock',
    button: 'The clock is right now: go on',
    asksPassword: true,
    danger: true,
    body: html`<p>Confirm only a clock that shows the right time. Times of books that are ahead of
it are set to now, and what is due much later is due now.</p>`,
  })
}
<h2>Corrections</h2>${rows(CORRECTIONS, corrections)}`
  return { title: 'The clock of the database', body }
}
