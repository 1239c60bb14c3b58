// The part of the screen of client money about institutions: what each holds, which share that is,
// and the form that says how large a share may be.
import { SAFEGUARDED } from '../../treasury/safeguarding.ts'
import { groupedNumbers } from '../../values/money/words.ts'
import { type Html, html } from '../../values/text/html.ts'
import { currencyOptions } from '../choices.ts'
import { bodyOf, countOf, optionsOf, post, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { BooksReport } from '../objects.ts'
import { state, words } from '../show.ts'
import { mayOperate, type Visit } from '../visit.ts'

export const SHARES = '/v3/operator/report/institutions'

export type ShareRow = BooksReport['rows'][number]

export async function sharesPart(visit: Visit): Promise<Html> {
  const { rows: shares } = await visit.api.get<BooksReport>(SHARES)
  const alone = shares.filter(({ of, state: now }) => of === 'pool' && now === 'only_one')
  return html`<section aria-labelledby="institutions"><h2 id="institutions">Institutions</h2>
${alone.map(
  ({ pool = '', institution }) => html`<p class="lead">${institution || 'One institution'} alone
holds all money of the pool ${words(pool)}. If it fails, all of it is out of reach.</p>`,
)}
${rows(SHARES_TABLE, shares)}
${mayOperate(visit) && shareForm(visit)}</section>`
}

const SHARES_TABLE: Table<ShareRow> = {
  caption: 'What each institution holds, by the books',
  empty: 'No institution holds money of clients.',
  columns: [
    {
      name: 'Money',
      show: ({ pool = '', of, currency }) =>
        of === 'pool' ? html`${words(pool)}, all` : html`${words(pool)}, ${currency}`,
    },
    { name: 'Institution', show: ({ institution }) => institution || 'not named' },
    {
      name: 'Amount',
      number: true,
      show: ({ amount = '', currency }) => html`${groupedNumbers(amount)} ${currency}`,
    },
    { name: 'Share', number: true, show: ({ share }) => html`${share} %` },
    { name: 'At most', number: true, show: ({ most_share }) => most_share && `${most_share} %` },
    { name: 'State', show: ({ state: now }) => now && state(now) },
  ],
}

function shareForm(visit: Visit): Html {
  return postForm(visit, {
    action: `${visit.root}/client-money/share`,
    under: 'The largest share of one institution',
    button: 'Set the share',
    asksPassword: true,
    body: html`<p>Above it, an alarm rings. Accounts at banks without an institution count as one:
name it in the settings of the account.</p>`,
    fields: [
      { name: 'pool', label: 'Pool', options: optionsOf(SAFEGUARDED) },
      { name: 'most_share', label: 'At most, in percent', required: true, hint: '100: no alarm' },
      {
        name: 'currency',
        label: 'Of the money in',
        options: currencyOptions('All currencies together'),
        hint: 'All together: added up at the rates of the rate book',
      },
    ],
  })
}

export async function setShare(visit: Visit): Promise<string> {
  const body = bodyOf(visit.form, ['pool', 'currency'])
  const most_share = countOf(visit, 'most_share')
  await post(visit, '/v3/operator/safeguarding/share', { ...body, most_share })
  return `${visit.root}/client-money?done=saved`
}
