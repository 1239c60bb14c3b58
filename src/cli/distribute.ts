// corridor distribute: spreads the tables of accounts over the machines of a Citus cluster.
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../postgres/open.ts'
import { type Distributed, distribute } from '../sql/distribute.ts'
import { refuseUnready, refuseWithoutSchema } from '../sql/migrate.ts'
import { asOwner, print } from './context.ts'
import { UsageError } from './failure.ts'

const HELP = `
DATABASE_URL names the database on the coordinator, which has been migrated and
has Citus and its machines (docs/distributed.md). Stop the service first. Run
again it changes nothing that is done, and after an upgrade it cuts tables that
are new. The number of shards is set once; some of them move to each machine
that is added later.

Example:
  DATABASE_URL=postgres://corridor:...@coordinator:5432/corridor \\
    corridor distribute --shards 32`

export function distributeCommand(command: Command): void {
  command
    .option('--shards <count>', 'parts that the tables are cut into, 2 to 1024', '32')
    .addHelpText('after', HELP)
    .action(async (options: { shards: string }) => {
      const config = readConfig()
      if (config.database_url === undefined) {
        throw new UsageError(
          'the embedded database is of one machine: set DATABASE_URL to that of the coordinator',
        )
      }
      const shards = readShards(options.shards)
      const database = await openDatabase(config, { create: false })
      const done = await asOwner(database.url, async owner => {
        await refuseWithoutSchema(owner)
        await refuseUnready(owner)
        return distribute(owner, shards)
      }).finally(() => database.release())
      print(done, words(done))
    })
}

function readShards(text: string): number {
  const shards = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0
  // With one shard, a spread database looks like one that is not spread.
  if (shards < 2 || shards > 1024) throw new UsageError('--shards must be 2 to 1024')
  return shards
}

function words(done: Distributed): string {
  const { database, shards, nodes, tables, tables_before, roles, triggers } = done
  const lines = [
    tables.length === 0
      ? `database ${database}: all ${tables_before.length} tables of accounts were spread before`
      : `database ${database}: ${tables.length} tables of accounts spread` +
        (tables_before.length === 0 ? '' : `, ${tables_before.length} were before`),
    `${shards} shards on ${nodes.join(', ')}`,
  ]
  if (roles.length > 0) lines.push(`may log in on the machines: ${roles.join(', ')}`)
  if (triggers.length > 0) lines.push(`done by the service from now on: ${triggers.join(', ')}`)
  lines.push(...done.settings.map(setting => `set ${setting}`))
  return lines.join('\n')
}
