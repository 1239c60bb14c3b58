// Screens of the statement: balance transactions, the balances at a time, and a period's file.
import { type Html, html } from '../../values/text/html.ts'
import { anyOf, field, optionsOf } from '../form.ts'
import { AMOUNT_COLUMNS, type Listing, showList, textColumn } from '../list.ts'
import type { Balance, Transaction } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, facts, idLink, link, members, money, time, words } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'

export function transactionScreens(screens: Screens): void {
  screens.show('account', '/transactions', async visit => ({
    title: 'Statement',
    live: 'btr_',
    body: html`${await balanceAt(visit)}${statementForm(visit)}${await list(visit)}`,
  }))
  screens.csv('/transactions', transactionList)
  screens.show('account', '/transactions/:id', showTransaction)
}

const list = (visit: Visit) => showList(visit, '/transactions', transactionList(visit))

async function balanceAt(visit: Visit) {
  const day = visit.query.as_of ?? ''
  const as_of = /^\d{4}-\d\d-\d\d$/.test(day) ? `${day}T00:00:00Z` : day
  const form = html`<form class="row" action="${visit.root}/transactions">
${field(visit, {
  name: 'as_of',
  label: 'Balance at the start of (UTC)',
  type: 'date',
  value: day.slice(0, 10),
})}
<button class="quiet">Show the balance</button></form>`
  if (as_of === '') return form
  const { available } = await visit.api.get<Balance>('/v3/balance', { as_of })
  return html`${form}<p>At ${time(as_of)}: ${
    available.length === 0
      ? 'nothing was booked yet.'
      : available.map(({ amount, currency }) => html`<strong>${money(amount, currency)}</strong> `)
  }</p>`
}

const FORMATS = { camt053: 'camt.053 (ISO 20022)', mt940: 'MT940 (SWIFT)', csv: 'CSV' }

/** The default period ends where today begins. */
function statementForm(visit: Visit): Html {
  const today = new Date().toISOString().slice(0, 10)
  const month = `${today.slice(0, 8)}01`
  const currencies = optionsOf(accountOf(visit).currencies)
  const day = (name: string, label: string, value: string) =>
    field(visit, { name, label, type: 'date', value, required: true })
  return html`<details class="file"><summary>Download the statement of a period</summary>
<form class="row" action="${visit.root}/statement">
${day('from', 'From (UTC)', month === today ? '' : month)}
${day('to', 'To the start of (UTC)', today)}
${field(visit, { name: 'currency', label: 'Currency', options: { '': 'All', ...currencies } })}
${field(visit, { name: 'format', label: 'Format', options: FORMATS })}
<button class="quiet">Download</button></form></details>`
}

function transactionList(visit: Visit): Listing<Transaction> {
  return {
    api: '/v3/balance_transaction',
    caption: 'Balance transactions, newest first',
    csv: true,
    columns: [
      {
        name: 'When',
        show: ({ id, created_at }) => link(`${visit.root}/transactions/${id}`, time(created_at)),
        text: ({ created_at }) => created_at,
      },
      ...AMOUNT_COLUMNS,
      textColumn('Type', ({ type }) => type, words),
      textColumn(
        'Source',
        ({ source }) => source,
        source => source && idLink(visit.root, source),
      ),
      { name: 'Id', text: ({ id }) => id },
    ],
    filters: [
      { name: 'currency', label: 'Currency', options: anyOf(accountOf(visit).currencies) },
      { name: 'operation_type', label: 'Direction', options: anyOf(['credit', 'debit']) },
      { name: 'source', label: 'Payout or other source' },
    ],
    empty: 'No transactions yet.',
  }
}

async function showTransaction(visit: Visit): Promise<Screen> {
  const line = await visit.api.get<Transaction>(`/v3/balance_transaction/${visit.params.id}`)
  const body = html`${facts([
    ['Amount', html`<strong>${money(line.amount, line.currency)}</strong>`],
    ['Type', words(line.type)],
    ['Source', line.source && idLink(visit.root, line.source)],
    ['When', time(line.created_at)],
    ['Description', line.description],
    ['Fees', line.fee_details.length > 0 && line.fee_details.map(fee => members(visit.root, fee))],
    [
      'Conversions',
      line.fx_conversions.length > 0 && line.fx_conversions.map(fx => members(visit.root, fx)),
    ],
    ['Id', html`<code>${line.id}</code>`],
  ])}`
  return { title: `${digits(line.amount, line.currency)} ${line.currency}`, body }
}
