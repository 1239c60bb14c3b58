// What stands between the lines of a bank and the items of the books: what may explain a line, and
// what a person may do with it.
import type { SuggestionRule } from '../../treasury/match/suggest.ts'
import { type Html, html } from '../../values/text/html.ts'
import type { ListOf } from '../api.ts'
import { oneAccountField } from '../choices.ts'
import { optionsOf, postForm } from '../form.ts'
import type {
  BankLine,
  CaseNote,
  MatchCandidate,
  MatchSuggestions,
  NostroItem,
  OperatorAccount,
} from '../objects.ts'
import { idLink, link, money, when, words } from '../show.ts'
import { mayOperate, type Visit } from '../visit.ts'
import { noteFields, noteList } from './nostro-notes.ts'

/** None is chosen at first. */
const BOOKED_AS = ['cost', 'interest', 'own_funds', 'write_off']
const REST_CHOICES = { '': 'Choose', ...optionsOf(BOOKED_AS) }
const BOOK_CHOICES = { ...REST_CHOICES, transfer: 'transfer, with the account below' }

/** What is known about a line; undefined for one that is not there, or of another nostro. */
export async function explain({ api, params }: Visit, id: string) {
  const found = await api.find<MatchSuggestions>(`/v3/operator/nostro_line/${id}/suggestion`)
  return found?.line.nostro === params.name ? found : undefined
}

/** What stands in the middle: a line, items that a person has chosen, or both. */
export interface Chosen {
  readonly explained: MatchSuggestions | undefined
  readonly items: readonly NostroItem[]
  /** On the line, or else on the first of the items. */
  readonly notes: readonly CaseNote[]
  /** The other accounts at banks in the currency: a transfer goes to one or comes from it. */
  readonly others: readonly string[]
  /** Those that a credit may be of: live ones with a balance in the currency. */
  readonly accounts: ListOf<OperatorAccount>
}

/** Who, the other account, the text, and the keys by which it is matched. */
export function lineWords(line: BankLine): Html {
  const { counterparty_name, counterparty, text, end_to_end_id, uetr, block, bank_reference } = line
  const keys = new Set([counterparty, end_to_end_id, uetr, block, bank_reference])
  const parts = [
    counterparty_name,
    text && html`<small>${text}</small>`,
    ...[...keys].map(key => key && html`<code>${key}</code>`),
  ]
  const shown = parts.filter(part => part !== '')
  return html`${shown.map((part, i) => html`${i > 0 && html`<br>`}${part}`)}`
}

/** The account of a booking; or the journals of the house, of which an item may be. */
function originOf({ root }: Visit, kind: string, account: string): Html {
  if (kind === 'house') return link(`${root}/house`, 'journal of the house')
  return link(`${root}/accounts/${account}`, html`<code>${account}</code>`)
}

/** What kind, who, and the keys. */
export function itemWords(
  visit: Visit,
  { kind, payout, key, payee_name, account }: NostroItem,
): Html {
  const object = payout === '' ? originOf(visit, kind, account) : idLink(visit.root, payout)
  return html`${words(kind)} ${payee_name}<br>${object}${key && html`<br><code>${key}</code>`}`
}

export function between(visit: Visit, chosen: Chosen): Html {
  const { explained, items, notes } = chosen
  const id = explained?.line.id ?? items[0]?.id
  return html`${
    explained === undefined ? itemsAlone(visit, items) : lineParts(visit, explained, chosen)
  }
${id !== undefined && mayOperate(visit) && noteForm(visit, id)}
${notes.length > 0 && html`<h3>Notes, newest first</h3>`}${noteList(notes)}`
}

function itemsAlone(visit: Visit, items: readonly NostroItem[]): Html {
  if (items.length === 0) return html`<p class="empty">No line is open.</p>`
  return html`<p>You have chosen:</p>${itemList(visit, items)}
<p>Choose the line at the bank that has it; or write down why there is none.</p>`
}

const itemList = (visit: Visit, items: readonly NostroItem[]) =>
  html`<ul class="plain">${items.map(
    item => html`<li>${money(item.amount, item.currency)} of ${item.value_on}:
${itemWords(visit, item)}<br><code>${item.id}</code></li>`,
  )}</ul>`

function lineParts(
  visit: Visit,
  { line, candidates, refund_of, may_book }: MatchSuggestions,
  chosen: Chosen,
): Html {
  const { items } = chosen
  const head = html`<p>${money(line.amount, line.currency)} of ${line.booked_on}<br>
${lineWords(line)}<br><code>${line.id}</code></p>`
  if (line.match !== null) return html`${head}<p>It is matched, by <code>${line.match}</code>.</p>`
  const own = items.length > 0 && ownChoice(line, items)
  const found = [...(own ? [own] : []), ...candidates]
  const [best, ...further] = found
  return html`${head}
${
  best === undefined
    ? html`<p class="empty">Nothing found in the books. Choose an open item, if you know which
it is.</p>`
    : candidateOf(visit, line, best, true)
}
${further.map(candidate => candidateOf(visit, line, candidate, false))}
${refund_of.length > 0 && refundList(visit, line, refund_of)}
${mayOperate(visit) && may_book && bookForms(visit, line, chosen)}`
}

