// Makes and edits entities: people and businesses in whose names the account pays. The API judges
// what is sent, and recognises an entity that is recorded already.
import { type Html, html } from '../../values/text/html.ts'
import { ApiError, type Json, type JsonObject, queryText } from '../api.ts'
import { countryOptions } from '../choices.ts'
import {
  checkUnchanged,
  type Field,
  field,
  fields,
  fieldText,
  inLabels,
  post,
  postForm,
  seenOf,
  setMember,
} from '../form.ts'
import { labelOf } from '../labels.ts'
import type { Entity } from '../objects.ts'
import type { Screens } from '../screens.ts'
import { link } from '../show.ts'
import type { Screen, Visit } from '../visit.ts'
import { changedMetadata, metadataFields, metadataOf } from './metadata.ts'
import { textAt } from './terms.ts'

export function entityFormScreens(screens: Screens): void {
  screens.show('account', '/entities/new', newEntity)
  screens.act('account', '/entities/new', makeEntity, newEntity)
  screens.show('account', '/entities/:id/edit', editEntity)
  screens.act('account', '/entities/:id/edit', changeEntity, editEntity)
}

const API = '/v3/entity'

const TYPES = { business: 'A business', individual: 'A person' } as const

type EntityType = keyof typeof TYPES

const typeOf = (text: string | undefined): EntityType =>
  text === 'individual' ? 'individual' : 'business'

const addressOf = (name: string) =>
  ['line1', 'line2', 'city', 'state', 'postal_code', 'country'].map(part => `${name}.${part}`)

const IDENTITY = ['national_identification_number.type', 'national_identification_number.number']

/** The members that a review asks for first, by the type of the entity. */
const MAIN: Readonly<Record<EntityType, readonly string[]>> = {
  business: ['name', 'email', 'registration_number', 'registration_date', 'tax_id', 'vertical'],
  individual: ['name', 'email', ...IDENTITY, 'tax_id'],
}

const COMMON = ['phone.code', 'phone.number', 'relationship', 'purpose_of_use', 'description']

/** Each under its own heading. */
function sectionsOf(type: EntityType): readonly (readonly [string, readonly string[]])[] {
  const home = type === 'business' ? 'Registered address' : 'Home address'
  const operating = ['Operating address', addressOf('operating_address')] as const
  return [
    [home, addressOf('registration_address')],
    ...(type === 'business' ? [operating] : []),
    ['More (optional)', [...COMMON, 'reference_id']],
  ]
}

const PERSON = [
  'first_name',
  'middle_name',
  'last_name',
  'date_of_birth',
  'nationality',
  'ownership_percentage',
  'email',
  ...IDENTITY,
]

const MOST_PEOPLE = 50

const LABELS: Readonly<Record<string, string>> = {
  'phone.code': 'Calling code of the telephone',
  'phone.number': 'Telephone number',
  registration_date: 'Day of registration',
  relationship: 'What the entity is to you',
}

const HINTS: Readonly<Record<string, string>> = {
  'national_identification_number.type': 'Such as passport',
  vertical: 'Such as retail or software',
  ownership_percentage: 'From 0 to 100',
}

/** `path` is that of the member; `name` that of the field, if it differs. */
function memberField(path: string, stored: Json, name = path, member = path): Field {
  const value = textAt(stored, path)
  const label = LABELS[path] ?? labelOf(path)
  const hint = HINTS[path]
  const spec = { name, label, value, member, ...(hint && { hint }) }
  if (path === 'name') return { ...spec, required: true }
  if (/_date$|^date_/.test(path)) return { ...spec, type: 'date' }
  if (path.endsWith('country') || path === 'nationality') {
    return { ...spec, options: countryOptions('Not said') }
  }
  return spec
}

function entityForm(visit: Visit, type: EntityType, stored: JsonObject): Html {
  const isNew = stored.id === undefined
  return postForm(visit, {
    action: visit.here.split('?', 1)[0] + (isNew ? queryText({ type }) : ''),
    button: isNew ? 'Save the entity' : 'Save the changes',
    hidden: seenOf(stored),
    body: html`${fields(
      visit,
      MAIN[type].map(path => memberField(path, stored)),
    )}${sectionsOf(type).map(
      ([title, paths]) =>
        html`<details><summary>${title}</summary>${fields(
          visit,
          paths.map(path => memberField(path, stored)),
        )}</details>`,
    )}<details><summary>Metadata (optional)</summary>${fields(
      visit,
      metadataFields(metadataOf(stored)),
    )}</details>${type === 'business' && people(visit, stored)}`,
  })
}

