// Renders Markdown as HTML. Shows raw HTML as text and omits comments, puts code blocks of several
// languages behind one switch, and links operations, errors and failures. Pure.
import { Marked, type Tokens } from 'marked'
import { type Content, Html, html } from '../values/text/html.ts'
import { anchorOf } from './page.ts'

/** The languages of the switch, in its order: the word after the fence, and the shown name. */
export const LANGUAGES = [
  ['sh', 'curl'],
  ['ts', 'TypeScript'],
  ['python', 'Python'],
] as const

/** Finds the page about a piece of code such as `POST /v3/payout`. */
export type FindPlace = (code: string) => string | undefined
/** Undefined when the link leads out of the documentation. */
type FindLink = (href: string) => string | undefined

export interface Rendered {
  /** The title and the paragraph below it. */
  readonly head: Html
  readonly body: Html
  readonly headings: readonly { readonly id: string; readonly text: string }[]
  readonly switches: boolean
}

/** A piece of a section at a time. */
export function* rendering(
  markdown: string,
  find: FindPlace,
  link: FindLink,
): Generator<void, Rendered> {
  const headings: { id: string; text: string }[] = []
  const marked = makeMarked(find, link, headings)
  const parts: Content[] = []
  let switches = false
  for (const section of sectionsOf(markdown)) {
    const tokens = marked.lexer(section).filter(token => token.type !== 'space')
    for (let at = 0; at < tokens.length; at += 1) {
      yield
      const group = groupAt(tokens, at)
      if (group.length > 1) {
        switches = true
        parts.push(tabs(group))
        at += group.length - 1
      } else {
        const token = tokens[at]
        if (token !== undefined) parts.push(new Html(marked.parser([token])))
      }
    }
  }
  const [head, body] = [parts.slice(0, HEAD), parts.slice(HEAD)]
  return { head: html`${head}`, body: html`${body}`, headings, switches }
}

/** Each begins with a heading of the second or third level. */
function sectionsOf(markdown: string): string[] {
  const sections = [[]] as string[][]
  let inCode = false
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) inCode = !inCode
    if (!inCode && /^###? /.test(line)) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections.map(lines => lines.join('\n'))
}

/** The number of tokens in `head`: a title and a paragraph. */
const HEAD = 2

type Token = ReturnType<Marked['lexer']>[number]

/** Further words after a fence are for tests. */
const languageOf = ({ lang = '' }: Tokens.Code) => lang.split(' ', 1)[0] as string

const isCode = (token: Token): token is Tokens.Code =>
  token.type === 'code' && LANGUAGES.some(([name]) => name === languageOf(token as Tokens.Code))

/** The code blocks in a row that begins at this token; empty if it is no code block. */
function groupAt(tokens: readonly Token[], at: number): Tokens.Code[] {
  const first = tokens[at]
  if (first === undefined || !isCode(first)) return []
  const end = tokens.findIndex((token, i) => i > at && !isCode(token))
  return tokens.slice(at, end === -1 ? undefined : end).filter(isCode)
}

function tabs(blocks: readonly Tokens.Code[]): Html {
  return html`<div class="code">${blocks.map(block => {
    const lang = languageOf(block)
    const { text } = block
    const name = LANGUAGES.find(([known]) => known === lang)?.[1] ?? lang
    return html`<figure class="in-${lang}"><figcaption>${name}</figcaption>
<pre tabindex="0" aria-label="${name}"><code>${text}</code></pre></figure>`
  })}</div>`
}

function makeMarked(find: FindPlace, link: FindLink, headings: { id: string; text: string }[]) {
  // HTML allows no link inside a link.
  let inLink = false
  return new Marked({
    renderer: {
      html: ({ text }) => (/^<!--.*-->\s*$/s.test(text) ? '' : html`${text}`.text),
      // A link that leads out of the documentation becomes its text.
      link({ href, tokens }) {
        inLink = true
        const text = new Html(this.parser.parseInline(tokens))
        inLink = false
        const to = link(href)
        return to === undefined ? text.text : html`<a href="${to}">${text}</a>`.text
      },
      image: ({ text }) => html`${text}`.text,
      codespan({ text }) {
        const place = inLink ? undefined : find(text)
        const code = html`<code>${text}</code>`
        return place === undefined ? code.text : html`<a href="/docs/${place}">${code}</a>`.text
      },
      code: ({ text, lang }) => code(text, lang ?? '').text,
      heading({ tokens, text, depth }) {
        const id = anchorOf(text)
        const inner = new Html(this.parser.parseInline(tokens))
        if (depth === 1) return html`<h1>${inner}</h1>`.text
        if (depth > 2) return html`<h3 id="${id}">${inner}</h3>`.text
        headings.push({ id, text })
        return html`<h2 id="${id}">${inner} <a class="anchor" href="#${id}"
aria-label="Link to ${text}">#</a></h2>`.text
      },
      table(token) {
        const cells = (row: readonly Tokens.TableCell[], inHead: boolean) =>
          row.map(cell => {
            const inner = new Html(this.parser.parseInline(cell.tokens))
            return inHead ? html`<th scope="col">${inner}</th>` : html`<td>${inner}</td>`
          })
        return html`<div class="wide" tabindex="0" role="region" aria-label="Table">
<table><thead><tr>
${cells(token.header, true)}</tr></thead><tbody>${token.rows.map(
          row => html`<tr>${cells(row, false)}</tr>`,
        )}</tbody></table></div>`.text
      },
      listitem(item) {
        const [list] = item.tokens.filter(token => token.type === 'list')
        const others = item.tokens.filter(token => token !== list)
        const rest = new Html(this.parser.parse(others))
        if (list === undefined) return html`<li>${rest}</li>`.text
        const members = new Html(this.parser.parse([list]))
        return html`<li>${rest}<details><summary>Its fields</summary>${members}</details></li>`.text
      },
    },
  })
}

function code(text: string, lang: string): Html {
  if (lang === 'http') {
    const [method = '', path = ''] = text.split(' ')
    return html`<p class="route"><b>${method}</b> <code>${path}</code></p>`
  }
  const name = lang === 'json' ? 'Answer' : lang.replace(/^json /, '')
  return html`<figure class="answer">${name !== '' && html`<figcaption>${name}</figcaption>`}
<pre tabindex="0" aria-label="${name || 'Commands'}"><code>${text}</code></pre></figure>`
}
