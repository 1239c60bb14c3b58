// Reads a list's file in any of the formats, as a stream and in bounded memory. Refuses an
// incomplete file, and the file of another list.
import { UnreadableFile } from '../../values/bank-format/bank-format.ts'
import { readXml, type XmlNode } from '../../values/xml/xml-stream.ts'
import type { ListVersion } from '../list.ts'
import type { ListedEntry, ListName } from '../screening.ts'
import { EU } from './eu.ts'
import { dateOfDay, type ListFormat, type ListReader, lineOf, spanOf } from './format.ts'
import { OFAC } from './ofac.ts'
import { OFAC_ADVANCED } from './ofac-advanced.ts'
import { UK } from './uk.ts'
import { UN } from './un.ts'

const FORMATS: readonly ListFormat[] = [OFAC, OFAC_ADVANCED, UN, EU, UK]

/** Many times more than all lists have together. */
const MOST_ENTRIES = 200_000

export interface ListFile
  extends Pick<ListVersion, 'format' | 'published_on' | 'left_out_count' | 'left_out'> {
  readonly entries: readonly ListedEntry[]
}

/** Further records without a name are only counted. */
const MOST_LEFT_OUT = 50
const LONGEST_ID = 100
/** A name has a letter or a digit of some script. */
const NAMES_SOMEBODY = /[\p{L}\p{N}]/u

/**
 * Reads the file of this list. Throws UnreadableFile, whose message names the mistake and its line.
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
    // A party may be recognised by the last characters of a name or remark.
    may_cut: false,
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
  return { format: format.name, published_on, ...sorted(entries) }
}

/** Entries with distinct ids, and the records that name nobody. */
function sorted(records: readonly ListedEntry[]) {
  const entries: ListedEntry[] = []
  const left_out: string[] = []
  let left_out_count = 0
  const ids = new Set<string>()
  for (const [i, record] of records.entries()) {
    if (record.names.some(({ text }) => NAMES_SOMEBODY.test(text))) {
      const entry_id = distinctId(record, ids)
      ids.add(entry_id)
      entries.push({ ...record, entry_id })
    } else if (++left_out_count <= MOST_LEFT_OUT) {
      const id = lineOf(record.entry_id).slice(0, LONGEST_ID)
      left_out.push(`record ${i + 1}${id === '' ? '' : `, entry ${id}`}: no name`)
    }
  }
  if (entries.length === 0) throw new UnreadableFile('the file names nobody')
  return { entries, left_out_count, left_out }
}

/**
 * An id that no entry before has. A second entry with an id has a number behind it, and one without
 * an id has its name: to leave either out would let somebody listed be paid.
 */
function distinctId({ entry_id, names }: ListedEntry, ids: ReadonlySet<string>): string {
  const own = entry_id || `without id: ${names[0]?.text ?? ''}`.slice(0, LONGEST_ID)
  let id = own
  for (let count = 2; ids.has(id); count++) id = `${own} #${count}`
  return id
}
