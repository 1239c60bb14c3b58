// Reads the UN Security Council's consolidated list, by its schema sc-sanctions.xsd
// (https://www.un.org/sc/resources/sc-sanctions.xsd). Pure.
import { attributeOf, childrenOf, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import type { BirthSpan, ListedEntry, ListedName } from '../screening.ts'
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

export const UN = formatOfEntries({
  name: 'UN consolidated XML',
  root: 'CONSOLIDATED_LIST',
  lists: ['un'],
  units: ['INDIVIDUAL', 'ENTITY'],
  dayOf: root => attributeOf(root, 'dateGenerated').slice(0, 10),
  entryOf,
  remarksOf: unit => [textOf(unit, 'COMMENTS1')],
})

function entryOf(unit: XmlNode): ListedEntry {
  const kind = unit.name === 'INDIVIDUAL' ? 'person' : 'organisation'
  const own = (suffix: string) => childrenOf(unit, `${unit.name}_${suffix}`)
  const births = own('DATE_OF_BIRTH')
  const places = [...own('ADDRESS'), ...own('PLACE_OF_BIRTH')].map(node => textOf(node, 'COUNTRY'))
  const nationalities = childrenOf(unit, 'NATIONALITY').flatMap(valuesOf)
  const documents = own('DOCUMENT')
  return {
    entry_id: textOf(unit, 'REFERENCE_NUMBER') || textOf(unit, 'DATAID'),
    kind,
    names: uniqueNames([...ownNames(unit), ...own('ALIAS').flatMap(aliasesOf)]),
    births: births.flatMap(birthOf),
    countries: unique([...nationalities, ...places].map(countryOf)),
    ids: documents.flatMap(node => {
      const words = `${textOf(node, 'TYPE_OF_DOCUMENT')} ${textOf(node, 'TYPE_OF_DOCUMENT2')}`
      const country = textOf(node, 'ISSUING_COUNTRY') || textOf(node, 'COUNTRY_OF_ISSUE')
      return idOf(words, textOf(node, 'NUMBER'), country)
    }),
    programmes: unique([textOf(unit, 'UN_LIST_TYPE')]),
  }
}

function ownNames(unit: XmlNode): ListedName[] {
  const parts = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']
  const latin = joinName(...parts.map(part => textOf(unit, part)))
  const original = lineOf(textOf(unit, 'NAME_ORIGINAL_SCRIPT'))
  return [latin, original].map(text => ({ text, weak: false }))
}

/** One element may hold several names, separated by semicolons. */
function aliasesOf(alias: XmlNode): ListedName[] {
  const weak = textOf(alias, 'QUALITY').toLowerCase() === 'low'
  return textOf(alias, 'ALIAS_NAME')
    .split(';')
    .map(text => ({ text: lineOf(text), weak }))
}

function valuesOf(node: XmlNode): string[] {
  return childrenOf(node, 'VALUE').map(({ text }) => text)
}

function birthOf(node: XmlNode): BirthSpan[] {
  const [year = '', month = '', day = ''] = textOf(node, 'DATE').slice(0, 10).split('-')
  const exact = spanOf(year, month, day) ?? spanOf(textOf(node, 'YEAR'))
  const range = between(spanOf(textOf(node, 'FROM_YEAR')), spanOf(textOf(node, 'TO_YEAR')))
  const guessed = /approx/i.test(textOf(node, 'TYPE_OF_DATE'))
  const span = exact ?? range
  return known(guessed ? about(span) : span)
}
