// Reads the texts of a PDF as a reader shows them: by the fonts' own tables of characters. Shares no
// code with what writes PDF.
import assert from 'node:assert/strict'
import { inflateSync } from 'node:zlib'

export interface ReadPdf {
  readonly pages: number
  /** In the order in which they were drawn. */
  readonly texts: readonly string[]
}

export function readPdf(bytes: Buffer): ReadPdf {
  const file = bytes.toString('latin1')
  assert.match(file, /^%PDF-1\.7\n/)
  assert.match(file, /%%EOF\s*$/)
  const objects = new Map(
    [...file.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g)].map(([, id = '', body = '']) => [
      id,
      body,
    ]),
  )
  const pages = [...objects.values()].filter(body => /\/Type \/Page\b/.test(body))
  const fonts = new Map<string, Map<string, string>>()
  for (const body of objects.values()) {
    for (const [, name = '', id = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const to_unicode = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? '')?.[1] ?? ''
      if (to_unicode !== '') fonts.set(name, readTable(streamOf(objects.get(to_unicode) ?? '')))
    }
  }
  const texts = pages.flatMap(page => {
    const content = /\/Contents (\d+) 0 R/.exec(page)?.[1] ?? ''
    return textsOf(streamOf(objects.get(content) ?? ''), fonts)
  })
  return { pages: pages.length, texts }
}

function streamOf(body: string): string {
  const start = body.indexOf('stream\n') + 'stream\n'.length
  const bytes = Buffer.from(body.slice(start, body.lastIndexOf('\nendstream')), 'latin1')
  return body.includes('/FlateDecode')
    ? inflateSync(bytes).toString('latin1')
    : bytes.toString('latin1')
}

/** The characters of each glyph. */
function readTable(cmap: string): Map<string, string> {
  const table = new Map<string, string>()
  for (const [, first = '', list = ''] of cmap.matchAll(
    /<([0-9a-f]{4})> <[0-9a-f]{4}> \[(.*?)\]/g,
  )) {
    const items = [...list.matchAll(/<([0-9a-f ]*)>/g)].map(([, codes = '']) =>
      Buffer.from(codes.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
    )
    for (const [i, text] of items.entries()) {
      table.set((Number.parseInt(first, 16) + i).toString(16).padStart(4, '0'), text)
    }
  }
  return table
}

function textsOf(content: string, fonts: ReadonlyMap<string, ReadonlyMap<string, string>>) {
  let font = ''
  const texts: string[] = []
  for (const [, name, shown] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[(<[^\]]*)\] TJ/g)) {
    if (name !== undefined) font = name
    if (shown === undefined) continue
    const glyphs = [...shown.matchAll(/<([0-9a-f]*)>/g)].map(([, hex = '']) => hex).join('')
    texts.push((glyphs.match(/.{4}/g) ?? []).map(glyph => fonts.get(font)?.get(glyph)).join(''))
  }
  return texts
}
