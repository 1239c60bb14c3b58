// Makes all pages of the documentation: guides and manuals from files, the others from openapi.json
// and from the tables of countries, networks and failures.
import { readFile } from 'node:fs/promises'
import { DOCUMENT } from '../http/document.ts'
import { runInTurns } from '../values/event-loop.ts'
import { countryName } from '../values/network/country.ts'
import { countryPages } from './countries.ts'
import { failurePages, placeOfFailure } from './failure-pages.ts'
import { lifePage } from './life.ts'
import { type FindPlace, type Rendered, rendering } from './markdown.ts'
import { networksPage } from './networks.ts'
import { type Page, pageOf } from './page.ts'
import { operationsOf, placeOfReason, referencePages } from './reference.ts'
import type { ApiDocument } from './schema.ts'
import { type Index, indexing } from './search.ts'

const DOCS = new URL('../../docs/', import.meta.url)

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

/** The files of each group. `versioning` is listed with the guides, but has nothing to run. */
const FILES: readonly (readonly [Page['group'], readonly string[]])[] = [
  ['Guides', [...GUIDE_NAMES.map(name => `guides/${name}`), 'versioning']],
  [
    'Operating',
    [
      'install',
      'operations',
      'console',
      'approvals',
      'limits',
      'screening',
      'finance',
      'bank-files',
      'connect-a-provider',
      'operator-api',
      'privacy',
    ],
  ],
  ['Countries', ['requirements']],
]

/** The files below docs/ that the service reads, without their ending. */
export const SERVED = FILES.flatMap(([, files]) => files)

export interface Library {
  readonly document: ApiDocument
  readonly pages: readonly Page[]
  /** Made when somebody searches first. */
  index(): Promise<Index>
  find(name: string): Promise<{ readonly page: Page; readonly rendered: Rendered } | undefined>
}

/** In turns, as a person may open the first of them beside payouts. */
export async function readLibrary(): Promise<Library> {
  const [guides = [], manuals = [], requirements = []] = await Promise.all(
    FILES.map(([group, files]) => Promise.all(files.map(file => readPage(group, file)))),
  )
  const document = JSON.parse(await readFile(DOCUMENT, 'utf8')) as ApiDocument
  const pages = [
    ...[...guides, lifePage()],
    ...(await runInTurns(countryPages())),
    await runInTurns(networksPage(countryName)),
    ...[...requirements, ...manuals],
    ...(await runInTurns(referencePages(document))),
    ...(await runInTurns(failurePages())),
  ]
  const byName = new Map(pages.map(page => [page.name, page]))
  const operations = operationsOf(document)
  const places = new Map(operations.map(({ method, path, place }) => [`${method} ${path}`, place]))
  const placeOf: FindPlace = code =>
    places.get(code.split('?', 1)[0] ?? '') ?? placeOfReason(code) ?? placeOfFailure(code)
  const rendered_by_name = new Map<string, Promise<Rendered>>()
  let index: Promise<Index> | undefined
  return {
    document,
    pages,
    index() {
      index ??= runInTurns(indexing(pages))
      return index
    },
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

async function readPage(group: Page['group'], file: string): Promise<Page> {
  const markdown = await readFile(new URL(`${file}.md`, DOCS), 'utf8')
  return pageOf(file.replace('guides/', ''), group, markdown)
}

/** Undefined for a link out of /docs. */
function linkTo(pages: ReadonlyMap<string, Page>, href: string): string | undefined {
  if (/^(https:\/\/|#|\/docs\b)/.test(href)) return href
  // A page of another folder, such as decisions/limits.md, may have the name of one of ours.
  const [, name = '', anchor = ''] = /^(?:\.\.\/)?(?:guides\/)?([\w-]+)\.md(#.*)?$/.exec(href) ?? []
  return pages.has(name) ? `/docs/${name}${anchor}` : undefined
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
