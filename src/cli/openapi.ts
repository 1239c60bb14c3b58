// corridor openapi: prints the interface document of this installation.

import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { DOCUMENT } from '../http/document.ts'
import { example } from './context.ts'

export function openapiCommand(command: Command): void {
  command
    .option('--json', 'print JSON, which the document is anyway')
    .addHelpText('after', example('openapi > openapi.json'))
    .action(async () => {
      process.stdout.write(await readFile(DOCUMENT, 'utf8'))
    })
}
