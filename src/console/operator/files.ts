// Screens of files for banks, which a person releases or takes back, and of files from banks.
import { FILE_STATES } from '../../adapters/bank-file/file-store.ts'
import { type Html, html } from '../../values/text/html.ts'
import { anyOf, type Field, fieldText, postForm, REASON, reasonOf } from '../form.ts'
import { type ListPage, rows, type Table } from '../list.ts'
import type { OperatorFile, OperatorFileInFull, UnreadFile } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, idLink, link, money, state, time } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'

const API = '/v3/operator/bank_file'

export function fileScreens(screens: Screens): void {
  screens.list('installation', '/files', list)
  screens.list('installation', '/unread-files', listUnread)
  screens.show('installation', '/files/:id', show)
  const file = { to: `${API}/:id`, next: '/files/:id?done=saved', again: show }
  const digestOf = (visit: Visit) => ({ digest: fieldText(visit, 'digest') })
  screens.sendEach('installation', '/files/:id', file, {
    release: visit => ({
      ...digestOf(visit),
      ...(fieldText(visit, 'force') === 'yes' && { force: true }),
    }),
    withdraw: visit => ({ ...digestOf(visit), ...reasonOf(visit) }),
  })
}

function list(visit: Visit): ListPage<OperatorFile> {
  const { root } = visit
  return {
    title: 'Files for banks',
    api: API,
    caption: 'Files for banks, newest first',
    cursorOf: ({ msg_id }) => msg_id,
    columns: [
      {
        name: 'File',
        show: ({ msg_id: id }) => link(`${root}/files/${id}`, html`<code>${id}</code>`),
      },
      { name: 'State', show: stateOf },
      { name: 'Rail', show: ({ rail }) => rail },
      { name: 'Payments', number: true, show: ({ item_count }) => item_count },
      { name: 'Sum', number: true, show: sumOf },
      { name: 'Execution date', show: ({ execution_date }) => execution_date },
      { name: 'Sealed', show: ({ sealed_at }) => time(sealed_at) },
    ],
    filters: [
      { name: 'state', label: 'State', options: anyOf(FILE_STATES) },
      { name: 'rail', label: 'Rail' },
    ],
    empty: 'No files for banks yet.',
  }
}

function listUnread(): ListPage<UnreadFile> {
  return {
    title: 'Files from banks that are not applied',
    api: '/v3/operator/unread_file',
    caption: 'Files from banks of which nothing is applied, newest first',
    cursorOf: ({ sha256 }) => sha256,
    above: html`<p>While a file lies here, the silence of its bank proves nothing, and payouts wait.
Whoever runs the server mends what is wrong and has the file read again, or notes that somebody has
looked at it.</p>`,
    columns: [
      { name: 'File', show: ({ name }) => name },
      { name: 'SHA-256', show: ({ sha256 }) => html`<code>${sha256.slice(0, 12)}</code>` },
      { name: 'State', show: file => state(file.state) },
      {
        name: 'Why',
        show: ({ state: now, reason }) => (now === 'stored' ? 'It is not read yet.' : reason),
      },
      { name: 'Rail', show: ({ rail }) => rail },
      { name: 'Bytes', number: true, show: ({ bytes }) => bytes },
      { name: 'Received', show: ({ received_at }) => time(received_at) },
    ],
    filters: [{ name: 'rail', label: 'Rail' }],
    empty: 'Every file of every bank is read.',
  }
}

const TO_RELEASE = html`<span class="state wait">to release</span>`
const waitsForRelease = ({ state: now, needs_release }: OperatorFile) =>
  now === 'sealed' && needs_release

function stateOf(file: OperatorFile): Html {
  return html`${state(file.state)} ${waitsForRelease(file) && TO_RELEASE}`
}

const sumOf = ({ control_sum, currency }: OperatorFile) => html`${control_sum}&nbsp;${currency}`

async function show(visit: Visit): Promise<Screen> {
  const { id = '' } = visit.params
  const { root } = visit
  // The digest is read before the bytes, so that it never covers more than the page shows.
  const file = await visit.api.get<OperatorFileInFull>(`${API}/${id}`)
  const { content } = await visit.api.unlisted().get<{ content: string }>(`${API}/${id}/content`)
  const payments: Table<OperatorFileInFull['payments'][number]> = {
    caption: 'Payments in the file',
    empty: 'No payments.',
    columns: [
      { name: 'Payout', show: ({ payout }) => idLink(root, payout) },
      { name: 'Amount', number: true, show: ({ amount, currency }) => money(amount, currency) },
      { name: 'End-to-end id', show: ({ end_to_end_id }) => end_to_end_id },
      { name: 'Account', show: ({ account_id }) => account_id },
    ],
  }
  const body = html`<p class="lead">${stateOf(file)} ${file.reason}</p>
${facts([
  ['Rail', file.rail],
  ['Payments', file.item_count],
  ['Sum', html`<strong>${sumOf(file)}</strong>`],
  ['Settlement account', html`<code>${file.settlement_account}</code>`],
  ['Execution date', file.execution_date],
  ['Name at the bank', file.name],
  ['Format', file.format],
  ['Sealed', time(file.sealed_at)],
  ['Released', file.approved_by && html`${file.approved_by} ${time(file.approved_at)}`],
  ['Sent', file.sent_at && time(file.sent_at)],
  ['SHA-256', html`<code>${file.sha256}</code>`],
])}
${file.state === 'sealed' && mayOperate(visit) && decisions(visit, id, file)}
<h2>Payments</h2>${rows(payments, file.payments)}
<h2>Content of the file</h2><pre tabindex="0">${content || 'The content was erased.'}</pre>`
  return { title: `File ${id}`, body }
}

function decisions(visit: Visit, id: string, { digest }: OperatorFileInFull): Html {
  const path = `${visit.root}/files/${id}`
  const isMistake = visit.formError?.is('likely_mistake') === true
  return html`<h2>Decide</h2><div class="side">${postForm(visit, {
    action: `${path}/release`,
    button: 'Release the file to the bank',
    asksPassword: true,
    hidden: { digest },
    fields: [isMistake && FORCE],
  })}
${postForm(visit, {
  action: `${path}/withdraw`,
  under: 'Withdraw the file',
  button: 'Withdraw the file',
  danger: true,
  hidden: { digest },
  body: html`<p>The payments of the file go into the next file.</p>`,
  fields: [REASON],
})}</div>`
}

const FORCE: Field = {
  name: 'force',
  label: 'Some of its payouts have ended or use another rail',
  options: { '': 'do not release the file', yes: 'release the file anyway' },
}
