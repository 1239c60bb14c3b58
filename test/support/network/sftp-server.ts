// The test bank's SFTP server over a folder, which fails at the calls that a test names.
import {
  newHostKey,
  type SftpCall,
  type SftpFault,
  startSftp as startServer,
} from '../../../examples/bank/sftp.ts'

export type { SftpCall, SftpFault }

export interface SftpServer {
  readonly port: number
  readonly host_key: string
  /** Fails the next call of this kind, once. */
  failAt(call: SftpCall, fault: SftpFault): void
  /** The number of log-ins so far. */
  readonly logins: () => number
  close(): Promise<void>
}

export const SFTP_USER = 'corridor'
export const SFTP_PASSWORD = 'of the test'

export async function startSftp(folder: string): Promise<SftpServer> {
  const planned = new Map<SftpCall, SftpFault>()
  let logins = 0
  const server = await startServer({
    ...{ folder, user: SFTP_USER, password: SFTP_PASSWORD, port: 0, host_key: newHostKey() },
    fault(call) {
      const fault = planned.get(call)
      planned.delete(call)
      return fault
    },
    logged_in: () => {
      logins += 1
    },
  })
  return {
    port: server.port,
    host_key: server.fingerprint,
    failAt: (call, fault) => planned.set(call, fault),
    logins: () => logins,
    close: () => server.close(),
  }
}
