// The screen that says how money comes into an account.
import { type Html, html } from '../../values/text/html.ts'
import type { FundingInstructions } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { copier, facts, link } from '../show.ts'
import { accountOf, may, type Screen, type Visit } from '../visit.ts'

export function fundingScreens(screens: Screens): void {
  screens.show('account', '/funding', show)
}

async function show(visit: Visit): Promise<Screen> {
  const { deposit_address, sandbox } = accountOf(visit)
  const test = html`<h2>Test money</h2><p>This account is a sandbox: its money is not real.${
    may(visit, 'maker') &&
    html` ${link(`${visit.root}/sandbox`, 'Fund the balance')} with any amount, at once.`
  }</p>`
  const body = html`${sandbox ? test : await byBank(visit)}
<h2>From another account of this installation</h2>
<p>Its people pay to this deposit address. The money is in your balance at once.</p>
${facts([
  ['Deposit address', html`<code>${deposit_address}</code> ${copier('Copy', deposit_address)}`],
])}`
  return { title: 'Add money', body }
}

type Instruction = FundingInstructions['instructions'][number]

async function byBank(visit: Visit): Promise<Html> {
  const { account_id, name, currencies } = accountOf(visit)
  const { instructions } = await visit.api.get<FundingInstructions>('/v3/funding_instruction')
  const funded = instructions.map(({ currency }) => currency)
  const others = currencies.filter(currency => !funded.includes(currency))
  return html`<h2>By a bank transfer</h2>
${instructions.map(instruction)}
${
  others.length > 0 &&
  html`${instructions.length > 0 && html`<h3>${others.join(', ')}</h3>`}
<p>Ask whoever runs this installation for the bank account of your currency. Write this
reference on the transfer, so that the payment is found. The money is in your balance once it is
booked, and in your statement with the bank's reference.</p>
${facts([
  ['Reference', html`<code>${account_id}</code> ${copier('Copy', account_id)}`],
  ['In the name of', name],
  ['Currencies of your balances', others.join(', ')],
])}`
}`
}

const copied = (text: string) =>
  text !== '' && html`<code>${text}</code> ${copier('Copy', text, `Copy ${text}`)}`

/** Where payers pay to, and what they quote. */
function instruction({ kind, value, currency, account, bic, institution }: Instruction): Html {
  const how: Readonly<Record<Instruction['kind'], string>> = {
    virtual_iban: 'Pay to this account, which is yours alone. No reference is needed.',
    reference: 'Pay to this account, and quote the reference. It leads the payment to you.',
    payer_account: 'Pay from this account of yours: what it pays is credited to you.',
    address: 'Pay to this address, which is yours alone.',
  }
  return html`<h3>${currency}</h3><p>${how[kind]} The money is in your balance once the bank's
statement has it.</p>${facts([
    ['Pay to', copied(account)],
    ['SWIFT code (BIC)', copied(bic)],
    ['Bank', institution],
    ['Quote the reference', kind === 'reference' && copied(value)],
    ['Pay from', kind === 'payer_account' && copied(value)],
  ])}`
}
