// The screens of limits: how much of each is used, and the forms that set and change one.
import { type EACH, KIND_MEMBERS } from '../../controls/limit/limit.ts'
import { kindWords, quantity, windowWords } from '../../controls/limit/words.ts'
import { LimitResponse } from '../../operator/limits.ts'
import { groupedNumbers } from '../../values/money/words.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { ApiError, type ListOf } from '../api.ts'
import { accountField, accountsOf, currencyOptions, withNames } from '../choices.ts'
import {
  amountOf,
  bodyOf,
  countOf,
  emptyBody,
  type Field,
  fieldText,
  post,
  postForm,
  ungrouped,
} from '../form.ts'
import { type Column, rows, type Table, withNumbers } from '../list.ts'
import type { OperatorAccount, OperatorRail, PayoutLimit, UsedLimit } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { facts, link, plain } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'

const API = '/v3/operator/limit'

export function limitScreens(screens: Screens): void {
  screens.show('installation', '/rules/limits/new', newForm)
  screens.act('installation', '/rules/limits/new', make, newForm)
  screens.show('installation', '/rules/limits/:id', show)
  screens.act('installation', '/rules/limits/:id', changeCap, show)
  const limit = { to: `${API}/:id`, next: '/rules?done=saved', again: show }
  screens.sendEach('installation', '/rules/limits/:id', limit, { remove: emptyBody })
}

/** `path` is below the page of rules and limits. */
export function removeForm(visit: Visit, path: string): Html {
  return postForm(visit, {
    action: `${visit.root}/rules/${path}/remove`,
    under: 'Remove',
    button: 'Remove',
    asksPassword: true,
    danger: true,
  })
}

/** The most limits whose use a page reads. */
const MAX_USED = 50

/** Those of the address's account, if it has one. */
export async function limitTable(visit: Visit, accounts: ListOf<OperatorAccount>): Promise<Html> {
  const { results } = await visit.api.list<PayoutLimit>(API, {
    account_id: visit.query.account_id,
  })
  const api = visit.api.unlisted()
  const reading = results
    .slice(0, MAX_USED)
    .map(({ limit_id }) => api.find<UsedLimit>(`${API}/${limit_id}`))
  const used = new Map(
    (await Promise.all(reading)).map(limit => [limit?.limit_id, limit?.used] as const),
  )
  const columns: Column<PayoutLimit>[] = [
    {
      name: 'Counts',
      show: limit =>
        link(
          `${visit.root}/rules/limits/${limit.limit_id}`,
          withNames(countsWords(limit), accounts),
        ),
    },
    { name: 'At most', show: capWords },
    { name: 'Most used by', show: limit => mostUsed(limit, used.get(limit.limit_id), accounts) },
  ]
  return rows({ caption: 'Limits', empty: 'No limits.', columns }, results)
}

const countsWords = (limit: PayoutLimit) => `payouts of ${kindWords(kindOf(limit))}`

const capWords = (limit: PayoutLimit) =>
  `${amountWords(limit, limit.cap)} ${windowWords(kindOf(limit))}`

const amountWords = ({ currency }: Pick<PayoutLimit, 'currency'>, amount: string) =>
  groupedNumbers(quantity(currency, BigInt(amount)))

const kindOf = (limit: PayoutLimit) => withNumbers(LimitResponse, limit)

type Used = UsedLimit['used'][number]

function mostUsed(
  limit: PayoutLimit,
  used: readonly Used[] | undefined,
  accounts: ListOf<OperatorAccount>,
): Content {
  const [most] = used ?? []
  if (limit.per === 'payout' || used === undefined) return ''
  if (most === undefined) return html`<span class="faint">nothing is used</span>`
  const name = withNames(most.account_id, accounts)
  return `${name}: ${amountWords(limit, most.used)}, ${share(limit, most)}`
}

/** In whole percent, rounded down. */
function share({ cap }: PayoutLimit, { used }: Used): string {
  return cap === '0' ? 'full' : `${(BigInt(used) * 100n) / BigInt(cap)} %`
}

function usedTable(
  visit: Visit,
  limit: PayoutLimit,
  accounts: ListOf<OperatorAccount>,
): Table<Used> {
  const left = ({ used }: Used) => {
    const rest = BigInt(limit.cap) - BigInt(used)
    return String(rest < 0n ? 0n : rest)
  }
  const subject: Column<Used> = {
    name: limit.each === 'key' ? 'Key' : 'Payee, as a digest',
    show: ({ subject }) => html`<code>${subject.slice(0, 24)}</code>`,
  }
  return {
    caption: 'What is used now',
    empty: limit.per === 'payout' ? 'Each payout counts alone.' : 'Nothing is used.',
    columns: [
      {
        name: 'Account',
        show: ({ account_id: id }) => link(`${visit.root}/accounts/${id}`, withNames(id, accounts)),
      },
      ...(limit.each === 'account' ? [] : [subject]),
      { name: 'Used', number: true, show: row => amountWords(limit, row.used) },
      { name: 'Left', number: true, show: row => amountWords(limit, left(row)) },
      { name: 'Share', number: true, show: row => share(limit, row) },
    ],
  }
}

