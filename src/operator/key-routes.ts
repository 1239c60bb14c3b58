// GET and POST /v3/operator/account/{id}/key, and POST /v3/operator/key/{id}/revoke.
import { pathId } from '../http/docs.ts'
import { checkNewKey, NewKeyRequest } from './account-request.ts'
import { DeskKey, MadeKeyResponse, RevokedKeyResponse } from './account-response.ts'
import { type DeskRoutes, listAnswer, WholeList } from './desk-routes.ts'
import { listKeysOf, makeKey, revokeKey } from './keys.ts'
import { AccountPath } from './request.ts'

export function deskKeyRoutes(routes: DeskRoutes): void {
  routes.list('/v3/operator/account/:id/key', {
    operationId: 'listKeys',
    summary: 'List the keys of an account, and when each was used last.',
    params: AccountPath,
    response: WholeList(DeskKey, {
      title: 'DeskKeyList',
      description: 'All keys of the account, revoked ones too.',
    }),
    answer: async ({ params }, { audit }) => listAnswer(await listKeysOf(audit, params.id)),
  })
  routes.change('/v3/operator/account/:id/key', {
    act: 'key create',
    actsAgain: true,
    config: { asksPassword: true, check: checkNewKey },
    operationId: 'createKey',
    summary: 'Create a key of an account.',
    description:
      'The secret is shown once and stored nowhere, so a repeat makes another key. If a ' +
      'call had no answer, revoke the key whose secret nobody has.',
    params: AccountPath,
    body: NewKeyRequest,
    response: MadeKeyResponse,
    change(sql, { params, body }) {
      const { scope, name = '', owner = null, makes_only = false } = body
      return makeKey(sql, params.id, { scope, name, owner, makes_only })
    },
  })
  routes.change('/v3/operator/key/:id/revoke', {
    act: 'key revoke',
    actsAgain: true,
    config: { asksPassword: true },
    operationId: 'revokeKey',
    summary: 'Revoke a key of an account.',
    params: pathId('key'),
    emptyBody: 'RevokeRequest',
    response: RevokedKeyResponse,
    change: async (sql, { params }) => ({
      key_id: params.id,
      ...(await revokeKey(sql, params.id)),
    }),
  })
}
