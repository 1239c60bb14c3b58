// Signs a request to AWS by Signature Version 4 (docs.aws.amazon.com, "Create a signed AWS API
// request"). Pure.
import { createHash, createHmac } from 'node:crypto'

export interface AwsKeys {
  readonly access_key: string
  readonly secret_key: string
  /** '' for keys that do not expire. */
  readonly session_token: string
}

export interface AwsRequest {
  readonly method: string
  readonly url: string
  /** Without `authorization`, and with `x-amz-date` as `20260131T093000Z`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Scope {
  readonly region: string
  readonly service: string
}

const ALGORITHM = 'AWS4-HMAC-SHA256'

/** The header `authorization`. It signs all headers of the request, and `host`. */
export function authorizationOf(
  request: AwsRequest,
  { access_key, secret_key }: AwsKeys,
  { region, service }: Scope,
): string {
  const url = new URL(request.url)
  const headers = Object.entries({ ...request.headers, host: url.host })
    .map(([name, value]) => [name.toLowerCase(), value.trim().replace(/ +/g, ' ')] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const names = headers.map(([name]) => name).join(';')
  const canonical = [
    request.method,
    url.pathname,
    canonicalQuery(url),
    ...headers.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sha256(request.body),
  ].join('\n')
  const time = headers.find(([name]) => name === 'x-amz-date')?.[1] ?? ''
  const scope = [time.slice(0, 8), region, service, 'aws4_request']
  const text = [ALGORITHM, time, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>((key, part) => hmac(key, part), `AWS4${secret_key}`)
  const signature = hmac(key, text).toString('hex')
  const credential = `${access_key}/${scope.join('/')}`
  return `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`
}

function canonicalQuery(url: URL): string {
  const strict = (text: string) =>
    encodeURIComponent(text).replace(
      /[!'()*]/g,
      c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
    )
  return [...url.searchParams]
    .map(([name, value]) => `${strict(name)}=${strict(value)}`)
    .toSorted()
    .join('&')
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
