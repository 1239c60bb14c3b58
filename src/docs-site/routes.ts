// /docs: guides and reference for people, the same pages as Markdown for programs, and /llms.txt.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { serveAssets } from '../http/assets.ts'
import { checkSameOrigin } from '../http/browser.ts'
import { found } from '../values/errors.ts'
import { runInTurns } from '../values/event-loop.ts'
import { type Html, html } from '../values/text/html.ts'
import { type Frame, renderHome, renderPage, renderSearch, renderTry } from './frame.ts'
import { type Library, llmsText, readLibrary } from './library.ts'
import { findReader, type KnownReaders, personalize, type Reader } from './reader.ts'
import { searching } from './search.ts'
import { endpointOf, exampleTry, MAX_TRY_BYTES, send, tryForm, tryProblem } from './try.ts'

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
  tryPages(pages, deps, readOnce)
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

type ReadOnce = () => Promise<{ readonly library: Library; readonly frame: Frame }>

function tryPages(pages: FastifyInstance, deps: Needs, readOnce: ReadOnce): void {
  type Route = { Querystring: { operation?: string | string[] } }
  const endpoint = async ({ query }: FastifyRequest<Route>) => {
    const { library } = await readOnce()
    return endpointOf(library.document, String(query.operation ?? ''))
  }
  const sendTry = async (reply: FastifyReply, main: Html) => {
    const page = renderTry((await readOnce()).frame, 'Try it', main)
    // An answer has an account's data.
    return sendPage(reply, page.text, { address: '', key: undefined }, 'private, no-store')
  }
  pages.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_TRY_BYTES },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
  pages.get<Route>('/docs/try', async (request, reply) => {
    const to = await endpoint(request)
    const { key } = await findReader(pages, request, deps.reference.current())
    const { document } = (await readOnce()).library
    return sendTry(reply, tryForm(to, exampleTry(document, to, key?.key_id ?? ''), undefined))
  })
  pages.post<Route>('/docs/try', { bodyLimit: MAX_TRY_BYTES }, async (request, reply) => {
    checkSameOrigin(request, true)
    const to = await endpoint(request)
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
    const text = (name: string) => form.get(name) ?? ''
    const tried = {
      path: text('path').trim(),
      body: text('body'),
      key_id: text('key_id').trim(),
      secret: text('secret').trim(),
    }
    const problem = tryProblem(to, tried, deps.reference.current())
    const last = problem ?? (await send(pages, request, to, tried))
    return sendTry(reply, tryForm(to, tried, last))
  })
}

const ABOUT = '</docs>; rel="service-doc", </openapi.json>; rel="service-desc"'

const MARKDOWN = 'text/markdown; charset=utf-8'

/** No shared cache may keep a page for a person who is logged in. */
function sendPage(
  reply: FastifyReply,
  text: string,
  reader: Reader,
  caching = reader.key === undefined ? 'no-cache' : 'private, no-store',
) {
  void reply.header('cache-control', caching)
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
