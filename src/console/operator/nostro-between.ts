// What stands between the lines of a bank and the items of the books: what may explain a line, and
// what a person may do with it.
import type { SuggestionRule } from '../../treasury/match/suggest.ts'
import { type Html, html } from '../../values/text/html.ts'
import { optionsOf, postForm } from '../form.ts'
import type {
  BankLine,
  CaseNote,
  MatchCandidate,
  MatchSuggestions,
  NostroItem,
} from '../objects.ts'
import { idLink, money, when, words } from '../show.ts'
import { mayOperate, type Visit } from '../visit.ts'

/** None is chosen at first. */
const REST_CHOICES = {
  '': 'Choose',
  ...optionsOf(['cost', 'interest', 'own_funds', 'write_off']),
}

/** What is known about a line. */
export async function explain({ api }: Visit, { id }: BankLine) {
  const [suggestions, notes] = await Promise.all([
    api.get<MatchSuggestions>(`/v3/operator/nostro_line/${id}/suggestion`),
    api.list<CaseNote>(`/v3/operator/nostro_case/${id}/note`),
  ])
  return { ...suggestions, notes: notes.results }
}

type Explained = Awaited<ReturnType<typeof explain>>

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

/** What kind, who, and the keys. */
export function itemWords(
  visit: Visit,
  { kind, payout, key, payee_name, account }: NostroItem,
): Html {
  const object = payout === '' ? account : idLink(visit.root, payout)
  return html`${words(kind)} ${payee_name}<br>${object}${key && html`<br><code>${key}</code>`}`
}

export function between(visit: Visit, { line, candidates, may_book, notes }: Explained): Html {
  const [best, ...others] = candidates
  const path = `${visit.root}/treasury/${visit.params.name}`
  return html`<p>${money(line.amount, line.currency)} of ${line.booked_on}<br>${lineWords(line)}<br>
<code>${line.id}</code></p>
${
  best === undefined
    ? html`<p class="empty">Nothing found in the books.</p>`
    : candidateOf(visit, line, best, true)
}
${others.map(candidate => candidateOf(visit, line, candidate, false))}
${
  mayOperate(visit) &&
  may_book &&
  postForm(visit, {
    action: `${path}/book/${line.id}`,
    under: 'Book it without an item',
    button: 'Book it',
    fields: [
      { name: 'as', label: 'What it is', options: REST_CHOICES },
      { name: 'note', label: 'Note' },
    ],
  })
}
${mayOperate(visit) && may_book && !line.amount.startsWith('-') && creditForm(visit, line.id)}
${mayOperate(visit) && noteForm(visit, line.id)}
${notes.length > 0 && noteList(notes)}`
}

function noteList(notes: readonly CaseNote[]): Html {
  return html`<h3>Notes, newest first</h3><ul class="plain">${notes.map(
    ({ at, by, owner, note }) => html`<li>${note}<br>
<small>${by}, ${when(at)}${owner && `; ${owner} looks after it`}</small></li>`,
  )}</ul>`
}

function creditForm(visit: Visit, id: string): Html {
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/credit/${id}`,
    under: 'Credit an account with it',
    button: 'Credit the account',
    asksPassword: true,
    fields: [
      { name: 'account_id', label: 'Account', hint: 'Its id, such as acc_…', required: true },
      { name: 'reason', label: 'Why it is theirs', hint: 'They read it.', required: true },
    ],
  })
}

function noteForm(visit: Visit, id: string): Html {
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/note/${id}`,
    under: 'Write a note',
    button: 'Save the note',
    fields: [
      { name: 'note', label: 'Note', required: true },
      { name: 'owner', label: 'Who looks after it' },
    ],
  })
}

const RULE_WORDS: Readonly<Record<SuggestionRule, string>> = {
  other_amount: 'Same key',
  payee_account: 'Account of the payee',
  several: 'Several together',
  amount: 'Amount',
}

/** The button of the best candidate has the focus: the key Enter accepts it. */
function candidateOf(
  visit: Visit,
  line: BankLine,
  { rule, reason, items, lines, rest }: MatchCandidate,
  isBest: boolean,
): Html {
  const ids = (all: readonly { readonly id: string }[]) => all.map(({ id }) => id).join(' ')
  const difference =
    rest !== '0' && html`<p>The rest of ${money(rest, line.currency)} is booked.</p>`
  const title = RULE_WORDS[rule as SuggestionRule]
  return html`<article class="candidate"><h3>${title}</h3><p>${reason}.</p>
<ul class="plain">${items.map(
    item => html`<li>${money(item.amount, item.currency)} of ${item.value_on}:
${itemWords(visit, item)}</li>`,
  )}${lines.map(
    other => html`<li>with the line ${money(other.amount, other.currency)} of
${other.booked_on}</li>`,
  )}</ul>${difference}
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
