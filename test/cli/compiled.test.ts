// What Node has compiled of the product is kept for the next command: in a folder that is the user's
// alone, and a command that has none, or a spoiled one, runs all the same.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import packageJson from '../../package.json' with { type: 'json' }

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/** Keeps what is compiled as main.ts does, but loads some of the product alone, which is quick. */
const SOME = `
const { keepCompiled } = await import('${new URL('../../src/cli/compiled.ts', import.meta.url)}')
keepCompiled()
await import('${new URL('../../src/quotes/rules.ts', import.meta.url)}')
console.log('${packageJson.version}')`

const home = await mkdtemp(join(tmpdir(), 'corridor-compiled-test-'))
after(() => rm(home, { recursive: true, force: true }))

type Environment = Readonly<Record<string, string>>

/** `corridor --version` with this in its environment and nothing else. */
const version = (env: Environment) => run([MAIN, '--version'], env)
const loadSome = (env: Environment) => run(['--input-type=module', '--eval', SOME], env)

async function run(args: readonly string[], env: Environment) {
  const child = spawn(process.execPath, args, { env, cwd: home })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, output }
}

const DONE = { code: 0, output: `${packageJson.version}\n` }

/** The files under a folder, and when each was written. */
async function written(folder: string): Promise<Map<string, number>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  const times = paths.map(async path => [path, (await stat(path)).mtimeMs] as const)
  return new Map(await Promise.all(times))
}

test('compile cache: written to XDG_CACHE_HOME by the first command, used by the second', async () => {
  const caches = join(home, 'caches')
  assert.deepEqual(await version({ XDG_CACHE_HOME: caches }), DONE)
  const first = await written(join(caches, 'corridor'))
  assert.ok(first.size > 10, `${first.size} files`)
  assert.equal((await stat(join(caches, 'corridor'))).mode & 0o777, 0o700)
  assert.deepEqual(await version({ XDG_CACHE_HOME: caches }), DONE)
  assert.deepEqual(await written(join(caches, 'corridor')), first)
})

test('compile cache, XDG_CACHE_HOME unset or relative: in .cache of the home folder', async () => {
  for (const [i, env] of [{}, { XDG_CACHE_HOME: 'caches' }].entries()) {
    const HOME = join(home, `home-${i}`)
    assert.deepEqual(await loadSome({ ...env, HOME }), DONE)
    assert.deepEqual(await readdir(HOME), ['.cache'])
    assert.ok((await written(join(HOME, '.cache/corridor'))).size > 10)
  }
})

test('compile cache: another folder by NODE_COMPILE_CACHE, none by NODE_DISABLE_COMPILE_CACHE', async () => {
  const HOME = join(home, 'told')
  await mkdir(HOME)
  const NODE_COMPILE_CACHE = join(home, 'elsewhere')
  assert.deepEqual(await loadSome({ HOME, NODE_COMPILE_CACHE }), DONE)
  assert.ok((await written(NODE_COMPILE_CACHE)).size > 10)
  assert.deepEqual(await loadSome({ HOME, NODE_DISABLE_COMPILE_CACHE: '1' }), DONE)
  assert.deepEqual(await readdir(HOME), [])
})

test('compile cache, its folder writable by others or a link to such a folder: not used', async () => {
  const open = join(home, 'open')
  await mkdir(join(open, 'corridor'), { recursive: true })
  await chmod(join(open, 'corridor'), 0o777)
  const linked = join(home, 'linked')
  await mkdir(linked)
  await symlink(join(open, 'corridor'), join(linked, 'corridor'))
  for (const XDG_CACHE_HOME of [open, linked]) {
    assert.deepEqual(await loadSome({ XDG_CACHE_HOME }), DONE)
    assert.deepEqual(await readdir(join(open, 'corridor')), [])
  }
})

test('compile cache, folder cannot be created: the command runs', async () => {
  await writeFile(join(home, 'file'), '')
  assert.deepEqual(await loadSome({ XDG_CACHE_HOME: join(home, 'file') }), DONE)
})

test('compile cache, files corrupt or truncated: ignored, the command runs', async () => {
  // Of the first test.
  const caches = join(home, 'caches')
  const files = [...(await written(join(caches, 'corridor'))).keys()]
  for (const [i, path] of files.entries()) await writeFile(path, 'x'.repeat((i % 3) * 1_000))
  assert.deepEqual(await version({ XDG_CACHE_HOME: caches }), DONE)
})
