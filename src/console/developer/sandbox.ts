// Screen of a sandbox: it funds the balance, advances the clock, and moves a payout to any status.
import { SCRIPTS } from '../../adapters/simulator.ts'
import { STEP_STATUSES } from '../../payouts/states.ts'
import { type Html, html } from '../../values/text/html.ts'
import { amountOf, bodyOf, countOf, fieldText, optionsOf, post, postForm } from '../form.ts'
import type { Screens } from '../screens.ts'
import { digits, words } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'

export function sandboxScreens(screens: Screens): void {
  screens.show('account', '/sandbox', sandboxScreen)
  const funding = { to: '/v3/sandbox/fund', body: amountOf, next: '?done=funded' }
  screens.send('account', '/sandbox/fund', funding, sandboxScreen)
  const advance = {
    to: '/v3/sandbox/clock/advance',
    body: (visit: Visit) => ({ seconds: countOf(visit, 'seconds') }),
    next: '/sandbox?done=advanced',
  }
  screens.send('account', '/sandbox/clock', advance, sandboxScreen)
  screens.act('account', '/sandbox/transition', move, sandboxScreen)
}

/** In seconds. */
const STEPS = {
  1800: 'half an hour (quotes expire)',
  86400: 'a day',
  604800: 'a week',
  2592000: '30 days',
}

/** The amounts that the simulator does not simply pay. */
function amountsCard(visit: Visit): Html {
  const { primary_currency } = accountOf(visit)
  const shown = (amount: bigint) => digits(String(amount), primary_currency)
  const rows = SCRIPTS.map(
    ({ from, to, steps }) =>
      html`<li><strong>${shown(from)}${from !== to && ` to ${shown(to)}`}</strong>
${steps.length === 0 ? 'stays in processing' : steps.map(words).join(', then ')}</li>`,
  )
  return html`<section class="card"><h2>Amounts with another outcome</h2>
<p>The amount that the payee gets decides the outcome. Every amount not listed here succeeds.</p>
<ul class="plain">${rows}</ul>
<p class="faint">Amounts are shown with the decimals of ${primary_currency}.</p></section>`
}

async function sandboxScreen(visit: Visit): Promise<Screen> {
  const title = 'Sandbox'
  if (!accountOf(visit).sandbox) {
    return { title, body: html`<p>This account is live: its money and its clock are real.</p>` }
  }
  const root = `${visit.root}/sandbox`
  const { payout = '' } = visit.query
  const body = html`<div class="cards">
<section class="card"><h2>Test money</h2>${postForm(visit, {
    action: `${root}/fund`,
    button: 'Fund the balance',
    fields: [
      { name: 'amount', label: 'Amount', value: '10,000.00', required: true },
      { name: 'currency', label: 'Currency', options: optionsOf(accountOf(visit).currencies) },
    ],
  })}</section>
<section class="card"><h2>Clock</h2>${postForm(visit, {
    action: `${root}/clock`,
    button: 'Advance the clock',
    fields: [{ name: 'seconds', label: 'By', options: STEPS, hint: 'The clock never goes back.' }],
  })}</section>
${amountsCard(visit)}
<section class="card"><h2>State of a payout</h2>${postForm(visit, {
    action: `${root}/transition`,
    button: 'Change the state',
    fields: [
      { name: 'payout', label: 'Payout', required: true, value: payout, hint: 'pot_…' },
      { name: 'status', label: 'New state', options: optionsOf(STEP_STATUSES) },
      {
        name: 'description',
        label: 'What you are asked for',
        hint: 'Only for “requires action”',
      },
    ],
  })}</section></div>`
  return { title, body }
}

async function move(visit: Visit): Promise<string> {
  const payout = fieldText(visit, 'payout')
  const path = `/v3/sandbox/payout/${encodeURIComponent(payout)}/transition`
  await post(visit, path, bodyOf(visit.form, ['status', 'description']))
  return `${visit.root}/payouts/${payout}?done=moved`
}
