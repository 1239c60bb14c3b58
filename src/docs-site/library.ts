// Makes all pages of the documentation: guides from files, the reference from openapi.json.
import { readFile } from 'node:fs/promises'
import { DOCUMENT } from '../http/document.ts'
import { runInTurns } from '../values/event-loop.ts'
import { lifePage } from './life.ts'
import { type FindPlace, type Rendered, rendering } from './markdown.ts'
import { type Page, pageOf } from './page.ts'
import { operationsOf, placeOfReason, referencePages } from './reference.ts'
import type { ApiDocument } from './schema.ts'
import { type Index, indexing } from './search.ts'

const GUIDES = new URL('../../docs/guides/', import.meta.url)

/** The guides in the order in which a newcomer needs them. */
export const GUIDE_NAMES = [
  'first-payout',
  'quotes-and-fees',
  'beneficiaries',
  'webhooks',
  'idempotency',
  'handling-errors',
  'testing',
  'reconciliation',
  'going-live',
]

/** Pages that are listed with the guides, but have nothing to run. */
const POLICIES = ['versioning']

export interface Library {
  readonly pages: readonly Page[]
  readonly index: Index
  find(name: string): Promise<{ readonly page: Page; readonly rendered: Rendered } | undefined>
}

/** In turns, as a person may open the first of them beside payouts. */
export async function readLibrary(): Promise<Library> {
  const files = [...GUIDE_NAMES, ...POLICIES.map(name => `../${name}`)]
  const guides = await Promise.all(
    files.map(async file => {
      const name = file.replace('../', '')
      return pageOf(name, 'Guides', await readFile(new URL(`${file}.md`, GUIDES), 'utf8'))
    }),
  )
  const document = JSON.parse(await readFile(DOCUMENT, 'utf8')) as ApiDocument
  const reference = await runInTurns(referencePages(document))
  const pages = [...guides, lifePage(), ...reference]
  const byName = new Map(pages.map(page => [page.name, page]))
  const operations = operationsOf(document)
  const places = new Map(operations.map(({ method, path, place }) => [`${method} ${path}`, place]))
  const placeOf: FindPlace = code => places.get(code.split('?', 1)[0] ?? '') ?? placeOfReason(code)
  const rendered_by_name = new Map<string, Promise<Rendered>>()
  return {
    pages,
    index: await runInTurns(indexing(pages)),
    async find(name) {
      const page = byName.get(name)
      if (page === undefined) return undefined
      const rendered =
        rendered_by_name.get(name) ??
        runInTurns(rendering(page.markdown, placeOf, href => linkTo(byName, href)))
      rendered_by_name.set(name, rendered)
      return { page, rendered: await rendered }
    },
  }
}

/** Undefined for a link out of /docs. */
function linkTo(pages: ReadonlyMap<string, Page>, href: string): string | undefined {
  if (/^(https:\/\/|#|\/docs\b)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const name = path.replace(/^.*\//, '').replace(/\.md$/, '')
  if (!pages.has(name)) return undefined
  return `/docs/${name}${anchor === undefined ? '' : `#${anchor}`}`
}

/** The list of pages for programs (llmstxt.org). */
export function llmsText({ pages }: Library): string {
  const groups = Object.entries(Object.groupBy(pages, ({ group }) => group))
  const lists = groups.map(([group, theirs = []]) => {
    const lines = theirs.map(
      ({ name, title, summary }) => `- [${title}](/docs/${name}.md): ${summary}`,
    )
    return `## ${group}\n\n${lines.join('\n')}`
  })
  return `# Corridor

> A self-hosted engine for cross-border payouts: balances, quotes, payouts, statements, webhooks.

${lists.join('\n\n')}

## Machine-readable

- [OpenAPI 3.1](/openapi.json): every operation with its fields, bounds, errors and examples
`
}
