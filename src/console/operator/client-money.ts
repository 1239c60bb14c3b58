// The screen of client money: what is owed and held today by pool and currency, each figure with
// what it is made of, the form that signs the day, and the signed days of a month.
import { type Content, type Html, html } from '../../values/text/html.ts'
import { queryText } from '../api.ts'
import { field, fieldText, isRefused, minorOf, post, postForm } from '../form.ts'
import { type Column, csvOfRows, rows, type Table } from '../list.ts'
import type { Safeguarding, SignedDay } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { day as dayText, link, money, plain, state, time, when, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'
import { setShare, sharesPart } from './institution-shares.ts'

const API = '/v3/operator/safeguarding'

export function clientMoneyScreens(screens: Screens): void {
  screens.show('installation', '/client-money', show)
  screens.act('installation', '/client-money/:pool/:currency', sign, show)
  screens.act('installation', '/client-money/share', setShare, show)
  screens.csv('installation', '/client-money', csv)
}

/** The place of a pool and currency on the page. */
export const placeOfPool = ({ pool, currency }: Pick<Safeguarding, 'pool' | 'currency'>) =>
  `client-money#${pool}-${currency}`

async function show(visit: Visit): Promise<Screen> {
  const month = visit.query.month ?? ''
  const [now, days] = await Promise.all([
    visit.api.list<Safeguarding>(API),
    visit.api.list<SignedDay>(`${API}/day`, { month }),
  ])
  // The days of another month have no signature of today.
  const today = month === '' ? days : await visit.api.unlisted().list<SignedDay>(`${API}/day`)
  const body = html`${now.results.length === 0 && NO_POOL}
${now.results.map(day => poolPart(visit, day, today.results))}
${now.results.length > 0 && (await sharesPart(visit))}
<h2>Signed days</h2>
<form class="filters" action="${visit.root}/client-money">${field(visit, {
    name: 'month',
    label: 'Month',
    value: month,
    hint: 'Such as 2026-11. Empty: this month',
  })}<div class="buttons"><button class="quiet">Show the month</button>
<a href="${visit.root}/client-money.csv${month && `?month=${month}`}" download>CSV</a>
<a href="${visit.root}/reports${queryText({ report: 'safeguarding', month })}">The month for the
regulator</a>
<a href="${visit.root}/reports?report=state-liability">The quarter by state of the US</a>
</div></form>
${rows(SIGNED, days.results)}`
  return { title: 'Client money', body }
}

const NO_POOL = html`<p class="empty">No account at a bank belongs to a pool of client money.
Whoever runs the server says which does.</p>`

function poolPart(visit: Visit, day: Safeguarding, signed: readonly SignedDay[]): Html {
  const { pool, currency, as_of } = day
  const own = signed.filter(
    one => one.day === day.day && one.pool === pool && one.currency === currency,
  )
  return html`<section aria-labelledby="${pool}-${currency}">
<h2 id="${pool}-${currency}">${pool === 'emoney' ? 'E-money' : 'Payments'}, ${currency}</h2>
<p class="lead">${state(day.state)} ${overWords(day)}</p>
<div class="charts">${nowSum(day)}${midnightSum(day)}${earnedSum(day)}</div>
<p>Figures of ${time(as_of)}.${
    day.negative_clients !== '0' &&
    ` Clients with a negative sum: ${day.negative_clients}. They offset no other client’s money.`
  }</p>
<h3>Banks against the books</h3>
${rows(externalTable(visit, currency), day.external)}
${signedWords(own)}
${mayOperate(visit) && signForm(visit, day, own)}</section>`
}

const less = (one: string, other: string) => String(BigInt(one) - BigInt(other))
const isNegative = (amount: string) => amount.startsWith('-')
const abs = (amount: string) => amount.replace('-', '')

function overWords({ currency, ...day }: Safeguarding): Html {
  const over = less(day.resource, day.requirement)
  const before = less(day.d1_resource, day.d1_requirement)
  const now = isNegative(over)
    ? html`${money(abs(over), currency)} less is held than is owed.`
    : html`${money(over, currency)} more is held than is owed.`
  if (!isNegative(before)) return over === '0' ? html`Held is what is owed.` : now
  return html`${now} At the midnight before, ${money(abs(before), currency)} less was held than was
owed.`
}

interface SumRow {
  readonly name: Content
  readonly amount: string
  readonly total?: true
}

/** A sum with its parts, one below the other. Parts that are zero are left out. */
function sum(title: string, currency: string, all: readonly SumRow[]): Html {
  const shown = all.filter(({ amount, total }) => total || amount !== '0')
  return html`<div class="card"><table class="sum"><caption>${title}</caption><tbody>${shown.map(
    ({
      name,
      amount,
      total,
    }) => html`<tr${total && html` class="total"`}><th scope="row">${name}</th>
<td class="number">${money(amount, currency)}</td></tr>`,
  )}</tbody></table></div>`
}

function nowSum({ currency, parts, requirement, resource }: Safeguarding): Html {
  const apart = [
    { name: 'Money that came in and is not credited', amount: parts.suspense },
    { name: 'Reversed funding that has not left', amount: parts.returning },
  ]
  const minus = (amount: string) => less('0', amount)
  return sum('Now', currency, [
    { name: 'Balances of clients, and in transit', amount: parts.clients },
    ...apart,
    { name: 'Owed', amount: requirement, total: true },
    { name: 'Books of the accounts at banks', amount: parts.book },
    { name: 'Comes on a later day', amount: minus(parts.to_come) },
    { name: 'Debits of banks that nothing explains', amount: minus(parts.debits) },
    { name: 'Left from an account at a bank that nobody knows', amount: minus(parts.unassigned) },
    ...apart,
    { name: 'Held', amount: resource, total: true },
    { name: 'Held less owed', amount: less(resource, requirement), total: true },
  ])
}

function midnightSum({ currency, parts, d1_requirement, d1_resource }: Safeguarding): Html {
  return sum('At the midnight before', currency, [
    { name: 'Balances of clients, and in transit', amount: parts.d1_clients },
    { name: 'Money that had come in and was not credited', amount: parts.d1_suspense },
    { name: 'Reversed funding that had not left', amount: parts.d1_returning },
    { name: 'Owed', amount: d1_requirement, total: true },
    { name: 'Held, by what the banks say', amount: d1_resource, total: true },
    { name: 'Held less owed', amount: less(d1_resource, d1_requirement), total: true },
  ])
}

function earnedSum({ currency, parts, earned }: Safeguarding): Html {
  return sum('Earned by the house', currency, [
    { name: 'Fees and income of conversions', amount: parts.income },
    { name: 'Taken out by transfers', amount: less('0', parts.taken_out) },
    { name: 'May be taken out', amount: earned, total: true },
  ])
}

type External = Safeguarding['external'][number]

function externalTable(visit: Visit, currency: string): Table<External> {
  const amount = (name: string, of: (row: External) => string): Column<External> => ({
    name,
    number: true,
    show: row => money(of(row), currency),
  })
  return {
    caption: 'Each bank against the books',
    empty: 'No account at a bank is open.',
    columns: [
      {
        name: 'Account',
        show: ({ nostro, institution, proved }) =>
          html`${link(
            `${visit.root}/treasury/${nostro}`,
            nostro,
          )} ${institution} ${!proved && state('not proved')}`,
      },
      amount('Bank', row => row.bank),
      amount('Books', row => row.book),
      amount('Difference', row => less(row.bank, row.book)),
      amount('Open lines', row => row.open_lines),
      amount('Open items', row => row.open_items),
    ],
  }
}

function signedWords(own: readonly SignedDay[]): Html {
  const last = own.at(-1)
  if (last === undefined) return html`<p>Nobody has signed today.</p>`
  const { by, at, number, action } = last
  return html`<p>${state(last.state)} Signed by ${by} ${time(at)}, as number
${number} of the day.${action && ` “${action}”`}</p>`
}

function signForm(visit: Visit, day: Safeguarding, own: readonly SignedDay[]): Html {
  const { pool, currency } = day
  const isShort = day.state === 'shortfall'
  const action = `${visit.root}/client-money/${pool}/${currency}`
  // Each pool has its form: what was sent to one stays in that one.
  const named = (member: string) => ({
    name: `${member}-${pool}-${currency}`,
    ...(isRefused(visit, { action }) && { member }),
  })
  const topUp = `${visit.root}/house/new/topup`
  return postForm(visit, {
    action,
    under: own.length === 0 ? 'Sign today' : `Sign today again, as number ${own.length + 1}`,
    button: 'Sign these figures',
    asksPassword: true,
    body: html`<p>The figures of the moment of signing are kept, with the banks against the books,
your name and what was done. A signed day is never changed.${
      isShort &&
      html` What is missing is paid in from own money the same day:
${link(topUp, 'book a top-up')} first, and sign then.`
    }</p>`,
    fields: [
      {
        ...named('entered'),
        label: `Held besides, in ${currency} (optional)`,
        hint: 'Insurance, or assets that can be sold at once.',
      },
      {
        ...named('action'),
        label: 'What was done about the difference',
        required: isShort,
        ...(!isShort && { hint: 'Needed for a shortfall.' }),
      },
    ],
  })
}

async function sign(visit: Visit): Promise<string> {
  const { pool = '', currency = '' } = visit.params
  const [entered = '', action = ''] = ['entered', 'action'].map(
    member => `${member}-${pool}-${currency}`,
  )
  await post(visit, `${API}/sign`, {
    ...{ pool, currency },
    ...(fieldText(visit, entered) !== '' && {
      entered: minorOf(visit, entered, currency, 'entered'),
    }),
    ...(fieldText(visit, action) !== '' && { action: fieldText(visit, action) }),
  })
  return `${visit.root}/client-money?done=signed`
}

/** On the page an amount with its currency; in CSV without. */
const amountColumn = (name: string, of: (day: SignedDay) => string): Column<SignedDay> => ({
  name,
  number: true,
  show: day => money(of(day), day.currency),
  text: day => plain(of(day), day.currency),
})

const onlyText = (name: string, text: (day: SignedDay) => string): Column<SignedDay> => ({
  name,
  text,
})

const SIGNED_COLUMNS: readonly Column<SignedDay>[] = [
  {
    name: 'Day',
    show: ({ day, number, pool, state: now }) => html`${dayText(day)}
${number !== '1' && `number ${number}`}<br>${words(pool)} ${state(now)}`,
    text: ({ day }) => day,
  },
  onlyText('Number', ({ number }) => number),
  onlyText('Pool', ({ pool }) => pool),
  onlyText('Currency', ({ currency }) => currency),
  onlyText('State', ({ state: now }) => now),
  amountColumn('Owed', day => day.requirement),
  amountColumn('Held', day => day.resource),
  amountColumn('Held besides', day => day.entered),
  onlyText('Held less owed', day =>
    plain(less(String(BigInt(day.resource) + BigInt(day.entered)), day.requirement), day.currency),
  ),
  onlyText('Owed at the midnight before', day => plain(day.d1_requirement, day.currency)),
  onlyText('Held at the midnight before', day => plain(day.d1_resource, day.currency)),
  onlyText('Earned', day => plain(day.earned, day.currency)),
  { name: 'Signed', show: ({ by, at }) => html`${by}<br>${when(at)}`, text: ({ by }) => by },
  onlyText('At', ({ at }) => at),
  {
    name: 'What was done',
    show: day => html`${day.action}${banksOf(day)}`,
    text: ({ action }) => action,
  },
  onlyText('Banks and books', ({ external, currency }) =>
    external
      .map(({ nostro, bank, book, proved }) => {
        const amounts = `${plain(bank, currency)} / ${plain(book, currency)}`
        return `${nostro} ${amounts}${proved ? '' : ' not proved'}`
      })
      .join('; '),
  ),
]

/** The banks against the books, as they were signed. */
function banksOf({ external, currency }: SignedDay): Content {
  if (external.length === 0) return ''
  return html`<details><summary>Banks and books</summary><ul class="plain">${external.map(
    ({ nostro, bank, book, proved }) => html`<li>${nostro}: ${money(bank, currency)} and
${money(book, currency)}${!proved && ', not proved'}</li>`,
  )}</ul></details>`
}

const SIGNED: Table<SignedDay> = {
  caption: 'Signed days, oldest first',
  empty: 'No day of the month is signed.',
  columns: SIGNED_COLUMNS,
}

async function* csv(visit: Visit): AsyncGenerator<string> {
  const { results } = await visit.api.list<SignedDay>(`${API}/day`, { month: visit.query.month })
  yield csvOfRows(SIGNED_COLUMNS, results, true)
}
