// The first step of a new payout: find a saved payee by name, or make a new one. The search is a
// form; a script sends it as the person types.
import { html } from '../../values/text/html.ts'
import { queryText } from '../api.ts'
import { rows, type Table } from '../list.ts'
import type { Beneficiary } from '../objects.ts'
import { link, mainLink } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { accountWords, placeWords } from './terms.ts'

const MOST = 20

export async function payeeStep(visit: Visit): Promise<Screen> {
  const { root, query } = visit
  const text = (query.payee ?? '').trim()
  const asked = { name: text, status: 'active', limit: String(MOST) }
  const { results, has_more } = await visit.api.list<Beneficiary>('/v3/beneficiary', asked)
  const { amount, currency, on_behalf_of } = query
  const kept = { amount, currency, on_behalf_of }
  const table: Table<Beneficiary> = {
    caption: text === '' ? 'The newest payees' : 'Payees with this name',
    columns: [
      {
        name: 'Payee',
        show: ({ id, name }) => link(`${root}/payouts/new${queryText({ to: id, ...kept })}`, name),
      },
      { name: 'Account', show: ({ destination_details }) => accountWords(destination_details) },
      { name: 'Where', show: ({ destination_details }) => placeWords(destination_details) },
    ],
    empty: text === '' ? 'No payees yet: make the first one.' : 'No payee has this name.',
  }
  const counted = `${results.length}${has_more ? '+' : ''}`
  const noun = results.length === 1 ? 'payee' : 'payees'
  const other = `${root}/beneficiaries/new${queryText({ next: 'pay', on_behalf_of })}`
  const body = html`${mainLink(other, 'New payee')}
<form class="row" action="${root}/payouts/new" data-finds="payees">
${on_behalf_of && html`<input type="hidden" name="on_behalf_of" value="${on_behalf_of}">`}
<div class="field"><label for="payee">Name of the payee</label>
<input type="search" id="payee" name="payee" value="${text}" maxlength="100"
  autocomplete="off"></div>
<button class="quiet">Search</button></form>
<p class="faint" id="payees-count" role="status">${counted} ${noun}${
    has_more && ': type more of the name'
  }</p>
<div id="payees">${rows(table, results)}</div>`
  return { title: 'Whom do you pay?', body }
}