/** The payer is a wallet that was paid: what it sends may be the money of a payout. */
function refundList(visit: Visit, line: BankLine, refunds: MatchSuggestions['refund_of']): Html {
  return html`<h3>Money of a payout?</h3>
<p>These payouts have paid the wallet that it comes from.</p>
<ul class="plain">${refunds.map(
    ({ payout, account, amount, currency, paid_at }) =>
      html`<li>${money(amount, currency)} of ${when(paid_at)}: ${idLink(visit.root, payout)}<br>
${
  amount === line.amount
    ? 'If it is sent back, reverse the payout at the payee’s wish; its item then explains the line.'
    : html`If a part is sent back, credit <code>${account}</code> with the line.`
}</li>`,
  )}</ul>`
}

/** What a person has put together, whatever the rules find. */
function ownChoice(line: BankLine, items: readonly NostroItem[]): OfferedMatch {
  const sum = items.reduce((total, { amount }) => total + BigInt(amount), 0n)
  const rest = String(BigInt(line.amount) - sum)
  return { rule: 'own', reason: 'you have chosen what belongs together', items, lines: [], rest }
}

function bookForms(visit: Visit, line: BankLine, { others, accounts }: Chosen): Html {
  return html`${postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/book/${line.id}`,
    under: 'Book it without an item',
    button: 'Book it',
    fields: [
      { name: 'as', label: 'What it is', options: BOOK_CHOICES },
      others.length > 0 && {
        name: 'to',
        label: 'The other account of a transfer',
        options: { '': 'None', ...optionsOf(others) },
      },
      { name: 'note', label: 'Note' },
    ],
  })}
${!line.amount.startsWith('-') && creditForm(visit, line.id, accounts)}
${!line.amount.startsWith('-') && returnForm(visit, line.id)}
${!line.amount.startsWith('-') && proposalForm(visit, line.id, accounts)}`
}

function returnForm(visit: Visit, id: string): Html {
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/return/${id}`,
    under: 'Send it back to its payer',
    button: 'Send it back',
    asksPassword: true,
    fields: [{ name: 'reason', label: 'Why', required: true }],
  })
}

function creditForm(visit: Visit, id: string, accounts: ListOf<OperatorAccount>): Html {
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/credit/${id}`,
    under: 'Credit an account with it',
    button: 'Credit the account',
    asksPassword: true,
    fields: [
      { ...oneAccountField(accounts), required: true },
      { name: 'reason', label: 'Why it is theirs', hint: 'They read it.', required: true },
    ],
  })
}

/** Of a large credit, which another person then gives, sends back or books. */
function proposalForm(visit: Visit, id: string, accounts: ListOf<OperatorAccount>): Html {
  const choice = oneAccountField(accounts)
  const ways = { return: 'send it back', ...optionsOf(BOOKED_AS) }
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/propose/${id}`,
    under: 'Propose whose it is, for another person to decide',
    button: 'Propose it',
    fields: [
      {
        ...{ name: 'to', label: 'Whose it is', required: true },
        ...(choice.options === undefined
          ? { hint: 'The id of an account, such as acc_7k2m9x4q; or return.' }
          : { options: { ...choice.options, ...ways } }),
      },
      { name: 'note', label: 'Why', required: true },
    ],
  })
}

function noteForm(visit: Visit, id: string): Html {
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/note/${id}`,
    under: 'Write a note',
    button: 'Save the note',
    fields: noteFields,
  })
}

type OfferedMatch = Pick<MatchCandidate, 'rule' | 'reason' | 'items' | 'lines' | 'rest'>

const RULE_WORDS: Readonly<Record<SuggestionRule | 'own', string>> = {
  own: 'Your choice',
  other_amount: 'Same key',
  payee_account: 'Account of the payee',
  several: 'Several together',
  amount: 'Amount',
}

/** The button of the best candidate has the focus: the key Enter accepts it. */
function candidateOf(
  visit: Visit,
  line: BankLine,
  { rule, reason, items, lines, rest }: OfferedMatch,
  isBest: boolean,
): Html {
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).join(' ')
  const difference =
    rest !== '0' && html`<p>The rest of ${money(rest, line.currency)} is booked.</p>`
  const title = RULE_WORDS[rule as SuggestionRule | 'own']
  return html`<article class="candidate"><h3>${title}</h3><p>${reason}.</p>
${itemList(visit, items)}${
  lines.length > 0 &&
  html`<ul class="plain">${lines.map(
    other => html`<li>with the line ${money(other.amount, other.currency)} of
${other.booked_on}</li>`,
  )}</ul>`
}${difference}
${
  mayOperate(visit) &&
  postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/match`,
    button: isBest ? 'Accept' : 'Accept this one',
    small: !isBest,
    // A rest is booked only as somebody has said.
    focused: isBest && rest === '0',
    hidden: { lines: ids([line, ...lines]), items: ids(items) },
    fields: [rest !== '0' && { name: 'rest_as', label: 'The rest is', options: REST_CHOICES }],
  })
}</article>`
}
