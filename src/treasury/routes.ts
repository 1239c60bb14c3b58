// GET /v3/funding_instruction: where an account's money is sent to, and what each payment quotes.
import type { Reads } from '../engine/reads.ts'
import type { AccountRoutes } from '../http/account-routes.ts'
import { Literals } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import type { TransactionSql } from '../sql/connect.ts'
import { FUNDING_KEY_KINDS, type FundingKey } from './funding-key.ts'
import { listFundingKeys } from './funding-key-store.ts'
import type { Nostro } from './nostro.ts'
import { listNostros } from './nostro-store.ts'

const Instruction = Type.Object(
  {
    kind: Literals(FUNDING_KEY_KINDS, {
      description:
        'How a payment names this account: `virtual_iban` and `address` are paid to, ' +
        '`reference` is quoted, `payer_account` is the account that pays.',
    }),
    value: Type.String({ description: 'The key, without blanks.' }),
    currency: Type.String(),
    institution: Type.String({ description: 'The bank; empty where it is not known.' }),
    account: Type.String({ description: 'The IBAN or number to pay to.' }),
    bic: Type.String(),
  },
  { title: 'FundingInstruction' },
)

export const FundingInstructions = Type.Object(
  {
    instructions: Type.Array(Instruction, { description: 'In the order in which they were made.' }),
  },
  { title: 'FundingInstructions' },
)

export function fundingInstructionRoutes(routes: AccountRoutes, deps: Pick<Reads, 'read'>): void {
  routes.read('/v3/funding_instruction', {
    operationId: 'listFundingInstructions',
    summary: 'How payers fund this account: where they pay to, and what they quote.',
    description:
      'A payment with one of these keys is credited when the bank’s statement has it. Another ' +
      'payment waits until the operator finds its account.',
    response: FundingInstructions,
    refusals: [],
    async answer({ account: { account_id } }) {
      return { instructions: await deps.read(account_id, tx => instructionsOf(tx, account_id)) }
    },
  })
}

async function instructionsOf(tx: TransactionSql, account_id: string) {
  const [keys, nostros] = await Promise.all([listFundingKeys(tx, account_id), listNostros(tx)])
  const named = new Map(nostros.map(nostro => [nostro.name, nostro]))
  return keys
    .filter(({ nostro }) => named.get(nostro)?.closed_at === null)
    .map(key => instructionOf(key, named.get(key.nostro)))
}

function instructionOf({ kind, value, currency }: FundingKey, nostro: Nostro | undefined) {
  const { institution = '', account = '', bic = '' } = nostro ?? {}
  const pays_to = kind === 'virtual_iban' || kind === 'address' ? value : account
  return { kind, value, currency, institution, account: pays_to, bic }
}
