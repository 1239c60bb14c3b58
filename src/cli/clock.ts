// corridor clock show|confirm: the database's clock, and writes after it has jumped.
import type { Command } from 'commander'
import { clock, hostNow } from '../ledger/clock.ts'
import { confirmClock } from '../ledger/clock-store.ts'
import { addCommand, example, personOf, print, withContext } from './context.ts'

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
    personOf(context)
    const { set_from, set_to } = await confirmClock(context.sql, hostNow())
    const ahead =
      set_from === set_to
        ? 'no time was ahead of it'
        : `times as late as ${set_from} were ahead of it`
    print({ set_from, set_to }, `the clock is confirmed: ${set_to}; ${ahead}`)
  })
}
