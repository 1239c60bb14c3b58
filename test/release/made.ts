// Makes the files of a release, of the working tree as it is, and reads its archives.
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { readTar } from '../../src/postgres/tar.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Returns the folder, which may not exist before. */
export async function makeRelease(to: string): Promise<string> {
  const script = fileURLToPath(new URL('../../scripts/release.ts', import.meta.url))
  await promisify(execFile)(process.execPath, [script, '--dirty', '--to', to])
  return to
}

/** The files of an archive by their path below its only folder. */
export type PackedFiles = ReadonlyMap<string, Buffer>

export async function unpack(archive: string, folder = 'package'): Promise<PackedFiles> {
  const bytes = gunzipSync(await readFile(archive))
  const files = new Map<string, Buffer>()
  for await (const { name, content } of readTar(Readable.from([bytes]))) {
    if (content === undefined || !name.startsWith(`${folder}/`)) throw new Error(`has ${name}`)
    files.set(name.slice(folder.length + 1), Buffer.concat(await Array.fromAsync(content)))
  }
  return files
}
