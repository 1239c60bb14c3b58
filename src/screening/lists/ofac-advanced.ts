// Reads OFAC's lists in their long form, SDN_ADVANCED.XML and CONS_ADVANCED.XML, which also have
// names in original scripts (home.treasury.gov/system/files/126/sdn_advanced_notes.pdf). Words and
// places stand once, before the elements that refer to them by id. Pure.
import { attributeOf, childOf, childrenOf, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import type { BirthSpan, ListedEntry, ListedName, PartyId } from '../screening.ts'
import {
  between,
  countryOf,
  dateOfDay,
  idOf,
  joinName,
  known,
  type ListFormat,
  type ListReader,
  lineOf,
  type ReadList,
  spanOf,
  unique,
  uniqueNames,
  withIdsInText,
  withRemarks,
} from './format.ts'

export const OFAC_ADVANCED: ListFormat = {
  name: 'OFAC advanced XML',
  root: 'Sanctions',
  lists: ['ofac', 'ofac-cons'],
  read: () => new AdvancedReader(),
}

/** Elements with words that other elements refer to by id. */
const VALUES = [
  'Country',
  'PartySubType',
  'PartyType',
  'FeatureType',
  'IDRegDocType',
  'NamePartType',
]

const KINDS: Readonly<Record<string, ListedEntry['kind']>> = {
  Individual: 'person',
  Entity: 'organisation',
  Vessel: 'vessel',
  Aircraft: 'aircraft',
}

class AdvancedReader implements ListReader {
  /** The reader of each element that is not in VALUES. */
  readonly #takers: Readonly<Record<string, (unit: XmlNode) => void>> = {
    DateOfIssue: unit => {
      this.#published_on = dateOfDay(dateOf(unit))
    },
    Location: unit => this.#addPlace(unit),
    IDRegDocument: unit => this.#addDocument(unit),
    DistinctParty: unit => this.#addParty(unit),
    SanctionsEntry: unit => this.#addProgrammes(unit),
  }
  readonly units = new Set([...VALUES, ...Object.keys(this.#takers)])
  #published_on = ''
  readonly #values = new Map<string, XmlNode>()
  /** Countries by location id. */
  readonly #places = new Map<string, string>()
  readonly #documents = new Map<string, PartyId[]>()
  readonly #entries: ListedEntry[] = []
  readonly #programmes = new Map<string, string[]>()

  take(unit: XmlNode): void {
    const taker = this.#takers[unit.name]
    if (taker !== undefined) taker(unit)
    else this.#values.set(`${unit.name} ${attributeOf(unit, 'ID')}`, unit)
  }

  count(): number {
    return this.#entries.length
  }

  finish(): ReadList {
    const entries = this.#entries.map(entry => ({
      ...entry,
      programmes: unique(this.#programmes.get(entry.entry_id) ?? []),
    }))
    return { published_on: this.#published_on, entries }
  }

  #value(name: string, id: string): string {
    return this.#values.get(`${name} ${id}`)?.text.trim() ?? ''
  }

  #countryOf(id: string): string {
    const node = this.#values.get(`Country ${id}`)
    return countryOf(attributeOf(node, 'ISO2')) || countryOf(node?.text ?? '')
  }

  #addPlace(location: XmlNode): void {
    const country = attributeOf(childOf(location, 'LocationCountry'), 'CountryID')
    this.#places.set(attributeOf(location, 'ID'), this.#countryOf(country))
  }

  #addDocument(unit: XmlNode): void {
    const identity = attributeOf(unit, 'IdentityID')
    const words = this.#value('IDRegDocType', attributeOf(unit, 'IDRegDocTypeID'))
    const country = this.#countryOf(attributeOf(unit, 'IssuedBy-CountryID'))
    const ids = idOf(words, textOf(unit, 'IDRegistrationNo'), country)
    this.#documents.getOrInsert(identity, []).push(...ids)
  }

  #addParty(unit: XmlNode): void {
    const profile = childOf(unit, 'Profile')
    const identities = childrenOf(profile, 'Identity')
    const features = childrenOf(profile, 'Feature').map(feature => ({
      type: this.#value('FeatureType', attributeOf(feature, 'FeatureTypeID')),
      versions: childrenOf(feature, 'FeatureVersion'),
    }))
    const versionsOf = (types: RegExp) =>
      features.filter(feature => types.test(feature.type)).flatMap(({ versions }) => versions)
    const entry: ListedEntry = {
      entry_id: attributeOf(profile, 'ID'),
      kind: this.#kindOf(attributeOf(profile, 'PartySubTypeID')),
      names: uniqueNames(identities.flatMap(identity => namesOf(identity))),
      births: versionsOf(/^Birthdate$/i).flatMap(birthsOf),
      countries: unique(
        versionsOf(/Location|Nationality|Citizenship|Place of Birth/i).flatMap(version =>
          childrenOf(version, 'VersionLocation').map(
            place => this.#places.get(attributeOf(place, 'LocationID')) ?? '',
          ),
        ),
      ),
      ids: [
        ...identities.flatMap(one => this.#documents.get(attributeOf(one, 'ID')) ?? []),
        ...features.flatMap(({ type, versions }) =>
          /^Digital Currency Address|IMO|SWIFT/i.test(type)
            ? versions.flatMap(version => idOf(type, textOf(version, 'VersionDetail'), ''))
            : [],
        ),
      ],
      programmes: [],
    }
    this.#entries.push(withRemarks(withIdsInText(entry, unit), [textOf(unit, 'Comment')]))
  }

  #kindOf(id: string): ListedEntry['kind'] {
    const node = this.#values.get(`PartySubType ${id}`)
    const own = KINDS[node?.text.trim() ?? '']
    return own ?? KINDS[this.#value('PartyType', attributeOf(node, 'PartyTypeID'))] ?? 'unknown'
  }

  #addProgrammes(unit: XmlNode): void {
    const profile = attributeOf(unit, 'ProfileID')
    const measures = childrenOf(unit, 'SanctionsMeasure').map(node => textOf(node, 'Comment'))
    this.#programmes.getOrInsert(profile, []).push(...measures.map(lineOf))
  }
}

/** Primary names first. The comparison ignores the order of family and given names. */
function namesOf(identity: XmlNode): ListedName[] {
  const aliases = childrenOf(identity, 'Alias')
  const isPrimary = (alias: XmlNode) => attributeOf(alias, 'Primary') === 'true'
  const inOrder = [...aliases.filter(isPrimary), ...aliases.filter(alias => !isPrimary(alias))]
  return inOrder.flatMap(alias =>
    childrenOf(alias, 'DocumentedName').map(name => ({
      text: joinName(
        ...childrenOf(name, 'DocumentedNamePart').map(part => textOf(part, 'NamePartValue')),
      ),
      weak: attributeOf(alias, 'LowQuality') === 'true',
    })),
  )
}

function birthsOf(version: XmlNode): BirthSpan[] {
  return childrenOf(version, 'DatePeriod').flatMap(period => {
    const first = dateOf(childOf(period, 'Start', 'From'))
    const last = dateOf(childOf(period, 'End', 'To')) ?? dateOf(childOf(period, 'Start', 'To'))
    return known(between(first, last))
  })
}

function dateOf(node: XmlNode | undefined): BirthSpan | undefined {
  return spanOf(textOf(node, 'Year'), textOf(node, 'Month'), textOf(node, 'Day'))
}
