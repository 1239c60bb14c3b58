// corridor clock show|confirm: the database's clock, and writes after it has jumped.
import type { Command } from 'commander'
import { connect } from '../db/connect.ts'
import { clock } from '../ledger/clock.ts'
import { confirmClock } from '../ledger/clock-store.ts'
import { addCommand, example, personOf, print, withContext } from './context.ts'
import { CommandFailed } from './failure.ts'

export function clockCommands(group: Command): void {
  addCommand(group, 'show', "show whether the database's clock has jumped")
    .addHelpText('after', example('clock show'))
    .action(async () => {
      await withContext(async () => {
        const { jump } = clock
        const words =
          jump === null
            ? 'the clock is right'
            : `the clock shows ${jump.found} instead of about ${jump.expected}: writes stand still`
        print({ jump }, words)
      })
    })
  addCommand(group, 'confirm', "confirm that the database's clock is right now; writes go on")
    .addHelpText('after', example('clock confirm'))
    .action(confirmAction)
}

async function confirmAction(): Promise<void> {
  await withContext(async context => {
    const operator = personOf(context)
    if (context.role === 'auditor') throw new CommandFailed(`${operator} is an auditor`)
    const owner = connect(context.url, { max: 1, as: 'owner', ...context.author })
    try {
      const host = new Date().toISOString().replace('Z', '000Z')
      const { set_from, set_to } = await confirmClock(owner, host)
      print({ set_from, set_to }, `the clock is confirmed: ${set_to}, after ${set_from}`)
    } finally {
      await owner.end({ timeout: 5 })
    }
  })
}
