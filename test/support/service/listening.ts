// Starts the whole listening service, with its workers, in the test's own process. A test that
// sends no signal needs no other process, whose start costs most of a second of processor time.

import { startService } from '../../../src/app/service.ts'
import { readConfig } from '../../../src/config/config.ts'
import { serviceLog } from './logs.ts'

export interface Listening {
  /** `http://127.0.0.1:40123` */
  readonly address: string
  close(): Promise<void>
}

/**
 * Like `corridor start` with these variables, but without the first start's sample data and
 * account.
 */
export async function startListening(env: Readonly<Record<string, string>>): Promise<Listening> {
  const quick = { CORRIDOR_SIMULATOR_DELAY_MS: '0', CORRIDOR_SETTLE_POLL_MS: '200' }
  const config = readConfig({ PORT: '0', ...quick, ...env, LOG_LEVEL: 'silent' })
  const service = await startService(config, serviceLog())
  return { address: service.address, close: () => service.stop() }
}
