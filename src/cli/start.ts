// corridor start: runs the service in the foreground. Fills an empty database first.
import { setFlagsFromString } from 'node:v8'
import type { Command } from 'commander'
import type { Account } from '../accounts/rules.ts'
import { listAccounts } from '../accounts/store.ts'
import { listUsers } from '../accounts/user/store.ts'
import { type Service, startService } from '../app/service.ts'
import { readConfig } from '../config/config.ts'
import type { OpenedAccount } from '../operator/account-operations.ts'
import { VOCABULARY } from '../operator/fee-vocabulary.ts'
import { loadDefaultFees } from '../prices/fee/load.ts'
import { listFees, upsertFees } from '../prices/fee/store.ts'
import { loadDefaultRates } from '../prices/rate/load.ts'
import { listRates, upsertRates } from '../prices/rate/store.ts'
import { makeLog, openTerminalLog } from '../values/log.ts'
import { createFunded } from './account.ts'
import { type Context, onDatabase, running } from './context.ts'
import { pasteable } from './pasteable.ts'
import { explainListening, tryToListen } from './port.ts'

/** Balances are in minor units. */
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
    first_start = await onDatabase(config, url, fillEmpty, 'service')
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
  const { address, database, migrated } = service
  const for_people = process.stdout.isTTY && !running.json
  // People get the same in words below.
  if (!for_people) log.info({ address, database, migrated }, 'corridor is listening')
  const { sandbox, accounts = [], has_users = true } = first_start ?? {}
  if (sandbox !== undefined) {
    const { account, key_id, secret } = sandbox
    const { account_id, deposit_address } = account
    const data = { address, account_id, deposit_address, key_id, secret }
    const words = running.json ? `${JSON.stringify(data)}\n` : pasteable(welcome(address, sandbox))
    process.stdout.write(words)
  } else if (for_people) {
    process.stdout.write(pasteable(ready(service, accounts, has_users)))
  }
}

type FirstStart = Awaited<ReturnType<typeof fillEmpty>>

/** Leaves a database with accounts alone. */
async function fillEmpty(context: Context) {
  const { sql } = context
  const accounts = await listAccounts(sql)
  const has_users = (await listUsers(context.audit)).length > 0
  if (accounts.length > 0) return { sandbox: undefined, accounts, has_users }
  // The migrations load the pegs.
  const has_pegs_alone = (await listRates(sql)).every(({ pegged }) => pegged)
  if (has_pegs_alone) await upsertRates(sql, await loadDefaultRates())
  if ((await listFees(sql)).length === 0) {
    await upsertFees(sql, await loadDefaultFees(VOCABULARY))
  }
  return { sandbox: await createFunded(context, SANDBOX), accounts, has_users }
}

const QUOTE =
  `{"payout_type":"local","payout_info":{"currency":"HKD","amount":1000000},` +
  `"holding_info":{"currency":"USD"},"destination_info":{"currency":"HKD","country":"HK"},` +
  `"local":{"fund_transfer_network":"chats"}}`

/** A body for the shell, which fills in the id of the quote. */
const PAYOUT =
  `{"quote":"'"$id"'","amount":1000000,"currency":"HKD","purpose":"supplier_payment",` +
  `"transaction_description":"Invoice 2041","local":{"fund_transfer_network":"chats"},` +
  `"beneficiary_details":{"name":"Harbour Trading Ltd","type":"business","destination_details":` +
  `{"type":"bank","bank":{"account_number":"123456789012","country":"HK","currency":"HKD",` +
  `"bank_codes":{"bank_code":"004"}}}}}`

/** The secret is printed nowhere else. */
function welcome(address: string, { account, key_id, secret }: OpenedAccount): string {
  const curl = `curl -sSu "$api_key"`
  const json = `-H 'Content-Type: application/json'`
  return `
Corridor is ready at ${address}.
A sandbox account was made, holding USD 1,000,000.00 and EUR 500,000.00.

  account  ${account.account_id}
  key id   ${key_id}
  secret   ${secret}   (shown once)

Try it, in another terminal. Quote 10,000 Hong Kong dollars, to be paid from the
US dollar balance:

  export api_key='${key_id}:${secret}'
  quote=$(${curl} ${json} ${address}/v3/payout/quote -d '${QUOTE}'); echo "$quote"

Pay them out, at that quote:

  id=$(grep -o 'poq_[0-9a-z]*' <<< "$quote")
  ${curl} ${json} ${address}/v3/payout -d '${PAYOUT}'; echo

See what is left:

  ${curl} ${address}/v3/balance; echo

A quote pays once: for another payout, ask for another quote. The same payout
within ten minutes is refused as a possible duplicate: change its amount, in the
quote too, or add "allow_duplicate":true.

${firstPerson(address, account.account_id)}
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

function ready(service: Service, accounts: readonly Account[], has_users: boolean): string {
  const { address, database, migrated } = service
  const sandbox = accounts.find(account => account.sandbox)
  const account_id = (sandbox ?? (accounts.length === 1 ? accounts[0] : undefined))?.account_id
  const count = accounts.length === 1 ? 'one account' : `${accounts.length} accounts`
  const names = account_id === undefined ? '   (corridor account list names them)' : ''
  const migrations = migrated.length === 1 ? 'a migration' : `${migrated.length} migrations`
  const schema_words =
    migrated.length > 0 && `\nIts schema was brought up to date by ${migrations}.`
  return `
Corridor is ready at ${address}.
The console is at ${address}/console.
Guides, clients and the reference are at ${address}/docs.
The database is ${database}, with ${count}.${schema_words || ''}

Secrets of keys are shown once, when they are made. For a new key:

  corridor key create ${account_id ?? 'ACCOUNT'} --scope write${names}
${has_users ? '' : `\n${firstPerson(address, account_id)}`}
`
}
