// The package @corridor-payouts/server: the product as JavaScript with the libraries that it needs.
// npm adds the Node and the PostgreSQL of the machine when it installs the package.
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SERVED } from '../../src/docs-site/library.ts'
import { type File, type Files, textFile } from './archive.ts'
import { bundledOf, filesOfPackage, lockedPackages, nameOf, platformOf } from './dependencies.ts'
import { javascriptOf } from './javascript.ts'

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly bin: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

export const manifestOf = (root: string): Manifest =>
  JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** What the product runs or reads, of the files of the repository. */
const WANTED =
  /^(bin|deploy|migrations|src|examples\/(bank|chain))\/|^(openapi\.json|LICENSE|CHANGELOG\.md)$/
const NOT_WANTED = /\.test\.ts$|\/tsconfig\.json$|\.sol$|^examples\/.*\.md$/

/** By path below the folder `package` of the archive. `tracked` are the paths in the repository. */
export function serverFiles(root: string, tracked: readonly string[], licences: string): Files {
  const served = new Set(SERVED.map(file => `docs/${file}.md`))
  const own = tracked
    .filter(path => served.has(path) || (WANTED.test(path) && !NOT_WANTED.test(path)))
    .map(path => ownFile(root, path))
  const bundled = [...bundledOf(lockedPackages(root))]
  const manifest = manifestOf(root)
  return new Map([
    ...own,
    ...bundled.flatMap(([path, locked]) => [...filesOfPackage(root, path, locked)]),
    ['package.json', textFile(packedManifest(root, manifest))],
    ['README.md', textFile(readmeOf(manifest))],
    ['LICENCES.txt', textFile(licences)],
  ])
}

function ownFile(root: string, path: string): [string, File] {
  const file = join(root, path)
  if (path.endsWith('.ts')) {
    const code = javascriptOf(readFileSync(file, 'utf8'))
    return [path.replace(/ts$/, 'js'), textFile(code)]
  }
  return [path, { bytes: readFileSync(file), executable: (statSync(file).mode & 0o100) !== 0 }]
}

/** `private` keeps npm from publishing it. */
function packedManifest(root: string, manifest: Manifest): string {
  const { name, version, description, license, engines, bin, dependencies } = manifest
  const platform = platformOf(lockedPackages(root), Object.keys(manifest.optionalDependencies))
  const optional = [...platform].map(([path, locked]) => [nameOf(path), locked.version])
  const packed = {
    ...{ name, version, description, license, private: true, type: 'module', engines, bin },
    dependencies,
    bundleDependencies: Object.keys(dependencies),
    optionalDependencies: Object.fromEntries(optional),
  }
  return `${JSON.stringify(packed, null, 2)}\n`
}

function readmeOf({ description, version }: Manifest): string {
  return `# Corridor ${version}

${description}

\`corridor start\` runs the service, with a database in \`./data\` unless CORRIDOR_DATA or DATABASE_URL
names another. The service shows its guides and manuals at /docs, and its console at /console.
\`corridor --help\` lists the commands. LICENCES.txt has the licences of the packages inside.
`
}
