// corridor migrate: brings the schema of the database up to date.
import type { Command } from 'commander'
import { readConfig } from '../config/config.ts'
import { openDatabase } from '../postgres/open.ts'
import { migrate } from '../sql/migrate.ts'
import { asOwner, print } from './context.ts'

export function migrateCommand(command: Command): void {
  command.addHelpText('after', HELP).action(async () => {
    const database = await openDatabase(readConfig(), { create: true })
    try {
      const applied = await asOwner(database.url, owner => migrate(owner))
      const words = applied.length === 0 ? 'nothing to apply' : `applied ${applied.join(', ')}`
      print({ applied }, words)
    } finally {
      await database.release()
    }
  })
}

const HELP = `
Example:
  DATABASE_URL=postgres://user:password@host:5432/corridor corridor migrate`
