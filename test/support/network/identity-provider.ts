// A provider of log-ins by OpenID Connect: discovery, keys, a page that logs in whoever `person` is,
// and tokens signed with RS256 for a code with its verifier, once. Faults are what an attacker sends.
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOn } from './port.ts'

export const CLIENT = { id: 'corridor', secret: 'a secret of the provider & more' }

/** What is wrong with the next token. */
export type Fault = 'nonce' | 'signature' | 'unsigned' | 'audience' | 'issuer' | 'expired' | ''

export interface IdentityProvider {
  readonly issuer: string
  /** Claims of the next token, besides those of the protocol. */
  person: Readonly<Record<string, unknown>>
  fault: Fault
  /** Follows the redirect to the provider; returns the path and query that it leads back to. */
  visit(url: string): Promise<string>
  /** The query of the last visit. */
  asked: URLSearchParams
  close(): Promise<void>
}

interface Grant {
  readonly challenge: string
  readonly redirect_uri: string
  readonly nonce: string
}

export async function startIdentityProvider(): Promise<IdentityProvider> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const grants = new Map<string, Grant>()
  const text = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const tokenOf = ({ nonce }: Grant): string => {
    const { fault } = provider
    const now = Math.trunc(Date.now() / 1000)
    const claims = {
      iss: fault === 'issuer' ? 'https://evil.example' : provider.issuer,
      aud: fault === 'audience' ? 'another' : CLIENT.id,
      iat: now - (fault === 'expired' ? 7_200 : 0),
      exp: now + (fault === 'expired' ? -3_600 : 300),
      nonce: fault === 'nonce' ? 'of another log-in' : nonce,
      ...provider.person,
    }
    const alg = fault === 'unsigned' ? 'none' : 'RS256'
    const signed = `${text({ alg, kid: 'k', typ: 'JWT' })}.${text(claims)}`
    if (fault === 'unsigned') return `${signed}.`
    const key = fault === 'signature' ? other : privateKey
    return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), key).toString('base64url')}`
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(error => response.writeHead(500).end(String(error)))
  })
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', provider.issuer)
    const json = (body: object, status = 200) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' })
        .end(JSON.stringify(body))
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        json(metadataOf(provider.issuer))
        return
      case '/keys':
        json({
          keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'RS256', use: 'sig' }],
        })
        return
      case '/authorize': {
        provider.asked = url.searchParams
        const asked = (name: string) => url.searchParams.get(name) ?? ''
        assert.equal(asked('client_id'), CLIENT.id)
        assert.equal(asked('code_challenge_method'), 'S256')
        const code = randomUUID()
        const grant = { challenge: asked('code_challenge'), nonce: asked('nonce') }
        grants.set(code, { ...grant, redirect_uri: asked('redirect_uri') })
        const back = new URL(asked('redirect_uri'))
        back.search = String(new URLSearchParams({ code, state: asked('state') }))
        response.writeHead(303, { location: back.href }).end()
        return
      }
      case '/token': {
        const form = new URLSearchParams(await bodyOf(request))
        const grant = grants.get(form.get('code') ?? '')
        grants.delete(form.get('code') ?? '')
        const verifier = form.get('code_verifier') ?? ''
        const challenge = createHash('sha256').update(verifier).digest('base64url')
        const isRight =
          form.get('client_id') === CLIENT.id &&
          form.get('client_secret') === CLIENT.secret &&
          form.get('redirect_uri') === grant?.redirect_uri &&
          challenge === grant?.challenge
        if (grant === undefined || !isRight) json({ error: 'invalid_grant' }, 400)
        else json({ access_token: randomUUID(), token_type: 'Bearer', id_token: tokenOf(grant) })
        return
      }
      default:
        response.writeHead(404).end()
    }
  }
  const port = await listenOn(server)
  const provider: IdentityProvider = {
    issuer: `http://127.0.0.1:${port}`,
    person: {},
    fault: '',
    asked: new URLSearchParams(),
    async visit(url) {
      const there = await fetch(url, { redirect: 'manual' })
      assert.equal(there.status, 303, await there.text())
      const { pathname, search } = new URL(there.headers.get('location') ?? '')
      return pathname + search
    },
    async close() {
      server.closeAllConnections()
      await new Promise(done => server.close(done))
    },
  }
  return provider
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    end_session_endpoint: `${issuer}/out`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}
