// Makes and edits payees: the requirements of a country and a currency as fields with labels. The
// API judges what is sent, as for every other caller.
import { destinationCountry } from '../../parties/beneficiary/country.ts'
import { type Content, type Html, html } from '../../values/text/html.ts'
import { ApiError, type JsonObject, queryText } from '../api.ts'
import { countryOptions, currencyChoices } from '../choices.ts'
import {
  checkUnchanged,
  type Field,
  field,
  fields,
  fieldText,
  inLabels,
  optionsOf,
  post,
  postForm,
  seenOf,
  setMember,
} from '../form.ts'
import { inWords, labelOf } from '../labels.ts'
import type { Beneficiary, Requirement } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { accountOf, type Screen, type Visit } from '../visit.ts'
import {
  constantOf,
  currenciesOf,
  isChosen,
  lacking,
  type Place,
  presentField,
  type Way,
  waysLike,
  waysTo,
} from './corridor.ts'
import { changedMetadata, metadataFields, metadataOf } from './metadata.ts'
import { payeeCard, textAt } from './terms.ts'

export function payeeFormScreens(screens: Screens): void {
  screens.show('account', '/beneficiaries/new', newPayee)
  screens.act('account', '/beneficiaries/new', makePayee, newPayee)
  screens.show('account', '/beneficiaries/:id/edit', editPayee)
  screens.act('account', '/beneficiaries/:id/edit', changePayee, editPayee)
}

/** The members of the address by which the page of a payout comes back. */
const KEPT = ['next', 'like', 'on_behalf_of'] as const

const BANK = 'destination_details.bank'

function placeOf({ query }: Visit): Place {
  return {
    country: (query.country ?? '').toUpperCase(),
    currency: (query.currency ?? '').toUpperCase(),
  }
}

async function newPayee(visit: Visit): Promise<Screen> {
  const place = placeOf(visit)
  const ways = isChosen(place) ? await waysTo(visit, place) : []
  const way = ways.find(({ id }) => id === visit.query.way) ?? ways[0]
  const { primary_currency, currencies } = accountOf(visit)
  const likely = [place.currency, primary_currency, ...currencies].filter(Boolean)
  const body = html`<form class="row" action="${visit.root}/beneficiaries/new">
${keptFields(visit)}${fields(visit, [
  {
    name: 'country',
    label: 'Country of the account',
    value: place.country,
    options: countryOptions('Choose a country'),
    hint: 'A wallet needs none',
  },
  {
    name: 'currency',
    label: 'Currency that arrives',
    value: place.currency,
    options: currencyChoices(likely),
  },
])}<button class="${way === undefined ? 'main' : 'quiet'}">Show what is needed</button></form>
${place.currency !== '' && !isChosen(place) && html`<p class="note wait">Choose a country.</p>`}
${way && html`${wayLinks(visit, ways, way)}${payeeForm(visit, { way, place, ways, stored: {} })}`}`
  return { title: 'New payee', body }
}

function keptFields({ query }: Visit): Content {
  return KEPT.map(
    name => query[name] && html`<input type="hidden" name="${name}" value="${query[name]}">`,
  )
}

/** The other ways of the same payee are links. */
function wayLinks(visit: Visit, ways: readonly Way[], chosen: Way): Html | '' {
  if (ways.length < 2) return ''
  const path = visit.here.split('?', 1)[0] ?? ''
  return html`<h2 id="ways">How the payee is paid</h2>
<ul class="ways" aria-labelledby="ways">${ways.map(
    ({ id, label }) =>
      html`<li><a href="${path}${queryText({ ...visit.query, way: id })}"${
        id === chosen.id && html` aria-current="true"`
      }>${label}</a></li>`,
  )}</ul>`
}

interface Form {
  readonly way: Way
  readonly ways: readonly Way[]
  readonly place: Place
  /** The payee as it is; {} for a new one. */
  readonly stored: JsonObject
}

function payeeForm(visit: Visit, { way, place, stored }: Form): Html {
  const isNew = stored.id === undefined
  const shown = way.fields.map(required => shownField(required, place, stored))
  const paths = way.fields.flatMap(({ path, or }) => [path, ...or.map(one => one.path)])
  const further = FURTHER.filter(path => !paths.includes(path))
  const query = queryText({ ...visit.query, way: way.id })
  return postForm(visit, {
    action: `${visit.here.split('?', 1)[0]}${query}`,
    button: isNew ? 'Save the payee' : 'Save the changes',
    hidden: {
      ...Object.fromEntries(shown.flatMap(one => ('hidden' in one ? [one.hidden] : []))),
      ...seenOf(stored),
    },
    body: html`${shown.map(
      one => 'field' in one && isShown(one.field, isNew) && field(visit, one.field),
    )}
<details><summary>More about the payee (optional)</summary>${further.map(path =>
      field(visit, furtherField(path, stored)),
    )}</details>
<details><summary>Metadata (optional)</summary>${fields(visit, metadataFields(metadataOf(stored)))}
</details>`,
  })
}

