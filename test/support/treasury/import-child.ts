// Imports a file of statements in a process of its own: `import-child.ts URL FILE`. Tests kill it.
import { readFile } from 'node:fs/promises'
import { connect } from '../../../src/sql/connect.ts'
import { importStatements } from '../../../src/treasury/statement/import.ts'
import { sourceOf } from './importing.ts'

const [, , url = '', file = ''] = process.argv
const sql = connect(url, { max: 1, as: 'service', look_ups: true })
await importStatements(sql, sourceOf(await readFile(file, 'utf8')))
await sql.end({ timeout: 5 })
