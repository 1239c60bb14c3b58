// The next version of the product: this one with further migrations, in a folder of its own. What
// runs of this version is then the old one.
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export interface NextVersion {
  /** Its command line, for what starts processes. */
  readonly main: string
  remove(): Promise<void>
}

/** With these migrations, by file name, besides the ones there are. */
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
