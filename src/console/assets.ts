// The style and the script of the console. Their addresses contain a hash of their content, so
// browsers may keep them for ever. When the first page is shown, they are read, and the script is
// stripped of its types.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { found } from '../errors.ts'
import type { Assets } from './frame.ts'

const STYLE = new URL('client/console.css', import.meta.url)
const SCRIPT = new URL('client/console.ts', import.meta.url)

interface File {
  readonly path: string
  readonly type: string
  readonly text: string
}

/** Serves them. The result tells where they are. */
export function serveAssets(pages: FastifyInstance): () => Promise<Assets> {
  let files: Promise<readonly File[]> | undefined
  const read = () => {
    files ??= readFiles()
    return files
  }
  pages.get<{ Params: { name: string } }>('/console/assets/:name', async (request, reply) => {
    const path = `/console/assets/${request.params.name}`
    const { type, text } = found((await read()).find(file => file.path === path))
    void reply.header('cache-control', 'public, max-age=31536000, immutable')
    return reply.type(type).send(text)
  })
  return async () => {
    const [style, script] = await read()
    return { style: style?.path ?? '', script: script?.path ?? '' }
  }
}

async function readFiles(): Promise<readonly File[]> {
  const [style, script] = await Promise.all([readFile(STYLE, 'utf8'), readFile(SCRIPT, 'utf8')])
  return [
    named('css', 'text/css; charset=utf-8', style),
    named('js', 'text/javascript; charset=utf-8', stripTypeScriptTypes(script)),
  ]
}

function named(ending: string, type: string, text: string): File {
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return { path: `/console/assets/${hash}.${ending}`, type, text }
}
