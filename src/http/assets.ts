// Serves files of pages, such as style sheets and scripts. A file's path has a hash of its content,
// so browsers may cache it for ever. Reads the files for the first page, and strips types from
// scripts in TypeScript, which a package has as JavaScript.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { FastifyInstance } from 'fastify'
import { found } from '../values/errors.ts'

interface Asset {
  readonly path: string
  readonly type: string
  readonly text: string
}

/** Serves the files under this path. Returns a function that gives the path of each file. */
export function serveAssets(
  pages: FastifyInstance,
  under: string,
  files: readonly URL[],
): () => Promise<readonly string[]> {
  let read: Promise<readonly Asset[]> | undefined
  const assets = () => {
    read ??= Promise.all(files.map(file => readAsset(under, file)))
    return read
  }
  pages.get<{ Params: { name: string } }>(`${under}/:name`, async (request, reply) => {
    const path = `${under}/${request.params.name}`
    const { type, text } = found((await assets()).find(asset => asset.path === path))
    void reply.header('cache-control', 'public, max-age=31536000, immutable')
    return reply.type(type).send(text)
  })
  return async () => (await assets()).map(({ path }) => path)
}

async function readAsset(under: string, file: URL): Promise<Asset> {
  const source = await readFile(file, 'utf8')
  const isScript = !file.pathname.endsWith('.css')
  const text = file.pathname.endsWith('.ts') ? stripTypeScriptTypes(source) : source
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
  return {
    path: `${under}/${hash}.${isScript ? 'js' : 'css'}`,
    type: `text/${isScript ? 'javascript' : 'css'}; charset=utf-8`,
    text,
  }
}
