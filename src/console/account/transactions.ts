// Screens of the statement: its lines with the balance after each, the balances at the end of a
// day, and one line.
import { LINE_WORDS } from '../../statements/balance-transaction/words.ts'
import { dayAt, endOfDay, isDay } from '../../values/calendar/day.ts'
import { dayWords } from '../../values/calendar/words.ts'
import { type Html, html } from '../../values/text/html.ts'
import { anyOf, field } from '../form.ts'
import { type Column, csvOf, type Listing, showList, textColumn } from '../list.ts'
import type { Balance, Payout, Transaction } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { digits, facts, idLink, link, money, plain, time } from '../show.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'
import { statementFiles } from './statement-files.ts'
import { shortRate } from './terms.ts'

export function transactionScreens(screens: Screens): void {
  screens.show('account', '/transactions', async visit => ({
    title: 'Statement',
    live: 'btr_',
    body: html`${await balanceAt(visit)}${statementFiles(visit)}${await list(visit)}`,
  }))
  screens.csv('account', '/transactions', visit => csvOf(visit, transactionList(visit)))
  screens.show('account', '/transactions/:id', showTransaction)
}

const list = (visit: Visit) => showList(visit, '/transactions', transactionList(visit))

async function balanceAt(visit: Visit): Promise<Html> {
  const { zone } = visit
  const { as_of: day = '' } = visit.query
  const as_of = isDay(day) ? endOfDay(zone, day) : day
  const { available } = await visit.api.get<Balance>('/v3/balance', as_of === '' ? {} : { as_of })
  const when = isDay(day) ? `at the end of ${dayWords(day)} (${zone})` : as_of || 'now'
  return html`<p>Balance ${when}: ${
    available.length === 0
      ? 'nothing was booked yet.'
      : available.map(({ amount, currency }) => html`<strong>${money(amount, currency)}</strong> `)
  }</p><form class="row" action="${visit.root}/transactions">
${field(visit, {
  name: 'as_of',
  label: 'Balance at the end of the day',
  type: 'date',
  value: day.slice(0, 10) || dayAt(zone, new Date().toISOString()),
  hint: `In ${zone}`,
})}
<button class="quiet">Show the balance</button></form>`
}

const payoutOf = ({ expanded }: Transaction): Payout | undefined => expanded?.payout ?? undefined

const typeWords = ({ type, operation_type }: Transaction) =>
  LINE_WORDS[type](operation_type === 'credit')

const payeeOf = (line: Transaction) => payoutOf(line)?.beneficiary_details.name ?? ''

/** The reference of the payout, or the bank's of a booking. */
const referenceOf = (line: Transaction) =>
  payoutOf(line)?.reference_id ?? line.metadata.reference ?? ''

/** Signed: negative for a deduction. */
function feesOf({ fee_details }: Transaction): bigint {
  return fee_details.reduce((sum, { amount }) => sum + BigInt(amount), 0n)
}

const AMOUNTS: readonly Column<Transaction>[] = [
  {
    name: 'Amount with fees',
    number: true,
    show: ({ net }) => money(net.amount, net.currency),
    text: ({ net }) => plain(net.amount, net.currency),
  },
  {
    name: 'Of which fees',
    number: true,
    show: line => feesOf(line) !== 0n && money(String(feesOf(line)), line.currency),
    text: line => plain(String(feesOf(line)), line.currency),
  },
  {
    name: 'Balance',
    number: true,
    show: ({ balance_after, currency }) => money(balance_after, currency),
    text: ({ balance_after, currency }) => plain(balance_after, currency),
  },
  { name: 'Currency', text: ({ currency }) => currency },
]

function transactionList(visit: Visit): Listing<Transaction> {
  const { currencies, account_id } = accountOf(visit)
  return {
    api: '/v3/balance_transaction',
    fixed: { expand: 'payout' },
    caption: 'Balance transactions, newest first',
    csv: true,
    columns: [
      {
        name: 'When',
        show: ({ id, created_at }) => link(`${visit.root}/transactions/${id}`, time(created_at)),
        text: ({ created_at }) => created_at,
      },
      {
        name: 'Payee or source',
        show: line =>
          html`${payeeOf(line) || typeWords(line)}${
            payeeOf(line) !== '' &&
            line.type !== 'payout' &&
            html` <small class="faint">${typeWords(line)}</small>`
          }`,
        text: payeeOf,
      },
      textColumn('Reference', referenceOf),
      ...AMOUNTS,
      { name: 'Type', text: ({ type }) => type },
      { name: 'Source', text: ({ source }) => source },
      { name: 'Account', text: () => account_id },
      { name: 'Id', text: ({ id }) => id },
    ],
    filters: [
      { name: 'currency', label: 'Currency', options: anyOf(currencies) },
      { name: 'operation_type', label: 'Direction', options: anyOf(['credit', 'debit']) },
      { name: 'source', label: 'Payout or other source' },
    ],
    empty: 'No transactions yet.',
  }
}

async function showTransaction(visit: Visit): Promise<Screen> {
  const path = `/v3/balance_transaction/${visit.params.id}`
  const line = await visit.api.get<Transaction>(path, { expand: 'payout' })
  const { net, balance_after, currency, metadata } = line
  const payout = payoutOf(line)
  const body = html`${facts([
    [
      line.operation_type === 'credit' ? 'Came in' : 'Left, with fees',
      html`<strong>${money(net.amount, net.currency)}</strong>`,
    ],
    ['Principal', money(line.amount, currency)],
    ...line.fee_details.map(({ type, amount }) => {
      return [FEES[type], money(amount, currency)] as const
    }),
    ...line.fx_conversions.map(fx => ['Converted', conversion(fx)] as const),
    ['Balance after it', money(balance_after, currency)],
    ['Type', typeWords(line)],
    [
      'Payee',
      payout && link(`${visit.root}/payouts/${payout.id}`, payout.beneficiary_details.name),
    ],
    ['Reference', referenceOf(line)],
    ['Description', payout?.transaction_description || metadata.reason],
    ['Source', line.source && idLink(visit.root, line.source)],
    ['Of', line.description !== line.source && idLink(visit.root, line.description)],
    ['When', time(line.created_at)],
    ['Id', html`<code>${line.id}</code>`],
  ])}`
  return { title: `${digits(net.amount, currency)} ${currency}`, body }
}

const FEES = { fixed_fee: 'Fixed fee', variable_fee: 'Variable fee' } as const

function conversion({
  initial,
  final,
  exchange_rate,
}: Transaction['fx_conversions'][number]): Html {
  return html`${money(initial.amount, initial.currency)} to
${money(final.amount, final.currency)} at ${shortRate(exchange_rate)}`
}
