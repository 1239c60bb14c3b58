// `npm run openapi` writes openapi.json, docs/operator.openapi.json, docs/errors.md and
// docs/connector.openapi.json from the routes, the catalogue of errors and the protocol of
// connectors, and from openapi.json the clients in packages/ and their methods. With --check it
// fails when one of them is not up to date. It needs no database, because it calls no route.
import { readFile, writeFile } from 'node:fs/promises'
import { makeConnectorDocument } from './openapi/connector.ts'
import { makeDocument } from './openapi/document.ts'
import { errorsPage } from './openapi/errors.ts'
import { emitMethods } from './sdk/methods.ts'
import { readModel } from './sdk/model.ts'
import { emitPython } from './sdk/python.ts'
import { emitResources, emitSchemas } from './sdk/typescript.ts'

const root = new URL('..', import.meta.url)
const document = await makeDocument()
const model = readModel(document)
const files = [
  { path: 'openapi.json', text: document },
  { path: 'docs/operator.openapi.json', text: await makeDocument('operators') },
  { path: 'docs/errors.md', text: errorsPage() },
  { path: 'docs/connector.openapi.json', text: makeConnectorDocument() },
  { path: 'packages/sdk/src/emitted/schemas.ts', text: emitSchemas(model) },
  { path: 'packages/sdk/src/emitted/resources.ts', text: emitResources(model) },
  { path: 'packages/python/corridor/emitted.py', text: emitPython(model) },
  { path: 'src/docs-site/snippet/methods.json', text: emitMethods(model) },
]
for (const { path, text } of files) {
  const file = new URL(path, root)
  if (!process.argv.includes('--check')) {
    await writeFile(file, text)
    process.stdout.write(`${path} written\n`)
  } else if ((await readFile(file, 'utf8').catch(() => '')) !== text) {
    process.stderr.write(`${path} is not up to date; run: npm run openapi\n`)
    process.exitCode = 1
  }
}
