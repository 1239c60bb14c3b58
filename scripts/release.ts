// `npm run release` writes the files of a release into release/: the packages of the product and of
// the clients, the bill of materials, licences, notes and checksums. Two runs on one commit write
// the same bytes. It publishes nothing. `--dirty` takes changes that are not committed, `--to FOLDER`
// names another folder, which it makes.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { below, type Files, tarGz, zip } from './release/archive.ts'
import { pythonFiles, sdkFiles } from './release/clients.ts'
import {
  billOf,
  bundledOf,
  licencesText,
  lockedPackages,
  platformOf,
} from './release/dependencies.ts'
import { manifestOf, serverFiles } from './release/server.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const git = (root: string, ...args: readonly string[]) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** @throws Error with a sentence that says what differs from the commit */
export function refuseDirty(root: string): void {
  const changed = git(root, 'status', '--porcelain').split('\n').filter(Boolean)
  if (changed.length === 0) return
  const more = changed.length > 1 ? ` and ${changed.length - 1} more` : ''
  const [first = ''] = changed
  throw new Error(`not committed: ${first.slice(3)}${more}; commit it, or release with --dirty`)
}

/** The section of the version, without its heading. @throws Error without one */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m)
  const section = sections.find(text => text.startsWith(`${version}\n`))
  if (section === undefined) throw new Error(`CHANGELOG.md has no section ${version}`)
  return `${section.slice(version.length).trim()}\n`
}

/** The files of the release by name. */
function releaseFiles(): ReadonlyMap<string, Buffer> {
  const manifest = manifestOf(ROOT)
  const { version } = manifest
  // The commit's time, since a time of its own would make each run differ.
  const at = new Date(git(ROOT, 'show', '-s', '--format=%cI', 'HEAD').trim())
  const tracked = git(ROOT, 'ls-files', '-z').split('\0')
  const packages = lockedPackages(ROOT)
  const nodes = Object.keys(manifest.optionalDependencies)
  const installed = new Map([...bundledOf(packages), ...platformOf(packages, nodes)])
  const licences = licencesText(ROOT, installed)
  const python = pythonFiles(ROOT)
  const tar = (folder: string, files: Files) => tarGz(below(folder, files), at)
  const files = new Map([
    [`corridor-${version}.tgz`, tar('package', serverFiles(ROOT, tracked, licences))],
    [`corridor-payouts-sdk-${version}.tgz`, tar('package', sdkFiles(ROOT))],
    [`${python.called}-py3-none-any.whl`, zip(python.wheel, at)],
    [`${python.called}.tar.gz`, tar(python.called, python.sources)],
    [`corridor-${version}.cdx.json`, Buffer.from(billOf(ROOT, manifest.name, installed, at))],
    ['LICENCES.txt', Buffer.from(licences)],
    ['NOTES.md', Buffer.from(notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version))],
  ])
  const sums = [...files].map(([name, bytes]) => {
    return `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`
  })
  return files.set('SHA256SUMS', Buffer.from(sums.join('')))
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { dirty: { type: 'boolean' }, to: { type: 'string' } },
  })
  try {
    if (values.dirty !== true) refuseDirty(ROOT)
    const files = releaseFiles()
    const to = values.to ?? join(ROOT, 'release')
    if (values.to === undefined) rmSync(to, { recursive: true, force: true })
    mkdirSync(to)
    for (const [name, bytes] of files) writeFileSync(join(to, name), bytes)
    const lines = [...files].map(
      ([name, bytes]) => `${String(bytes.length).padStart(10)}  ${name}\n`,
    )
    process.stdout.write(lines.join(''))
  } catch (error) {
    process.stderr.write(`release: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
