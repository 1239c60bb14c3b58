// Reads a list's file in any of the formats, as a stream and in bounded memory. Refuses an
// incomplete file, and the file of another list.
import { UnreadableFile } from '../../bank-format/bank-format.ts'
import { readXml, type XmlNode } from '../../iso20022/xml-stream.ts'
import type { ListedEntry, ListName } from '../screening.ts'
import { EU } from './eu.ts'
import { dateOfDay, type ListFormat, type ListReader, spanOf } from './format.ts'
import { OFAC } from './ofac.ts'
import { OFAC_ADVANCED } from './ofac-advanced.ts'
import { UK } from './uk.ts'
import { UN } from './un.ts'

const FORMATS: readonly ListFormat[] = [OFAC, OFAC_ADVANCED, UN, EU, UK]

/** Many times more than all lists have together. */
const MOST_ENTRIES = 200_000

export interface ListFile {
  /** The name of its format. */
  readonly format: string
  /** YYYY-MM-DD. */
  readonly published_on: string
  readonly entries: readonly ListedEntry[]
}

/**
 * Reads the file of this list. Throws UnreadableFile, whose message has the mistake and its line.
 */
export async function readList(
  chunks: AsyncIterable<Uint8Array>,
  list: ListName,
): Promise<ListFile> {
  let format: ListFormat | undefined
  let reader: ListReader | undefined
  let units = 0
  let inside = 0
  for await (const _ of readXml(chunks, {
    open(node) {
      if (reader === undefined) {
        format = formatOf(node, list)
        reader = format.read(node)
      } else if (reader.units.has(node.name)) inside += 1
    },
    close(node) {
      if (reader?.units.has(node.name) !== true) return inside > 0 ? 'keep' : 'forget'
      inside -= 1
      // A unit inside another one is a part of it, such as a country in an address.
      if (inside > 0) return 'keep'
      reader.take(node)
      if (reader.count() > MOST_ENTRIES) {
        throw new UnreadableFile(`the file has more than ${MOST_ENTRIES} entries`)
      }
      if (++units > MOST_ENTRIES * 10) throw new UnreadableFile('the file has too many records')
      return 'forget'
    },
  }));
  if (format === undefined || reader === undefined) throw new UnreadableFile('the file is empty')
  return checked(format, reader)
}

function formatOf(root: XmlNode, list: ListName): ListFormat {
  const format = FORMATS.find(known => known.root === root.name)
  if (format === undefined) {
    const names = FORMATS.map(({ name }) => name).join(', ')
    throw new UnreadableFile(`<${root.name}> begins none of the formats that are read: ${names}`, 1)
  }
  if (format.lists.includes(list)) return format
  throw new UnreadableFile(
    `this is ${format.name}, a file of ${format.lists[0]} and not of ${list}`,
  )
}

function checked(format: ListFormat, reader: ListReader): ListFile {
  const { published_on, entries } = reader.finish()
  const [year = '', month, day] = published_on.split('-')
  if (published_on === '' || dateOfDay(spanOf(year, month, day)) !== published_on) {
    throw new UnreadableFile('the file does not say when it was published')
  }
  if (entries.length === 0) throw new UnreadableFile('the file names nobody')
  const ids = new Set<string>()
  for (const { entry_id, names } of entries) {
    if (entry_id === '') throw new UnreadableFile(`${named(names)} has no id`)
    if (ids.has(entry_id)) throw new UnreadableFile(`entry ${entry_id} is there twice`)
    ids.add(entry_id)
    if (names.length === 0) throw new UnreadableFile(`entry ${entry_id} has no name`)
  }
  return { format: format.name, published_on, entries }
}

function named(names: ListedEntry['names']): string {
  return names[0] === undefined ? 'an entry' : `the entry of ${names[0].text}`
}
