// Reads a workbook (.xlsx) that a person chooses, in the browser, as lines of cells with tabs
// between them. The first sheet counts. The server gets the text alone.

const END_SIGNATURE = 0x06054b50
/** The longest comment behind the end of a ZIP file, and the end itself. */
const LONGEST_END = 65_557
const MOST_BYTES = 16 * 1024 * 1024

/** The members of a ZIP file by their paths, each as text once it is asked for. */
function membersOf(file: ArrayBuffer): Map<string, () => Promise<string>> {
  const view = new DataView(file)
  let end = view.byteLength - 22
  const least = Math.max(0, view.byteLength - LONGEST_END)
  while (end >= least && view.getUint32(end, true) !== END_SIGNATURE) end -= 1
  if (end < least) throw new Error('This file is no workbook.')
  const members = new Map<string, () => Promise<string>>()
  let at = view.getUint32(end + 16, true)
  for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
    const isPacked = view.getUint16(at + 10, true) === 8
    const [packed, length] = [view.getUint32(at + 20, true), view.getUint32(at + 24, true)]
    const name = view.getUint16(at + 28, true)
    const path = new TextDecoder().decode(new Uint8Array(file, at + 46, name))
    const local = view.getUint32(at + 42, true)
    members.set(path, () => {
      if (length > MOST_BYTES) throw new Error('This workbook is too large.')
      const from = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true)
      const stored = new Blob([new Uint8Array(file, from, packed)]).stream()
      const plain = isPacked ? stored.pipeThrough(new DecompressionStream('deflate-raw')) : stored
      return new Response(plain).text()
    })
    at += 46 + name + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  return members
}

const parse = (xml: string) => new DOMParser().parseFromString(xml, 'application/xml')

/** The text of an element, without the reading aids (rPh) of Japanese. */
function textIn(element: Element): string {
  const texts = [...element.getElementsByTagName('t')]
  return texts
    .filter(text => text.parentElement?.localName !== 'rPh')
    .map(text => text.textContent)
    .join('')
}

/** A1 is 0, AB7 is 27. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]+/.exec(reference)?.[0] ?? 'A'
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** The path of the first sheet, by the order of the workbook. */
async function firstSheet(members: Map<string, () => Promise<string>>): Promise<string> {
  const workbook = parse((await members.get('xl/workbook.xml')?.()) ?? '')
  const id = workbook.getElementsByTagName('sheet')[0]?.getAttribute('r:id')
  const links = parse((await members.get('xl/_rels/workbook.xml.rels')?.()) ?? '')
  const all = [...links.getElementsByTagName('Relationship')]
  const target = all.find(link => link.getAttribute('Id') === id)?.getAttribute('Target') ?? ''
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

/** A cell with a tab, a line break or a quote is quoted, as in CSV. */
const quoted = (cell: string) => (/[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

async function sheetText(file: File): Promise<string> {
  const members = membersOf(await file.arrayBuffer())
  const shared = parse((await members.get('xl/sharedStrings.xml')?.()) ?? '<sst/>')
  const strings = [...shared.getElementsByTagName('si')].map(textIn)
  const sheet = await members.get(await firstSheet(members))?.()
  if (sheet === undefined) throw new Error('This workbook has no sheet.')
  const rows = [...parse(sheet).getElementsByTagName('row')].map(row => {
    const cells: string[] = []
    for (const cell of row.getElementsByTagName('c')) {
      const value = cell.getElementsByTagName('v')[0]?.textContent ?? ''
      const type = cell.getAttribute('t')
      const text =
        type === 's' ? strings[Number(value)] : type === 'inlineStr' ? textIn(cell) : value
      const column = columnOf(cell.getAttribute('r') ?? '')
      const at = cell.hasAttribute('r') ? column : cells.length
      if (at > 1000) continue
      while (cells.length < at) cells.push('')
      cells[at] = text ?? ''
    }
    return { number: Number(row.getAttribute('r')), line: cells.map(quoted).join('\t') }
  })
  // Empty rows keep their lines, so that a message names the row of the sheet.
  const lines: string[] = []
  for (const { number, line } of rows) {
    while (number - 1 > lines.length && lines.length < 20_000) lines.push('')
    lines.push(line)
  }
  return lines.join('\n')
}

/** The file input names the text area. */
document.addEventListener('change', async ({ target }) => {
  if (!(target instanceof HTMLInputElement) || target.dataset.into === undefined) return
  const into = document.getElementById(target.dataset.into)
  const [file] = target.files ?? []
  if (!(into instanceof HTMLTextAreaElement) || !file?.name.toLowerCase().endsWith('.xlsx')) return
  into.value = await sheetText(file).catch(() => '')
  target.setCustomValidity(into.value === '' ? 'This workbook cannot be read.' : '')
  target.reportValidity()
})
