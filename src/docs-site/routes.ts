// /docs: guides and reference for people, the same pages as Markdown for programs, and /llms.txt.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { serveAssets } from '../http/assets.ts'
import { found } from '../values/errors.ts'
import { runInTurns } from '../values/event-loop.ts'
import { html } from '../values/text/html.ts'
import { renderHome, renderPage, renderSearch } from './frame.ts'
import { type Library, llmsText, readLibrary } from './library.ts'
import { findReader, type KnownReaders, personalize, type Reader } from './reader.ts'
import { searching } from './search.ts'

interface Needs {
  readonly reference: { current(): KnownReaders }
}

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'"

const STYLE = new URL('docs.css', import.meta.url)

const MAX_QUERY = 100

export function docsPages(pages: FastifyInstance, deps: Needs): void {
  const assets = serveAssets(pages, '/docs/assets', [STYLE])
  let read: Promise<Library> | undefined
  const readOnce = async () => {
    read ??= readLibrary()
    const [library, [style = '']] = await Promise.all([read, assets()])
    return { library, frame: { pages: library.pages, style } }
  }
  // RFC 8631 has the link relations for the pages and for openapi.json.
  pages.get('/', (request, reply) => {
    const isPerson = /\btext\/html\b/.test(request.headers.accept ?? '')
    void reply.header('vary', 'accept').header('link', ABOUT)
    return reply.redirect(isPerson ? '/docs' : '/openapi.json', 303)
  })
  for (const url of ['/docs', '/docs/']) {
    pages.get(url, async (request, reply) => {
      const { frame } = await readOnce()
      const reader = await findReader(pages, request, deps.reference.current())
      return sendPage(reply, renderHome(frame).text, reader)
    })
  }
  pages.get<{ Querystring: { q?: string | string[] } }>('/docs/search', async (request, reply) => {
    const { library, frame } = await readOnce()
    const query = String(request.query.q ?? '').slice(0, MAX_QUERY)
    const answer = await runInTurns(searching(await library.index(), query))
    const page = renderSearch(frame, query, answer)
    return sendPage(reply, page.text, { address: '', key: undefined })
  })
  pages.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const { library, frame } = await readOnce()
    const path = request.params['*']
    const { page, rendered } = found(await library.find(path.replace(/\.md$/, '')))
    void reply.header('cache-control', 'no-cache')
    if (path.endsWith('.md')) return reply.type(MARKDOWN).send(page.markdown)
    const reader = await findReader(pages, request, deps.reference.current())
    const note = rendered.switches && noteFor(reader)
    return sendPage(reply, renderPage(frame, page, rendered, note).text, reader)
  })
  pages.get('/llms.txt', async (_request, reply) => {
    void reply.header('cache-control', 'no-cache')
    return reply.type('text/plain; charset=utf-8').send(llmsText((await readOnce()).library))
  })
}

const ABOUT = '</docs>; rel="service-doc", </openapi.json>; rel="service-desc"'

const MARKDOWN = 'text/markdown; charset=utf-8'

/** No shared cache may keep a page for a person who is logged in. */
function sendPage(reply: FastifyReply, text: string, reader: Reader) {
  void reply.header('cache-control', reader.key === undefined ? 'no-cache' : 'private, no-store')
  void reply.header('vary', 'cookie').header('content-security-policy', CONTENT_SECURITY_POLICY)
  void reply.header('referrer-policy', 'same-origin')
  const page = reader.address === '' ? text : personalize(text, reader)
  return reply.type('text/html; charset=utf-8').send(page)
}

function noteFor({ key }: Reader) {
  if (key === undefined) return ''
  return html`<p class="note">The examples name the key <code>${key.key_id}</code> of your sandbox
${key.account.name}. Put its secret for <code>YOUR_SECRET</code>: the service keeps no secrets.</p>`
}
