// The funding keys of an account, on its page for operators: by them incoming money finds it.
import { FUNDING_KEY_KINDS } from '../../treasury/funding-key.ts'
import { type Html, html } from '../../values/text/html.ts'
import { bodyOf, emptyBody, optionsOf, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { FundingKey, NostroPosition, OperatorAccount } from '../objects.ts'
import type { ScreenHandler, Screens } from '../screens.ts'
import { link, when, words } from '../show.ts'
import { mayOperate, type Visit } from '../visit.ts'

const API = '/v3/operator/funding_key'

/** `show` is the page of the account. */
export function fundingKeyForms(screens: Screens, show: ScreenHandler): void {
  const next = '/accounts/:id?done=saved'
  const body = ({ form, params: { id: account_id } }: Visit) => ({
    ...bodyOf(form, ['nostro', 'kind', 'value']),
    account_id,
  })
  screens.send('installation', '/accounts/:id/funding-key', { to: API, body, next }, show)
  const end = { to: `${API}/:key/end`, body: emptyBody, next }
  screens.send('installation', '/accounts/:id/funding-key/:key/end', end, show)
}

/** '' for a sandbox, which has no money at a bank. */
export async function fundingKeyPart(visit: Visit, account: OperatorAccount): Promise<Html | ''> {
  const { account_id, sandbox } = account
  if (sandbox) return ''
  const [keys, positions] = await Promise.all([
    visit.api.list<FundingKey>(API, { account_id }),
    visit.api.unlisted().list<NostroPosition>('/v3/operator/nostro'),
  ])
  const payable = positions.results.filter(
    ({ purpose, currency }) => purpose === 'client' && account.currencies.includes(currency),
  )
  return html`<h2>Funding keys</h2>
<p>Money that comes in with one of these keys is credited to the account by itself. The account
reads them at <em>Add money</em>.</p>
${rows(keyTable(visit, account_id), keys.results)}
${mayOperate(visit) && (payable.length === 0 ? NONE_PAYABLE : addForm(visit, account_id, payable))}`
}

const NONE_PAYABLE = html`<p class="faint">No account at a bank for clients' money is in a currency
of the account: there is nothing to pay to.</p>`

function keyTable(visit: Visit, account_id: string): Table<FundingKey> {
  return {
    caption: 'Funding keys of the account',
    empty: 'No funding key: what comes in waits for a person.',
    columns: [
      { name: 'Key', show: ({ value }) => html`<code>${value}</code>` },
      { name: 'Kind', show: ({ kind }) => words(kind) },
      { name: 'Paid to', show: ({ nostro }) => link(`${visit.root}/treasury/${nostro}`, nostro) },
      { name: 'Currency', show: ({ currency }) => currency },
      { name: 'Made', show: ({ made_by, made_at }) => html`${made_by}<br>${when(made_at)}` },
      { name: '', show: ({ id }) => mayOperate(visit) && endForm(visit, account_id, id) },
    ],
  }
}

function endForm(visit: Visit, account_id: string, id: string): Html {
  return postForm(visit, {
    action: `${visit.root}/accounts/${account_id}/funding-key/${id}/end`,
    under: 'End',
    button: 'End this key',
    asksPassword: true,
    danger: true,
    body: html`<p>What comes in with it then waits for a person.</p>`,
  })
}

function addForm(visit: Visit, id: string, payable: readonly NostroPosition[]): Html {
  const named = payable.map(({ name, currency }) => [name, `${name} (${currency})`])
  return postForm(visit, {
    action: `${visit.root}/accounts/${id}/funding-key`,
    under: 'A new funding key',
    button: 'Add the key',
    asksPassword: true,
    fields: [
      { name: 'nostro', label: 'Payers pay to', options: Object.fromEntries(named) },
      {
        name: 'kind',
        label: 'Kind',
        value: 'reference',
        options: optionsOf(FUNDING_KEY_KINDS),
        hint: 'Quoted by payers, paid to, or the account that pays.',
      },
      {
        name: 'value',
        label: 'The key',
        hint: 'A virtual IBAN, a reference, the payer’s account. Empty: a new reference is made.',
      },
    ],
  })
}
