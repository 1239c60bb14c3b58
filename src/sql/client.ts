// Makes pg's clients. pg reads PGOPTIONS by itself, which may choose a schema or make a session
// read-only. Only the options of the URL count.
import pg from 'pg'
import { addressOf } from './url.ts'

/** @throws DatabaseProblem for a URL that is not usable (url.ts) */
export function makeClient(url: string, settings: pg.ClientConfig): pg.Client {
  const address = addressOf(url)
  const client = new pg.Client({ ...address, ...settings })
  const { connectionParameters } = client as unknown as {
    readonly connectionParameters: { options: string | undefined }
  }
  connectionParameters.options = address.options
  return client
}
