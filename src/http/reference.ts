// Serves the reference of the API: /openapi.json, and /docs for people. Both are files of this
// installation. scripts/openapi.ts writes the document; the service only sends it.
import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyError, FastifyInstance } from 'fastify'
import { refusal } from '../errors.ts'
import { serveDocument } from './document.ts'
import { sendError } from './errors.ts'

/** The file that /openapi.json serves. */
export const DOCUMENT = new URL('../../openapi.json', import.meta.url)

/**
 * Swagger UI sets styles by script, and its icons are data URLs. It loads nothing from other hosts.
 */
const CONTENT_SECURITY_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'img-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
}

/** GET /openapi.json. All answers share the same bytes in memory. */
export function documentRoute(app: FastifyInstance): void {
  app.get('/openapi.json', serveDocument(DOCUMENT, 'application/json; charset=utf-8'))
}

/** /docs: Swagger UI from the installed package, which reads /openapi.json. */
export async function referencePages(pages: FastifyInstance): Promise<void> {
  // What the file server refuses, such as a path out of its folder, is 404.
  pages.setErrorHandler((error: FastifyError, request, reply) => {
    const refused = (error.statusCode ?? 500) < 500
    return sendError(refused ? refusal('not_found', 'No such path.') : error, request, reply)
  })
  pages.addHook('onRequest', async (request, reply) => {
    // The file server sets its own.
    void reply.removeHeader('cache-control')
    if (/^\/docs\/(json|yaml)$/.test(request.routeOptions.url ?? '')) {
      return reply.redirect('../openapi.json')
    }
  })
  // Swagger UI requires this plugin, whose document nobody reads: the hook above redirects to ours.
  await pages.register(swagger, { mode: 'static', specification: { document: {} as never } })
  await pages.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title: 'Corridor API' },
    staticCSP: CONTENT_SECURITY_POLICY,
    // Without the top bar, which loads documents from any address.
    uiConfig: { layout: 'BaseLayout', validatorUrl: null, defaultModelsExpandDepth: 0 },
  })
}
