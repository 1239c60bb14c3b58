// Serves /openapi.json, a file of this installation. scripts/openapi.ts writes the document; the
// service only sends it.
import type { FastifyInstance } from 'fastify'
import { serveDocument } from './document.ts'

/** The file that /openapi.json serves. */
export const DOCUMENT = new URL('../../openapi.json', import.meta.url)

/** GET /openapi.json. All answers share the same bytes in memory. */
export function documentRoute(app: FastifyInstance): void {
  app.get('/openapi.json', serveDocument(DOCUMENT, 'application/json; charset=utf-8'))
}
