// corridor start, corridor migrate: the service in the foreground, and the schema brought up to
// date.
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import type { Account } from '../account/rules.ts'
import { listAccounts } from '../account/store.ts'
import { type Config, readConfig } from '../config.ts'
import { migrate } from '../db/migrate.ts'
import { logForPeople, makeLog } from '../log.ts'
import { openDatabase } from '../postgres/open.ts'
import { loadDefaultFees } from '../price/fee/load.ts'
import { listFees, upsertFees } from '../price/fee/store.ts'
import { loadDefaultRates } from '../price/rate/load.ts'
import { listRates, upsertRates } from '../price/rate/store.ts'
import { startService } from '../service.ts'
import { createAccount, type OpenedAccount } from './account.ts'
import { asOwner, CommandFailed, type Context, onDatabase, print } from './context.ts'
import { ready, sandboxJson, welcome } from './start-words.ts'
import { VOCABULARY } from './vocabulary.ts'

/** Balances of the sandbox account that a first start makes. */
const SANDBOX = {
  name: 'Sandbox',
  currencies: ['USD', 'EUR', 'GBP', 'HKD'],
  primary_currency: 'USD',
  fund: [
    { currency: 'USD', amount: 100_000_000n },
    { currency: 'EUR', amount: 50_000_000n },
  ],
  sandbox: true,
}

export function startCommands(program: Command): void {
  program
    .command('start')
    .description('run the service; on an empty database, make a funded sandbox account first')
    .option('--json', 'print the sandbox account as one line of JSON')
    .addHelpText('after', '\nExample:\n  PORT=8080 CORRIDOR_DATA=./data npx corridor start')
    .action(start)
  program
    .command('migrate')
    .description('bring the database schema up to date')
    .option('--json', 'print JSON')
    .addHelpText('after', MIGRATE_HELP)
    .action(async (options: { json?: boolean }) => {
      const database = await openDatabase(readConfig(), { create: true })
      try {
        const applied = await asOwner(database.url, owner => migrate(owner))
        const words = applied.length === 0 ? 'nothing to apply' : `applied ${applied.join(', ')}`
        print(options, { applied }, words)
      } finally {
        await database.release()
      }
    })
}

const MIGRATE_HELP = `
Example:
  DATABASE_URL=postgres://user:password@host:5432/corridor npx corridor migrate`

/**
 * The heap grows by this much, and not by V8's up to 300 %, before it is collected: what a service
 * under load holds for the time of a batch would otherwise pile up to three times what it needs.
 */
const HEAP_GROWTH_PERCENT = 60

async function start(options: { json?: boolean }): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  const config = readConfig()
  await tryToListen(config)
  const log = makeLog(config.log_level, await logForPeople())
  // The last resort, in place of Node's words, which show every member of the error.
  process.on('uncaughtException', error => {
    log.fatal({ err: error }, 'unexpected error')
    process.exit(1)
  })
  let found: Found | undefined
  const service = await startService(config, log, async url => {
    found = await onDatabase(config, url, firstStart)
  }).catch(error => {
    throw explainListening(config, error)
  })
  const stop = (signal: string) => {
    // A second signal finds no listener and ends the process at once.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT')
    log.info({ signal }, 'stopping')
    const stopped = service.stop().then(
      () => log.info('stopped'),
      error => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exitCode = 1
      },
    )
    // Connections to a database that is silent would keep the process.
    void stopped.then(() => process.exit())
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  const { address, database, migrated } = service
  const for_people = process.stdout.isTTY && options.json !== true
  // People read the same in words, below.
  if (!for_people) log.info({ address, database, migrated }, 'corridor is listening')
  const { sandbox, accounts = [] } = found ?? {}
  if (sandbox !== undefined) {
    const told = options.json === true ? sandboxJson : welcome
    process.stdout.write(told(address, sandbox))
  } else if (for_people) {
    process.stdout.write(ready(service, accounts))
  }
}

interface Found {
  /** Made by this start. */
  readonly sandbox?: OpenedAccount
  readonly accounts: readonly Account[]
}

/**
 * Before anything is opened: a first start makes an account whose secret is shown once, when the
 * service listens, so a start that cannot listen must not get that far.
 */
async function tryToListen(config: Config): Promise<void> {
  const { host, port } = config
  if (port === 0) return
  const server = createServer(socket => socket.destroy())
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    throw explainListening(config, error)
  }
  await new Promise(resolve => server.close(resolve))
}

/** An error of binding HOST and PORT in words; any other error as it is. */
function explainListening({ host, port }: Config, error: unknown): unknown {
  const { code, syscall, hostname } = error as Partial<Record<string, string>>
  const lookingUp = syscall === 'getaddrinfo' && hostname === host
  if (syscall !== 'listen' && !lookingUp) return error
  if (code !== 'EADDRINUSE') {
    return new CommandFailed(`cannot listen on HOST ${host}, PORT ${port}: ${code}`)
  }
  return new CommandFailed(`port ${port} on ${host} is taken; stop what uses it or set PORT`)
}

/**
 * An empty database gets the shipped rates and fees and a sandbox account; any other is left alone.
 */
async function firstStart(context: Context): Promise<Found> {
  const { sql } = context
  const accounts = await listAccounts(sql)
  if (accounts.length > 0) return { accounts }
  // Pegs come with the schema.
  const isBare = (await listRates(sql)).every(({ pegged }) => pegged)
  if (isBare) await upsertRates(sql, await loadDefaultRates())
  if ((await listFees(sql)).length === 0) {
    await upsertFees(sql, await loadDefaultFees(VOCABULARY))
  }
  return { sandbox: await createAccount(context, SANDBOX), accounts }
}
