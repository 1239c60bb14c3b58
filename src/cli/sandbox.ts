// corridor sandbox create: a sandbox account with play money, its key, and prices to try it with.
// The first start on the embedded database makes the same.
import type { Command } from 'commander'
import type { OpenedAccount } from '../operator/account-operations.ts'
import { VOCABULARY } from '../operator/fee-vocabulary.ts'
import { loadDefaultFees } from '../prices/fee/load.ts'
import { listFees, upsertFees } from '../prices/fee/store.ts'
import { loadDefaultRates } from '../prices/rate/load.ts'
import { listRates, upsertRates } from '../prices/rate/store.ts'
import { createFunded } from './account.ts'
import { addCommand, type Context, example, print, withContext } from './context.ts'
import { addressFor } from './port.ts'

export function sandboxCommands(group: Command): void {
  addCommand(group, 'create', 'open a sandbox account with play money, and show its key once')
    .addHelpText('after', example('sandbox create'))
    .action(() =>
      withContext(async context => {
        const opened = await createSandbox(context)
        const { account, key_id, secret } = opened
        const { account_id, deposit_address } = account
        const words = describeSandbox(addressFor(context.config), opened)
        print({ account_id, deposit_address, key_id, secret }, words)
      }),
    )
}

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

/** Loads sample rates and fees where there are none. They price sandboxes alone. */
export async function createSandbox(context: Context): Promise<OpenedAccount> {
  const { sql } = context
  // The migrations load the pegs.
  const has_pegs_alone = (await listRates(sql)).every(({ pegged }) => pegged)
  if (has_pegs_alone) await upsertRates(sql, await loadDefaultRates())
  if ((await listFees(sql)).length === 0) {
    await upsertFees(sql, await loadDefaultFees(VOCABULARY))
  }
  return createFunded(context, SANDBOX)
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

/** What the account is for, and how to try it. The secret is printed nowhere else. */
export function describeSandbox(address: string, opened: OpenedAccount): string {
  const { account, key_id, secret } = opened
  const curl = `curl -sSu "$api_key"`
  const json = `-H 'Content-Type: application/json'`
  return `A sandbox account was made, holding USD 1,000,000.00 and EUR 500,000.00.

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
`
}
