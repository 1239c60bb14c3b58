// Puts the frame around a screen: accounts, navigation, search, the result of the last act, API
// calls. Pure.
import { mayRunInstallation } from '../accounts/user/rules.ts'
import { curl } from '../docs-site/snippet/curl.ts'
import { typescript } from '../docs-site/snippet/typescript.ts'
import { type Html, html } from '../values/text/html.ts'
import { bodyText, indented } from '../values/text/json-digits.ts'
import type { Call } from './api.ts'
import { labelOf } from './labels.ts'
import { may, type Screen, type Visit } from './visit.ts'

/** By path below the root, in groups. */
type ScreenGroups = Readonly<Record<string, Readonly<Record<string, string>>>>

const ACCOUNT_SCREENS: ScreenGroups = {
  Money: {
    '': 'Home',
    '/payouts': 'Payouts',
    '/batches': 'Batches',
    '/approvals': 'Approvals',
    '/beneficiaries': 'Beneficiaries',
    '/entities': 'Entities',
    '/conversions': 'Conversions',
    '/transactions': 'Statement',
    '/reports': 'Reports',
  },
  Account: {
    '/people': 'People',
    '/keys': 'API keys',
  },
  Developers: {
    '/events': 'Events',
    '/webhooks': 'Webhooks',
    '/requests': 'Requests',
    '/sandbox': 'Sandbox',
  },
}

const INSTALLATION_SCREENS: ScreenGroups = {
  Operators: {
    '': 'Needs attention',
    '/payouts': 'All payouts',
    '/entities': 'Entity reviews',
    '/screening': 'Screening',
    '/exceptions': 'Exceptions',
    '/files': 'Files for banks',
    '/unread-files': 'Files from banks',
    '/accounts': 'Accounts',
    '/prices': 'Rates and fees',
    '/rails': 'Rails and routes',
    '/rules': 'Limits and rules',
    '/income': 'Income',
    '/deliveries': 'Failing webhooks',
    '/users': 'Users',
    '/audit': 'Audit log',
    '/clock': 'The clock',
  },
  Treasury: {
    '/treasury': 'Banks and books',
    '/client-money': 'Client money',
    '/house': 'Journals of the house',
    '/months': 'Months',
    '/reports': 'Reports',
  },
}

