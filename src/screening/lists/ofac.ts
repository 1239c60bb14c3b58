// Reads OFAC's lists in their short form, SDN.XML and CONSOLIDATED.XML, by their schema
// (https://ofac.treasury.gov, "Sanctions List Data Formats & Data Schemas"). Pure.
import { childrenOf, textOf } from '../../values/xml/node.ts'
import type { XmlNode } from '../../values/xml/xml-stream.ts'
import type { BirthSpan, ListedEntry, ListedName } from '../screening.ts'
import {
  about,
  between,
  countryOf,
  dateOfDay,
  formatOfEntries,
  idOf,
  joinName,
  known,
  spanOf,
  unique,
  uniqueNames,
} from './format.ts'

export const OFAC = formatOfEntries({
  name: 'OFAC XML',
  root: 'sdnList',
  lists: ['ofac', 'ofac-cons'],
  units: ['sdnEntry'],
  dated: 'Publish_Date',
  dayOf,
  entryOf,
  remarksOf: unit => [textOf(unit, 'remarks')],
})

/** Reads mm/dd/yyyy as YYYY-MM-DD; '' for any other text. */
function dayOf({ text }: XmlNode): string {
  const [month = '', day = '', year = ''] = text.trim().split('/')
  return dateOfDay(spanOf(year, month, day))
}

const KINDS: Readonly<Record<string, ListedEntry['kind']>> = {
  individual: 'person',
  entity: 'organisation',
  vessel: 'vessel',
  aircraft: 'aircraft',
}

function entryOf(unit: XmlNode): ListedEntry {
  const aliases = childrenOf(unit, 'akaList', 'aka')
  const countries = [
    ...childrenOf(unit, 'nationalityList', 'nationality').map(node => textOf(node, 'country')),
    ...childrenOf(unit, 'citizenshipList', 'citizenship').map(node => textOf(node, 'country')),
    ...childrenOf(unit, 'addressList', 'address').map(node => textOf(node, 'country')),
    ...childrenOf(unit, 'placeOfBirthList', 'placeOfBirthItem').map(placeOf),
    textOf(unit, 'vesselInfo', 'vesselFlag'),
  ]
  return {
    entry_id: textOf(unit, 'uid'),
    kind: KINDS[textOf(unit, 'sdnType').toLowerCase()] ?? 'unknown',
    names: uniqueNames([nameOf(unit, false), ...aliases.map(aliasOf)]),
    births: childrenOf(unit, 'dateOfBirthList', 'dateOfBirthItem').flatMap(node =>
      known(birthOf(textOf(node, 'dateOfBirth'))),
    ),
    countries: unique(countries.map(countryOf)),
    ids: childrenOf(unit, 'idList', 'id').flatMap(node =>
      idOf(textOf(node, 'idType'), textOf(node, 'idNumber'), textOf(node, 'idCountry')),
    ),
    programmes: unique(childrenOf(unit, 'programList', 'program').map(({ text }) => text.trim())),
  }
}

function nameOf(node: XmlNode, weak: boolean): ListedName {
  return { text: joinName(textOf(node, 'firstName'), textOf(node, 'lastName')), weak }
}

function aliasOf(node: XmlNode): ListedName {
  return nameOf(node, textOf(node, 'category').toLowerCase() === 'weak')
}

/** The country stands after the last comma. */
function placeOf(node: XmlNode): string {
  return textOf(node, 'placeOfBirth').split(',').at(-1) ?? ''
}

/** Reads `01 Jan 1960`, `Jan 1960`, `1960`, `circa 1960` or `1958 to 1960`. */
function birthOf(text: string): BirthSpan | undefined {
  const spans = text.split(/\bto\b/).map(part => {
    const [, day, month, year = ''] =
      /(?:(\d{1,2})\s+)?(?:([A-Z][a-z]{2})\s+)?(\d{4})/.exec(part) ?? []
    return spanOf(year, month, day)
  })
  const span = between(spans[0], spans[1])
  return /circa/i.test(text) ? about(span) : span
}
