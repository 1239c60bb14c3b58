// Writes PDF files of A4 pages: texts, lines and page numbers. The embedded font has the Latin,
// Greek, Cyrillic, Armenian, Georgian, Arabic and Hebrew scripts. A file says which characters of
// other scripts it has replaced.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type PDFDocument from 'pdfkit'

const require = createRequire(import.meta.url)
const fontFile = (name: string) =>
  fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`))

const MARGIN = 48
/** Of A4, in points. */
const [WIDTH, HEIGHT] = [595.28, 841.89]
export const LEFT = MARGIN
export const RIGHT = WIDTH - MARGIN
const BOTTOM = HEIGHT - MARGIN - 28
const INK = { black: '#111827', grey: '#5b6472', line: '#c9ced6' } as const
/** Stands for a character that the font does not have. */
const MISSING = '□'
/** The most replaced characters that a file names. */
const MAX_NAMED = 20

export interface Look {
  readonly size?: number
  readonly bold?: boolean
  readonly grey?: boolean
  readonly align?: 'left' | 'right'
}

export interface About {
  readonly title: string
  /** When it was made, as an Instant. */
  readonly created_at: string
  /** At the foot of each page, before its number. */
  readonly foot: string
}

export class Sheet {
  readonly #doc: InstanceType<typeof PDFDocument>
  readonly #foot: string
  readonly #glyphs: ReadonlySet<number>
  readonly #replaced = new Set<string>()
  #pages = 0
  /** Where the next row begins, from the top. */
  y = MARGIN

  constructor({ title, created_at, foot }: About) {
    // Loaded only for a PDF, because most processes write none.
    const Document = require('pdfkit') as typeof PDFDocument
    const info = { Title: title, CreationDate: new Date(created_at), Producer: 'Corridor' }
    this.#doc = new Document({
      ...{ size: 'A4', margin: 0, autoFirstPage: false, pdfVersion: '1.7', lang: 'en', info },
      displayTitle: true,
    })
    this.#doc.registerFont('bold', fontFile('DejaVuSans-Bold'))
    this.#doc.registerFont('plain', fontFile('DejaVuSans'))
    this.#foot = foot
    this.#glyphs = new Set(glyphsOf(this.#doc.font('plain')))
    this.#addPage()
  }

  /** A line of text, cut to the width from `x` to `to`. Does not move `y`. */
  text(x: number, to: number, text: string, look: Look = {}): void {
    this.#textAt(this.y, x, to, text, look)
  }

  /** A paragraph in lines of the whole width. Moves `y` below it. */
  paragraph(text: string, look: Look = {}): void {
    const { size = 9 } = look
    for (const line of this.#linesOf(text, RIGHT - LEFT, look)) {
      this.room(size * 1.5)
      this.text(LEFT, RIGHT, line, look)
      this.y += size * 1.5
    }
  }

  /** A heading. Moves `y` below it. */
  heading(text: string, size = 11): void {
    this.room(size * 2.6)
    this.y += size * 0.8
    this.text(LEFT, RIGHT, text, { size, bold: true })
    this.y += size * 1.8
  }

  /** A thin line across the page. */
  rule(): void {
    this.#doc.moveTo(LEFT, this.y).lineTo(RIGHT, this.y).lineWidth(0.5).stroke(INK.line)
  }

  /** Begins a new page unless this height is free. Returns whether it did. */
  room(height: number): boolean {
    if (this.y + height <= BOTTOM) return false
    this.#addPage()
    return true
  }

  /** What was written since the last call, with a character for each byte. */
  drain(): string {
    let text = ''
    for (;;) {
      const bytes = this.#doc.read() as unknown as Buffer | null
      if (bytes === null) return text
      text += bytes.toString('latin1')
    }
  }

  /** Ends the file, and says which characters it has replaced. */
  end(): string {
    if (this.#replaced.size > 0) {
      const named = [...this.#replaced].slice(0, MAX_NAMED).map(codeOf)
      const more = this.#replaced.size > MAX_NAMED ? ' and others' : ''
      this.y += 10
      this.paragraph(
        `${MISSING} stands for a character that the font of this file does not have: ` +
          `${named.join(', ')}${more}. The API and CSV have every character.`,
        { size: 7, grey: true },
      )
    }
    this.#doc.end()
    return this.drain()
  }

  #addPage(): void {
    this.#doc.addPage()
    this.#pages += 1
    this.y = MARGIN
    const foot = { size: 7, grey: true } as const
    this.#textAt(HEIGHT - MARGIN, LEFT, RIGHT - 60, this.#foot, foot)
    this.#textAt(HEIGHT - MARGIN, RIGHT - 60, RIGHT, `Page ${this.#pages}`, {
      ...foot,
      align: 'right',
    })
  }

  #textAt(y: number, x: number, to: number, text: string, look: Look): void {
    const whole = this.#shown(text)
    const fitting = look.align === 'right' ? this.#smaller(whole, to - x, look) : look
    const shown = this.#cut(whole, to - x, fitting)
    if (shown === '') return
    const left = look.align === 'right' ? to - this.#widthOf(shown, fitting) : x
    this.#doc.fillColor(look.grey ? INK.grey : INK.black)
    // With a list of features the whole text is laid out at once, so that words of a script that
    // is read from right to left stand in its order.
    this.#doc.text(shown, left, y, { lineBreak: false, features: [] })
  }

  /** On one line, without control characters and without those that the font does not have. */
  #shown(text: string): string {
    const plain = text
      .normalize('NFC')
      .replace(/\s+/g, ' ')
      .replace(/[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu, '')
    return Array.from(plain, character => {
      if (this.#glyphs.has(character.codePointAt(0) ?? 0)) return character
      this.#replaced.add(character)
      return MISSING
    }).join('')
  }

  #widthOf(text: string, { size = 9, bold = false }: Look): number {
    return this.#doc.font(bold ? 'bold' : 'plain', size).widthOfString(text, { features: [] })
  }

  /** As small as the text needs to fit whole: amounts stand at the right, and are never cut. */
  #smaller(text: string, width: number, look: Look): Look {
    const ratio = width / Math.max(1, this.#widthOf(text, look))
    return ratio >= 1 ? look : { ...look, size: (look.size ?? 9) * ratio * 0.999 }
  }

  /** The text, or as much of its beginning as fits with an ellipsis. */
  #cut(text: string, width: number, look: Look): string {
    if (this.#widthOf(text, look) <= width) return text
    const characters = [...text]
    let [least, most] = [0, characters.length]
    while (least < most) {
      const middle = Math.ceil((least + most) / 2)
      const fits = this.#widthOf(`${characters.slice(0, middle).join('')}…`, look) <= width
      if (fits) least = middle
      else most = middle - 1
    }
    return `${characters.slice(0, least).join('')}…`
  }

  #linesOf(text: string, width: number, look: Look): string[] {
    const lines: string[] = []
    for (const word of this.#shown(text).split(' ')) {
      const longer = lines.length === 0 ? word : `${lines.at(-1)} ${word}`
      if (lines.length > 0 && this.#widthOf(longer, look) <= width) lines[lines.length - 1] = longer
      else lines.push(word)
    }
    return lines
  }
}

/** `U+5F20` */
function codeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  return `U+${code.padStart(4, '0')}`
}

/** The code points of the present font. The library's types leave out its font. */
function glyphsOf(doc: object): readonly number[] {
  const { _font } = doc as { _font: { font: { characterSet: readonly number[] } } }
  return _font.font.characterSet
}