/** The type of a payee never changes. */
const isShown = ({ name }: Pick<Field, 'name'>, isNew: boolean) => isNew || name !== 'type'

const FURTHER = [
  'name_local',
  'email',
  'address.line1',
  'address.line2',
  'address.city',
  'address.state',
  'address.postal_code',
  'address.country',
  'registration_number',
  'tax_id',
  'date_of_birth',
  'national_identification_number',
  'reference_id',
]

function furtherField(path: string, stored: JsonObject): Field {
  const spec = { name: path, label: labelOf(path), value: textAt(stored, path) }
  if (path === 'address.country') return { ...spec, options: countryOptions('Not said') }
  return path === 'date_of_birth' ? { ...spec, type: 'date' } : spec
}

type Shown = { readonly field: Field } | { readonly hidden: readonly [string, string] }

const NOT_SAID = { '': 'Not said' }

const TYPE_CHOICES = { business: 'A business', individual: 'A person' }

function shownField(required: Requirement, place: Place, stored: JsonObject): Shown {
  const one = presentField(required, stored) ?? required
  const { path, description, example, pattern } = one
  const constant = constantOf(one)
  if (constant !== undefined) return { hidden: [path, constant] }
  const value = textAt(stored, path)
  const chosen = chosenIn(place, path)
  const known = value || chosen
  if (known && chosen !== undefined) return { hidden: [path, known] }
  const options = optionsFor(path, /^\^\(([^()]+)\)\$$/.exec(pattern)?.[1]?.split('|'))
  const hint = options === undefined && `${inWords(description)} For example ${example}`
  return {
    field: {
      name: path,
      label: `${ownName(description) ?? labelOf(path)}${required.required ? '' : ' (optional)'}`,
      hint,
      required: required.required,
      value: value || (path === 'address.country' ? place.country : ''),
      ...(options && { options: required.required ? options : { ...NOT_SAID, ...options } }),
    },
  }
}

/** What the form above has asked for already; undefined for every other member. */
function chosenIn({ country, currency }: Place, path: string): string | undefined {
  if (path === `${BANK}.country`) return country
  return path === `${BANK}.currency` || path.endsWith('wallet.currency') ? currency : undefined
}

function optionsFor(path: string, allowed: readonly string[] | undefined) {
  if (path === 'type') return TYPE_CHOICES
  if (path.endsWith('country')) return countryOptions('Choose a country')
  if (path === `${BANK}.currency`) return currencyChoices([])
  return allowed && optionsOf(allowed)
}

/** The name that people of the country have for an account number. */
function ownName(description: string): string | undefined {
  return /^An? (CLABE|CBU or CVU|NUBAN|CCI) /.exec(description)?.[1]
}

/** Refuses (400) what is left out or has another form than the corridor requires. */
function checkRequired(visit: Visit, { way, stored }: Pick<Form, 'way' | 'stored'>): void {
  const asked = way.fields.filter(({ path }) => isShown({ name: path }, stored.id === undefined))
  const problems = asked.flatMap(required => {
    const all = [required, ...required.or]
    const sent = all.filter(({ path }) => fieldText(visit, path) !== '')
    if (sent.length === 0 && required.required) {
      const message = `${labelOf(required.path)} is required: ${inWords(required.description)}`
      return [{ reason: 'invalid_field', message, remarks: required.path }]
    }
    return sent.flatMap(({ path, pattern, description }) => {
      if (isOfForm(pattern, fieldText(visit, path))) return []
      const message = `${inWords(description)} This value is not valid.`
      return [{ reason: 'invalid_field', message, remarks: path }]
    })
  })
  if (problems.length > 0) throw new ApiError(400, problems)
}

/** The API takes codes with spaces and dashes, and in small letters, too. */
function isOfForm(pattern: string, text: string): boolean {
  const form = new RegExp(pattern)
  const bare = text.replace(/[\s-]/g, '')
  return [text, bare, bare.toUpperCase()].some(one => form.test(one))
}

