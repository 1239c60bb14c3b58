// Reads the EU's consolidated list of financial sanctions. Its format is "full XML 1.1" of the
// Financial Sanctions Files, with data in attributes (http://eu.europa.ec/fpi/fsd/export). Pure.
import { attributeOf, childOf, childrenOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import type { BirthSpan, ListedEntry, ListedName, PartyId } from '../screening.ts'
import {
  about,
  between,
  countryOf,
  formatOfEntries,
  idOf,
  joinName,
  known,
  lineOf,
  spanOf,
  unique,
  uniqueNames,
} from './format.ts'

export const EU = formatOfEntries({
  name: 'EU full XML 1.1',
  root: 'export',
  lists: ['eu'],
  units: ['sanctionEntity'],
  dayOf: root => attributeOf(root, 'generationDate').slice(0, 10),
  entryOf,
  remarksOf: unit => childrenOf(unit, 'remark').map(({ text }) => text),
})

function entryOf(unit: XmlNode): ListedEntry {
  const reference = attributeOf(unit, 'euReferenceNumber')
  const places = ['citizenship', 'birthdate', 'address'].flatMap(name => childrenOf(unit, name))
  return {
    entry_id: reference || attributeOf(unit, 'logicalId'),
    kind: kindOf(childOf(unit, 'subjectType')),
    names: uniqueNames(childrenOf(unit, 'nameAlias').map(nameOf)),
    births: childrenOf(unit, 'birthdate').flatMap(birthOf),
    countries: unique(places.map(countryFrom)),
    ids: childrenOf(unit, 'identification').flatMap(idsOf),
    programmes: unique(childrenOf(unit, 'regulation').map(node => attributeOf(node, 'programme'))),
  }
}

function kindOf(type: XmlNode | undefined): ListedEntry['kind'] {
  const code = attributeOf(type, 'classificationCode') || attributeOf(type, 'code')
  if (/^(P|person)$/i.test(code)) return 'person'
  return /^(E|enterprise)$/i.test(code) ? 'organisation' : 'unknown'
}

function nameOf(alias: XmlNode): ListedName {
  const full_name = lineOf(attributeOf(alias, 'wholeName'))
  const parts = ['firstName', 'middleName', 'lastName'].map(part => attributeOf(alias, part))
  return { text: full_name || joinName(...parts), weak: attributeOf(alias, 'strong') === 'false' }
}

/** The list's code "00" means an unknown country, and gives ''. */
function countryFrom(node: XmlNode): string {
  return (
    countryOf(attributeOf(node, 'countryIso2Code')) ||
    countryOf(attributeOf(node, 'countryDescription'))
  )
}

function birthOf(node: XmlNode): BirthSpan[] {
  const value = (name: string) => attributeOf(node, name)
  const [year = '', month = '', day = ''] = value('birthdate').split('-')
  const span =
    spanOf(year, month, day) ??
    spanOf(value('year'), value('monthOfYear'), value('dayOfMonth')) ??
    between(spanOf(value('yearRangeFrom')), spanOf(value('yearRangeTo')))
  return known(value('circa') === 'true' ? about(span) : span)
}

function idsOf(node: XmlNode): PartyId[] {
  const value = (name: string) => attributeOf(node, name)
  const words = `${value('identificationTypeCode')} ${value('identificationTypeDescription')}`
  const numbers = [value('number'), value('latinNumber')]
  return numbers.flatMap(number => idOf(words, number, countryFrom(node)))
}
