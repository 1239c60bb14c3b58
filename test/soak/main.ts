// npm run soak -- --minutes 60: prints a line a minute and a summary; exits 1 when a promise is
// broken.
import { parseArgs } from 'node:util'
import { soak } from './run.ts'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
const minutes = Number(values.minutes)
if (!Number.isInteger(minutes) || minutes < 1 || minutes > 1_440) {
  process.stderr.write('soak: --minutes is a whole number from 1 to 1440\n')
  process.exitCode = 2
} else {
  const stopped = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort())
  const say = (line: string) => {
    process.stdout.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`)
  }
  const { faults } = await soak(minutes, say, stopped.signal)
  if (faults.length > 0) process.exitCode = 1
}
