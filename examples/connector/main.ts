// Runs the reference connector:
//
//     node examples/connector/main.ts --secret FILE [--port 4010] [--file payments.jsonl]
//       [--delay-ms 100] [--wake URL] [--fault NAME[=share]]…
//     node examples/connector/main.ts --faults
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import type { Entry } from './book.ts'
import { FAULTS, Faults } from './faults.ts'
import { startConnector } from './start.ts'
import { wakeCorridor } from './wake.ts'

const { values } = parseArgs({
  options: {
    secret: { type: 'string', default: '' },
    port: { type: 'string', default: '4010' },
    file: { type: 'string', default: 'payments.jsonl' },
    'delay-ms': { type: 'string', default: '100' },
    wake: { type: 'string', default: '' },
    fault: { type: 'string', multiple: true, default: [] },
    faults: { type: 'boolean', default: false },
  },
})

/** Corridor asks without it, too. */
const wake = (entry: Entry) => {
  if (values.wake === '') return
  wakeCorridor(values.wake, secret, entry).catch(error => {
    process.stderr.write(`not woken: ${error.message}\n`)
  })
}

const secret = values.secret === '' ? '' : (await readFile(values.secret, 'utf8')).trim()
if (values.faults) {
  const rows = Object.entries(FAULTS).map(([name, meaning]) => `${name.padEnd(26)} ${meaning}`)
  process.stdout.write(`${rows.join('\n')}\n`)
} else if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
  process.stderr.write('--secret is a file with whsec_ and the base64 of 24 to 64 random bytes\n')
  process.exitCode = 2
} else {
  const { url, close } = await startConnector({
    file: values.file,
    secret,
    port: Number(values.port),
    delay_ms: Number(values['delay-ms']),
    faults: Faults.read(values.fault),
    onStep: wake,
  })
  process.stdout.write(`The connector listens at ${url}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
}
