// Runs several services on one database in the test's own process. Each has its connections, lanes
// and reference data, so that only the database coordinates them.
import { serviceLog } from './logs.ts'
import {
  type AccountOptions,
  type AnotherProcess,
  type Client,
  client,
  startTestService,
  type TestService,
  type TestSettings,
} from './service.ts'

export interface SideBySide {
  readonly service: TestService
  readonly processes: readonly Pick<AnotherProcess, 'deps' | 'inject'>[]
  /** The error lines of all their logs. */
  readonly faults: readonly string[]
  /** Opens an account; the result is its client at the service `i % count`. */
  open(options?: AccountOptions): Promise<(i: number) => Client>
  close(): Promise<void>
}

export async function startSideBySide(count: number, settings?: TestSettings): Promise<SideBySide> {
  const faults: string[] = []
  const service = await startTestService(settings, serviceLog(faults))
  const others = await Promise.all(Array.from({ length: count - 1 }, service.anotherProcess))
  const processes = [service, ...others]
  return {
    service,
    processes,
    faults,
    async open(options) {
      const opened = await service.openAccount(options)
      await Promise.all(others.map(({ deps }) => deps.reference.refresh()))
      const clients = processes.map(({ inject }) => client(opened, inject))
      return i => clients[i % count] as Client
    },
    async close() {
      await Promise.all(others.map(other => other.close()))
      await service.close()
    },
  }
}
