// The packages of the clients: for TypeScript the JavaScript with its types, as npm installs it; for
// Python a wheel and the sources, as pip installs them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type File, type Files, textFile } from './archive.ts'

const read = (...path: readonly string[]): File => ({ bytes: readFileSync(join(...path)) })

/** By path below the folder `package` of the archive. */
export function sdkFiles(root: string): Files {
  const source = join(root, 'packages/sdk')
  const compiled = mkdtempSync(join(tmpdir(), 'corridor-release-'))
  try {
    const to = ['--outDir', join(compiled, 'dist'), '--tsBuildInfoFile', join(compiled, 'info')]
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', source, ...to], { stdio: 'pipe' })
    const dist = readdirSync(join(compiled, 'dist'), { recursive: true, withFileTypes: true })
    const files = dist
      .filter(entry => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(compiled.length + 1))
    return new Map([
      ...files.map(path => [path, read(compiled, path)] as const),
      ['package.json', read(source, 'package.json')],
      ['README.md', read(source, 'README.md')],
      ['LICENSE', read(root, 'LICENSE')],
    ])
  } finally {
    rmSync(compiled, { recursive: true })
  }
}

interface Python {
  /** The name and version of the files, such as `corridor_payouts-0.1.0`. */
  readonly called: string
  readonly version: string
  readonly wheel: Files
  readonly sources: Files
}

/** The wheel by PEP 427, the sources by PEP 625, both with the metadata of pyproject.toml. */
export function pythonFiles(root: string): Python {
  const folder = join(root, 'packages/python')
  const project = read(folder, 'pyproject.toml')
  const value = (name: string) => {
    const [, text] =
      new RegExp(`^${name} = (?:\\{ text = )?"([^"]*)"`, 'm').exec(project.bytes.toString()) ?? []
    if (text === undefined) throw new Error(`pyproject.toml has no ${name}`)
    return text
  }
  const [name, version] = [value('name'), value('version')]
  const called = `${name.replaceAll('-', '_')}-${version}`
  const readme = read(folder, 'README.md')
  const metadata = textFile(`Metadata-Version: 2.1
Name: ${name}
Version: ${version}
Summary: ${value('description')}
License: ${value('license')}
Classifier: Private :: Do Not Upload
Requires-Python: ${value('requires-python')}
Description-Content-Type: text/markdown

${readme.bytes}`)
  const licence = read(root, 'LICENSE')
  const modules = readdirSync(join(folder, 'corridor'))
    .filter(file => file.endsWith('.py'))
    .map(file => [`corridor/${file}`, read(folder, 'corridor', file)] as const)
  const info = `${called}.dist-info`
  const installed = new Map([
    ...modules,
    [`${info}/METADATA`, metadata],
    [`${info}/WHEEL`, textFile(WHEEL)],
    [`${info}/LICENSE`, licence],
  ])
  const sources = [
    ...modules,
    ['PKG-INFO', metadata],
    ['pyproject.toml', project],
    ['README.md', readme],
    ['LICENSE', licence],
  ] as const
  return {
    called,
    version,
    wheel: new Map([...installed, [`${info}/RECORD`, textFile(recordOf(installed, info))]]),
    sources: new Map(sources),
  }
}

const WHEEL = `Wheel-Version: 1.0
Generator: corridor
Root-Is-Purelib: true
Tag: py3-none-any
`

/** Each file with its digest and size; the record itself has none. */
function recordOf(files: Files, info: string): string {
  const lines = [...files].map(([path, { bytes }]) => {
    const digest = createHash('sha256').update(bytes).digest('base64url')
    return `${path},sha256=${digest},${bytes.length}\n`
  })
  return `${lines.join('')}${info}/RECORD,,\n`
}
