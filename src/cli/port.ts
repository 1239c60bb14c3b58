// Checks whether the service can listen at its addresses, explains why it cannot, and says where it
// is reached.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { CommandFailed } from './failure.ts'

type Addresses = Pick<Config, 'host' | 'port' | 'ops_host' | 'ops_port'>

/** The addresses of the service, and the variables that set them. */
function addressesOf({ host, port, ops_host, ops_port }: Addresses) {
  const main = { host, port, names: ['HOST', 'PORT'] as const }
  if (ops_port === undefined) return [main]
  const names = ['CORRIDOR_OPS_HOST', 'CORRIDOR_OPS_PORT'] as const
  return [main, { host: ops_host, port: ops_port, names }]
}

/** @throws CommandFailed when an address of the service cannot be bound */
export async function tryToListen(config: Addresses): Promise<void> {
  for (const { host, port } of addressesOf(config)) {
    if (port === 0) continue
    const server = createServer(socket => socket.destroy())
    try {
      await once(server.listen({ host, port }), 'listening')
    } catch (error) {
      throw explainListening(config, error)
    }
    await new Promise(resolve => server.close(resolve))
  }
}

/** Returns any other error as it is. */
export function explainListening(config: Addresses, error: unknown): unknown {
  const { code, syscall, hostname, port: failed } = error as Failure
  const all = addressesOf(config)
  const one =
    syscall === 'getaddrinfo'
      ? all.find(({ host }) => host === hostname)
      : (all.find(({ port }) => port === failed) ?? all[0])
  if (one === undefined || (syscall !== 'listen' && syscall !== 'getaddrinfo')) return error
  const { host, port, names } = one
  if (code !== 'EADDRINUSE') {
    return new CommandFailed(`cannot listen on ${names[0]} ${host}, ${names[1]} ${port}: ${code}`)
  }
  return new CommandFailed(`port ${port} on ${host} is taken; stop what uses it or set ${names[1]}`)
}

interface Failure {
  readonly code?: string
  readonly syscall?: string
  readonly hostname?: string
  readonly port?: number
}

/** The URL by which people reach the service: CORRIDOR_PUBLIC_URL, or where it listens. */
export function addressFor({
  public_url,
  host,
  port,
}: Pick<Config, 'public_url' | 'host' | 'port'>) {
  return public_url || urlOf(host, port)
}

/** The URL of an address on this machine; localhost for one that stands for every address. */
export function urlOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
