// Reads the UK Sanctions List as XML, in the format that the Foreign, Commonwealth and Development
// Office publishes (UK-Sanctions-List.xml). Pure.
import { childOf, childrenOf, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import type { BirthSpan, ListedEntry, ListedName, PartyId } from '../screening.ts'
import {
  countryOf,
  dateOfDay,
  formatOfEntries,
  idOf,
  joinName,
  known,
  lineOf,
  spanOf,
  unique,
  uniqueNames,
} from './format.ts'

export const UK = formatOfEntries({
  name: 'UK Sanctions List XML',
  root: 'Designations',
  lists: ['uk'],
  units: ['Designation'],
  dated: 'DateGenerated',
  dayOf: ({ text }) => dateOfDay(dayOf(text)),
  entryOf,
  remarksOf: unit => [textOf(unit, 'UKStatementofReasons'), textOf(unit, 'OtherInformation')],
})

function entryOf(unit: XmlNode): ListedEntry {
  const person = childOf(unit, 'IndividualDetails', 'Individual')
  const births = textsOf(person, 'DOBs', 'DOB')
  const countries = [
    ...textsOf(person, 'Nationalities', 'Nationality'),
    ...childrenOf(person, 'BirthDetails', 'Location').map(node => textOf(node, 'CountryOfBirth')),
    ...childrenOf(unit, 'Addresses', 'Address').map(node => textOf(node, 'AddressCountry')),
  ]
  return {
    entry_id: textOf(unit, 'UniqueID'),
    kind: kindOf(textOf(unit, 'IndividualEntityShip')),
    names: namesOf(unit),
    births: births.flatMap(text => known(dayOf(text))),
    countries: unique(countries.map(countryOf)),
    ids: idsOf(unit),
    programmes: unique([lineOf(textOf(unit, 'RegimeName'))]),
  }
}

function namesOf(unit: XmlNode): ListedName[] {
  const latin = childrenOf(unit, 'Names', 'Name').map(node => {
    const parts = [1, 2, 3, 4, 5, 6].map(number => textOf(node, `Name${number}`))
    const isPrimary = /^primary name$/i.test(textOf(node, 'NameType'))
    const weak = /low/i.test(textOf(node, 'AliasStrength'))
    return { text: joinName(...parts), weak, isPrimary }
  })
  const others = childrenOf(unit, 'NonLatinNames', 'NonLatinName').map(node => ({
    text: lineOf(textOf(node, 'NameNonLatinScript')),
    weak: false,
  }))
  const primaryFirst = latin.sort((a, b) => Number(b.isPrimary) - Number(a.isPrimary))
  return uniqueNames([...primaryFirst.map(({ text, weak }) => ({ text, weak })), ...others])
}

function kindOf(text: string): ListedEntry['kind'] {
  if (/^individual$/i.test(text)) return 'person'
  if (/^entity$/i.test(text)) return 'organisation'
  return /^ship$/i.test(text) ? 'vessel' : 'unknown'
}

/** Reads dd/mm/yyyy, where the letters "dd" and "mm" mean an unknown day and month. */
function dayOf(text: string): BirthSpan | undefined {
  const [day = '', month = '', year = ''] = text.trim().slice(0, 10).split('/')
  return spanOf(year, month, day)
}

function textsOf(node: XmlNode | undefined, group: string, name: string): string[] {
  return childrenOf(node, group, name).map(({ text }) => text)
}

/**
 * Each kind of number: the list's words, the group around it, its element, and the element of the
 * number; '' for the element's own text.
 */
const NUMBERS = [
  ['passport', 'PassportDetails', 'Passport', 'PassportNumber'],
  ['national', 'NationalIdentifierDetails', 'NationalIdentifier', 'NationalIdentifierNumber'],
  ['registration', 'BusinessRegistrationNumbers', 'BusinessRegistrationNumber', ''],
  ['IMO', 'IMONumbers', 'IMONumber', ''],
] as const

/** Ids from the details of a person, entity or ship, or from the designation itself. */
function idsOf(unit: XmlNode): PartyId[] {
  const holders = [
    unit,
    childOf(unit, 'IndividualDetails', 'Individual'),
    childOf(unit, 'EntityDetails', 'Entity'),
    childOf(unit, 'ShipDetails', 'Ship'),
  ]
  return holders.flatMap(holder =>
    NUMBERS.flatMap(([words, group, each, number]) =>
      childrenOf(holder, group, each).flatMap(node =>
        idOf(words, number === '' ? node.text : textOf(node, number), ''),
      ),
    ),
  )
}
