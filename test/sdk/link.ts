// The TypeScript client where a program outside the repository finds it, as its sources are;
// test/sdk/packed.test.ts installs the package.
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const CLIENT = fileURLToPath(new URL('../../packages/sdk/src/index.ts', import.meta.url))

export async function linkClient(folder: string): Promise<void> {
  const client = join(folder, 'client')
  const scope = join(folder, 'node_modules/@corridor-payouts')
  await mkdir(scope, { recursive: true })
  await mkdir(client)
  await writeFile(join(client, 'index.ts'), `export * from ${JSON.stringify(CLIENT)}\n`)
  await writeFile(join(client, 'package.json'), '{"type":"module","exports":"./index.ts"}')
  // Node runs no TypeScript below node_modules, and looks where a link leads.
  await symlink(client, join(scope, 'sdk'))
}
