// The keys by which incoming money finds its account, and the credit of a line by a person.
import { Closed, Literals, optional, Text, Timestamp } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { confineTo } from '../sql/confine.ts'
import type { Sql } from '../sql/connect.ts'
import {
  FUNDING_KEY_KINDS,
  type FundingKey,
  folded,
  isReference,
  MAX_KEY,
  MIN_KEY,
} from '../treasury/funding-key.ts'
import { endFundingKey, insertFundingKey, listFundingKeys } from '../treasury/funding-key-store.ts'
import { newFundingReference } from '../treasury/funding-reference.ts'
import { actForTheHouse } from '../treasury/nostro-store.ts'
import { invalidField, refusal, refuseIfAny } from '../values/errors.ts'
import { type ActionGroup, reading, writing } from './action.ts'
import { nostroNamed } from './nostro-changes.ts'
import { accountNamed, known } from './operator-write.ts'
import { AccountId } from './request.ts'

const KeyPath = Type.Object({
  id: Type.String({ pattern: '^fundkey_[0-9]{1,18}$', description: 'The funding key.' }),
})

const KEY = {
  id: Type.String(),
  account_id: AccountId,
  kind: Literals(FUNDING_KEY_KINDS),
  value: Type.String(),
  nostro: Type.String(),
  currency: Type.String(),
  made_at: Timestamp,
  made_by: Type.String(),
}

export const FundingKeyResponse = Type.Object(KEY, { title: 'FundingKey' })

const AddKey = Closed(
  {
    account_id: AccountId,
    nostro: Text(40, { minLength: 1, description: 'The account at a bank that payers pay to.' }),
    kind: Literals(FUNDING_KEY_KINDS, { description: 'How a payment names the account.' }),
    ...optional({
      value: Text(MAX_KEY, {
        minLength: MIN_KEY,
        description:
          'The virtual IBAN, the reference to quote, or the payer’s account. Without it, a new ' +
          'reference of ISO 11649 is made.',
      }),
    }),
  },
  { title: 'AddFundingKey' },
)

const list = reading({
  name: 'funding-key list',
  path: '/v3/operator/funding_key',
  operationId: 'listFundingKeys',
  summary: 'List the keys by which incoming money finds its account.',
  query: Closed(optional({ account_id: AccountId })),
  response: FundingKeyResponse,
  list: true,
  refusals: ['invalid_query_parameter'],
  find: async (audit, { account_id }) => (await listFundingKeys(audit, account_id)).map(presentKey),
  command: {
    words: keys => keys.map(keyColumns),
    none: 'no key: corridor funding-key add adds one',
    options: { account_id: 'only those of this account' },
    help: '\nExample:\n  corridor funding-key list --account acc_7k2m9x4q',
  },
})

const add = writing({
  name: 'funding-key add',
  path: '/v3/operator/funding_key',
  operationId: 'addFundingKey',
  summary: 'Add a key: money that comes in with it is credited to the account by itself.',
  description:
    'A key leads to one account. Money is credited when the bank’s final statement has it, its ' +
    'keys name one account, and no sanctions list hits the payer. All else waits for a person.',
  body: AddKey,
  response: FundingKeyResponse,
  refusals: ['not_found', 'holding_currency_not_found'],
  asksPassword: true,
  async run(acting, asked) {
    const kept = await acting.kept()
    if (kept !== null) return kept
    const key = await readKey(acting.audit, asked)
    const { name: made_by } = acting.operator
    return acting.change(async sql => presentKey(await addKey(sql, { ...key, made_by })))
  },
  command: {
    words: key => `${key.account_id}: payers quote ${key.kind} ${key.value} (${key.currency})`,
    arguments: ['account_id', 'kind'],
    options: {
      account_id: 'account id',
      kind: 'virtual_iban, reference, payer_account or address',
      nostro: 'the account at a bank, as corridor nostro list shows it',
      value: 'the key (default: a new reference)',
    },
    help: `
Examples:
  corridor funding-key add acc_7k2m9x4q reference --nostro eur_main
  corridor funding-key add acc_7k2m9x4q virtual_iban --nostro eur_main \\
    --value DE02500105170137075030`,
  },
})

const end = writing({
  name: 'funding-key end',
  path: '/v3/operator/funding_key/:id/end',
  operationId: 'endFundingKey',
  summary: 'End a key: money that comes in with it waits for a person.',
  params: KeyPath,
  emptyBody: 'EndFundingKey',
  response: FundingKeyResponse,
  asksPassword: true,
  run: (acting, { id }) =>
    acting.change(sql =>
      sql.begin(async tx => {
        void actForTheHouse(tx)
        return presentKey(known('funding key', id, await endFundingKey(tx, numberOf(id))))
      }),
    ),
  command: {
    words: key => `key ${key.id} of ${key.account_id} has ended`,
    help: '\nExample:\n  corridor funding-key end fundkey_12',
  },
})

export const fundingKeys: ActionGroup = { actions: [list, add, end] }

/** `fundkey_12` is 12. */
const numberOf = (id: string) => BigInt(id.slice('fundkey_'.length))

interface Asked {
  readonly account_id: string
  readonly nostro: string
  readonly kind: FundingKey['kind']
  readonly value?: string
}

type NewKey = Parameters<typeof insertFundingKey>[1]

/** Refuses a key that leads elsewhere, and an account that cannot get money there. */
async function readKey(audit: Sql, asked: Asked): Promise<Omit<NewKey, 'made_by'>> {
  const { account_id, kind } = asked
  const account = await accountNamed(audit, account_id)
  const { name, currency, purpose, closed_at } = await nostroNamed(audit, asked.nostro)
  const value = asked.value === undefined ? newFundingReference() : folded(asked.value)
  const taken = (await listFundingKeys(audit)).find(
    key => key.kind === kind && key.value === value && key.currency === currency,
  )
  refuseIfAny([
    ...(asked.value === undefined && kind !== 'reference'
      ? [invalidField('value', `a ${kind} needs its value`)]
      : []),
    ...(closed_at === null ? [] : [invalidField('nostro', `${name} is closed`)]),
    ...(kind === 'reference' && !isReference(value)
      ? [
          invalidField(
            'value',
            'a reference is one word of 8 or more letters and digits, with a digit',
          ),
        ]
      : []),
    ...(purpose === 'own' ? [invalidField('nostro', `${name} holds the house’s own money`)] : []),
    ...(account.sandbox ? [invalidField('account_id', 'a sandbox has no money at a bank')] : []),
    ...(taken === undefined
      ? []
      : [invalidField('value', `this ${kind} is fundkey_${taken.id} of ${taken.account_id}`)]),
  ])
  if (!account.currencies.includes(currency)) {
    throw refusal('holding_currency_not_found', `The account holds no ${currency} balance.`)
  }
  return { account_id, kind, value, nostro: name, currency }
}

function addKey(sql: Sql, key: NewKey): Promise<FundingKey> {
  return sql.begin(async tx => {
    void confineTo(tx, [key.account_id])
    return insertFundingKey(tx, key)
  })
}

function presentKey(key: FundingKey) {
  const { id, account_id, kind, value, nostro, currency, made_at, made_by } = key
  return { id: `fundkey_${id}`, account_id, kind, value, nostro, currency, made_at, made_by }
}

function keyColumns({
  id,
  account_id,
  kind,
  value,
  nostro,
  currency,
}: ReturnType<typeof presentKey>) {
  return { key: id, account: account_id, kind, value, nostro, currency }
}