function namesOf(visit: Visit, way: Way): readonly string[] {
  const own = way.fields.flatMap(({ path, or }) => [path, ...or.map(one => one.path)])
  return [...new Set([...own, ...FURTHER])].filter(path => visit.form.has(path))
}

async function makePayee(visit: Visit): Promise<string> {
  const place = placeOf(visit)
  const ways = await waysTo({ ...visit, api: visit.api.unlisted() }, place)
  const way = ways.find(({ id }) => id === visit.query.way)
  if (way === undefined) throw chooseAgain()
  checkRequired(visit, { way, stored: {} })
  const body: Record<string, unknown> = {}
  for (const path of namesOf(visit, way)) {
    const text = fieldText(visit, path)
    if (text !== '') setMember(body, path.split('.'), text)
  }
  const metadata = changedMetadata(visit, null)
  if (Object.keys(metadata).length > 0) body.metadata = metadata
  if (way.type === 'swift') setMember(body, `${BANK}.currency`.split('.'), place.currency)
  const made = await inLabels(post<Beneficiary>(visit, '/v3/beneficiary', body))
  return nextOf(visit, made, 'payee')
}

function chooseAgain(): ApiError {
  const message = 'Choose the country and the currency again.'
  return new ApiError(400, [{ reason: 'invalid_request', message, remarks: '' }])
}

/** A payee that waits for an approval cannot be paid yet. */
function nextOf({ root, query }: Visit, { id, status }: Beneficiary, done: string): string {
  if (query.next !== 'pay' || status !== 'active') {
    return `${root}/beneficiaries/${id}${queryText({ done })}`
  }
  const { like, on_behalf_of } = query
  return `${root}/payouts/new${queryText({ to: id, like, on_behalf_of, done })}`
}

async function formOf(visit: Visit): Promise<Form & { readonly stored: Beneficiary }> {
  const stored = await visit.api.get<Beneficiary>(`/v3/beneficiary/${visit.params.id}`)
  const destination = stored.destination_details
  const country = textAt(stored, `${BANK}.country`) || destinationCountry(destination)
  const currency = textAt(stored, `${BANK}.currency`)
  const place = { country, currency: currency || (currenciesOf(country)[0] ?? '') }
  const ways = await waysLike({ ...visit, api: visit.api.unlisted() }, stored, place)
  const best = ways.toSorted((one, other) => lacking(one, stored) - lacking(other, stored))[0]
  const way = ways.find(({ id }) => id === visit.query.way) ?? best
  if (way === undefined) throw chooseAgain()
  return { way, ways, stored, place: { country, currency } }
}

async function editPayee(visit: Visit): Promise<Screen> {
  const form = await formOf(visit)
  const { stored, ways, way } = form
  const body = html`${payeeCard(visit.root, stored)}
<p class="faint">Payouts that are made already keep the details they were made with.</p>
${wayLinks(visit, ways, way)}${payeeForm(visit, form)}`
  return { title: `Change ${stored.name}`, body }
}

async function changePayee(visit: Visit): Promise<string> {
  const form = await formOf(visit)
  checkRequired(visit, form)
  checkUnchanged(visit, form.stored)
  const update = updateOf(visit, form)
  const { id } = form.stored
  if (Object.keys(update).length === 0) return nextOf(visit, form.stored, 'saved')
  const path = `/v3/beneficiary/${id}`
  const changed = await inLabels(visit.api.send<Beneficiary>('PUT', path, update))
  return nextOf(visit, changed, 'saved')
}

/** The changed members as a whole: a member that is sent replaces the earlier one. */
function updateOf(visit: Visit, { way, stored }: Form): Record<string, unknown> {
  const after = structuredClone(stored) as unknown as Record<string, unknown>
  for (const path of namesOf(visit, way)) {
    const text = fieldText(visit, path)
    const isSet = text !== '' || textAt(stored, path) !== ''
    if (isSet) setMember(after, path.split('.'), text === '' ? undefined : text)
  }
  after.metadata = changedMetadata(visit, metadataOf(stored))
  // An account has either of them.
  const account = way.fields.find(({ path }) => ACCOUNTS.includes(path))?.path
  const other = ACCOUNTS.find(path => account !== undefined && path !== account)
  if (other !== undefined && textAt(stored, other) !== '') {
    setMember(after, other.split('.'), undefined)
  }
  const changed = Object.keys(after).filter(
    name => JSON.stringify(after[name]) !== JSON.stringify(stored[name]),
  )
  return Object.fromEntries(changed.map(name => [name, after[name] ?? null]))
}

const ACCOUNTS = [`${BANK}.iban`, `${BANK}.account_number`]
