// The SFTP server of the test bank, over a folder, failing at the calls that a test names.
import {
  newHostKey,
  type SftpCall,
  type SftpFault,
  startSftp as startServer,
} from '../../../examples/bank/sftp.ts'

export type { SftpCall }

/** `full`: as a disk that is full, which SFTP has no code for. */
export type Fault = SftpFault | 'full'

export interface SftpServer {
  readonly port: number
  readonly host_key: string
  /** At the n-th call of this kind from now, once. */
  failAt(call: SftpCall, fault: Fault, nth?: number): void
  /** Log-ins so far. */
  readonly logins: () => number
  close(): Promise<void>
}

export const SFTP_USER = 'corridor'
export const SFTP_PASSWORD = 'of the test'

export async function startSftp(folder: string): Promise<SftpServer> {
  const planned = new Map<SftpCall, { fault: SftpFault; left: number }>()
  let logins = 0
  const server = await startServer({
    ...{ folder, user: SFTP_USER, password: SFTP_PASSWORD, port: 0, host_key: newHostKey() },
    fault(call) {
      const plan = planned.get(call)
      if (plan === undefined) return undefined
      plan.left -= 1
      if (plan.left > 0) return undefined
      planned.delete(call)
      return plan.fault
    },
    logged_in: () => {
      logins += 1
    },
  })
  return {
    port: server.port,
    host_key: server.fingerprint,
    failAt: (call, fault, nth = 1) =>
      planned.set(call, { fault: fault === 'full' ? 'fail' : fault, left: nth }),
    logins: () => logins,
    close: () => server.close(),
  }
}
