// GET and POST /v3/operator/account; GET and PATCH /v3/operator/account/{id}, and POST …/freeze,
// /unfreeze and /close.
import type { FastifyInstance } from 'fastify'
import { DUPLICATE_WINDOW_S } from '../account/rules.ts'
import type { AccountState } from '../account/states.ts'
import { invalidParameter, refuseIfAny } from '../errors.ts'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs } from '../http/docs.ts'
import { ListOf } from '../http/list.ts'
import { Envelope } from '../http/schema.ts'
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
import { accountNamed, findAccounts, presentAccount, showAccount } from './accounts.ts'
import { createAccount } from './create-account.ts'
import { authorOf, callOf, type OfDesk } from './desk.ts'
import {
  AccountPath,
  checkLimit,
  checkWords,
  type Named,
  type Query,
  ReasonRequest,
  readLimit,
} from './request.ts'

export function deskAccountRoutes(app: FastifyInstance, deps: OfDesk): void {
  listRoute(app, deps)
  createRoute(app, deps)
  getRoute(app, deps)
  settingsRoute(app, deps)
  stateRoute(app, deps, 'freeze', 'frozen', 'Let an account read and receive, and nothing else.')
  stateRoute(app, deps, 'unfreeze', 'active', 'Let a frozen account pay again.')
  stateRoute(app, deps, 'close', 'closed', 'Close an account that is empty; it is only read.')
}

function listRoute(app: FastifyInstance, deps: OfDesk): void {
  app.get<{ Querystring: Query }>(
    '/v3/operator/account',
    {
      config: { scope: 'installation_read', checkQuery: checkLimit },
      schema: operationDocs({
        operationId: 'listAccounts',
        summary: 'List accounts with their states and balances, oldest first.',
        querystring: AccountsQuery,
        response: Envelope(ListOf(DeskAccount)),
        refusals: ['invalid_query_parameter'],
      }),
    },
    async (request, reply) => {
      const { starting_after } = request.query
      const limit = readLimit(request.query)
      const accounts = await findAccounts(deps.desk.audit, null)
      const first = accounts.findIndex(({ account_id }) => account_id === starting_after) + 1
      const isKnown = starting_after === undefined || first > 0
      refuseIfAny(isKnown ? [] : [invalidParameter('starting_after', 'It names no account.')])
      const results = accounts.slice(first, first + limit).map(presentAccount)
      const has_more = accounts.length > first + limit
      return sendList(request, reply, success({ object: 'list', has_more, results }))
    },
  )
}

function createRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<{ Body: NewAccountRequest }>(
    '/v3/operator/account',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkNewAccount },
      schema: operationDocs({
        operationId: 'createAccount',
        summary: 'Open an account, with its first key.',
        description:
          'The secret is shown once and kept nowhere, so a repeat opens another account: look at ' +
          'the list before you repeat a call without an answer.',
        body: NewAccountRequest,
        response: Envelope(OpenedAccountResponse),
        refusals: ['currency'],
      }),
    },
    async (request, reply) => {
      const { sandbox = false, duplicate_window_s = DUPLICATE_WINDOW_S, ...wanted } = request.body
      const author = authorOf(request, 'account create')
      const { account, key_id, secret } = await createAccount(
        {
          write: (operation, command) => deps.desk.run(author, { operation, command, act: null }),
          fund: () => Promise.reject(new Error('an account is opened without money')),
        },
        {
          ...wanted,
          currencies: [...new Set(wanted.currencies)],
          sandbox,
          duplicate_window_s,
          fund: [],
        },
      )
      return send(reply, success({ ...account, key_id, secret }))
    },
  )
}

function getRoute(app: FastifyInstance, deps: OfDesk): void {
  app.get<Named>(
    '/v3/operator/account/:id',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'getDeskAccount',
        summary: 'Show an account: its state, balances and settings.',
        params: AccountPath,
        response: Envelope(DeskAccount),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const account = await showAccount(deps.desk.audit, request.params.id)
      return send(reply, success(presentAccount(account)))
    },
  )
}

function settingsRoute(app: FastifyInstance, deps: OfDesk): void {
  app.patch<Named & { Body: AccountSettings }>(
    '/v3/operator/account/:id',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkSettings },
      schema: operationDocs({
        operationId: 'changeAccount',
        summary: 'Change name, currencies, primary currency or guard of an account.',
        params: AccountPath,
        body: AccountSettings,
        response: Envelope(ChangedSettingsResponse),
        idempotent: true,
        refusals: ['not_found', 'currency', 'holding_currency_not_found', 'account_closed'],
      }),
    },
    async (request, reply) => {
      const { id: account_id } = request.params
      const { add_currencies = [], ...change } = request.body
      const call = callOf(request, 'account set')
      await accountNamed(deps.desk.audit, account_id)
      const command = { account_id, add_currencies, ...change }
      const answer = await deps.desk.answer(
        call,
        { operation: changeSettings, command, act: null },
        ({ before, after }) => ({
          account_id,
          before: settingsOf(before),
          after: settingsOf(after),
        }),
      )
      return send(reply, answer)
    },
  )
}

function settingsOf(
  settings: Omit<NewAccountRequest, 'currencies' | 'sandbox'> & {
    readonly currencies: readonly string[]
  },
) {
  const { name, currencies, primary_currency, duplicate_window_s } = settings
  return { name, currencies, primary_currency, duplicate_window_s }
}

function stateRoute(
  app: FastifyInstance,
  deps: OfDesk,
  name: 'freeze' | 'unfreeze' | 'close',
  to: AccountState,
  summary: string,
): void {
  app.post<Named & { Body: ReasonRequest }>(
    `/v3/operator/account/:id/${name}`,
    {
      config: {
        scope: 'installation_write',
        asksPassword: name === 'unfreeze',
        check: checkWords,
      },
      schema: operationDocs({
        operationId: `${name}Account`,
        summary,
        description: 'The reason is kept in the history of the account, for operators alone.',
        params: AccountPath,
        body: ReasonRequest,
        response: Envelope(ChangedStateResponse),
        refusals: ['not_found', 'invalid_transition'],
      }),
    },
    async (request, reply) => {
      const change = { account_id: request.params.id, to, reason: request.body.reason }
      const changed = await deps.desk.run(authorOf(request, `account ${name}`), {
        operation: changeState,
        command: change,
        act: null,
      })
      const { account_id, from, reason } = changed
      return send(reply, success({ account_id, from, to, reason }))
    },
  )
}
