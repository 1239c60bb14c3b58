// The style and the script of the console, read and stripped of types once. Their addresses name
// their content, so browsers may keep them for ever.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance } from 'fastify'
import type { Assets } from './frame.ts'

const STYLE = new URL('client/console.css', import.meta.url)
const SCRIPT = new URL('client/console.ts', import.meta.url)

export async function serveAssets(pages: FastifyInstance): Promise<Assets> {
  const style = await readFile(STYLE, 'utf8')
  const script = stripTypeScriptTypes(await readFile(SCRIPT, 'utf8'))
  return {
    style: serve(pages, 'css', 'text/css; charset=utf-8', style),
    script: serve(pages, 'js', 'text/javascript; charset=utf-8', script),
  }
}

function serve(pages: FastifyInstance, ending: string, type: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  const path = `/console/assets/${hash}.${ending}`
  pages.get(path, async (_request, reply) => {
    void reply.header('cache-control', 'public, max-age=31536000, immutable')
    return reply.type(type).send(text)
  })
  return path
}
