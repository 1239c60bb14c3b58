// Shows what banks ask to correct at a beneficiary: the old and the corrected values, the day by
// which the bank expects the change, and the form by which the account accepts it.
import type { NoticesResponse } from '../../parties/beneficiary/response.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { countOf, fieldText, postForm } from '../form.ts'
import type { Beneficiary, Shown } from '../objects.ts'
import type { ScreenHandler, Screens } from '../screens.ts'
import { facts, idLink, state, words } from '../show.ts'
import { may, type Visit } from '../visit.ts'

type Notices = Shown<typeof NoticesResponse>
type Notice = Notices['notices'][number]

/** The page shows the newest ones. */
const MOST = 20

export function noticeScreens(screens: Screens, show: ScreenHandler): void {
  const accepting = {
    to: '/v3/beneficiary/:id/accept_notice',
    body: (visit: Visit) => ({
      payout: fieldText(visit, 'payout'),
      number: countOf(visit, 'number'),
    }),
    next: '/beneficiaries/:id?done=saved',
  }
  screens.send('account', '/beneficiaries/:id/accept_notice', accepting, show)
}

export function readNotices({ api }: Visit, id: string): Promise<Notices> {
  return api.get<Notices>(`/v3/beneficiary/${id}/notice`)
}

/** The notices' part of the page; '' without any. */
export function noticesOf(visit: Visit, beneficiary: Beneficiary, { notices }: Notices): Html | '' {
  if (notices.length === 0) return ''
  return html`<h2>Notices of banks</h2>
${notices.slice(0, MOST).map(notice => card(visit, beneficiary, notice))}`
}

/** A card and no row of a table: on a narrow screen its form must not be out of sight. */
function card(visit: Visit, beneficiary: Beneficiary, notice: Notice): Html {
  const { code, meaning, was, corrected, payout, until, status } = notice
  const before: Readonly<Record<string, string>> = { ...was }
  const changes = Object.entries(corrected).map(([name, value]): [string, Content] => [
    words(name),
    html`<del>${before[name] || 'not set'}</del> <ins>${value}</ins>`,
  ])
  const read = 'The notice names no value to take over: read the timeline of the payout.'
  return html`<section class="card"><p><strong>${code}</strong> ${meaning} ${state(status)}</p>
${changes.length === 0 && html`<p>${read}</p>`}
${facts([
  ...changes,
  ['Payout', idLink(visit.root, payout)],
  ['The bank expects the change by', until],
])}${decision(visit, beneficiary, notice)}</section>`
}

/** The form is folded: opening it and sending it are two acts. */
function decision(visit: Visit, { archived_at }: Beneficiary, notice: Notice): Html | '' {
  const { payout, number, corrected, status } = notice
  const is_done = status === 'accepted' || Object.keys(corrected).length === 0
  if (is_done || archived_at !== null || !may(visit, 'maker')) return ''
  return postForm(visit, {
    action: `${visit.root}/beneficiaries/${visit.params.id}/accept_notice`,
    under: 'Accept the corrected value',
    button: 'Change the beneficiary',
    hidden: { payout, number },
    body: html`<p>The beneficiary gets the corrected value for payouts that are still to be made.
Ask the payee first if you did not expect it.</p>`,
  })
}
