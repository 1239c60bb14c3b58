// npm run bench [payout|entity]: which scenario runs, and with which options. Measures nothing.
import { parseArgs } from 'node:util'
import { benchEntities } from './entity.ts'
import { findGenerator } from './load.ts'
import { benchPayouts } from './payout.ts'
import { findPgbench, HOW_TO_GET_PGBENCH } from './pgbench.ts'
import { describeMachine, say } from './report.ts'

const USAGE = `npm run bench [payout|entity] -- [--quick] [--write] [--sizes 10k,1m,10m]
  payout   payouts a second on one account (the default)
  entity   entities created and found again, on an account that has many
  --quick  a short run, one round
  --write  also keep the numbers in bench/results
  --sizes  how many entities the account of the scenario entity has; 10k,1m when left out
  --postgres "wal_compression = pglz"
           settings of the database that are not its usual ones`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      sizes: { type: 'string', default: '10k,1m' },
      postgres: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  const [scenario = 'payout', ...more] = positionals
  if (values.help) return say(USAGE)
  if (more.length > 0 || !['payout', 'entity'].includes(scenario)) {
    throw new Error(`no such scenario: ${positionals.join(' ')}\n${USAGE}`)
  }
  const pgbench = await findPgbench()
  if (pgbench === undefined) throw new Error(HOW_TO_GET_PGBENCH)
  const generator = await findGenerator()
  const machine = describeMachine()
  say(`${machine}, Node ${process.version}; load by ${generator}, on the same machine`)
  const { quick, write, postgres } = values
  const options = { quick, write, postgres, pgbench, generator, machine }
  const clean =
    scenario === 'payout'
      ? await benchPayouts(options)
      : await benchEntities({ ...options, sizes: values.sizes.split(',').map(readSize) })
  if (!clean) process.exitCode = 1
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
