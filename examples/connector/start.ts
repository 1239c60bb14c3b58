// Puts the parts of the connector together. main.ts runs it; tests do, too.
import type { AddressInfo } from 'node:net'
import { Book } from './book.ts'
import { Faults } from './faults.ts'
import { Provider, type ProviderOptions } from './provider.ts'
import { connectorServer } from './server.ts'

export interface StartOptions extends Partial<Omit<ProviderOptions, 'faults'>> {
  /** The file that keeps payments. */
  readonly file: string
  readonly secret: string
  /** 0 takes a free one. */
  readonly port?: number
  readonly faults?: Faults
}

export interface Connector {
  /** `http://127.0.0.1:4010` */
  readonly url: string
  readonly book: Book
  close(): Promise<void>
}

export async function startConnector(options: StartOptions): Promise<Connector> {
  const { file, secret, port = 0, faults = new Faults(), delay_ms = 100 } = options
  const book = await Book.open(file)
  const provider = new Provider(book, { ...options, delay_ms, faults })
  const server = connectorServer({ secret, book, provider, faults })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve)
  })
  provider.resume()
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    book,
    async close() {
      provider.stop()
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await book.close()
    },
  }
}
