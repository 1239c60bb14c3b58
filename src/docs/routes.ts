// /docs: guides and reference for people, the same pages as Markdown for programs, and /llms.txt.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { found } from '../errors.ts'
import { serveAssets } from '../http/assets.ts'
import { html } from '../text/html.ts'
import { homeShown, pageShown, searchShown } from './frame.ts'
import { type Library, llmsText, readLibrary } from './library.ts'
import { type Known, personal, type Reader, readerOf } from './reader.ts'
import { searchIn } from './search.ts'

interface Needs {
  readonly reference: { current(): Known }
}

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'"

const STYLE = new URL('docs.css', import.meta.url)

/** Longest question that is searched for. */
const MAX_QUERY = 100

export function docsPages(pages: FastifyInstance, deps: Needs): void {
  const assets = serveAssets(pages, '/docs/assets', [STYLE])
  let read: Promise<Library> | undefined
  const shelf = async () => {
    read ??= readLibrary()
    const [library, [style = '']] = await Promise.all([read, assets()])
    return { library, around: { pages: library.pages, style } }
  }
  // RFC 8631 names the pages for people and the description for programs.
  pages.get('/', (request, reply) => {
    const isPerson = /\btext\/html\b/.test(request.headers.accept ?? '')
    void reply.header('vary', 'accept').header('link', ABOUT)
    return reply.redirect(isPerson ? '/docs' : '/openapi.json', 303)
  })
  for (const url of ['/docs', '/docs/']) {
    pages.get(url, async (request, reply) => {
      const { around } = await shelf()
      const reader = await readerOf(pages, request, deps.reference.current())
      return sendPage(reply, homeShown(around).text, reader)
    })
  }
  pages.get<{ Querystring: { q?: string | string[] } }>('/docs/search', async (request, reply) => {
    const { library, around } = await shelf()
    const query = String(request.query.q ?? '').slice(0, MAX_QUERY)
    const shown = searchShown(around, query, searchIn(library.index, query))
    return sendPage(reply, shown.text, { address: '', key: undefined })
  })
  pages.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const { library, around } = await shelf()
    const asked = request.params['*']
    const { page, rendered } = found(library.find(asked.replace(/\.md$/, '')))
    void reply.header('cache-control', 'no-cache')
    if (asked.endsWith('.md')) return reply.type(MARKDOWN).send(page.markdown)
    const reader = await readerOf(pages, request, deps.reference.current())
    const note = rendered.switches && noteFor(reader)
    return sendPage(reply, pageShown(around, page, rendered, note).text, reader)
  })
  pages.get('/llms.txt', async (_request, reply) => {
    void reply.header('cache-control', 'no-cache')
    return reply.type('text/plain; charset=utf-8').send(llmsText((await shelf()).library))
  })
}

const ABOUT = '</docs>; rel="service-doc", </openapi.json>; rel="service-desc"'

const MARKDOWN = 'text/markdown; charset=utf-8'

/** A page for a person who is logged in is theirs alone: no cache on the way may keep it. */
function sendPage(reply: FastifyReply, text: string, reader: Reader) {
  void reply.header('cache-control', reader.key === undefined ? 'no-cache' : 'private, no-store')
  void reply.header('vary', 'cookie').header('content-security-policy', CONTENT_SECURITY_POLICY)
  void reply.header('referrer-policy', 'same-origin')
  const page = reader.address === '' ? text : personal(text, reader)
  return reply.type('text/html; charset=utf-8').send(page)
}

function noteFor({ key }: Reader) {
  if (key === undefined) return ''
  return html`<p class="note">The examples name the key <code>${key.key_id}</code> of your sandbox
${key.account.name}. Put its secret for <code>YOUR_SECRET</code>: the service keeps no secrets.</p>`
}
