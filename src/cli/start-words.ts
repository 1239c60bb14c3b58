// What `corridor start` says to people: of a first start the key and lines to try it with, of any
// other where everything is. Knows words alone. The lines are made to be pasted, into bash or zsh,
// and test/live/cli-quick-start.test.ts runs them.
import type { Account } from '../account/rules.ts'
import type { OpenedAccount } from './account.ts'

export function sandboxJson(address: string, { account, key_id, secret }: OpenedAccount): string {
  const { account_id, deposit_address } = account
  return `${JSON.stringify({ address, account_id, deposit_address, key_id, secret })}\n`
}

const QUOTE =
  `{"payout_type":"local","payout_info":{"currency":"HKD","amount":1000000},` +
  `"holding_info":{"currency":"USD"},"destination_info":{"currency":"HKD","country":"HK"},` +
  `"local":{"fund_transfer_network":"chats"}}`

/** The shell puts the id of the quote in its place. */
const PAYOUT =
  `{"quote":"'"$id"'","amount":1000000,"currency":"HKD","purpose":"supplier_payment",` +
  `"transaction_description":"Invoice 2041","local":{"fund_transfer_network":"chats"},` +
  `"beneficiary_details":{"name":"Harbour Trading Ltd","type":"business","destination_details":` +
  `{"type":"bank","bank":{"account_number":"123456789012","country":"HK","currency":"HKD",` +
  `"bank_codes":{"bank_code":"004"}}}}}`

/** After a first start: the secret is told nowhere else. */
export function welcome(address: string, { account, key_id, secret }: OpenedAccount): string {
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

The reference is at ${address}/docs.

`
}

interface Started {
  readonly address: string
  readonly database: string
  /** What this start has applied. */
  readonly migrated: readonly string[]
}

function broughtUp({ length }: readonly string[]): string {
  if (length === 0) return ''
  const migrations = length === 1 ? 'a migration' : `${length} migrations`
  return `\nIts schema was brought up to date by ${migrations}.`
}

/** After any other start, in a terminal. */
export function ready(started: Started, accounts: readonly Account[]): string {
  const { address, database, migrated } = started
  const sandbox = accounts.find(account => account.sandbox)
  const named = sandbox ?? (accounts.length === 1 ? accounts[0] : undefined)
  const count = accounts.length === 1 ? 'one account' : `${accounts.length} accounts`
  return `
Corridor is ready at ${address}.
The reference is at ${address}/docs.
The database is ${database}, with ${count}.${broughtUp(migrated)}

Secrets of keys are shown once, when they are made. For a new key:

  npx corridor key create ${named?.account_id ?? 'ACCOUNT   (npx corridor account list names them)'}

`
}
