// Runs the mistakes written by hand, for promises outside the files of rules: it applies each patch
// to a copy of the project, where the test that the patch names must fail.
//
// A patch opens with lines `Promise: …` (what it breaks), `File: …` (a test file) and `Test: …`
// (the beginning of the name of a test in it); a diff of `git diff` follows.
import { spawn } from 'node:child_process'
import { cp, glob, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { ROOT } from './trial.ts'

export interface Patch {
  readonly name: string
  /** The path of the patch file. */
  readonly path: string
  readonly promise: string
  readonly file: string
  readonly test: string
}

/** Files that a copy of the project leaves out. */
const NOT_COPIED = new Set(['.git', 'node_modules', 'data', '.corridor'])
/** A test that takes longer hangs, and its runner reports it as failed. */
const TEST_TIMEOUT_S = 300
const TIMEOUT_MS = 1_000 * TEST_TIMEOUT_S + 100_000
/** The time for the run to end once the test has failed. */
const END_WITHIN_MS = 10_000
/** Imports the modules of every command: the whole product. */
const LOAD_ALL = `const { makeProgram } = await import('./src/cli/commands.ts')
await makeProgram(() => true)`
/** The most lines of an error to print. */
const MAX_LINES = 8

export async function readPatches(): Promise<Patch[]> {
  const folder = resolve(ROOT, 'test/mutants/patches')
  const names = await Array.fromAsync(glob('*.patch', { cwd: folder }))
  return Promise.all(names.sort().map(name => readPatch(join(folder, name))))
}

async function readPatch(path: string): Promise<Patch> {
  const text = await readFile(path, 'utf8')
  const name = basename(path, '.patch')
  const header = (word: string) => {
    const line = new RegExp(`^${word}: (.+)$`, 'm').exec(text)?.[1]
    if (line === undefined) throw new Error(`${name}.patch does not say its ${word}`)
    return line
  }
  return { name, path, promise: header('Promise'), file: header('File'), test: header('Test') }
}

/** Runs all patches, or those whose name contains one of the words; returns the exit code. */
export async function runPatches(words: readonly string[]): Promise<number> {
  const all = await readPatches()
  const patches = all.filter(({ name }) => words.length === 0 || words.some(w => name.includes(w)))
  let unnoticed = 0
  for (const patch of patches) {
    const began_ms = performance.now()
    const { how, why } = await tryPatch(patch)
    if (how !== 'red') unnoticed += 1
    const took_s = ((performance.now() - began_ms) / 1000).toFixed(0)
    console.log(`${patch.name}: ${how}, ${took_s} s`)
    console.log(`  ${patch.promise}\n  ${patch.file}: ${patch.test}`)
    for (const line of why) console.log(`    ${line}`)
  }
  console.log(`\n${patches.length} patches, ${unnoticed} unnoticed`)
  return unnoticed === 0 && patches.length > 0 ? 0 : 1
}

/**
 * `red` is the right result; a person judges by the error's first lines whether the promise caused
 * it. `otherwise red` means that something other than the named test failed.
 */
interface TestResult {
  readonly how: string
  readonly why: readonly string[]
}

async function tryPatch(patch: Patch): Promise<TestResult> {
  const copy = await mkdtemp(join(tmpdir(), 'corridor-patched-'))
  try {
    await cp(ROOT, copy, {
      recursive: true,
      filter: path => !NOT_COPIED.has(path.slice(ROOT.length).split('/')[0] ?? ''),
    })
    await symlink(resolve(ROOT, 'node_modules'), join(copy, 'node_modules'))
    const before = await runTest(patch, copy)
    if (before.how !== 'green') return { ...before, how: `${before.how} before` }
    const applied = await command('git', ['apply', patch.path], copy)
    if (applied.code !== 0) return { how: 'does not apply', why: [applied.output] }
    // If the product did not load, any test would fail.
    const loaded = await command('node', ['--input-type=module', '--eval', LOAD_ALL], copy)
    if (loaded.code !== 0) return { how: 'does not load', why: [loaded.output] }
    return await runTest(patch, copy)
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}

/** Runs only the tests of the patch's file whose name begins with `test`; one of them must fail. */
async function runTest({ file, test }: Patch, copy: string): Promise<TestResult> {
  const pattern = `--name=^${test.replaceAll(/[^\w/-]/g, '.')}`
  const failure = (line: string) => /(✖|not ok)/.test(line) && line.includes(test)
  const run = ['test/support/run.ts', pattern, `--timeout=${TEST_TIMEOUT_S}`, file]
  const { code, output } = await command('node', run, copy, failure)
  const lines = output.split('\n')
  const named = lines.filter(line => line.includes(test))
  if (code === 0) return { how: named.length > 0 ? 'green' : 'no such test', why: [] }
  if (!named.some(failure)) return { how: 'otherwise red', why: lines }
  const error = lines.findIndex(line => /^ *(\[|\w*)(Assertion)?Error\b/.test(line))
  const why = error === -1 ? [] : lines.slice(error, error + MAX_LINES)
  return { how: 'red', why: why.filter(line => line.trim() !== '').map(line => line.slice(0, 160)) }
}

/** Runs a program; ends it soon after a line of output for which `failure` is true. */
function command(
  name: 'git' | 'node',
  args: readonly string[],
  cwd: string,
  failure?: (line: string) => boolean,
) {
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }
  const program = name === 'node' ? process.execPath : name
  const child = spawn(program, args, { cwd, env, timeout: TIMEOUT_MS })
  let output = ''
  let stopping: NodeJS.Timeout | undefined
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', text => {
      output += text
      if (failure === undefined || !output.split('\n').some(failure)) return
      stopping ??= setTimeout(() => child.kill(), END_WITHIN_MS)
    })
  }
  return new Promise<{ code: number | null; output: string }>((ended, failed) => {
    child.once('error', failed).once('close', code => {
      clearTimeout(stopping)
      ended({ code, output })
    })
  })
}
