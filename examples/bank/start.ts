// Starts the test bank with its SFTP server, and lets it work at an interval.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BankOptions, TestBank } from './bank.ts'
import { newHostKey, type SftpCall, type SftpFault, type SftpServer, startSftp } from './sftp.ts'

export interface StartOptions extends BankOptions {
  /** Undefined: the folder is all there is. */
  readonly sftp?: { readonly port: number; readonly user: string; readonly password: string }
}

export interface Started {
  readonly bank: TestBank
  readonly sftp: SftpServer | undefined
  close(): Promise<void>
}

export async function startBank(options: StartOptions): Promise<Started> {
  const { folder, faults = new Set(), sftp } = options
  mkdirSync(folder, { recursive: true })
  const bank = new TestBank(options)
  let renames = 0
  let opens = 0
  const fault = (call: SftpCall): SftpFault | undefined => {
    if (call === 'RENAME') renames += 1
    if (call === 'OPEN') opens += 1
    if (call === 'RENAME' && renames === 1 && faults.has('lose-rename')) return 'cut after'
    if (call === 'WRITE' && opens % 2 === 1 && faults.has('disk-full')) return 'fail'
    return undefined
  }
  const server =
    sftp === undefined
      ? undefined
      : await startSftp({
          ...sftp,
          folder,
          host_key: faults.has('other-host-key') ? newHostKey() : hostKeyOf(folder),
          fault,
          renamed: async () => {
            if (faults.has('sweep-at-once')) await bank.work()
          },
        })
  return {
    bank,
    sftp: server,
    async close() {
      await server?.close()
      bank.close()
    },
  }
}

/** The same key as long as the folder is there. */
function hostKeyOf(folder: string): string {
  const path = join(folder, 'host-key')
  if (!existsSync(path)) writeFileSync(path, newHostKey(), { mode: 0o600 })
  return readFileSync(path, 'utf8')
}
