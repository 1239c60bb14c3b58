// Screens of beneficiaries: the list, and one beneficiary with its approval, the notices of banks
// and its latest payouts.
import { DESTINATION_TYPES } from '../../parties/beneficiary/request.ts'
import { type Html, html } from '../../values/text/html.ts'
import { anyOf, postForm } from '../form.ts'
import { type ListPage, rows, textColumn } from '../list.ts'
import type { Beneficiary, Payout } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { members, state, time, words } from '../show.ts'
import { may, type Screen, type Visit } from '../visit.ts'
import { beneficiaryApprovalOf, readApproval } from './beneficiary-approval.ts'
import { noticeScreens, noticesOf, readNotices } from './beneficiary-notices.ts'
import { decisionScreens } from './decision.ts'
import { payoutColumns } from './payouts.ts'

export function beneficiaryScreens(screens: Screens): void {
  screens.list('account', '/beneficiaries', beneficiaryList)
  screens.csv('/beneficiaries', beneficiaryList)
  screens.show('account', '/beneficiaries/:id', showBeneficiary)
  decisionScreens(screens, 'beneficiary', 'beneficiaries', showBeneficiary)
  noticeScreens(screens, showBeneficiary)
  for (const act of ['archive', 'unarchive']) {
    const sending = { to: `/v3/beneficiary/:id/${act}`, next: `/beneficiaries/:id?done=${act}d` }
    screens.send('account', `/beneficiaries/:id/${act}`, sending, showBeneficiary)
  }
}

async function showBeneficiary(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const shownApproval = await readApproval(visit, id)
  const beneficiary = await visit.api.get<Beneficiary>(`/v3/beneficiary/${id}`)
  const notices = await readNotices(visit, id)
  const latest = await visit.api.list<Payout>('/v3/payout', { beneficiary: id, limit: '10' })
  const approval = beneficiaryApprovalOf(visit, beneficiary, shownApproval)
  const body = html`<div data-live-part>${
    may(visit, 'maker') && acts(visit, beneficiary, approval === '')
  }
${approval}
${noticesOf(visit, beneficiary, notices)}
<h2>Details</h2>${members(visit.root, beneficiary)}
<h2>Latest payouts</h2>${rows(
    {
      columns: payoutColumns(visit.root),
      caption: 'Payouts to this beneficiary',
      empty: 'No payouts yet.',
    },
    latest.results,
  )}</div>`
  return { title: beneficiary.name, body, live: id }
}

/**
 * The acts: pay or archive the beneficiary. A person takes back an archived one before paying it.
 */
function acts(visit: Visit, { id, archived_at }: Beneficiary, isPayable: boolean): Html {
  const path = `${visit.root}/beneficiaries/${id}`
  const archive = { action: `${path}/archive`, button: 'Archive', danger: true, small: true }
  const pay = html`<a class="button" href="${visit.root}/payouts/new?to=${id}">Pay them</a>`
  return html`<div class="acts">${
    archived_at === null
      ? html`${isPayable && pay}${postForm(visit, archive)}`
      : postForm(visit, { action: `${path}/unarchive`, button: 'Unarchive', small: true })
  }</div>`
}

function beneficiaryList(visit: Visit): ListPage<Beneficiary> {
  return {
    title: 'Beneficiaries',
    api: '/v3/beneficiary',
    caption: 'Beneficiaries, newest first',
    csv: true,
    columns: [
      {
        name: 'Name',
        show: ({ id, name }) => html`<a href="${visit.root}/beneficiaries/${id}">${name}</a>`,
        text: ({ name }) => name,
      },
      textColumn('Type', ({ type }) => type, words),
      textColumn('Destination', ({ destination_details: { type } }) => String(type), words),
      textColumn('State', ({ status }) => status, state),
      textColumn('Created', ({ created_at }) => created_at, time),
      { name: 'Id', text: ({ id }) => id },
    ],
    filters: [
      { name: 'status', label: 'State', options: anyOf(['pending_approval', 'rejected']) },
      {
        name: 'archived',
        label: 'Show',
        options: { '': 'not archived', true: 'archived' },
      },
      { name: 'type', label: 'Type', options: anyOf(['individual', 'business']) },
      { name: 'destination_type', label: 'Destination', options: anyOf(DESTINATION_TYPES) },
    ],
    empty: 'No beneficiaries yet. Every payee that you pay is listed here.',
  }
}
