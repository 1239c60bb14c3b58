// GET and POST /v3/operator/account; GET and PATCH /v3/operator/account/{id}, and POST …/freeze,
// /unfreeze and /close.
import type { AccountState } from '../account/states.ts'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { success } from '../http/answer.ts'
import { changeSettings, changeState } from './account-operations.ts'
import {
  AccountSettings,
  AccountsQuery,
  checkNewAccount,
  checkSettings,
  NewAccountRequest,
} from './account-request.ts'
import {
  ChangedSettingsResponse,
  ChangedStateResponse,
  DeskAccount,
  OpenedAccountResponse,
} from './account-response.ts'
import {
  accountNamed,
  findAccounts,
  presentAccount,
  presentSettings,
  showAccount,
} from './accounts.ts'
import { createAccount } from './create-account.ts'
import { authorOf, callOf } from './desk.ts'
import type { DeskRoutes } from './desk-routes.ts'
import { AccountPath, checkWords, ReasonRequest } from './request.ts'

export function deskAccountRoutes(routes: DeskRoutes): void {
  routes.page('/v3/operator/account', {
    operationId: 'listAccounts',
    summary: 'List accounts with their states and balances, oldest first.',
    querystring: AccountsQuery,
    item: DeskAccount,
    async find({ starting_after }, { audit }, limit) {
      const accounts = await findAccounts(audit, null)
      const first = accounts.findIndex(({ account_id }) => account_id === starting_after) + 1
      const isKnown = starting_after === undefined || first > 0
      refuseIfAny(isKnown ? [] : [invalidParameter('starting_after', 'It names no account.')])
      return accounts.slice(first, first + limit + 1)
    },
    present: presentAccount,
  })
  createRoute(routes)
  routes.read('/v3/operator/account/:id', {
    operationId: 'getDeskAccount',
    summary: 'Show an account: its state, balances and settings.',
    params: AccountPath,
    response: DeskAccount,
    answer: async ({ params }, { audit }) => presentAccount(await showAccount(audit, params.id)),
  })
  settingsRoute(routes)
  stateRoute(
    routes,
    'freeze',
    'frozen',
    'Freeze an account: it can be read and can receive, but cannot pay.',
  )
  stateRoute(routes, 'unfreeze', 'active', 'Let a frozen account pay again.')
  stateRoute(routes, 'close', 'closed', 'Close an account that is empty: it can only be read.')
}

function createRoute(routes: DeskRoutes): void {
  routes.write('/v3/operator/account', {
    config: { asksPassword: true, check: checkNewAccount },
    operationId: 'createAccount',
    summary: 'Open an account, with its first key.',
    description:
      'The secret is shown once and stored nowhere, so a repeat opens another account. If a ' +
      'call had no answer, look at the list of accounts before you repeat it.',
    body: NewAccountRequest,
    response: OpenedAccountResponse,
    refusals: ['currency'],
    async answer(request, desk) {
      const author = authorOf(request, 'account create')
      const currencies = [...new Set(request.body.currencies)]
      const { account, key_id, secret } = await createAccount(
        (operation, command) => desk.run(author, { operation, command, act: null }),
        { ...request.body, currencies },
        author.operator,
      )
      return success({ ...account, key_id, secret })
    },
  })
}

function settingsRoute(routes: DeskRoutes): void {
  routes.write('/v3/operator/account/:id', {
    method: 'PATCH',
    config: { asksPassword: true, check: checkSettings },
    operationId: 'changeAccount',
    summary: 'Change the name, currencies, primary currency or duplicate guard of an account.',
    params: AccountPath,
    body: AccountSettings,
    response: ChangedSettingsResponse,
    idempotent: true,
    refusals: ['currency', 'holding_currency_not_found', 'account_closed'],
    async answer(request, desk) {
      const { id: account_id } = request.params
      const { add_currencies = [], ...change } = request.body
      const call = callOf(request, 'account set')
      await accountNamed(desk.audit, account_id)
      const command = { account_id, add_currencies, ...change }
      const deed = { operation: changeSettings, command, act: null }
      return desk.answer(call, deed, ({ before, after }) => ({
        account_id,
        before: presentSettings(before),
        after: presentSettings(after),
      }))
    },
  })
}

function stateRoute(
  routes: DeskRoutes,
  name: 'freeze' | 'unfreeze' | 'close',
  to: AccountState,
  summary: string,
): void {
  routes.write(`/v3/operator/account/:id/${name}`, {
    config: { asksPassword: name === 'unfreeze', check: checkWords },
    operationId: `${name}Account`,
    summary,
    description: 'Only operators see the reason, in the history of the account.',
    params: AccountPath,
    body: ReasonRequest,
    response: ChangedStateResponse,
    refusals: ['invalid_transition'],
    async answer(request, desk) {
      const { account_id, from, reason } = await desk.run(authorOf(request, `account ${name}`), {
        operation: changeState,
        command: { account_id: request.params.id, to, reason: request.body.reason },
        act: null,
      })
      return success({ account_id, from, to, reason })
    },
  })
}
