// The screen that says how the lines of one account at a bank are read and booked: the columns of
// its CSV statements, and the rules by which lines are booked without an item.
import { RULE_BOOKINGS } from '../../treasury/match/nostro-rule.ts'
import { COLUMNS, DATE_FORMATS } from '../../treasury/statement/csv-mapping.ts'
import { type Html, html } from '../../values/text/html.ts'
import { bodyOf, type Field, fieldText, optionsOf, postForm } from '../form.ts'
import { rows, type Table } from '../list.ts'
import type { NostroInFull, NostroPosition, NostroRule } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link, words } from '../show.ts'
import { mayOperate, type Screen, type Visit } from '../visit.ts'

const PATH = '/treasury/:name/reading'

export function readingScreens(screens: Screens): void {
  screens.show('installation', PATH, show)
  const next = `${PATH}?done=saved`
  const send = (name: string, path: string, body: (visit: Visit) => object) => {
    const to = `/v3/operator/nostro/:name/${path}`
    screens.send('installation', `${PATH}/${name}`, { to, body, next }, show)
  }
  send('mapping', 'mapping', mappingBody)
  send('no-mapping', 'mapping', () => ({ mapping: null }))
  send('add-rule', 'rule', visit => bodyOf(visit.form, ['as', 'code', 'text', 'to']))
  send('remove-rule', 'rule/remove', visit => ({ number: Number(fieldText(visit, 'number')) }))
}

async function show(visit: Visit): Promise<Screen> {
  const { name = '' } = visit.params
  const [nostro, rules, positions] = await Promise.all([
    visit.api.get<NostroInFull>(`/v3/operator/nostro/${name}`),
    visit.api.list<NostroRule>(`/v3/operator/nostro/${name}/rule`),
    visit.api.list<NostroPosition>('/v3/operator/nostro'),
  ])
  const others = positions.results
    .filter(one => one.name !== name && one.currency === nostro.currency)
    .map(one => one.name)
  const body = html`<p>${link(`${visit.root}/treasury/${name}`, name)}: its open lines and
items.</p>
<h2>Rules</h2>
<p>A line that a rule fits is booked in the books of the house, unless it names an open item.</p>
${rows(ruleTable(visit), rules.results)}
${mayOperate(visit) && ruleForm(visit, others)}
<h2>Columns of its CSV statements</h2>
${mappingPart(visit, nostro.mapping)}`
  return { title: `How lines of ${name} are read`, body }
}

function ruleTable(visit: Visit): Table<NostroRule> {
  return {
    caption: 'Rules; the first one that fits a line books it',
    empty: 'No rule yet.',
    columns: [
      { name: 'Text', show: ({ text = '' }) => text && html`<code>${text}</code>` },
      { name: 'Code of the bank', show: ({ code = '' }) => code && html`<code>${code}</code>` },
      { name: 'Booked as', show: ({ as, to }) => `${words(as)}${to ? `, with ${to}` : ''}` },
      { name: '', show: rule => mayOperate(visit) && removeForm(visit, rule) },
    ],
  }
}

const at = (visit: Visit, name: string) =>
  `${visit.root}/treasury/${visit.params.name}/reading/${name}`

function removeForm(visit: Visit, { number }: NostroRule): Html {
  return postForm(visit, {
    action: at(visit, 'remove-rule'),
    under: 'Remove',
    button: 'Remove the rule',
    danger: true,
    asksPassword: true,
    hidden: { number: String(number) },
  })
}

function ruleForm(visit: Visit, others: readonly string[]): Html {
  const hint = '* is any characters, as in *ACCOUNT FEE*. The pattern fits the whole text.'
  return postForm(visit, {
    action: at(visit, 'add-rule'),
    under: 'Add a rule',
    button: 'Add the rule',
    asksPassword: true,
    fields: [
      { name: 'text', label: 'What the text of the line says', hint },
      { name: 'code', label: 'The bank’s code (optional)' },
      { name: 'as', label: 'What such a line is', options: optionsOf(RULE_BOOKINGS) },
      others.length > 0 && {
        name: 'to',
        label: 'The other account of a transfer',
        options: { '': 'None', ...optionsOf(others) },
      },
    ],
  })
}

type Mapping = NostroInFull['mapping']

const DATES = Object.fromEntries(DATE_FORMATS.map(format => [format, format]))

function mappingPart(visit: Visit, mapping: Mapping): Html {
  const named = Object.entries(mapping ?? {})
  const known =
    named.length === 0
      ? html`<p class="empty">Its statements are no CSV files.</p>`
      : html`<dl>${named.map(
          ([member, column]) => html`<dt>${words(member)}</dt><dd>${textOf(column)}</dd>`,
        )}</dl>`
  if (!mayOperate(visit)) return known
  return html`${known}${mappingForm(visit, mapping)}
${
  mapping !== null &&
  postForm(visit, {
    action: at(visit, 'no-mapping'),
    under: 'Read no CSV any more',
    button: 'Remove the columns',
    danger: true,
    asksPassword: true,
  })
}`
}

const textOf = (value: unknown) => (Array.isArray(value) ? value.join(', ') : String(value ?? ''))

const HINTS: Readonly<Record<string, string>> = {
  booked_on: 'The column of the day.',
  amount: 'Signed, in major units; or leave it out, and name credit and debit.',
  balance: 'The balance behind the row. Without it nothing proves that no row is missing.',
  text: 'One column, or several with commas between them.',
}

function mappingForm(visit: Visit, mapping: Mapping): Html {
  const given = mapping ?? {}
  const column = (name: string): Field => ({
    ...{ name, label: words(name), value: textOf(given[name]), member: `mapping.${name}` },
    ...(HINTS[name] !== undefined && { hint: HINTS[name] }),
  })
  const choice = (name: string, options: Readonly<Record<string, string>>): Field => ({
    ...{ name, label: words(name), value: textOf(given[name]), options },
  })
  return postForm(visit, {
    action: at(visit, 'mapping'),
    under: mapping === null ? 'Name the columns of its CSV files' : 'Change the columns',
    button: 'Save the columns',
    asksPassword: true,
    fields: [
      ...[...COLUMNS, 'text'].map(column),
      choice('date_format', DATES),
      choice('decimal_mark', { '': 'a point', ',': 'a comma' }),
      choice('newest_first', { '': 'the oldest first', true: 'the newest first' }),
      { ...column('skip_lines'), hint: 'Lines before the one with the names of the columns.' },
    ],
  })
}

/** The members that are filled in; numbers, switches and lists as the API has them. */
function mappingBody(visit: Visit): object {
  const names = [...COLUMNS, 'date_format', 'decimal_mark']
  const text = fieldText(visit, 'text')
  const columns = text.split(',').map(one => one.trim())
  const lines = fieldText(visit, 'skip_lines')
  const mapping = {
    ...bodyOf(visit.form, names),
    ...(text !== '' && { text: columns.length > 1 ? columns : text }),
    ...(fieldText(visit, 'newest_first') === 'true' && { newest_first: true }),
    ...(lines !== '' && { skip_lines: Number(lines) }),
  }
  return { mapping }
}
