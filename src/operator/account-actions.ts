// Opens, lists, shows and changes accounts.
import { DUPLICATE_WINDOW_S, MAX_DAILY, MAX_DUPLICATE_WINDOW_S } from '../accounts/rules.ts'
import type { AccountState } from '../accounts/states.ts'
import { Closed, CurrencyCode, Literals, optional, Text } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { invalidField, invalidParameter, type Problem, refuseIfAny } from '../values/errors.ts'
import { findCurrency } from '../values/money/currency.ts'
import { US_STATE_CODES } from '../values/us-state.ts'
import { changeSettings, changeState, createAccount } from './account-operations.ts'
import {
  ACCOUNT,
  balanceWords,
  findAccounts,
  OperatorAccount,
  OperatorAccountInFull,
  presentSettings,
  SETTINGS,
  State,
  windowWords,
} from './account-response.ts'
import { type ActionGroup, paging, reading, writing } from './action.ts'
import { keyColumns, listKeysOf, NO_KEY } from './keys.ts'
import { accountNamed, known } from './operator-write.ts'
import { AccountId, AccountPath, LimitText, MAX_NAME, ReasonRequest } from './request.ts'

const MAX_CURRENCIES = 50

const Currencies = Type.Array(CurrencyCode, { minItems: 1, maxItems: MAX_CURRENCIES })
const Name = Text(MAX_NAME, { minLength: 1, description: 'The name of the owner of the account.' })
const CHANGEABLE = optional({
  duplicate_window_s: Type.Integer({
    minimum: 0,
    maximum: MAX_DUPLICATE_WINDOW_S,
    description: 'For how many seconds a payout like an earlier one is refused; 0 for never.',
  }),
  daily_rows: Type.Integer({
    minimum: 1,
    maximum: MAX_DAILY,
    description: 'How many rows requests of the account may write in a day.',
  }),
  daily_mb: Type.Integer({
    minimum: 1,
    maximum: MAX_DAILY,
    description: 'How many megabytes requests of the account may write in a day.',
  }),
  us_state: Literals(US_STATE_CODES, {
    description:
      'The state of the US whose law on money transmission counts the account, such as CA; ' +
      '`none` for no state.',
  }),
})

const NewAccount = Closed(
  {
    name: Name,
    currencies: Currencies,
    primary_currency: CurrencyCode,
    ...optional({
      sandbox: Type.Boolean({
        description:
          'Whether the account is for tests: its clock can be moved, and it can fund itself.',
      }),
    }),
    ...CHANGEABLE,
  },
  { title: 'NewAccount' },
)

const AccountSettings = Closed(
  {
    ...optional({ name: Name, add_currencies: Currencies, primary_currency: CurrencyCode }),
    ...CHANGEABLE,
  },
  {
    title: 'AccountSettings',
    description: 'Members that are left out stay; currencies can be added, and not removed.',
  },
)

const list = paging({
  name: 'account list',
  path: '/v3/operator/account',
  operationId: 'listAccounts',
  summary: 'List accounts with their states and balances, oldest first.',
  query: Closed(optional({ limit: LimitText, starting_after: AccountId })),
  response: OperatorAccount,
  async find(audit, { starting_after }, limit) {
    const accounts = await findAccounts(audit, null)
    const first = accounts.findIndex(({ account_id }) => account_id === starting_after) + 1
    const isKnown = starting_after === undefined || first > 0
    refuseIfAny(isKnown ? [] : [invalidParameter('starting_after', 'It names no account.')])
    return accounts.slice(first, first + limit + 1)
  },
  present: account => account,
  command: {
    words: ({ rows }) =>
      rows.map(account => ({
        account: account.account_id,
        name: account.name,
        state: account.state,
        kind: account.sandbox ? 'sandbox' : 'live',
        balances: balanceWords(account),
      })),
    none: 'no account yet; corridor account create opens one',
    json: ({ rows }) => rows,
    limit: 1000,
    options: { starting_after: 'only those after this account' },
    help: '\nExample:\n  corridor account list',
  },
})

