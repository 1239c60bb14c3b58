// corridor openapi: prints the document of the interface that this installation has.
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { DOCUMENT } from '../http/reference.ts'

export function openapiCommand(program: Command): void {
  program
    .command('openapi')
    .description('print the OpenAPI document of the interface')
    .option('--json', 'print JSON, which the document is anyway')
    .addHelpText('after', '\nExample:\n  npx corridor openapi > openapi.json')
    .action(async () => {
      process.stdout.write(await readFile(DOCUMENT, 'utf8'))
    })
}
