// The screens of treasury: what each bank and the books have; and one account at a bank, with the
// open lines at the left, the open items at the right, and between them what may explain a line.
import type { SuggestionRule } from '../../treasury/match/suggest.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { fieldText, optionsOf, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type {
  BankLine,
  CaseNote,
  MatchCandidate,
  MatchSuggestions,
  NostroItem,
  NostroMatch,
  NostroPosition,
  TreasuryExceptions,
} from '../objects.ts'
import type { Screens } from '../screens.ts'
import { idLink, link, money, state, time, when, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'

/** None is chosen at first. */
const REST_CHOICES = {
  '': 'Choose',
  ...optionsOf(['cost', 'interest', 'own_funds', 'write_off']),
}

export function treasuryScreens(screens: Screens): void {
  screens.show('installation', '/treasury', list)
  screens.show('installation', '/treasury/:name', show)
  const next = '/treasury/:name?done=saved'
  const send = (path: string, to: string, body: (visit: Visit) => object) =>
    screens.send('installation', `/treasury/:name/${path}`, { to, body, next }, show)
  send('match', '/v3/operator/nostro_match', matchBody)
  send('undo/:id', '/v3/operator/nostro_match/:id/undo', noteOf)
  send('book/:id', '/v3/operator/nostro_line/:id/book', visit => ({
    as: fieldText(visit, 'as'),
    ...(fieldText(visit, 'note') !== '' && noteOf(visit)),
  }))
  send('credit/:id', '/v3/operator/nostro_line/:id/credit', visit => ({
    account_id: fieldText(visit, 'account_id'),
    reason: fieldText(visit, 'reason'),
  }))
  send('note/:id', '/v3/operator/nostro_case/:id/note', visit => ({
    ...noteOf(visit),
    owner: fieldText(visit, 'owner'),
  }))
}

const noteOf = (visit: Visit) => ({ note: fieldText(visit, 'note') })

function matchBody(visit: Visit): object {
  const ids = (name: string) => fieldText(visit, name).split(' ').filter(Boolean)
  const rest_as = fieldText(visit, 'rest_as')
  return { lines: ids('lines'), items: ids('items'), ...(rest_as !== '' && { rest_as }) }
}

async function list(visit: Visit): Promise<Screen> {
  const [positions, exceptions] = await Promise.all([
    visit.api.list<NostroPosition>('/v3/operator/nostro'),
    visit.api.get<TreasuryExceptions>('/v3/operator/nostro_exception'),
  ])
  const table: Table<NostroPosition> = {
    caption: 'Accounts at banks',
    empty: 'No accounts at banks. Whoever runs the server adds them.',
    columns: [
      { name: 'Account', show: ({ name }) => link(`${visit.root}/treasury/${name}`, name) },
      { name: 'Bank', number: true, show: row => money(row.bank, row.currency) },
      { name: 'Books', number: true, show: row => money(row.book, row.currency) },
      { name: 'Difference', number: true, show: row => money(row.difference, row.currency) },
      { name: 'Open lines', number: true, show: row => row.open_lines_count },
      { name: 'Open items', number: true, show: row => row.open_items_count },
      { name: 'Oldest', show: ({ oldest_open_on }) => oldest_open_on ?? '–' },
      { name: 'Statements to', show: statedOf },
    ],
  }
  const counts: Table<TreasuryExceptions['counts'][number]> = {
    caption: 'What finance has to look at',
    empty: 'Nothing: each open line and item is younger than it may be.',
    columns: [
      {
        name: 'Account',
        show: ({ nostro }) => nostro && link(`${visit.root}/treasury/${nostro}`, nostro),
      },
      { name: 'What', show: ({ kind }) => words(kind) },
      { name: 'Count', number: true, show: ({ count }) => count },
      { name: 'Oldest', show: ({ oldest }) => oldest },
    ],
  }
  const body = html`<p>The difference of bank and books is the sum of the open lines less the sum of
the open items, always.</p>
${rows(table, positions.results)}
<h2>Exceptions</h2>
${rows(counts, exceptions.counts)}`
  return { title: 'Treasury', body }
}

function statedOf({ stated_on, proved }: NostroPosition): Content {
  if (stated_on === null) return 'none yet'
  return html`${stated_on} ${proved ? '' : state('not proved')}`
}

const MOST_SHOWN = '50'

async function show(visit: Visit): Promise<Screen> {
  const { name = '' } = visit.params
  const of = { nostro: name, limit: MOST_SHOWN }
  const [positions, lines, items, matches] = await Promise.all([
    visit.api.list<NostroPosition>('/v3/operator/nostro'),
    visit.api.list<BankLine>('/v3/operator/nostro_line', of),
    visit.api.list<NostroItem>('/v3/operator/nostro_item', of),
    visit.api.list<NostroMatch>('/v3/operator/nostro_match', { nostro: name, limit: '10' }),
  ])
  const wanted = lineAsked(visit)
  const chosen = lines.results.find(({ id }) => id === wanted) ?? lines.results[0]
  const found = chosen && (await explain(visit, chosen))
  const position = positions.results.find(one => one.name === name)
  const body = html`${position && positionFacts(position)}
<div class="desk">
<section aria-labelledby="lines"><h2 id="lines">The bank: open lines</h2>
${rows(lineTable(visit, chosen), lines.results)}${lines.has_more && moreNote(lines.results.length)}
</section>
<section aria-labelledby="between"><h2 id="between">What may explain it</h2>
${found === undefined ? html`<p class="empty">No line is open.</p>` : between(visit, found)}
</section>
<section aria-labelledby="items"><h2 id="items">The books: open items</h2>
${rows(itemTable(visit), items.results)}${items.has_more && moreNote(items.results.length)}
</section></div>
<h2>Last matches</h2>
${rows(matchTable(visit, position?.currency ?? ''), matches.results)}`
  return { title: name, body }
}

/** The line of the address, or of the form that was refused. */
function lineAsked(visit: Visit): string | undefined {
  return visit.query.line ?? visit.params.id ?? fieldText(visit, 'lines').split(' ')[0]
}

async function explain({ api }: Visit, { id }: BankLine) {
  const [suggestions, notes] = await Promise.all([
    api.get<MatchSuggestions>(`/v3/operator/nostro_line/${id}/suggestion`),
    api.list<CaseNote>(`/v3/operator/nostro_case/${id}/note`),
  ])
  return { ...suggestions, notes: notes.results }
}

type Explained = Awaited<ReturnType<typeof explain>>

const moreNote = (count: number) => html`<p class="faint">The oldest ${count}; there are more.</p>`

function positionFacts(position: NostroPosition): Html {
  const { bank, book, difference, currency } = position
  return html`<p>Bank ${money(bank, currency)}, books ${money(book, currency)}, difference
${money(difference, currency)}. Statements to: ${statedOf(position)}</p>`
}

function lineTable(visit: Visit, chosen: BankLine | undefined): Table<BankLine> {
  const path = `${visit.root}/treasury/${visit.params.name}`
  return {
    caption: 'Open lines, oldest first',
    empty: 'Every line of the bank is explained.',
    columns: [
      {
        name: 'Line',
        show: ({ id, booked_on }) =>
          id === chosen?.id
            ? html`<strong aria-current="true">${booked_on}</strong>`
            : link(`${path}?line=${id}`, booked_on),
      },
      { name: 'Who', show: line => lineWords(line) },
      { name: 'Amount', number: true, show: line => money(line.amount, line.currency) },
    ],
  }
}

/** Who, the other account, the text, and the keys by which it is matched. */
function lineWords(line: BankLine): Html {
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

function itemTable(visit: Visit): Table<NostroItem> {
  return {
    caption: 'Open items, oldest first',
    empty: 'The bank has confirmed every item.',
    columns: [
      { name: 'Day', show: ({ value_on }) => value_on },
      { name: 'What', show: item => itemWords(visit, item) },
      { name: 'Amount', number: true, show: item => money(item.amount, item.currency) },
    ],
  }
}

function itemWords(visit: Visit, { kind, payout, key, payee_name, account }: NostroItem): Html {
  const object = payout === '' ? account : idLink(visit.root, payout)
  return html`${words(kind)} ${payee_name}<br>${object}${key && html`<br><code>${key}</code>`}`
}

function between(visit: Visit, { line, candidates, may_book, notes }: Explained): Html {
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

function matchTable(visit: Visit, currency: string): Table<NostroMatch> {
  return {
    caption: 'Last matches, newest first',
    empty: 'No matches yet.',
    columns: [
      { name: 'Match', show: ({ id }) => html`<code>${id}</code>` },
      { name: 'When', show: ({ at }) => time(at) },
      { name: 'Why', show: ({ rule, by }) => (by === '' ? words(rule) : by) },
      { name: 'Amount', number: true, show: ({ amount }) => money(amount, currency) },
      { name: 'Lines', show: ({ lines, line_count }) => membersOf(lines, line_count) },
      { name: 'Items', show: ({ items, item_count }) => membersOf(items, item_count) },
      { name: 'Note', show: ({ note }) => note },
      { name: '', show: match => undoForm(visit, match) },
    ],
  }
}

/** The first ones, and how many more there are. */
function membersOf(ids: readonly string[], count: string): Html {
  const shown = ids.slice(0, 3)
  const more = Number(count) - shown.length
  return html`<code>${shown.join(' ')}</code>${more > 0 && ` and ${more} more`}`
}

function undoForm(visit: Visit, { id, undone_by, undo_note, rule }: NostroMatch): Content {
  if (undone_by !== '') return `undone by ${undone_by}: ${undo_note}`
  if (rule === 'reversal' || !mayOperate(visit)) return ''
  return postForm(visit, {
    action: `${visit.root}/treasury/${visit.params.name}/undo/${id}`,
    under: 'Undo',
    button: 'Undo the match',
    danger: true,
    fields: [{ name: 'note', label: 'Why', required: true }],
  })
}
