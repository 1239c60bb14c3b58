// The queue of payouts that wait for an approval: who made each, for whom, what leaves the balance,
// how long it waits, who has approved it. One form approves the chosen ones, each by its digest.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { ApiError, queryText } from '../api.ts'
import { bodyOf, postForm } from '../form.ts'
import { AMOUNT_COLUMNS, type Listing, rows, showList, type Table } from '../list.ts'
import type { Approval, Payout } from '../objects.ts'
import type { ScreenHandler, Screens } from '../screens.ts'
import { age, digits, link, makerWords, money, state, time } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { whyNotDecide } from './decision.ts'
import { accountWords } from './terms.ts'

type Waiting = Payout & { readonly expanded?: { readonly approval?: Approval | null } }

/** After a refusal of all of them, `again` shows the queue. */
export function queueScreens(screens: Screens, again: ScreenHandler): void {
  screens.act('account', '/approvals/approve', approveChosen, again)
}

export function payoutQueue(visit: Visit, empty: Content): Promise<Html> {
  const listing: Listing<Waiting> = {
    api: '/v3/payout',
    caption: 'Payouts that wait for an approval',
    columns: columnsOf(visit),
    filters: [
      { name: 'beneficiary_name', label: 'Payee' },
      { name: 'made_by', label: 'Made by' },
    ],
    fixed: { status: 'pending_approval', expand: 'approval' },
    below: waiting => togetherForm(visit, waiting),
    empty,
  }
  return showList(visit, '/approvals', listing)
}

const DEBIT = {
  name: 'Debit with fees',
  number: true,
  show: ({ total_debit: { amount, currency } }: Payout) => money(amount, currency),
} as const

function columnsOf(visit: Visit): Listing<Waiting>['columns'] {
  const now = new Date().toISOString()
  return [
    { name: 'Choose', show: payout => html`<span class="choose">${box(visit, payout)}</span>` },
    { name: 'Payee', show: payout => payeeLink(visit, payout) },
    {
      name: 'Account',
      show: ({ beneficiary_details: { destination_details } }) => accountWords(destination_details),
    },
    ...AMOUNT_COLUMNS,
    DEBIT,
    { name: 'Made by', show: ({ made_by }) => makerWords(made_by) },
    { name: 'Waits for', show: ({ created_at }) => age(created_at, now) },
    { name: 'Approvals', show: ({ expanded }) => approvalsOf(expanded?.approval) },
    { name: 'Expires', show: ({ expanded }) => time(expanded?.approval?.expires_at) },
  ]
}

function payeeLink({ root }: Visit, { id, beneficiary_details: { name } }: Payout): Html {
  return link(`${root}/payouts/${id}`, name || id)
}

/** `1 of 2: ann`. */
function approvalsOf(approval: Approval | null | undefined): Content {
  if (!approval) return ''
  const { given, needed, decisions } = approval
  const by = decisions.map(({ user }) => user).join(', ')
  return `${given} of ${needed}${by && `: ${by}`}`
}

/** Ties the boxes of the table to the form below it. */
const FORM = 'together'

/** Why this person may not choose the payout, in place of the box. */
function box(visit: Visit, { id, amount, currency, ...payout }: Waiting): Content {
  const { expanded, beneficiary_details } = payout
  const approval = expanded?.approval
  if (!approval) return ''
  const why = whyNotDecide(visit, approval)
  if (why !== undefined) return html`<small class="faint">${WHY[why]}</small>`
  const value = `${id} ${approval.digest}`
  const isChosen = visit.query.chosen === 'all' || visit.form.getAll('chosen').includes(value)
  const name = `${digits(amount, currency)} ${currency} to ${beneficiary_details.name}`
  return html`<input type="checkbox" form="${FORM}" name="chosen" value="${value}"
aria-label="Choose ${name}"${isChosen && html` checked`}>`
}

const WHY = {
  made: 'You made it',
  decided: 'You approved it',
  role: '',
} as const

/** '' when this person may approve none of them. */
function togetherForm(visit: Visit, waiting: readonly Waiting[]): Html | '' {
  const choosable = waiting.filter(({ expanded }) => {
    return expanded?.approval && whyNotDecide(visit, expanded.approval) === undefined
  })
  if (choosable.length === 0) return ''
  const { chosen, done, ...kept } = visit.query
  const all = `${visit.root}/approvals${queryText({ ...kept, chosen: 'all' })}`
  return html`<p><a href="${all}">Choose all ${choosable.length} on this page</a></p>
${postForm(visit, {
  id: FORM,
  action: `${visit.root}/approvals/approve`,
  button: 'Approve the chosen payouts',
  asksPassword: true,
  body: html`<p class="faint">Each is approved by itself, exactly as this page shows it. If one is
refused, the others are approved all the same.</p>`,
  fields: [{ name: 'reason', label: 'Note (optional)' }],
})}`
}

/** More than a page shows. */
const MOST_CHOSEN = 100

interface Result {
  readonly id: string
  /** As it is after the decision; undefined for an unknown one. */
  readonly payout: Payout | undefined
  readonly error: ApiError | undefined
}

async function approveChosen(visit: Visit): Promise<Screen> {
  const chosen = [...new Set(visit.form.getAll('chosen'))]
  if (chosen.length === 0) throw badForm('Choose at least one payout.')
  if (chosen.length > MOST_CHOSEN) throw badForm(`Choose ${MOST_CHOSEN} payouts at most.`)
  const quiet = { ...visit, api: visit.api.unlisted() }
  const results = await Promise.all(chosen.map(one => approveOne(quiet, one)))
  const refused = results.flatMap(({ error }) => error ?? [])
  // Nothing was decided: the queue is shown again, and asks for the password.
  const [first] = refused
  if (first?.is('password_needed') && refused.length === results.length) throw first
  const count = results.length - refused.length
  const title = `${count} of ${results.length} payouts approved`
  const body = html`${rows(resultTable(visit), results)}
<p><a class="button" href="${visit.root}/approvals">Back to what waits</a></p>`
  return { title, body }
}

function badForm(message: string): ApiError {
  return new ApiError(400, [{ reason: 'invalid_field', message, remarks: '' }])
}

/** `one` is the value of a box. Each payout has its own Idempotency-Key. */
async function approveOne({ api, form }: Visit, one: string): Promise<Result> {
  const [id = '', digest = ''] = one.split(' ')
  const path = `/v3/payout/${id}`
  try {
    const body = { digest, ...bodyOf(form, ['reason']) }
    const payout = await api.post<Payout>(`${path}/approve`, body, `${form.get('key')}-${id}`)
    return { id, payout, error: undefined }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status === 401) throw error
    // The others may be approved already, so the page must come.
    return { id, payout: await api.find<Payout>(path).catch(() => undefined), error }
  }
}

function resultTable(visit: Visit): Table<Result> {
  return {
    caption: 'The chosen payouts',
    empty: '',
    columns: [
      { name: 'Payee', show: ({ id, payout }) => (payout ? payeeLink(visit, payout) : id) },
      {
        name: 'Amount',
        number: true,
        show: ({ payout }) => payout && money(payout.amount, payout.currency),
      },
      { ...DEBIT, show: ({ payout }) => payout && DEBIT.show(payout) },
      { name: 'Result', show: resultOf },
    ],
  }
}

function resultOf({ payout, error }: Result): Content {
  if (error !== undefined) return html`${state('not approved')} ${error.message}`
  if (payout?.status === 'pending_approval') {
    return html`${state('approved')} Others must approve it, too.`
  }
  return html`${state('approved')} It is now ${payout && state(payout.status)}`
}
