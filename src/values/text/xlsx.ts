// Writes a workbook of text cells (ECMA-376, Office Open XML) for people to fill in. Each column of
// a sheet has the format “text”, so that a spreadsheet drops no leading zero and rounds no number.
import { crc32 } from 'node:zlib'
import { escapeXml } from './xml.ts'

export interface Sheet {
  readonly name: string
  readonly rows: readonly (readonly string[])[]
}

export const XLSX_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const RELATIONS_TYPE = 'application/vnd.openxmlformats-package.relationships+xml'
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The workbook's bytes; the same sheets make the same bytes. */
export function xlsxOf(sheets: readonly Sheet[]): Buffer {
  const parts: (readonly [path: string, xml: string])[] = [
    ['[Content_Types].xml', contentTypes(sheets)],
    ['_rels/.rels', relations([['officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbook(sheets)],
    [
      'xl/_rels/workbook.xml.rels',
      relations([
        ...sheets.map((_, i) => ['worksheet', `worksheets/sheet${i + 1}.xml`] as const),
        ['styles', 'styles.xml'],
      ]),
    ],
    ['xl/styles.xml', STYLES],
    ...sheets.map(({ rows }, i) => [`xl/worksheets/sheet${i + 1}.xml`, worksheet(rows)] as const),
  ]
  return zipOf(parts.map(([path, xml]) => [path, Buffer.from(HEAD + xml)]))
}

function contentTypes(sheets: readonly Sheet[]): string {
  const override = (path: string, type: string) =>
    `<Override PartName="/xl/${path}" ContentType="${SHEET_TYPE}.${type}+xml"/>`
  const types = [
    `<Default Extension="rels" ContentType="${RELATIONS_TYPE}"/>`,
    override('workbook.xml', 'sheet.main'),
    override('styles.xml', 'styles'),
    ...sheets.map((_, i) => override(`worksheets/sheet${i + 1}.xml`, 'worksheet')),
  ]
  return `<Types xmlns="${PACKAGE}/content-types">${types.join('')}</Types>`
}

function relations(to: readonly (readonly [type: string, target: string])[]): string {
  const each = to.map(
    ([type, target], i) =>
      `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="${PACKAGE}/relationships">${each.join('')}</Relationships>`
}

function workbook(sheets: readonly Sheet[]): string {
  const each = sheets.map(
    ({ name }, i) => `<sheet name="${escapeXml(name)}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  )
  const all = `<sheets>${each.join('')}</sheets>`
  return `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}">${all}</workbook>`
}

/** Style 1 is a cell of text: format 49 is `@`. */
const STYLES =
  `<styleSheet xmlns="${MAIN}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills>` +
  '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>' +
  '<cellXfs count="2"><xf/><xf numFmtId="49" applyNumberFormat="1"/></cellXfs></styleSheet>'

/** A column is as wide as its longest text, within bounds that a screen can show. */
const WIDTHS = { least: 10, most: 60 }

function worksheet(rows: readonly (readonly string[])[]): string {
  const count = Math.max(1, ...rows.map(row => row.length))
  const columns = Array.from({ length: count }, (_, i) => {
    const longest = Math.max(...rows.map(row => (row[i] ?? '').length))
    const width = Math.min(WIDTHS.most, Math.max(WIDTHS.least, longest + 2))
    return `<col min="${i + 1}" max="${i + 1}" width="${width}" style="1" customWidth="1"/>`
  })
  const lines = rows.map((row, i) => {
    const cells = row.map(
      text => `<c t="inlineStr" s="1"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`,
    )
    return `<row r="${i + 1}">${cells.join('')}</row>`
  })
  const content = `<cols>${columns.join('')}</cols><sheetData>${lines.join('')}</sheetData>`
  return `<worksheet xmlns="${MAIN}">${content}</worksheet>`
}

/** 1 January 1980, the first day that ZIP can name. */
const FIRST_DAY = 0x21

/** A ZIP file whose members are stored as they are (PKWARE APPNOTE 6.3.3). */
function zipOf(members: readonly (readonly [path: string, bytes: Buffer])[]): Buffer {
  const files: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [path, bytes] of members) {
    const name = Buffer.from(path)
    // From the version needed to the length of the extra field: the same in both headers.
    const facts = Buffer.alloc(26)
    facts.writeUInt16LE(20, 0)
    facts.writeUInt16LE(FIRST_DAY, 8)
    facts.writeUInt32LE(crc32(bytes), 10)
    facts.writeUInt32LE(bytes.length, 14)
    facts.writeUInt32LE(bytes.length, 18)
    facts.writeUInt16LE(name.length, 22)
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    files.push(Buffer.from('PK\x03\x04'), facts, name, bytes)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), facts, rest, name)
    offset += 4 + facts.length + name.length + bytes.length
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(members.length, 4)
  end.writeUInt16LE(members.length, 6)
  end.writeUInt32LE(size, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...files, ...directory, Buffer.from('PK\x05\x06'), end])
}