async function show(visit: Visit): Promise<Screen> {
  const [limit, accounts] = await Promise.all([
    visit.api.get<UsedLimit>(`${API}/${visit.params.id}`),
    accountsOf(visit),
  ])
  const cap = limit.currency === null ? limit.cap : plain(limit.cap, limit.currency)
  const { currency } = limit
  const changes = html`<h2>Change</h2><div class="side">
${postForm(visit, {
  action: `${visit.root}/rules/limits/${limit.limit_id}`,
  button: 'Change the limit',
  asksPassword: true,
  hidden: currency === null ? {} : { currency },
  fields: [
    currency === null
      ? { name: 'count', label: 'The most payouts', value: cap, required: true }
      : { name: 'amount', label: `At most, in ${currency}`, value: cap, required: true },
  ],
})}
${removeForm(visit, `limits/${limit.limit_id}`)}</div>`
  const body = html`${facts([
    ['Counts', withNames(countsWords(limit), accounts)],
    ['At most', capWords(limit)],
    ['Id', html`<code>${limit.limit_id}</code>`],
  ])}
<h2>What is used now</h2>${rows(usedTable(visit, limit, accounts), limit.used)}
${mayOperate(visit) && changes}`
  return { title: 'Limit', body }
}

/** Sets the limit of the same kind again, with another cap. */
async function changeCap(visit: Visit): Promise<string> {
  const { id } = visit.params
  const limit = kindOf(await visit.api.unlisted().get<PayoutLimit>(`${API}/${id}`))
  const kind = KIND_MEMBERS.flatMap(name => (limit[name] === null ? [] : [[name, limit[name]]]))
  await post(visit, API, { ...Object.fromEntries(kind), ...capIn(visit) })
  return `${visit.root}/rules/limits/${id}?done=saved`
}

/** An amount with its currency, or a number of payouts. Refuses (400) neither: 0 would stop all. */
function capIn(visit: Visit): object {
  if (fieldText(visit, 'amount') !== '') return amountOf(visit)
  const count = ungrouped(fieldText(visit, 'count'))
  if (/^\d{1,9}$/.test(count)) return { count: BigInt(count) }
  const message = 'Enter an amount with its currency, or a number of payouts.'
  throw new ApiError(400, [{ reason: 'invalid_field', message, remarks: 'count' }])
}

async function make(visit: Visit): Promise<string> {
  const per = fieldText(visit, 'per')
  const made = await post<PayoutLimit>(visit, API, {
    ...bodyOf(visit.form, ['account_id', 'key_id', 'each', 'rail', 'network', 'per']),
    ...(fieldText(visit, 'new_for_hours') && { new_for_hours: countOf(visit, 'new_for_hours') }),
    ...(per === 'day' && { zone: fieldText(visit, 'zone') }),
    ...(per === 'hours' && { hours: countOf(visit, 'hours') }),
    ...capIn(visit),
  })
  return `${visit.root}/rules/limits/${made.limit_id}?done=saved`
}

async function newForm(visit: Visit): Promise<Screen> {
  const [accounts, rails] = await Promise.all([
    accountsOf(visit),
    visit.api.unlisted().list<OperatorRail>('/v3/operator/rail'),
  ])
  const account = accountField(accounts, visit.query.account_id)
  const body = html`<p>All conditions must fit; a condition that is left open fits every payout.
Setting a limit of the same conditions and period again changes its amount.</p>
${postForm(visit, {
  action: `${visit.root}/rules/limits/new`,
  button: 'Set the limit',
  asksPassword: true,
  fields: limitFields(visit, account, rails.results),
})}`
  return { title: 'New limit', body }
}

const PERIODS = {
  payout: 'One payout',
  day: 'A day of the time zone below',
  hours: 'The last hours, as many as below',
}

const EACHES: Readonly<Record<(typeof EACH)[number], string>> = {
  account: 'All payouts of an account together',
  key: 'The payouts of each API key by themselves',
  payee: 'The payouts to each payee by themselves',
}

function limitFields(
  { zone }: Visit,
  account: Field,
  rails: readonly OperatorRail[],
): readonly Field[] {
  const { '': _, ...currencies } = currencyOptions('')
  const names = rails.map(({ name }) => [name, name])
  return [
    account,
    { name: 'amount', label: 'At most this amount', hint: 'Such as 50,000.00, without fees' },
    { name: 'currency', label: 'Currency of this amount', value: 'USD', options: currencies },
    { name: 'count', label: 'Or at most so many payouts', hint: 'Leave the amount empty then' },
    { name: 'per', label: 'Period', value: 'day', options: PERIODS },
    { name: 'zone', label: 'Time zone of a day', value: zone, hint: 'Such as Europe/Berlin' },
    { name: 'hours', label: 'Hours', value: '24', hint: '1 to 744, for the last hours' },
    { name: 'each', label: 'Counts', options: EACHES },
    {
      name: 'new_for_hours',
      label: 'Only to payees known for fewer hours than',
      hint: 'Such as 72. Empty: to every payee',
    },
    { name: 'network', label: 'Network', hint: 'Such as fps or pix. Empty: any' },
    { name: 'rail', label: 'Rail', options: { '': 'Any', ...Object.fromEntries(names) } },
    { name: 'key_id', label: 'API key', hint: 'key_…, only payouts that it makes. Empty: any' },
  ]
}
