// What is installed with the product: few packages by name, each pinned by its content, under a
// licence that asks for nothing but its notice.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import { STATED_OTHERWISE } from '../../scripts/release/dependencies.ts'

const PERMISSIVE = new Set([
  '0BSD',
  'Apache-2.0',
  'Bitstream-Vera',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
])

const MAX_DIRECT = 29

interface Installed {
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly dev?: boolean
}

let packages: Readonly<Record<string, Installed>>
before(async () => {
  packages = JSON.parse(await readFile('package-lock.json', 'utf8')).packages
  for (const [path, [license, says]] of Object.entries(STATED_OTHERWISE)) {
    const { license: stated } = packages[path] ?? assert.fail(`${path} is not installed`)
    assert.equal(stated, says, `${path} states its licence now`)
    packages = { ...packages, [path]: { ...packages[path], license } }
  }
})

const named = (wrong: (one: Installed) => boolean) =>
  Object.entries(packages)
    .filter(([path, one]) => path !== '' && wrong(one))
    .map(([path, { license }]) => `${path} ${license}`)

/** Of licences to choose from, one suffices. */
const mayBeTaken = (license: string) => license.split(/ or /i).some(one => PERMISSIVE.has(one))

test('package-lock.json: runtime packages have permissive licences', () => {
  assert.deepEqual(
    named(({ dev, license = '' }) => dev !== true && !mayBeTaken(license)),
    [],
  )
})

test('package-lock.json: every package with a hash, none with a registry of its own', () => {
  // Without one it comes from the registry that is set where it is installed.
  const wrong = named(
    ({ integrity = '', resolved }) => !integrity.startsWith('sha512-') || resolved !== undefined,
  )
  assert.deepEqual(wrong, [])
})

test('package.json: few direct packages, one version each', async () => {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
    await readFile('package.json', 'utf8'),
  )
  assert.ok(Object.keys(dependencies).length < MAX_DIRECT, Object.keys(dependencies).join(', '))
  const all = { ...dependencies, ...devDependencies, ...optionalDependencies }
  for (const [name, version] of Object.entries(all)) {
    assert.match(String(version), /^\d+\.\d+\.\d+(-[\w.]+)?$/, name)
  }
})
