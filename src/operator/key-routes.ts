// GET and POST /v3/operator/account/{id}/key, and POST /v3/operator/key/{id}/revoke.
import type { FastifyInstance } from 'fastify'
import { send, sendList, success } from '../http/answer.ts'
import { operationDocs, pathId } from '../http/docs.ts'
import { Closed, Envelope } from '../http/schema.ts'
import { Type } from '../http/type.ts'
import { checkNewKey, NewKeyRequest } from './account-request.ts'
import { DeskKey, MadeKeyResponse, RevokedKeyResponse } from './account-response.ts'
import { authorOf, type OfDesk } from './desk.ts'
import { listKeysOf, makeKey, revokeKey } from './keys.ts'
import { AccountPath, type Named } from './request.ts'

const KeyList = Type.Object(
  { object: Type.Literal('list'), has_more: Type.Literal(false), results: Type.Array(DeskKey) },
  { title: 'DeskKeyList', description: 'All keys of the account, revoked ones too.' },
)

export function deskKeyRoutes(app: FastifyInstance, deps: OfDesk): void {
  app.get<Named>(
    '/v3/operator/account/:id/key',
    {
      config: { scope: 'installation_read' },
      schema: operationDocs({
        operationId: 'listKeys',
        summary: 'List the keys of an account, and when each was used last.',
        params: AccountPath,
        response: Envelope(KeyList),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const results = await listKeysOf(deps.desk.audit, request.params.id)
      return sendList(request, reply, success({ object: 'list', has_more: false, results }))
    },
  )
  createRoute(app, deps)
  revokeRoute(app, deps)
}

function createRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named & { Body: NewKeyRequest }>(
    '/v3/operator/account/:id/key',
    {
      config: { scope: 'installation_write', asksPassword: true, check: checkNewKey },
      schema: operationDocs({
        operationId: 'createKey',
        summary: 'Make a key of an account.',
        description:
          'The secret is shown once and kept nowhere, so a repeat makes another key: revoke the ' +
          'one whose secret nobody has.',
        params: AccountPath,
        body: NewKeyRequest,
        response: Envelope(MadeKeyResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { scope, name = '', owner = null, makes_only = false } = request.body
      const made = await deps.desk.change(authorOf(request, 'key create'), sql =>
        makeKey(sql, request.params.id, { scope, name, owner, makes_only }),
      )
      return send(reply, success(made))
    },
  )
}

function revokeRoute(app: FastifyInstance, deps: OfDesk): void {
  app.post<Named>(
    '/v3/operator/key/:id/revoke',
    {
      config: { scope: 'installation_write', asksPassword: true, optionalBody: true },
      schema: operationDocs({
        operationId: 'revokeKey',
        summary: 'Revoke a key of an account.',
        params: pathId('key'),
        body: Closed({}, { title: 'RevokeRequest', type: ['object', 'null'] }),
        response: Envelope(RevokedKeyResponse),
        refusals: ['not_found'],
      }),
    },
    async (request, reply) => {
      const { id: key_id } = request.params
      const key = await deps.desk.change(authorOf(request, 'key revoke'), sql =>
        revokeKey(sql, key_id),
      )
      return send(reply, success({ key_id, ...key }))
    },
  )
}
