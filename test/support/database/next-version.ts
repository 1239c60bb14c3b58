// Copies this version of the product with further migrations into a folder, for tests of an
// upgrade: the copy is the next version.
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export interface NextVersion {
  /** The path of its command line. */
  readonly main: string
  remove(): Promise<void>
}

/** Adds these migrations, by file name, to the existing ones. */
export async function makeNextVersion(
  migrations: Readonly<Record<string, string>>,
): Promise<NextVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-next-'))
  for (const part of ['src', 'migrations', 'package.json']) {
    await cp(join(ROOT, part), join(folder, part), { recursive: true })
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  for (const [name, text] of Object.entries(migrations)) {
    await writeFile(join(folder, 'migrations', name), text)
  }
  return {
    main: join(folder, 'src/main.ts'),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
