// The JavaScript that a release has in place of TypeScript: it names the modules beside it as they
// are named there, and every line keeps its number.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { javascriptOf } from '../../scripts/release/javascript.ts'

const TYPESCRIPT = `import { a } from './a.ts'
import type { T } from './t.ts'
import data from './data.json' with { type: 'json' }
export * from '../b.ts'
export { c, type D } from './c.ts'
const late = () => import('./late.ts')
const one = new URL('one.ts', import.meta.url)
const two = new URL(\`\${a}.ts\`, one)
const css: URL = new URL('one.css', one)
const prose = 'see a.ts' + css.pathname.endsWith('.ts')
export const all = [data, late, prose, two] as const
`

const JAVASCRIPT = `import { a } from './a.js'

import data from './data.json' with { type: 'json' }
export * from '../b.js'
export { c } from './c.js'
const late = () => import('./late.js')
const one = new URL('one.js', import.meta.url)
const two = new URL(\`\${a}.js\`, one)
const css = new URL('one.css', one)
const prose = 'see a.ts' + css.pathname.endsWith('.ts')
export const all = [data, late, prose, two]
`

test('JavaScript of a module: names other modules by .js in imports and URLs, each line in its place', () => {
  const made = javascriptOf(TYPESCRIPT)
  // Types become blanks, which a reader of this test need not count.
  const plain = made.replaceAll(/;? +$/gm, '').replaceAll(/,? {2,}/g, ' ')
  assert.equal(plain, JAVASCRIPT)
})
