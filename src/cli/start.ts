// corridor start: runs the service in the foreground. An empty embedded database gets a sandbox
// first.
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import { listAccounts } from '../accounts/store.ts'
import { listUsers } from '../accounts/user/store.ts'
import { type Service, startService } from '../app/service.ts'
import { readConfig } from '../config/config.ts'
import type { OpenedAccount } from '../operator/account-operations.ts'
import { makeLog, openTerminalLog } from '../values/log.ts'
import { type Context, onDatabase, running } from './context.ts'
import { pasteable } from './pasteable.ts'
import { explainListening, tryToListen } from './port.ts'
import { createSandbox, describeSandbox } from './sandbox.ts'

export function startCommand(command: Command): void {
  command
    .option('--json', 'print the sandbox account as one line of JSON')
    .addHelpText('after', '\nExample:\n  PORT=8080 CORRIDOR_DATA=./data corridor start')
    .action(start)
}

/**
 * V8's default is up to 300 %. A loaded service would take three times the memory that it needs.
 */
const HEAP_GROWTH_PERCENT = 60

async function start(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`)
  const config = readConfig()
  // A first start shows a secret once. So it checks that it can listen before it makes the secret.
  await tryToListen(config)
  const log = makeLog(config.log_level, await openTerminalLog())
  // The last resort. Node would print every member of the error.
  process.on('uncaughtException', error => {
    log.fatal({ err: error }, 'unexpected error')
    process.exit(1)
  })
  let first_start: FirstStart | undefined
  const service = await startService(config, log, async url => {
    first_start = await onDatabase(config, url, lookAt, 'service')
  }).catch(error => {
    throw explainListening(config, error)
  })
  const stop = (signal: string) => {
    // A second signal finds no listener, and ends the process at once.
    process.removeAllListeners('SIGTERM').removeAllListeners('SIGINT')
    log.info({ signal }, 'stopping')
    const stopped = service.stop().then(
      () => log.info('stopped'),
      error => {
        log.fatal({ err: error }, 'could not stop cleanly')
        process.exitCode = 1
      },
    )
    // Connections to a silent database would keep the process alive.
    void stopped.then(() => process.exit())
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  const { address: own, ops_port, database, migrated } = service
  const address = config.public_url || own
  const for_people = process.stdout.isTTY && !running.json
  // People get the same in words below.
  if (!for_people) log.info({ address: own, ops_port, database, migrated }, 'corridor is listening')
  const { sandbox, accounts = [], has_users = true } = first_start ?? {}
  if (sandbox !== undefined) {
    const { account, key_id, secret } = sandbox
    const { account_id, deposit_address } = account
    const data = { address: own, account_id, deposit_address, key_id, secret }
    const words = running.json ? `${JSON.stringify(data)}\n` : pasteable(welcome(address, sandbox))
    process.stdout.write(words)
  } else if (for_people) {
    process.stdout.write(pasteable(ready(service, address, { accounts, has_users })))
  }
}

type FirstStart = Awaited<ReturnType<typeof lookAt>>

/**
 * What there is before the service listens. An empty embedded database gets a sandbox; one of the
 * operator's own gets nothing that nobody has asked for.
 */
async function lookAt(context: Context) {
  const accounts = await listAccounts(context.sql)
  const has_users = (await listUsers(context.audit)).length > 0
  const makes_sandbox = context.config.database_url === undefined && accounts.length === 0
  const sandbox = makes_sandbox ? await createSandbox(context) : undefined
  return { sandbox, accounts, has_users }
}

/** The secret is printed nowhere else. */
function welcome(address: string, opened: OpenedAccount): string {
  return `
Corridor is ready at ${address}.
${describeSandbox(address, opened)}
${firstPerson(address, opened.account.account_id)}
Guides, clients and the reference are at ${address}/docs.

`
}

/** Without an account, they see only the installation. */
function firstPerson(address: string, account_id: string | undefined): string {
  const role =
    account_id === undefined
      ? ''
      : `  corridor user give-role ada maker --account ${account_id}
`
  return `The console, at ${address}/console, is for people with names. Make the first one; the
link sets the password:

  corridor user create ada --full-name "Ada Lovelace" --role operator
  export CORRIDOR_USER=ada
${role}  corridor user login-link ada
`
}

function ready(service: Service, address: string, there: Omit<FirstStart, 'sandbox'>): string {
  const { accounts, has_users } = there
  const { database, migrated } = service
  const sandbox = accounts.find(account => account.sandbox)
  const account_id = (sandbox ?? (accounts.length === 1 ? accounts[0] : undefined))?.account_id
  const count = accounts.length === 1 ? 'one account' : `${accounts.length} accounts`
  const migrations = migrated.length === 1 ? 'a migration' : `${migrated.length} migrations`
  const schema_words =
    migrated.length > 0 && `\nIts schema was brought up to date by ${migrations}.`
  return `
Corridor is ready at ${address}.
The console is at ${address}/console.
Guides, clients and the reference are at ${address}/docs.
The database is ${database}, with ${count}.${schema_words || ''}

${accounts.length === 0 ? NO_ACCOUNT : newKey(account_id)}
${has_users ? '' : `\n${firstPerson(address, account_id)}`}
`
}

const NO_ACCOUNT = `For a sandbox account with play money, and its key:

  corridor sandbox create`

function newKey(account_id: string | undefined): string {
  const names = account_id === undefined ? '   (corridor account list names them)' : ''
  return `Secrets of keys are shown once, when they are made. For a new key:

  corridor key create ${account_id ?? 'ACCOUNT'} --scope write${names}`
}
