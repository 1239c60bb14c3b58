// Tests the mutants themselves: each kind of mistake is made, a real mutant is caught, the
// unchanged source passes, and the patches and equivalents still fit the sources.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { hasEquivalents, staleEquivalents } from './equivalents.ts'
import { mutantsOf } from './mutate.ts'
import { readPatches } from './patches.ts'
import { isEnough, shareCaught, survivorText } from './report.ts'
import { TARGETS } from './targets.ts'
import { ROOT, type Tests, tryChange } from './trial.ts'

/** A source line and all its mutants. */
const KINDS: readonly (readonly [source: string, ...mutants: string[]])[] = [
  ['x = a < b', 'x = a <= b', 'x = a >= b'],
  ['x = a && b', 'x = a', 'x = b', 'x = (a || b)'],
  ['x = a ?? b', 'x = a', 'x = b', 'x = (a && b)'],
  ['x = -a', 'x = a'],
  ['if (a) f()', 'if (true) f()', 'if (false) f()'],
  ['x = a ? b : c', 'x = true ? b : c', 'x = false ? b : c'],
  ['while (a) f()', 'while (false) f()', 'while (a) ;'],
  ["x = 'a'", "x = ''"],
  ['x = 1n', 'x = 0n'],
  ['x = /^a$/g', 'x = /a$/g', 'x = /^a/g', 'x = /^a$/'],
  ['x = [...a, ...b]', 'x = []', 'x = [...b]', 'x = [...a]'],
  ['x = { a, ...b }', 'x = { ...b }', 'x = { a }'],
  ['x = () => a', 'x = () => undefined'],
  ['x = a.some(b)', 'x = a.every(b)'],
  [
    'const f = (a: string): number => a as never',
    'const f = (a: string): number => undefined as never',
  ],
  ["type A = 'a'; import { b } from 'c'"],
]

for (const [source, ...mutants] of KINDS) {
  test(`mutantsOf, ${source}: ${mutants.length === 0 ? 'none' : mutants.join(' | ')}`, () => {
    // Leaving the whole statement out is a mutant of every row.
    const made = mutantsOf('a.ts', source).map(({ after }) => after)
    assert.deepEqual(made.filter(after => after !== ';').sort(), mutants.toSorted())
  })
}

test('mutantsOf, a function: mutants of its statements and result, each with its line', () => {
  const source = 'function f(a: number): number {\n  g(a)\n  return a\n}\n'
  assert.deepEqual(
    mutantsOf('a.ts', source).map(({ line, where, before, after }) => [line, where, before, after]),
    [
      [2, 'f', 'g(a)', ';'],
      [3, 'f', 'return a', 'return undefined'],
    ],
  )
})

const FILE = 'src/values/money/json.ts'
const TESTS: Tests = { files: ['src/values/money/json.test.ts'], together: true }

test('tryChange, a money bound moved by one: killed; source unchanged: survived', async () => {
  const mutants = mutantsOf(FILE, await readFile(resolve(ROOT, FILE), 'utf8'))
  const moved = mutants.find(({ after }) => after.includes('amount >= MAX_AMOUNT'))
  assert.ok(moved)
  assert.equal(await tryChange(moved, TESTS, 60_000), 'killed')
  assert.equal(await tryChange(undefined, TESTS, 60_000), 'survived')
  assert.equal(await tryChange({ ...moved, text: '>' }, TESTS, 60_000), 'survived')
})

test('tryChange, file that cannot load: killed; endless loop: timeout', async () => {
  const broken = { file: FILE, start: 0, end: 0, text: "throw new Error('broken');" }
  assert.equal(await tryChange(broken, TESTS, 60_000), 'killed')
  assert.equal(await tryChange({ ...broken, text: 'for (;;);' }, TESTS, 2_000), 'timeout')
})

test('mutant report: equivalents not counted, time-outs counted as caught, too few caught: file fails', () => {
  const [mutant = assert.fail()] = mutantsOf('a.ts', 'const x = !a')
  const tried = (['killed', 'timeout', 'survived', 'survived'] as const).map((outcome, i) => ({
    mutant,
    outcome,
    equivalent: i === 3,
  }))
  assert.equal(shareCaught({ tried }), 200 / 3)
  assert.ok(isEnough({ file: 'a.ts', wanted: 66, tried }))
  assert.ok(!isEnough({ file: 'a.ts', wanted: 67, tried }))
  assert.equal(survivorText(mutant), 'a.ts:1\n  - const x = !a\n  + const x = a')
})

test('mutant targets: every file and test exists, every equivalent matches one mutant', async () => {
  for (const { file, rules, api } of TARGETS) {
    for (const path of [file, ...rules, ...api]) assert.ok(existsSync(resolve(ROOT, path)), path)
    if (!hasEquivalents(file)) continue
    const mutants = mutantsOf(file, await readFile(resolve(ROOT, file), 'utf8'))
    assert.deepEqual(staleEquivalents(file, mutants), [])
  }
})

test('npm run test:mutants, patch name without the word patches: exit 2 with the right command', () => {
  const args = ['test/mutants/main.ts', 'money', 'maker-approves']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  assert.deepEqual([status, stdout], [2, ''])
  assert.match(
    stderr,
    /named so: maker-approves\..* npm run test:mutants -- patches maker-approves$/m,
  )
})

test('mutant patches: each names an existing test file and applies to the sources', async t => {
  const { error } = spawnSync('git', ['--version'])
  if (error) return t.skip('git is not installed')
  const patches = await readPatches()
  for (const { name, file } of patches) assert.ok(existsSync(resolve(ROOT, file)), name)
  // One shell starts git for every patch, because this large process is slow to fork.
  const check = 'for patch; do git apply --check "$patch" || echo "$patch does not apply"; done'
  const paths = patches.map(({ path }) => path)
  const result = spawnSync('sh', ['-c', check, 'sh', ...paths], { cwd: ROOT, encoding: 'utf8' })
  assert.deepEqual([result.status, result.stdout, result.stderr], [0, '', ''])
})

test('docs/reliability.md, each promise: has a patch that one of its tests must detect', async () => {
  const text = await readFile(resolve(ROOT, 'docs/reliability.md'), 'utf8')
  const files = new Set((await readPatches()).map(({ file }) => file))
  const rows = text.split('\n').filter(line => /^\|.*\]\(\.\.\/test\//.test(line))
  assert.ok(rows.length > 20)
  const testsOf = (row: string) => [...row.matchAll(/\.\.\/(test\/[^)]+)/g)].map(found => found[1])
  const without = rows.filter(row => !testsOf(row).some(path => files.has(path ?? '')))
  assert.deepEqual(without, [])
})
