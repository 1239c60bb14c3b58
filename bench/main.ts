// npm run bench [scenario...]: reads the options, runs the scenarios and keeps their results.
import { parseArgs } from 'node:util'
import { compare, type Figure, spread } from './figure.ts'
import { findGenerator } from './load.ts'
import type { Options } from './options.ts'
import { findPgbench, HOW_TO_GET_PGBENCH } from './pgbench.ts'
import { say } from './report.ts'
import { describeSetting, keepResults } from './results.ts'
import { SCENARIOS, type Scenario } from './scenarios.ts'

const NAMES = SCENARIOS.map(({ name }) => name)

const USAGE = `npm run bench [scenario...] -- [options]; without a scenario, all of them

${SCENARIOS.map(describe).join('\n')}

  --quick    a short run, one round; its numbers are kept only with --write
  --allocation
             only the heap allocated for a request, of scenarios that measure it: two minutes
  --write    keep the numbers of a run that is quick or has --postgres or --allocation
  --sizes    how many entities the account of the scenario entity has; 10k,1m when left out
  --postgres "wal_compression = pglz"
             settings of the database that are not its usual ones
`

function describe({ name, measures, minutes }: Scenario): string {
  return `  ${name.padEnd(10)} ${measures}; ${minutes.full} minutes`
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      allocation: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      sizes: { type: 'string', default: '10k,1m' },
      postgres: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const unknown = positionals.filter(name => !NAMES.includes(name))
  if (unknown.length > 0) throw new Error(`no such scenario: ${unknown.join(', ')}\n\n${USAGE}`)
  const { quick, allocation, postgres } = values
  const wanted = SCENARIOS.filter(
    ({ name, allocates }) =>
      (positionals.length === 0 || positionals.includes(name)) && (!allocation || allocates),
  )
  const pgbench = await findPgbench()
  if (pgbench === undefined) throw new Error(HOW_TO_GET_PGBENCH)
  const generator = await findGenerator()
  const sizes = values.sizes.split(',').map(readSize)
  await runAll(wanted, {
    options: { quick, allocation, sizes, postgres, pgbench, generator },
    keep: values.write || (!quick && !allocation && postgres === undefined),
  })
}

interface Run {
  readonly options: Omit<Options, 'record'>
  /** Whether the numbers are kept. */
  readonly keep: boolean
}

/**
 * Runs one scenario after the other. A failure is reported at once and at the end; others still
 * run.
 */
async function runAll(wanted: readonly Scenario[], { options, keep }: Run): Promise<void> {
  const setting = await describeSetting(options)
  const minutes = wanted.map(scenario => scenario.minutes[options.quick ? 'quick' : 'full'])
  say(`${setting.machine}, Node ${setting.node}, PostgreSQL ${setting.postgresql}`)
  say(`load by ${setting.generator}, on the same machine`)
  say(`${wanted.map(({ name }) => name).join(', ')}: about ${sum(minutes)} minutes`)
  const failed: string[] = []
  for (const { name, run } of wanted) {
    say('')
    say(name)
    const recorded: Record<string, unknown> = {}
    const record = (what: string, value: unknown) => {
      recorded[what] = value
    }
    try {
      const figures = await run({ ...options, record })
      say('')
      for (const figure of figures) sayFigure(figure)
      if (keep) await keepResults({ scenario: name, ...setting, recorded, figures })
    } catch (error) {
      failed.push(name)
      say(`${name} failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`)
}

function sayFigure(figure: Figure): void {
  const { name, unit, rounds } = figure
  say(`${name}: ${spread(rounds.map(round => round.value))} ${unit}`)
  for (const { against, ratio, target, outcome } of compare(figure)) {
    const goal = target === '' ? '' : `${target}: ${outcome}`
    const parts = [against, ratio === '' ? '' : `${ratio} ×`, goal]
    say(`    ${parts.filter(part => part !== '').join(' · ')}`)
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0)
}

/** `10k` is 10,000, `1m` is 1,000,000. */
function readSize(text: string): number {
  const [, digits, unit] = /^(\d{1,9})([km]?)$/.exec(text.trim().toLowerCase()) ?? []
  const size = Number(digits) * (unit === 'm' ? 1_000_000 : unit === 'k' ? 1_000 : 1)
  if (size >= 100 && size <= 100_000_000) return size
  throw new Error(`--sizes are like 10k,1m,10m and from 100 to 100m, not "${text}"`)
}

await main().catch((error: unknown) => {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
