// GET and POST /v3/operator/account/{id}/key, and POST /v3/operator/key/{id}/revoke.
import { pathId } from '../http/docs.ts'
import { checkNewKey, NewKeyRequest } from './account-request.ts'
import { DeskKey, MadeKeyResponse, RevokedKeyResponse } from './account-response.ts'
import { callAnew } from './desk.ts'
import { type DeskRoutes, listed, WholeList } from './desk-routes.ts'
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
    refusals: ['not_found'],
    answer: async ({ params }, { audit }) => listed(await listKeysOf(audit, params.id)),
  })
  routes.write('/v3/operator/account/:id/key', {
    config: { asksPassword: true, check: checkNewKey },
    operationId: 'createKey',
    summary: 'Make a key of an account.',
    description:
      'The secret is shown once and kept nowhere, so a repeat makes another key: revoke the ' +
      'one whose secret nobody has.',
    params: AccountPath,
    body: NewKeyRequest,
    response: MadeKeyResponse,
    refusals: ['not_found'],
    answer(request, desk) {
      const { scope, name = '', owner = null, makes_only = false } = request.body
      return desk.changeOnce(callAnew(request, 'key create'), sql =>
        makeKey(sql, request.params.id, { scope, name, owner, makes_only }),
      )
    },
  })
  routes.write('/v3/operator/key/:id/revoke', {
    config: { asksPassword: true },
    operationId: 'revokeKey',
    summary: 'Revoke a key of an account.',
    params: pathId('key'),
    nothing: 'RevokeRequest',
    response: RevokedKeyResponse,
    refusals: ['not_found'],
    answer(request, desk) {
      const { id: key_id } = request.params
      return desk.changeOnce(callAnew(request, 'key revoke'), async sql => ({
        key_id,
        ...(await revokeKey(sql, key_id)),
      }))
    },
  })
}
