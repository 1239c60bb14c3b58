// Checks whether the service can listen at HOST and PORT, and explains why it cannot.
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Config } from '../config/config.ts'
import { CommandFailed } from './failure.ts'

type Address = Pick<Config, 'host' | 'port'>

/** @throws CommandFailed when HOST and PORT cannot be bound */
export async function tryToListen(config: Address): Promise<void> {
  const { host, port } = config
  if (port === 0) return
  const server = createServer(socket => socket.destroy())
  try {
    await once(server.listen({ host, port }), 'listening')
  } catch (error) {
    throw explainListening(config, error)
  }
  await new Promise(resolve => server.close(resolve))
}

/** Returns any other error as it is. */
export function explainListening({ host, port }: Address, error: unknown): unknown {
  const { code, syscall, hostname } = error as Partial<Record<string, string>>
  const is_lookup = syscall === 'getaddrinfo' && hostname === host
  if (syscall !== 'listen' && !is_lookup) return error
  if (code !== 'EADDRINUSE') {
    return new CommandFailed(`cannot listen on HOST ${host}, PORT ${port}: ${code}`)
  }
  return new CommandFailed(`port ${port} on ${host} is taken; stop what uses it or set PORT`)
}
