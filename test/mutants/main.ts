// `npm run test:mutants`: tries every mutant of the rules of money against the tests, then every
// mistake written by hand (patches.ts). It ends with an error when too many mutants or any patch
// survive. `-- FILE` runs only the mutants of files whose name contains FILE, `-- patches [NAME]`
// only the patches whose name contains NAME.
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { LazyServer } from '../support/database/server.ts'
import { isEquivalent, staleEquivalents } from './equivalents.ts'
import { type Mutant, mutantsOf } from './mutate.ts'
import { runPatches } from './patches.ts'
import { type FileResult, isEnough, lineOf, survivorText } from './report.ts'
import { TARGETS, type Target } from './targets.ts'
import { ROOT, type Tests, tryChange } from './trial.ts'

const options = process.argv.slice(2).filter(word => word.startsWith('--'))
const words = process.argv.slice(2).filter(word => !word.startsWith('--'))
/** Leaves out what needs PostgreSQL: the tests of the API and the patches. */
const quick = options.includes('--quick')
const jobs = Number(options.find(o => o.startsWith('--jobs='))?.slice(7) ?? availableParallelism())

const unknown = options.filter(o => o !== '--quick' && !/^--jobs=[1-9]\d*$/.test(o))
if (unknown.length > 0) {
  console.error(
    `${unknown.join(' ')}: not known. -- [FILE …] [--quick] [--jobs=N], -- patches [NAME]`,
  )
  process.exit(2)
}

const unmatched = words.filter(w => !TARGETS.some(({ file }) => file.includes(w)))
if (words[0] !== 'patches' && unmatched.length > 0) {
  const patches = `npm run test:mutants -- patches ${unmatched.join(' ')}`
  console.error(
    `no file of targets.ts is named so: ${unmatched.join(' ')}. Mistakes written by hand: ${patches}`,
  )
  process.exit(2)
}

type Tried = FileResult['tried'][number]

/** Tests that take this many times longer than without a mutant count as endless. */
const PATIENCE = 10
const MIN_TIMEOUT_MS = 10_000

process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))

process.exitCode = await run()

/** Runs the patches even when mutants survive, so that one run shows every problem. */
async function run(): Promise<number> {
  if (words[0] === 'patches') return runPatches(words.slice(1))
  const mutants = await runMutants()
  if (words.length > 0 || quick) return mutants
  return Math.max(mutants, await runPatches([]))
}

async function runMutants(): Promise<number> {
  const began_ms = performance.now()
  const targets = TARGETS.filter(
    ({ file }) => words.length === 0 || words.some(w => file.includes(w)),
  )
  const results: FileResult[] = []
  const problems: string[] = []
  const postgres = new LazyServer()
  try {
    for (const target of targets) {
      const { result, stale } = await tryTarget(target, postgres)
      results.push(result)
      problems.push(...stale, ...problemsOf(result))
    }
  } finally {
    await postgres.close()
  }
  console.log(`\n${results.map(lineOf).join('\n')}\n`)
  for (const problem of problems) console.log(problem)
  console.log(`${((performance.now() - began_ms) / 1000).toFixed(0)} s`)
  return problems.length === 0 ? 0 : 1
}

async function tryTarget(target: Target, postgres: LazyServer) {
  const { file, wanted } = target
  const mutants = mutantsOf(file, await readFile(resolve(ROOT, file), 'utf8'))
  const stale = staleEquivalents(file, mutants).map(
    ({ where, after }) => `${file}: not one mutant of ${where} is: ${after}`,
  )
  const tried = await tryByRules(target, mutants)
  const result = { file, wanted, tried: quick ? tried : await tryByApi(target, tried, postgres) }
  console.log(lineOf(result))
  for (const { mutant, outcome, equivalent } of result.tried) {
    if (outcome === 'survived' && !equivalent) console.log(survivorText(mutant))
  }
  return { result, stale }
}

/** Tries each mutant by the tests of the rules; without such tests, all survive. */
async function tryByRules({ rules }: Target, mutants: readonly Mutant[]): Promise<Tried[]> {
  const tests: Tests = { files: rules, together: true }
  const timeout_ms = rules.length === 0 ? 0 : await timeoutOf(tests)
  return inParallel(mutants, async mutant => ({
    mutant,
    outcome: rules.length === 0 ? 'survived' : await tryChange(mutant, tests, timeout_ms),
    equivalent: isEquivalent(mutant),
  }))
}

/** Tries the survivors, one at a time, by the tests of the API. */
async function tryByApi(
  { api }: Target,
  tried: readonly Tried[],
  postgres: LazyServer,
): Promise<Tried[]> {
  const alive = tried.some(({ outcome, equivalent }) => outcome === 'survived' && !equivalent)
  if (api.length === 0 || !alive) return [...tried]
  const env = { CORRIDOR_TEST_TEMPLATE: await postgres.template() }
  const tests: Tests = { files: api, together: false, env }
  const timeout_ms = await timeoutOf(tests)
  const again: Tried[] = []
  for (const one of tried) {
    const asked = one.outcome === 'survived' && !one.equivalent
    const outcome = asked ? await tryChange(one.mutant, tests, timeout_ms) : one.outcome
    again.push({ ...one, outcome })
  }
  return again
}

/**
 * The time limit of these tests. Throws when they fail without a mutant: they would then catch
 * every mutant.
 */
async function timeoutOf(tests: Tests): Promise<number> {
  const began_ms = performance.now()
  const outcome = await tryChange(undefined, tests, 300_000)
  if (outcome !== 'survived') throw new Error(`red without a mutant: ${tests.files.join(', ')}`)
  return Math.max(MIN_TIMEOUT_MS, PATIENCE * (performance.now() - began_ms))
}

function problemsOf(result: FileResult): string[] {
  const wronglyListed = result.tried
    .filter(({ equivalent, outcome }) => equivalent && outcome !== 'survived')
    .map(({ mutant }) => `listed as equivalent, but caught:\n${survivorText(mutant)}`)
  const few = isEnough(result) ? [] : [`${result.file}: less than ${result.wanted} % are caught`]
  return [...wronglyListed, ...few]
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const waiting = items.entries()
  const worker = async () => {
    for (const [i, item] of waiting) results[i] = await work(item)
  }
  await Promise.all(Array.from({ length: jobs }, worker))
  return results
}
