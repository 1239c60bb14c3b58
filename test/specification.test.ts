// The specification against the repository: each point names a test that is there, and each name that
// a comment or a document cites is a point.
import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { test } from 'node:test'

const FILE = 'docs/specification.md'
/** Its name, what it says, and its test: a file, and words of a title. */
const POINT = /^- \*\*([a-z]+\.[a-z_]+)\*\* [\s\S]+?\n {2}→ `([^`]+\.test\.ts)` "([^\n]+)"$/gm

interface Point {
  readonly name: string
  readonly file: string
  readonly words: string
}

const text = await readFile(FILE, 'utf8')
const points = [...text.matchAll(POINT)].map(
  ([, name = '', file = '', words = '']): Point => ({ name, file, words }),
)

test('specification, each point: a unique name and an existing test', async () => {
  const written = text.match(/^- \*\*/gm) ?? []
  assert.equal(points.length, written.length, 'a point without a test, or one that cannot be read')
  assert.ok(points.length > 150)
  assert.equal(new Set(points.map(({ name }) => name)).size, points.length, 'names differ')
  for (const { name, file, words } of points) {
    const source = await readFile(file, 'utf8')
    // A title, not what a comment says of it.
    const code = source.replace(/^\s*(\/\/|\/?\*).*$/gm, '')
    assert.ok(code.includes(words), `${name}: no title of ${file} says: ${words}`)
  }
})

test('specification, each point cited in code, tests, migrations and documents: exists', async () => {
  const known = new Set(points.map(({ name }) => name))
  const cited = new Set<string>()
  const files = ['{src,test,bench,scripts}/**/*.ts', 'migrations/*.sql', 'docs/**/*.md', '*.md']
  for await (const file of glob(files)) {
    for (const [, name = ''] of (await readFile(file, 'utf8')).matchAll(/§([a-z]+\.[a-z_]+)/g)) {
      assert.ok(known.has(name), `${file}: §${name} is no point of ${FILE}`)
      cited.add(name)
    }
  }
  assert.ok(cited.size > 50, `${cited.size} points are cited`)
})