function peopleOf(stored: JsonObject): readonly Json[] {
  const { representatives } = stored
  return Array.isArray(representatives) ? representatives : []
}

/** Directors and owners, and room for one more. */
function people(visit: Visit, stored: JsonObject): Html {
  const present = peopleOf(stored)
  const shown = present.length < MOST_PEOPLE ? [...present, {}] : present
  return html`<h2>Directors and owners</h2>${shown.map((one, i) => {
    const name = [textAt(one, 'first_name'), textAt(one, 'last_name')].filter(Boolean).join(' ')
    return html`<details><summary>${name || 'Add a person'}</summary>${PERSON.map(path =>
      field(visit, memberField(path, one, `person.${i}.${path}`, `representatives[${i}].${path}`)),
    )}${name && html`<small>Empty all names to remove the person.</small>`}</details>`
  })}`
}

async function newEntity(visit: Visit): Promise<Screen> {
  const type = typeOf(visit.query.type)
  const other = type === 'business' ? 'individual' : 'business'
  const change = link(`${visit.root}/entities/new${queryText({ type: other })}`, TYPES[other])
  const body = html`<p>In the name of <strong>${TYPES[type]}</strong>, not of ${change}.</p>
${entityForm(visit, type, {})}`
  return { title: 'New entity', body }
}

async function editEntity(visit: Visit): Promise<Screen> {
  const stored = await visit.api.get<Entity>(`${API}/${visit.params.id}`)
  const body = html`<p class="faint">An approved entity is reviewed again when anything but its
description or your reference changes.</p>${entityForm(visit, typeOf(stored.type), stored)}`
  return { title: `Change ${stored.name}`, body }
}

/** The record with what the form has. A member that the form does not show stays. */
function recordOf(visit: Visit, stored: JsonObject): Record<string, unknown> {
  const record = structuredClone(stored) as unknown as Record<string, unknown>
  const present = structuredClone(peopleOf(stored)) as unknown as Record<string, unknown>[]
  for (const [name, sent] of visit.form) {
    const text = sent.trim()
    const [, nth, inner] = /^person\.(\d{1,2})\.([a-z_.]+)$/.exec(name) ?? []
    const path = inner ?? name
    const place = nth === undefined ? record : personAt(present, Number(nth))
    const isKnown = inner === undefined ? isMember(name) : PERSON.includes(inner)
    if (!isKnown || (text === '' && textAt(place as Json, path) === '')) continue
    setMember(place, path.split('.'), text === '' ? undefined : text)
  }
  const named = present.filter(one => one?.first_name || one?.middle_name || one?.last_name)
  const metadata = changedMetadata(visit, metadataOf(stored))
  if (Object.keys(metadata).length > 0 || metadataOf(stored) !== null) record.metadata = metadata
  if (named.length > 0 || peopleOf(stored).length > 0) record.representatives = named
  return record
}

/** A new one where there is none. */
function personAt(people: Record<string, unknown>[], nth: number): Record<string, unknown> {
  const person = people[nth] ?? {}
  people[nth] = person
  return person
}

const MEMBERS = new Set([
  ...Object.values(MAIN).flat(),
  ...(['business', 'individual'] as const).flatMap(type =>
    sectionsOf(type).flatMap(([, of]) => of),
  ),
])

const isMember = (name: string) => MEMBERS.has(name)

async function makeEntity(visit: Visit): Promise<string> {
  const record = { ...recordOf(visit, {}), type: typeOf(visit.query.type) }
  const { duplicate } = await inLabels(
    visit.api.unlisted().post<{ duplicate: boolean }>(`${API}/duplicate_check`, record),
  )
  const made = await inLabels(post<Entity>(visit, API, record))
  return `${visit.root}/entities/${made.id}?done=${duplicate ? 'known' : 'entity'}`
}

async function changeEntity(visit: Visit): Promise<string> {
  const stored = await visit.api.get<Entity>(`${API}/${visit.params.id}`)
  checkUnchanged(visit, stored as JsonObject)
  const record = recordOf(visit, stored)
  const changed = Object.keys(record).filter(
    name => JSON.stringify(record[name]) !== JSON.stringify((stored as JsonObject)[name]),
  )
  if (fieldText(visit, 'name') === '') throw nameless()
  if (changed.length > 0) {
    const update = Object.fromEntries(changed.map(name => [name, record[name] ?? null]))
    await inLabels(visit.api.send('PUT', `${API}/${stored.id}`, update))
  }
  return `${visit.root}/entities/${stored.id}?done=saved`
}

function nameless(): ApiError {
  const message = 'Name is required.'
  return new ApiError(400, [{ reason: 'invalid_field', message, remarks: 'name' }])
}
