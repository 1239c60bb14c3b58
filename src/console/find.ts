// The search of every page: what one text has found, in an account or in all of them.
import type { Match } from '../search/search.ts'
import { type Html, html } from '../values/text/html.ts'
import { type Column, rows } from './list.ts'
import type { FoundRow, Search } from './objects.ts'
import type { Screens } from './screens.ts'
import { link, money, pageOf, state, time } from './show.ts'
import type { Screen, Visit } from './visit.ts'

export function findScreens(screens: Screens): void {
  screens.show('account', '/find', find)
  screens.show('installation', '/find', find)
}

/** What names one object: the only one so named is shown at once. */
const EXACT: readonly Match[] = ['id', 'quote', 'uetr', 'reference_id', 'bank_reference']

async function find(visit: Visit): Promise<Screen | string> {
  const text = (visit.query.q ?? '').trim()
  if (text === '') return { title: 'Search', body: KNOWN }
  const page = pageOf(visit.root, text)
  if (page !== undefined) return page
  const api = visit.account === null ? '/v3/operator/search' : '/v3/search'
  const found = await visit.api.get<Search>(api, { q: text })
  const [only, ...more] = found.results.filter(({ matched }) => EXACT.includes(matched))
  const its = more.length === 0 && only !== undefined && pageOfFound(visit, only)
  if (its) return its
  return { title: `Search: ${text}`, body: resultsOf(visit, found) }
}

const KNOWN = html`<div class="empty">The search knows names of payees, account numbers and their
last digits, IBANs, amounts such as 1,250.50 or 1250.5 EUR, references, ids and UETRs.</div>`

const KINDS = {
  payout: 'Payouts',
  beneficiary: 'Beneficiaries',
  entity: 'Entities',
  payout_batch: 'Batches',
  account: 'Accounts',
} as const

function resultsOf(visit: Visit, found: Search): Html {
  const { results, has_more } = found
  const byKind = Map.groupBy(results, ({ object }) => object)
  return html`${results.length === 0 && html`<p>Nothing was found.</p>${KNOWN}`}
${has_more && html`<p class="note">More fits than is shown: type more of it.</p>`}
${limitsOf(found)}
${Object.entries(KINDS).map(([kind, name]) => {
  const some = byKind.get(kind as FoundRow['object'])
  if (some === undefined) return ''
  const columns = columnsOf(visit).filter(column => column.name !== 'Amount' || kind === 'payout')
  return html`<h2>${name}</h2>${rows({ caption: name, columns, empty: '' }, some)}`
})}`
}

/** What the search has left out. */
function limitsOf({ newest_only, accounts_left_out = '0' }: Search): Html {
  const by = newest_only.map(matched => MATCHED[matched])
  return html`${
    by.length > 0 &&
    html`<p class="note">By ${by.join(' and ')} only the newest 10,000 payouts of an account are
compared. The list of payouts finds older ones by days, payee or reference.</p>`
  }
${
  accounts_left_out !== '0' &&
  html`<p class="note">${accounts_left_out} accounts were not searched.</p>`
}`
}

const MATCHED: Readonly<Record<Match, string>> = {
  id: 'id',
  quote: 'quote',
  uetr: 'UETR',
  reference_id: 'reference',
  bank_reference: 'bank’s reference',
  account_number: 'account number',
  account_ending: 'end of the account number',
  email: 'e-mail address',
  amount: 'amount',
  name: 'name',
}

function columnsOf(visit: Visit): readonly Column<FoundRow>[] {
  const account: Column<FoundRow> = {
    name: 'Account',
    show: ({ account_id = '', account_name }) =>
      link(`${visit.root}/accounts/${account_id}`, account_name || account_id),
  }
  return [
    {
      name: 'Name',
      show(found) {
        const name = found.name || found.reference_id || found.id
        const page = pageOfFound(visit, found)
        return page === undefined ? name : link(page, name)
      },
    },
    {
      name: 'Amount',
      number: true,
      show: ({ amount, currency }) => amount !== null && money(amount, currency),
    },
    { name: 'State', show: ({ status }) => state(status) },
    { name: 'Reference', show: ({ reference_id }) => reference_id },
    { name: 'Found by', show: ({ matched }) => MATCHED[matched] },
    ...(visit.account === null ? [account] : []),
    { name: 'Created', show: ({ created_at }) => time(created_at) },
  ]
}

/** Undefined where the installation has no page of it. */
function pageOfFound({ root }: Visit, { object, id }: FoundRow): string | undefined {
  return object === 'account' ? `${root}/accounts/${id}` : pageOf(root, id)
}
