// The test bank and a rail to it, by SFTP or by folders alone. Rail and bank exchange files in
// rounds until neither has a file left to send.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestBank } from '../../../examples/bank/bank.ts'
import type { Fault } from '../../../examples/bank/faults.ts'
import type { SftpServer } from '../../../examples/bank/sftp.ts'
import { type Started, startBank } from '../../../examples/bank/start.ts'
import { type FolderConfig, openFolder } from '../../../src/adapters/bank-file/folder.ts'
import { openSftp, type SftpConfig } from '../../../src/adapters/bank-file/sftp.ts'
import { iso20022 } from '../../../src/adapters/iso20022/format.ts'
import type { TestService } from '../service/service.ts'
import { type FileRailWorld, openFileWorld } from './file-rail.ts'

export interface SftpBank extends FileRailWorld {
  /** The bank that runs now. */
  bank(): TestBank
  /** Lets the rail and the bank work in turn until nothing is left to do. */
  settleAll(): Promise<void>
  /** Stops the bank and starts it again with these faults, on the same port. */
  restart(...faults: Fault[]): Promise<void>
  /** The names of files that the bank has not taken yet. */
  waiting(): Promise<string[]>
}

export interface SftpBankOptions {
  readonly name: string
  readonly iban: string
  readonly faults: readonly Fault[]
  /** Each exchange by SFTP opens a new connection, with its key exchange. */
  readonly by: 'sftp' | 'folder'
}

const LOGIN = { user: 'corridor', password: 'of the test bank' }

/** Far more rounds than any payment needs. */
const MOST_ROUNDS = 40

export async function openSftpBank(
  service: TestService,
  { name, iban, faults, by }: SftpBankOptions,
): Promise<SftpBank> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-sftp-bank-'))
  const start = (port: number, some: readonly Fault[]): Promise<Started> =>
    startBank({
      ...{ folder, faults: new Set(some) },
      ...(by === 'sftp' && { sftp: { ...LOGIN, port } }),
    })
  let started = await start(0, faults)
  const port = started.sftp?.port ?? 0
  const transport = started.sftp === undefined ? inFolder(folder) : behind(started.sftp)
  for (const box of Object.values(BOXES)) await mkdir(join(folder, box), { recursive: true })
  const world = await openFileWorld(service, {
    ...{
      name,
      iban,
      format: iso20022,
      config: { transport },
      profile: { name: 'test', like: 'generic' },
    },
    openTransport: () =>
      transport.kind === 'sftp'
        ? openSftp(transport, { password: LOGIN.password })
        : openFolder(transport),
  })
  const boxed = (box: string) => readdir(join(folder, box))
  return {
    ...world,
    bank: () => started.bank,
    waiting: () => boxed('to-bank'),
    async settleAll() {
      for (let round = 0; round < MOST_ROUNDS; round++) {
        await world.round()
        await world.settle()
        if (!started.bank.busy && (await boxed('from-bank')).length === 0) return
        // The rail has nothing to do until the bank has sent a file.
        do await started.bank.work()
        while (started.bank.busy && (await boxed('from-bank')).length === 0)
      }
      assert.fail(`after ${MOST_ROUNDS} rounds something is left to do: ${await world.problem()}`)
    },
    async restart(...some) {
      await started.close()
      started = await start(port, some)
    },
    async close() {
      await world.close()
      await started.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const BOXES = { outbox: 'to-bank', inbox: 'from-bank', archive: 'archive' }

const behind = ({ port, fingerprint: host_key }: SftpServer): SftpConfig => ({
  ...{ kind: 'sftp', host: '127.0.0.1', port, user: LOGIN.user, host_key },
  ...BOXES,
})

const inFolder = (folder: string): FolderConfig => ({
  kind: 'folder',
  outbox: join(folder, BOXES.outbox),
  inbox: join(folder, BOXES.inbox),
  archive: join(folder, BOXES.archive),
})
