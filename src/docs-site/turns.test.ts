import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { rendering } from './markdown.ts'
import { operationsOf, referencePages } from './reference.ts'
import type { ApiDocument } from './schema.ts'
import { indexing, searching } from './search.ts'

/** The result, and the number of steps that it took. */
function run<T>(steps: Generator<void, T>): { readonly value: T; readonly count: number } {
  for (let count = 0; ; count++) {
    const { done, value } = steps.next()
    if (done === true) return { value, count }
  }
}

test('docs pages, building, rendering and search: divided into steps of one operation, block or section', async () => {
  const document = JSON.parse(await readFile('openapi.json', 'utf8')) as ApiDocument
  const pages = run(referencePages(document))
  assert.ok(pages.count >= operationsOf(document).length, `${pages.count} steps`)
  const index = run(indexing(pages.value))
  assert.ok(index.count >= index.value.sections.length)
  assert.ok(index.value.sections.length > 300)
  // One step for each word.
  const search = run(searching(index.value, 'b c d e f g h j k l n p'))
  assert.ok(search.count >= 12, `${search.count} steps`)
  for (const { markdown } of pages.value) {
    const headings = markdown.match(/^## /gm)?.length ?? 0
    const page = run(
      rendering(
        markdown,
        () => undefined,
        href => href,
      ),
    )
    assert.ok(page.count >= headings && page.value.headings.length === headings)
  }
})
