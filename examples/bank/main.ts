// Runs the test bank:
//
//     node examples/bank/main.ts --folder ./bank [--sftp 2222] [--every-ms 1000] [--fault NAME]…
import { parseArgs } from 'node:util'
import { FAULTS, readFaults } from './faults.ts'
import { validate } from './schema.ts'
import { startBank } from './start.ts'

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: 'bank' },
    sftp: { type: 'string' },
    user: { type: 'string', default: 'corridor' },
    'every-ms': { type: 'string', default: '1000' },
    fault: { type: 'string', multiple: true, default: [] },
    faults: { type: 'boolean', default: false },
  },
})

function write(line: string): void {
  process.stdout.write(`${line}\n`)
}

if (values.faults) {
  for (const [name, meaning] of Object.entries(FAULTS)) write(`${name.padEnd(20)} ${meaning}`)
} else {
  const password = process.env.BANK_PASSWORD ?? ''
  if (values.sftp !== undefined && password === '') {
    throw new Error('set BANK_PASSWORD, by which Corridor logs in')
  }
  const { bank, sftp, close } = await startBank({
    folder: values.folder,
    faults: readFaults(values.fault),
    validate,
    tell: (what, file) => write(`${new Date().toISOString()} ${what} ${file}`),
    ...(values.sftp !== undefined && {
      sftp: { port: Number(values.sftp), user: values.user, password },
    }),
  })
  write(`Files to the bank go into ${values.folder}/to-bank, answers come in from-bank.`)
  if (sftp !== undefined) write(`SFTP on port ${sftp.port}, host key ${sftp.fingerprint}`)
  let working: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    working = working.then(() => bank.work())
  }, Number(values['every-ms']))
  const stop = async () => {
    clearInterval(timer)
    await working
    await close()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop())
}
