// A service, and the command line of the people who run it. Both are closed after the tests of the
// file.
import { after } from 'node:test'
import { rowVersions } from '../assert/check.ts'
import { type Cli, openCli } from './cli.ts'
import { startTestService, type TestService, type TestSettings } from './service.ts'

export interface ServiceWithCli {
  readonly service: TestService
  /** The command line by olga, unless the environment says otherwise. */
  readonly cli: Cli
  /** The versions of all rows: when they stay the same, nothing was written. */
  readonly rows: () => Promise<Record<string, string>>
  /** The command line by another person, or by nobody who is named. */
  cliOf(user?: string): Promise<Cli>
}

/** `close` ends the service. */
export async function openWithCli(
  settings: TestSettings = {},
  environment: Readonly<Record<string, string>> = { CORRIDOR_USER: 'olga' },
  close: (service: TestService) => Promise<void> = service => service.close(),
): Promise<ServiceWithCli> {
  const service = await startTestService(settings)
  const opened: Cli[] = []
  after(async () => {
    for (const cli of opened) await cli.close()
    await close(service)
  })
  const open = async (env: Readonly<Record<string, string>>) => {
    const cli = await openCli(service.database.url, env)
    opened.push(cli)
    return cli
  }
  return {
    service,
    cli: await open(environment),
    rows: () => rowVersions(service.database.owner),
    cliOf: user => open(user === undefined ? {} : { CORRIDOR_USER: user }),
  }
}
