// The test bank behind its SFTP server, and a rail to it: payouts go there and back as with a real
// bank, in rounds, until neither has anything left to say.
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestBank } from '../../../examples/bank/bank.ts'
import type { Fault } from '../../../examples/bank/faults.ts'
import { type Started, startBank } from '../../../examples/bank/start.ts'
import { openSftp, type SftpConfig } from '../../../src/bank-file/sftp.ts'
import { iso20022 } from '../../../src/iso20022/format.ts'
import type { TestService } from '../service/service.ts'
import { type FileRailWorld, openFileWorld } from './file-rail.ts'

export interface SftpBank extends FileRailWorld {
  /** The one that runs now. */
  bank(): TestBank
  /** Both work, in turn, until nothing is left to do. */
  settleAll(): Promise<void>
  /** The bank stops, and comes back with these faults, behind the same port. */
  restart(...faults: Fault[]): Promise<void>
  /** The names of files that the bank has not taken yet. */
  waiting(): Promise<string[]>
}

export interface SftpBankOptions {
  readonly name: string
  readonly iban: string
  readonly faults: readonly Fault[]
}

const LOGIN = { user: 'corridor', password: 'of the test bank' }

/** Far more rounds than any course of payments takes. */
const MOST_ROUNDS = 40

export async function openSftpBank(
  service: TestService,
  { name, iban, faults }: SftpBankOptions,
): Promise<SftpBank> {
  const folder = await mkdtemp(join(tmpdir(), 'corridor-sftp-bank-'))
  const start = (port: number, some: readonly Fault[]): Promise<Started> =>
    startBank({ folder, faults: new Set(some), sftp: { ...LOGIN, port } })
  let started = await start(0, faults)
  const { port, fingerprint: host_key } = server(started)
  const transport: SftpConfig = {
    ...{ kind: 'sftp', host: '127.0.0.1', port, user: LOGIN.user, host_key },
    ...{ outbox: 'to-bank', inbox: 'from-bank', archive: 'archive' },
  }
  const world = await openFileWorld(service, {
    ...{
      name,
      iban,
      format: iso20022,
      config: { transport },
      profile: { name: 'test', like: 'generic' },
    },
    openTransport: () => openSftp(transport, { password: LOGIN.password }),
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
        await started.bank.work()
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

function server({ sftp }: Started) {
  assert.ok(sftp)
  return sftp
}