const show = reading({
  name: 'account show',
  path: '/v3/operator/account/:id',
  operationId: 'getOperatorAccount',
  summary: 'Show an account: its state, balances, settings and keys.',
  params: AccountPath,
  response: OperatorAccountInFull,
  async find(audit, { id }) {
    const keys = await listKeysOf(audit, id)
    const [account] = await findAccounts(audit, id)
    return { ...known('account', id, account), keys }
  },
  command: {
    words: ({ keys, ...account }) => ({
      parts: [
        {
          outline: {
            account: account.account_id,
            name: account.name,
            state:
              account.state_reason === ''
                ? account.state
                : `${account.state} (${account.state_reason})`,
            kind: account.sandbox ? 'sandbox' : 'live',
            balances: balanceWords(account),
            primary: account.primary_currency,
            'deposit address': account.deposit_address,
            'duplicate window': windowWords(account.duplicate_window_s),
            'daily quota': `${account.daily_rows} rows, ${account.daily_mb} MB`,
            'US state': account.us_state === 'none' ? '' : account.us_state,
            created: account.created_at,
          },
        },
        '',
        { rows: keys.map(keyColumns), none: NO_KEY },
      ],
    }),
    help: '\nExample:\n  corridor account show acc_7k2m9x4q',
  },
})

const OF_OPTIONS = {
  us_state: 'state of the US whose law counts the account, such as CA; none: no state',
  duplicate_window_s: 'seconds in which a payout like an earlier one is refused; 0: none',
}

const CREATE_HELP = `
A live account is funded with the bank's reference, once it is there: corridor
fund acc_... USD 100000.00 --reference ...

Examples:
  corridor account create --name "Harbour Trading" \\
    --currencies USD,EUR,HKD --primary-currency USD
  corridor account create --name "Trial" --sandbox --currencies USD,EUR \\
    --primary-currency USD --fund USD=100000.00 EUR=5000.00`

const create = writing({
  name: 'account create',
  path: '/v3/operator/account',
  operationId: 'createAccount',
  summary: 'Open an account, with its first key.',
  description:
    'The secret is shown once and stored nowhere, so a repeat opens another account. If a ' +
    'call had no answer, look at the list of accounts before you repeat it.',
  body: NewAccount,
  response: Type.Object(
    {
      ...ACCOUNT,
      key_id: Type.String({ description: 'The first key of the account, of scope `write`.' }),
      secret: Type.String({ description: 'The secret, which is shown only in this answer.' }),
    },
    { title: 'OpenedAccount', description: 'The account and its first key.' },
  ),
  refusals: ['currency'],
  asksPassword: true,
  actsAgain: true,
  async run(acting, asked) {
    const currencies = [...new Set(asked.currencies)]
    const isHeld = currencies.includes(asked.primary_currency)
    refuseIfAny([
      ...currencyProblems('currencies', currencies),
      ...(isHeld ? [] : [invalidField('primary_currency', 'It is one of the currencies.')]),
    ])
    const { account, key_id, secret } = await createAccount(
      (operation, command) => acting.run({ operation, command, act: null }),
      { ...asked, currencies },
      acting.operator.name,
    )
    return acting.show({ ...account, key_id, secret })
  },
  command: {
    words: ({ account_id, deposit_address, key_id, secret }) =>
      [
        `account          ${account_id}`,
        `deposit address  ${deposit_address}`,
        `key id           ${key_id}`,
        `secret           ${secret}   (shown once)`,
      ].join('\n'),
    options: {
      ...OF_OPTIONS,
      name: 'who the account belongs to',
      currencies: 'balance currencies, such as USD,EUR,HKD',
      primary_currency: 'primary holding currency',
      sandbox: 'an account for tests: its clock can be moved, and it funds itself',
      duplicate_window_s: `${OF_OPTIONS.duplicate_window_s} (default: ${DUPLICATE_WINDOW_S})`,
    },
    help: CREATE_HELP,
  },
})

const SET_HELP = `
A payout to the same beneficiary details with the same amount, currency and
reference as one made within the window is refused, unless the request says
"allow_duplicate": true.

Requests of an account that has written its daily quota are refused until 00:00
UTC; what makes or moves a payout of a live account, at twice the quota. A
cancellation is never refused.

Examples:
  corridor account set acc_7k2m9x4q --duplicate-window-s 3600
  corridor account set acc_7k2m9x4q --add-currencies GBP,JPY
  corridor account set acc_7k2m9x4q --us-state CA`

