// The screens of journals of the house: the newest ones with a form that reverses each; and the
// forms of a transfer, a deal and a top-up, each reviewed before it is booked.
import { findCurrency } from '../../values/money/currency.ts'
import { formatMajor } from '../../values/money/decimal.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { ApiError } from '../api.ts'
import {
  bodyOf,
  type Field,
  fieldText,
  minorOf,
  post,
  postForm,
  REASON,
  reasonOf,
} from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { HouseJournal, NostroPosition, Safeguarding } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { day, facts, link, money, when, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'

const API = '/v3/operator/house'

export function houseScreens(screens: Screens): void {
  screens.show('installation', '/house', list)
  const next = '/house?done=booked'
  const reversal = { to: `${API}/:id/reverse`, body: reasonOf, next }
  screens.send('installation', '/house/:id/reverse', reversal, list)
  screens.show('installation', '/house/new/:kind', newForm)
  screens.act('installation', '/house/new/:kind', checkOrBook, newForm)
}

const KINDS = {
  transfer: {
    title: 'Transfer between own accounts',
    lead: 'Money goes from one account of the installation to another one in the same currency.',
    from: 'From',
    to: 'To',
  },
  deal: {
    title: 'Deal of two currencies',
    lead: 'A bank takes one currency and gives another one. It closes an open position.',
    from: 'The account that pays',
    to: 'The account that receives',
  },
  topup: {
    title: 'Top-up of client money',
    lead: 'Own money is paid into an account of client money, against a shortfall.',
    from: 'From the own account',
    to: 'To the account of client money',
  },
} as const
type Kind = keyof typeof KINDS

async function list(visit: Visit): Promise<Screen> {
  const { results } = await visit.api.list<HouseJournal>(API)
  const reversed = new Map(results.map(({ id, undoes }) => [undoes, id]))
  const acts = Object.entries(KINDS).map(([kind, { title }]) =>
    link(`${visit.root}/house/new/${kind}`, title),
  )
  const body = html`<p>What no journal of an account says: costs and interest of banks, transfers,
deals and top-ups. A journal is never changed: another one reverses it.</p>
${mayOperate(visit) && html`<ul>${acts.map(act => html`<li>${act}</li>`)}</ul>`}
${rows(journalTable(visit, reversed), results)}
${results.length >= 100 && html`<p class="faint">The newest 100.</p>`}`
  return { title: 'Journals of the house', body }
}

function journalTable(
  visit: Visit,
  reversed: ReadonlyMap<string | null, string>,
): Table<HouseJournal> {
  return {
    caption: 'Journals of the house, newest first',
    empty: 'No journal of the house yet.',
    columns: [
      { name: 'Journal', show: ({ id }) => html`<code id="${id}">${id}</code>` },
      { name: 'Value date', show: ({ value_on }) => day(value_on) },
      {
        name: 'What',
        show: ({ kind, undoes }) => html`${words(kind)}${undoes && `, reverses ${undoes}`}`,
      },
      { name: 'Moves', show: journal => movesOf(visit, journal) },
      { name: 'Reference', show: ({ reference }) => reference },
      { name: 'Note', show: ({ note }) => note },
      { name: 'By', show: ({ by, at }) => html`${by}<br>${when(at)}` },
      { name: '', show: journal => reverseForm(visit, journal, reversed.get(journal.id)) },
    ],
  }
}

/** Money in and out of each account at a bank. */
function movesOf({ root }: Visit, { postings }: HouseJournal): Html {
  const moves = postings.filter(({ nostro }) => nostro !== null)
  return html`${moves.map(
    ({ nostro, amount, currency }) => html`${link(`${root}/treasury/${nostro}`, nostro)}
${money(String(-BigInt(amount)), currency)}<br>`,
  )}`
}

function reverseForm(visit: Visit, { id, kind, undoes }: HouseJournal, by?: string): Content {
  if (by !== undefined) return `reversed by ${by}`
  // What a match has booked is reversed by the undo of the match.
  if (undoes !== null || !Object.hasOwn(KINDS, kind) || !mayOperate(visit)) return ''
  return postForm(visit, {
    action: `${visit.root}/house/${id}/reverse`,
    under: 'Reverse',
    button: 'Reverse the journal',
    asksPassword: true,
    danger: true,
    fields: [REASON],
  })
}

function kindOf({ params: { kind = '' } }: Visit): Kind {
  if (Object.hasOwn(KINDS, kind)) return kind as Kind
  throw new ApiError(404, [{ reason: 'not_found', message: 'No such page.', remarks: '' }])
}

async function positionsOf({ api }: Visit): Promise<readonly NostroPosition[]> {
  return (await api.unlisted().list<NostroPosition>('/v3/operator/nostro')).results
}

async function newForm(visit: Visit): Promise<Screen> {
  const kind = kindOf(visit)
  const positions = await positionsOf(visit)
  const { title, lead } = KINDS[kind]
  const body = html`<p>${lead}</p>
${postForm(visit, {
  action: `${visit.root}/house/new/${kind}`,
  button: 'Check it',
  hidden: { step: 'check' },
  fields: fieldsOf(kind, positions),
})}`
  return { title, body }
}

function fieldsOf(kind: Kind, positions: readonly NostroPosition[]): (Field | false)[] {
  const choices = (fits: (one: NostroPosition) => boolean) => {
    const named = positions
      .filter(fits)
      .map(({ name, currency, purpose }) => [name, `${name}: ${currency}, ${purpose} money`])
    return { '': 'Choose', ...Object.fromEntries(named) }
  }
  const isTopUp = kind === 'topup'
  const payers = choices(({ purpose }) => !isTopUp || purpose === 'own')
  const payees = choices(({ purpose }) => !isTopUp || purpose === 'client')
  const { from, to } = KINDS[kind]
  const amount = { required: true, hint: 'Such as 1,250.00, in the currency of the account' }
  return [
    { name: 'from', label: from, options: payers, required: true },
    kind === 'deal' && { name: 'sell_amount', label: 'What it pays', ...amount },
    { name: 'to', label: to, options: payees, required: true },
    kind === 'deal'
      ? { name: 'buy_amount', label: 'What it receives', ...amount }
      : { name: 'amount', label: 'Amount', ...amount },
    {
      name: 'value_on',
      label: 'Value date (optional)',
      type: 'date',
      hint: 'Empty: today. A later one makes it a forward.',
    },
    {
      name: 'reference',
      label: 'The bank’s reference (optional)',
      hint: 'By it the lines of the banks are matched.',
    },
    { name: 'note', label: 'Why (optional)' },
  ]
}

const FORM_FIELDS = [
  ...['from', 'to', 'amount', 'sell_amount', 'buy_amount', 'value_on', 'reference', 'note'],
] as const

async function checkOrBook(visit: Visit): Promise<Screen | string> {
  const kind = kindOf(visit)
  if (fieldText(visit, 'step') === 'change') return newForm(visit)
  const asked = askedOf(visit, kind, await positionsOf(visit))
  if (fieldText(visit, 'step') !== 'book') return review(visit, kind, asked)
  await post(visit, `${API}/${kind}`, asked.body)
  return `${visit.root}/house?done=booked`
}

interface Asked {
  readonly payer: NostroPosition
  readonly payee: NostroPosition
  readonly paid: bigint
  readonly received: bigint
  readonly body: object
}

/** Refuses (400) an account that is not chosen, and an amount that is none. */
function askedOf(visit: Visit, kind: Kind, positions: readonly NostroPosition[]): Asked {
  const named = (member: 'from' | 'to') => {
    const found = positions.find(({ name }) => name === fieldText(visit, member))
    if (found !== undefined) return found
    const message = 'Choose an account.'
    throw new ApiError(400, [{ reason: 'invalid_field', message, remarks: member }])
  }
  const [payer, payee] = [named('from'), named('to')]
  const grounds = bodyOf(visit.form, ['from', 'to', 'value_on', 'reference', 'note'])
  if (kind !== 'deal') {
    const amount = minorOf(visit, 'amount', payer.currency)
    const body = { ...grounds, currency: payer.currency, amount }
    return { payer, payee, paid: amount, received: amount, body }
  }
  const sell_amount = minorOf(visit, 'sell_amount', payer.currency)
  const buy_amount = minorOf(visit, 'buy_amount', payee.currency)
  const currencies = { sell_currency: payer.currency, buy_currency: payee.currency }
  const body = { ...grounds, ...currencies, sell_amount, buy_amount }
  return { payer, payee, paid: sell_amount, received: buy_amount, body }
}

async function review(visit: Visit, kind: Kind, asked: Asked): Promise<Screen> {
  const { payer, payee, paid, received } = asked
  const moved = (position: NostroPosition, amount: bigint) => {
    const { book, currency } = position
    const after = String(BigInt(book) + amount)
    return html`<strong>${money(String(amount), currency)}</strong><br>
<small>Its books have ${money(book, currency)}, and then ${money(after, currency)}.</small>`
  }
  const action = `${visit.root}/house/new/${kind}`
  const carried = Object.fromEntries(FORM_FIELDS.map(name => [name, fieldText(visit, name)]))
  const body = html`<section class="card">${facts([
    [`Paid by ${payer.name}`, moved(payer, -paid)],
    [`Received by ${payee.name}`, moved(payee, received)],
    ['Rate', kind === 'deal' && rateOf(asked)],
    ['The house may take out of the pool', kind === 'transfer' && (await earnedOf(visit, asked))],
    ['Value date', fieldText(visit, 'value_on') || 'today'],
    ['The bank’s reference', fieldText(visit, 'reference')],
    ['Why', fieldText(visit, 'note')],
  ])}</section>
<p>Nothing is booked yet. Booking makes an item on each account, which the lines of the banks
confirm. It moves no money: that is the bank's work.</p>
<div class="side">${postForm(visit, {
    action,
    button: 'Book it',
    asksPassword: true,
    hidden: { ...carried, step: 'book' },
  })}
${postForm(visit, {
  ...{ action, button: 'Change it', small: true },
  hidden: { ...carried, step: 'change' },
})}</div>`
  return { title: `Check: ${KINDS[kind].title.toLowerCase()}`, body }
}

const RATE_DIGITS = 6

/** `1 USD = 0.921300 EUR`, rounded down. */
function rateOf({ payer, payee, paid, received }: Asked): string {
  const scale = (currency: string) => 10n ** BigInt(findCurrency(currency)?.exponent ?? 0)
  if (paid <= 0n) return ''
  const one = 10n ** BigInt(RATE_DIGITS) * scale(payer.currency) * received
  const rate = formatMajor(one / (paid * scale(payee.currency)), RATE_DIGITS)
  return `1 ${payer.currency} = ${rate} ${payee.currency}`
}

/** What may leave a pool of client money for an own account; '' for another transfer. */
async function earnedOf({ api }: Visit, { payer, payee }: Asked): Promise<Content> {
  if (payer.pool === 'none' || payee.purpose !== 'own') return ''
  const { results } = await api.unlisted().list<Safeguarding>('/v3/operator/safeguarding')
  const day = results.find(one => one.pool === payer.pool && one.currency === payer.currency)
  return day && money(day.earned, day.currency)
}
