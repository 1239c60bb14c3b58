// The provider of log-ins, by OpenID Connect: the authorization code flow with PKCE, state and
// nonce, as openid-client speaks it. Loads the library only with a provider.
import type { Configuration } from 'openid-client'
import type { Provided } from '../../config/config.ts'
import { refusal } from '../../values/errors.ts'

const load = () => import('openid-client')

/** What the browser keeps between leaving for the provider and coming back. */
export interface Flow {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly next: string
}

/** What the provider says about a person, in a token that it has signed. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  /** What to call the person; '' for nothing. */
  readonly called: string
  readonly full_name: string
  /** '' unless the provider has verified it. */
  readonly email: string
  readonly groups: readonly string[]
  /** When the person last proved who they are, in seconds since 1970; null if it is not said. */
  readonly auth_time: number | null
  /** Whether that was by several factors (RFC 8176). */
  readonly has_factor: boolean
}

const TIMEOUT_S = 10
const MAX_GROUPS = 10_000
/** In seconds since 1970, in the year 2100. */
const MAX_TIME = 4_102_444_800

export class Provider {
  readonly #settings: Provided
  #found: Promise<Configuration> | undefined

  constructor(settings: Provided) {
    this.#settings = settings
  }

  /** Where the person goes, and what the browser keeps. `again`: the person proves it anew. */
  async start(redirect_uri: string, next: string, again: boolean) {
    const oidc = await load()
    const config = await this.#find()
    const verifier = oidc.randomPKCECodeVerifier()
    const flow: Flow = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier, next }
    const url = oidc.buildAuthorizationUrl(config, {
      redirect_uri,
      scope: 'openid profile email',
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
      ...(again && { prompt: 'login', max_age: '0' }),
    })
    return { url: url.href, flow }
  }

  /** The claims behind the address to which the provider sent the person back. */
  async finish(current: URL, { state, nonce, verifier }: Flow): Promise<Claims> {
    const oidc = await load()
    const config = await this.#find()
    const tokens = await oidc.authorizationCodeGrant(config, current, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    return this.#read(tokens.claims() ?? {})
  }

  /** Where the person also logs out of the provider; undefined if it has no such page. */
  async logOutUrl(post_logout_redirect_uri: string): Promise<string | undefined> {
    const oidc = await load()
    const config = await this.#find()
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined
    return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri }).href
  }

  /** Asks the provider once where its pages and keys are; after a failure the next call asks. */
  #find(): Promise<Configuration> {
    this.#found ??= this.#discover().catch(error => {
      this.#found = undefined
      const refused = refusal('service_unavailable', 'The provider of log-ins does not answer.')
      refused.cause = error
      throw refused
    })
    return this.#found
  }

  async #discover(): Promise<Configuration> {
    const oidc = await load()
    const { issuer, client_id, secret } = this.#settings
    const server = new URL(issuer)
    // readConfig takes plain http from this machine alone.
    const insecure = server.protocol === 'http:' ? [oidc.allowInsecureRequests] : []
    return oidc.discovery(server, client_id, secret, undefined, {
      execute: [oidc.enableNonRepudiationChecks, ...insecure],
      timeout: TIMEOUT_S,
    })
  }

  #read(claims: Readonly<Record<string, unknown>>): Claims {
    const text = (name: string) => {
      const value = claims[name]
      return typeof value === 'string' ? value : ''
    }
    const list = (name: string) => {
      const value = claims[name]
      const all: unknown[] = Array.isArray(value) ? value : [value]
      return all.slice(0, MAX_GROUPS).filter(one => typeof one === 'string')
    }
    const { auth_time } = claims
    return {
      issuer: text('iss'),
      subject: text('sub'),
      called: text('preferred_username') || text('email'),
      full_name: text('name'),
      email: claims.email_verified === true ? text('email') : '',
      groups: list(this.#settings.groups_claim),
      auth_time: typeof auth_time === 'number' && auth_time < MAX_TIME ? auth_time : null,
      has_factor: list('amr').includes('mfa'),
    }
  }
}