const set = writing({
  name: 'account set',
  method: 'PATCH',
  path: '/v3/operator/account/:id',
  operationId: 'changeAccount',
  summary: 'Change the name, currencies, duplicate guard, quota or US state of an account.',
  params: AccountPath,
  body: AccountSettings,
  response: Type.Object(
    { account_id: AccountId, before: Type.Object(SETTINGS), after: Type.Object(SETTINGS) },
    { title: 'ChangedSettings' },
  ),
  refusals: ['currency', 'holding_currency_not_found', 'account_closed'],
  asksPassword: true,
  async run(acting, { id: account_id, add_currencies = [], ...change }) {
    const { primary_currency } = change
    const isEmpty = Object.keys(change).length === 0 && add_currencies.length === 0
    refuseIfAny([
      ...(isEmpty ? [invalidField('', 'Say what to change.')] : []),
      ...currencyProblems('add_currencies', add_currencies),
      ...currencyProblems('primary_currency', primary_currency ? [primary_currency] : []),
    ])
    await accountNamed(acting.audit, account_id)
    const command = { account_id, add_currencies, ...change }
    return acting.write(
      { operation: changeSettings, command, act: null },
      {
        answer: changed => ({
          account_id,
          before: presentSettings(changed.before),
          after: presentSettings(changed.after),
        }),
      },
    )
  },
  command: {
    words({ account_id, before, after }) {
      const [was, is] = [settingWords(before), settingWords(after)]
      const lines = Object.entries(was).flatMap(([label, text]) =>
        text === is[label] ? [] : [`${account_id}  ${label} was ${text}, is ${is[label]}`],
      )
      return lines.join('\n') || `${account_id}  has these settings already`
    },
    options: {
      ...OF_OPTIONS,
      name: 'who the account belongs to',
      add_currencies: 'balances to add, such as GBP,JPY; none is taken away',
      primary_currency: 'primary holding currency',
    },
    help: SET_HELP,
  },
})

/** Makes the action by which an account becomes `to`. */
function becoming(
  to: AccountState,
  action: Pick<Parameters<typeof writing>[0], 'name' | 'operationId' | 'summary' | 'asksPassword'>,
  help: string,
) {
  const { name } = action
  return writing({
    ...action,
    path: `/v3/operator/account/:id/${name.replace('account ', '')}`,
    description: 'Only operators see the reason, in the audit log.',
    params: AccountPath,
    body: ReasonRequest,
    response: Type.Object(
      { account_id: AccountId, from: State, to: State, reason: Type.String() },
      { title: 'ChangedState' },
    ),
    refusals: ['invalid_transition'],
    actsAgain: true,
    async run(acting, { id: account_id, reason }) {
      await accountNamed(acting.audit, account_id)
      const command = { account_id, to, reason }
      const { from } = await acting.run({ operation: changeState, command, act: null })
      return acting.show({ account_id, from, to, reason })
    },
    command: {
      words: ({ account_id, from, reason }) => `${account_id}  was ${from}, is ${to}: ${reason}`,
      options: { reason: 'why; for operators alone, in the audit log' },
      help: `\n${help}\n\nExample:\n  corridor ${name} acc_7k2m9x4q --reason "Case 118"`,
    },
  })
}

const freeze = becoming(
  'frozen',
  {
    name: 'account freeze',
    operationId: 'freezeAccount',
    summary: 'Freeze an account: it can be read and can receive, but cannot pay.',
  },
  `Every process refuses what the account asks for once this returns, with 403
account_frozen, but reads and cancelling payouts. Payouts that are made already
go on; those held for a review wait. A closed account is reopened by this.`,
)

const unfreeze = becoming(
  'active',
  {
    name: 'account unfreeze',
    operationId: 'unfreezeAccount',
    summary: 'Let a frozen account pay again.',
    asksPassword: true,
  },
  'What waited for the account goes on.',
)

const close = becoming(
  'closed',
  {
    name: 'account close',
    operationId: 'closeAccount',
    summary: 'Close an account that is empty: it can only be read.',
  },
  `Refused while there is money in a balance or a payout that is not over. What
comes back later needs the account reopened: corridor account freeze.`,
)

export const accounts: ActionGroup = {
  actions: [list, create, show, set, freeze, unfreeze, close],
}

function currencyProblems(remarks: string, codes: readonly string[]): Problem[] {
  const unknown = codes.filter(code => findCurrency(code) === undefined)
  if (unknown.length === 0) return []
  return [{ reason: 'currency', message: 'There is no such currency.', remarks }]
}

function settingWords(settings: ReturnType<typeof presentSettings>): Record<string, string> {
  return {
    name: settings.name,
    currencies: settings.currencies.join(','),
    primary: settings.primary_currency,
    'duplicate window': windowWords(settings.duplicate_window_s),
    'daily rows': String(settings.daily_rows),
    'daily megabytes': String(settings.daily_mb),
    'US state': settings.us_state,
  }
}