/** `style` and `scripts` are the addresses of this version's files. */
export function framed(visit: Visit, screen: Screen, [style, ...scripts]: readonly string[]): Html {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${screen.title} · Corridor</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
${scripts.map(
  script => html`<script type="module" blocking="render" src="${script}"></script>`,
)}</head>
<body${zoneAttribute(visit)}${liveAttributes(visit, screen)}>
<a class="skip" href="#main">Skip to the content</a>
${header(visit)}
<div class="columns">
${navigation(visit)}
<main id="main" tabindex="-1">
<div id="news" role="status" aria-live="polite"></div>
${done(visit)}
${problems(visit)}
<h1>${screen.title}</h1>
${screen.body}
${callsOf(visit.api.calls, visit.origin)}
</main></div></body>
</html>
`
}

/** For the script, which shows the page again in another zone. A form is not sent again. */
function zoneAttribute({ zone, request }: Visit): Html | '' {
  return request.method === 'GET' ? html` data-zone="${zone}"` : ''
}

/** For the script: the stream, the objects, and the last known change. */
function liveAttributes(visit: Visit, { live }: Screen): Html | '' {
  if (live === undefined) return ''
  return html` data-live="${visit.root}/live" data-of="${live}" data-seen="${visit.lastChange}"`
}

function header(visit: Visit): Html {
  const { account, person } = visit
  const kind = account === null ? '' : account.sandbox ? 'sandbox' : 'live'
  return html`<header class="top"><a class="brand" href="/console">Corridor</a>
${switcher(visit)}
${kind && html`<span class="state ${kind === 'live' ? 'good' : 'calm'}">${kind}</span>`}
${
  (account !== null || mayRunInstallation(person.role, 'read')) &&
  html`<form class="find" action="${visit.root}/find" role="search">
<input type="search" name="q" aria-label="Find payouts, payees and more" required maxlength="200"
  placeholder="A payee, amount, reference, IBAN or id" value="${visit.query.q ?? ''}"></form>`
}
<form class="out" method="post" action="/logout"><a href="/login">${person.user}</a>
<button class="quiet">Log out</button></form></header>`
}

/** Links that work without a script. */
function switcher(visit: Visit): Html {
  const { account, accounts, person } = visit
  const seesInstallation = mayRunInstallation(person.role, 'read')
  const current = account === null ? 'The installation' : account.name || account.account_id
  const others = accounts.filter(({ account_id }) => account_id !== account?.account_id)
  if (others.length === 0 && (!seesInstallation || account === null))
    return html`<strong>${current}</strong>`
  return html`<details class="menu"><summary>${current}</summary><ul>
${others.map(
  ({ account_id, name, sandbox }) =>
    html`<li><a href="/console/${account_id}">${name || account_id}${
      sandbox ? ' (sandbox)' : ''
    }</a></li>`,
)}
${
  account !== null &&
  seesInstallation &&
  html`<li><a href="/console/installation">The installation</a></li>`
}
</ul></details>`
}

/** Shown to owners of the account. */
const OF_OWNERS = ['/people', '/keys']

function navigation(visit: Visit): Html {
  const { root, account, here } = visit
  const path = here.split('?', 1)[0] ?? ''
  const isHere = (place: string) =>
    place === '' ? path === root : path.startsWith(`${root}${place}`)
  const isShown = ([place]: [string, string]) =>
    (account?.sandbox === true || !['/sandbox', '/requests'].includes(place)) &&
    (account === null || may(visit, 'owner') || !OF_OWNERS.includes(place)) &&
    (place !== '/conversions' || (account?.currencies.length ?? 0) > 1)
  const link = ([place, name]: [string, string]) => {
    const mark = isHere(place) && html` aria-current="page"`
    return html`<li><a href="${root}${place}"${mark}>${name}</a></li>`
  }
  const all = Object.entries(account === null ? INSTALLATION_SCREENS : ACCOUNT_SCREENS)
  const groups = all
    .map(([name, places]) => [name, Object.entries(places).filter(isShown)] as const)
    .filter(([, shown]) => shown.length > 0)
  return html`<nav aria-label="Screens">${groups.map(
    ([name, shown]) => html`<h2>${name}</h2><ul>${shown.map(link)}</ul>`,
  )}</nav>`
}

/** The message about the act that led to the page. */
function done({ query }: Visit): Html | false {
  const { done = '' } = query
  return Object.hasOwn(DONE, done) && html`<p class="note good" role="status">${DONE[done]}</p>`
}

/** The address names the act by a key of this table, so no link puts its own text onto a page. */
const DONE: Readonly<Record<string, string>> = {
  made: 'The payout is created.',
  converted: 'The money is converted: both balances have moved.',
  cancelled: 'The payout is cancelled. Its money is back in your balance.',
  approved: 'Your approval is saved.',
  rejected: 'Your rejection is saved. The money is back in the balance.',
  refused: 'Your rejection is saved. No payout may go to this beneficiary.',
  submitted: 'The entity is submitted for review.',
  saved: 'Your change is saved.',
  closed: 'The month is closed. Its digests stand below.',
  booked: 'The journal is booked. It stands first in the list.',
  signed: 'The day is signed. Its figures stand among the signed days below.',
  sent: 'The test event is sent. The deliveries below show whether it has arrived.',
  funded: 'The balance is funded.',
  advanced: 'The clock of the sandbox is advanced.',
  moved: 'The payout is moved to its new state.',
  replayed: 'The events are sent again.',
  batch: 'The batch is created.',
  answered: 'Your answer is sent, and the payout continues.',
  archived: 'The beneficiary is archived: no payout can go to it until you unarchive it.',
  unarchived: 'The beneficiary is unarchived, and can be paid again.',
  payee: 'The payee is saved.',
  entity: 'The entity is saved. Submit it for review before you pay in its name.',
  known: 'This entity is recorded already, and nothing was changed. It is shown here.',
}

function problems({ formError: error }: Visit): Html | '' {
  if (error === null) return ''
  return html`<div class="note bad" role="alert"><p><strong>Nothing was changed.</strong></p>
<ul>${error.problems.map(({ message, remarks }) => {
    const label = remarks && labelOf(remarks)
    const isNamed = label === '' || message.startsWith(label)
    return html`<li>${!isNamed && html`<strong>${label}:</strong> `}${message}</li>`
  })}</ul></div>`
}

/** '' without calls. */
export function callsOf(calls: readonly Call[], origin: string): Html | '' {
  if (calls.length === 0) return ''
  return html`<details class="calls"><summary>How to do this with the API</summary>
${calls.map(call => callSection(call, origin))}</details>`
}

function callSection({ method: verb, answer, ...call }: Call, origin: string): Html {
  const sent = { ...call, verb, origin }
  const { body } = call
  const program = typescript(sent)
  return html`<section><h3><code>${verb} ${call.path}</code></h3>
${block('curl', curl(sent, body && bodyText(body)))}
${program === undefined ? '' : block('TypeScript', program)}
${isOneObject(answer) ? block('Answer', indented(answer)) : ''}</section>`
}

function block(name: string, text: string): Html {
  return html`<figure class="code"><figcaption>${name}</figcaption>
<pre tabindex="0">${text}</pre></figure>`
}

/** A list would double the page's length. */
function isOneObject(answer: string): boolean {
  return answer.startsWith('{') && !answer.includes('"object":"list"')
}
