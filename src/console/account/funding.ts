// The screen that says how money comes into an account.
import { html } from '../../values/text/html.ts'
import type { Screens } from '../screens.ts'
import { copier, facts, link } from '../show.ts'
import { accountOf, may, type Screen, type Visit } from '../visit.ts'

export function fundingScreens(screens: Screens): void {
  screens.show('account', '/funding', show)
}

async function show(visit: Visit): Promise<Screen> {
  const { account_id, name, deposit_address, sandbox, currencies } = accountOf(visit)
  const test = html`<h2>Test money</h2><p>This account is a sandbox: its money is not real.${
    may(visit, 'maker') &&
    html` ${link(`${visit.root}/sandbox`, 'Fund the balance')} with any amount, at once.`
  }</p>`
  const byBank = html`<h2>By a bank transfer</h2>
<p>Ask whoever runs this installation for the bank account of your currency. Write this
reference on the transfer, so that the payment is found. The money is in your balance once it is
booked, and in your statement with the bank's reference.</p>
${facts([
  ['Reference', html`<code>${account_id}</code> ${copier('Copy', account_id)}`],
  ['In the name of', name],
  ['Currencies of your balances', currencies.join(', ')],
])}`
  const body = html`${sandbox ? test : byBank}
<h2>From another account of this installation</h2>
<p>Its people pay to this deposit address. The money is in your balance at once.</p>
${facts([
  ['Deposit address', html`<code>${deposit_address}</code> ${copier('Copy', deposit_address)}`],
])}`
  return { title: 'Add money', body }
}
