// The columns of every list of payouts, on the page and in CSV.
import { type Html, html } from '../../values/text/html.ts'
import { queryText } from '../api.ts'
import { AMOUNT_COLUMNS, type Listing, textColumn } from '../list.ts'
import type { Payout } from '../objects.ts'
import { link, makerWords, money, plain, state, when, words } from '../show.ts'
import { accountOf, type Visit } from '../visit.ts'

export function payoutColumns(visit: Visit): Listing<Payout>['columns'] {
  const { root } = visit
  return [
    {
      name: 'Payee',
      show: ({ id, beneficiary_details }) =>
        link(`${root}/payouts/${id}`, beneficiary_details.name || id),
      text: ({ beneficiary_details }) => beneficiary_details.name,
    },
    ...AMOUNT_COLUMNS,
    {
      name: 'Debit with fees',
      number: true,
      show: payout => debitOf(payout),
      text: ({ total_debit: { amount, currency } }) => plain(amount, currency),
    },
    {
      name: 'Of which fees',
      text: payout => plain(String(feesOf(payout)), payout.holding_currency),
    },
    { name: 'Debit currency', text: ({ holding_currency }) => holding_currency },
    textColumn('State', ({ status }) => status, state),
    textColumn('Type', ({ type }) => type, words),
    textColumn('Your reference', ({ reference_id }) => reference_id),
    {
      name: 'Made by',
      show: ({ made_by }) => link(`${root}/payouts${queryText({ made_by })}`, makerWords(made_by)),
      text: ({ made_by }) => made_by,
    },
    textColumn('Created', ({ created_at }) => created_at, when),
    { name: 'Account', text: () => accountOf(visit).account_id },
    { name: 'Id', text: ({ id }) => id },
  ]
}

/** The fees stand below it. */
function debitOf(payout: Payout): Html {
  const { amount, currency } = payout.total_debit
  const fees = feesOf(payout)
  return html`${money(amount, currency)}${
    fees !== 0n && html`<br><small>fees ${money(String(fees), payout.holding_currency)}</small>`
  }`
}

/** In the holding currency. */
function feesOf({ fee_info: { fixed, variable } }: Payout): bigint {
  return BigInt(fixed.in_holding_currency) + BigInt(variable.in_holding_currency)
}
